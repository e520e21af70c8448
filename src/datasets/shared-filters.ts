// Submit fields shared by the ranking and the AI search datasets, and the builder of most others.
import type { Filter } from './dataset.ts';

/** A list of texts that selects tracked searches or prompts; the column must equal one of them. */
export function selecting(name: string, column: string, comment: string, more: Partial<Filter> = {}): Filter {
  return { name, type: 'strings', effect: 'selects', column, ...more, comment };
}

/** A list of texts that cuts rows of each tracked search or prompt; the column must equal one of them. */
export function cutting(name: string, column: string, comment: string, more: Partial<Filter> = {}): Filter {
  return { ...selecting(name, column, comment, more), effect: 'cuts' };
}

export const COLLECTION_FREQUENCY_FILTER: Filter = {
  name: 'collection_frequency',
  type: 'string',
  effect: 'selects',
  separates: 'value',
  known: ['WEEKLY', 'DAILY'],
  comment: 'How often the data was collected; WEEKLY when not set. Rows of DAILY have periods of one day.',
};

export const WEB_PROPERTIES_FILTER: Filter = {
  name: 'web_property_ids',
  type: 'integers',
  effect: 'selects',
  column: 'web_property_id',
  separates: 'value',
  comment: 'Web properties to return.',
};

const LOCODES = 'Location codes: a country code, optionally with a city or region code after a space or hyphen.';
export const LOCODES_FILTER = selecting('locodes', 'locode', LOCODES, { separates: 'prefix', form: 'locode', ignoresCase: true });
