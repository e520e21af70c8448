// Submit fields shared by the ranking and the AI search datasets, and the builder of most others.
import type { Filter } from './dataset.ts';

/** A list of texts; the column must equal one of them. */
export function texts(name: string, column: string, comment: string, more: Partial<Filter> = {}): Filter {
  return { name, type: 'strings', column, ...more, comment };
}

export const COLLECTION_FREQUENCY_FILTER: Filter = {
  name: 'collection_frequency',
  type: 'string',
  separates: 'value',
  known: ['WEEKLY', 'DAILY'],
  comment: 'How often the data was collected; WEEKLY when not set. Rows of DAILY have periods of one day.',
};

export const WEB_PROPERTIES_FILTER: Filter = {
  name: 'web_property_ids',
  type: 'integers',
  column: 'web_property_id',
  separates: 'value',
  comment: 'Web properties to return.',
};

const LOCODES = 'Location codes: a country code, optionally with a city or region code after a space or hyphen.';
export const LOCODES_FILTER = texts('locodes', 'locode', LOCODES, { separates: 'prefix', form: 'locode', ignoresCase: true });
