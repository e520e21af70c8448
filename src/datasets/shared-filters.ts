// Submit fields that the ranking and the AI search datasets have alike.
import type { Filter } from './dataset.ts';

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

export const LOCODES_FILTER: Filter = {
  name: 'locodes',
  type: 'strings',
  column: 'locode',
  separates: 'prefix',
  form: 'locode',
  ignoresCase: true,
  comment: 'Location codes: a country code, optionally with a city or region code after a space or hyphen.',
};
