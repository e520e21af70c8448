// The 31 columns shared by keyword_rankings and highest_ranking_url_per_keyword, and their submit fields.
// Source: service specification, "Keyword rankings row" and "Submit body: keyword_rankings".
import { attribute, date, float, integer, TRACKED } from './columns.ts';
import type { Column, Filter } from './dataset.ts';
import { COLLECTION_FREQUENCY_FILTER, cutting, LOCODES_FILTER, selecting, WEB_PROPERTIES_FILTER } from './shared-filters.ts';

export const RANKING_COLUMNS: readonly Column[] = [
  integer('account_id', 'bigint', 'Identifier of the account.'),
  attribute('account_name', 'Display name of the account.'),
  attribute('organization_id', 'Identifier of the organization.'),
  attribute('organization_name', 'Display name of the organization.'),
  { ...integer('web_property_id', 'bigint', 'Identifier of the web property.'), heldFrom: TRACKED },
  attribute('web_property_name', 'Display name of the web property.'),
  date('time_period_start', 'First day of the reported period.'),
  date('time_period_end', 'Last day of the reported period.'),
  date('collection_date', 'Day of collection.'),
  attribute(
    'search_engine_name',
    'Name of the search engine, such as GOOGLE_EN_US; the specification does not say how it differs from search_engine.',
  ),
  {
    ...attribute('search_engine', 'Search engine, such as GOOGLE; the specification does not say how it differs from search_engine_name.'),
    breakdown: 'engines',
    heldFrom: TRACKED,
  },
  { ...attribute('search_engine_country_code', 'Country code of the search engine.'), breakdown: 'countries', heldFrom: TRACKED },
  { ...attribute('search_engine_language_code', 'Language code of the search engine.'), heldFrom: TRACKED },
  { ...attribute('locode', 'Location code: a country, or a country with a city or region.'), heldFrom: TRACKED },
  { ...attribute('device', 'Device, such as DESKTOP or SMARTPHONE.'), breakdown: 'devices', heldFrom: TRACKED },
  attribute('query', 'The keyword.'),
  attribute('title', 'Title of the ranked result.'),
  attribute('normalized_url', 'URL of the ranked result, normalized by the service.'),
  { ...attribute('root_domain', 'Root domain of the result.'), breakdown: 'domains' },
  attribute('subdomain', 'Subdomain of the result.'),
  attribute('result_type', 'Kind of result, such as STANDARD_LINK.'),
  integer('rank_standard', 'integer', 'Standard rank; the specification does not say how it is counted.'),
  integer('rank_true', 'integer', 'True rank; the specification does not say how it is counted.'),
  integer('rank_result_type', 'integer', 'Rank by result type; the specification does not say how it is counted.'),
  { ...attribute('keyword_group_ids', 'Identifiers of keyword groups, separated by commas.'), items: 'integer' },
  { ...attribute('keyword_group_names', 'Names of keyword groups, separated by commas; a name may hold a comma itself.'), items: 'string' },
  integer('average_search_volume', 'bigint', 'Average search volume; the specification does not say over which time.'),
  float('cpc', 'Cost per click; the specification does not say in which currency.'),
  float('competition', 'Competition; the specification does not say in which range.'),
  integer('approximate_search_volume', 'bigint', 'Approximate search volume; the specification does not say over which time.'),
  integer('msv_month', 'integer', 'Year and month of the search volume (msv), as the number YYYYMM.'),
];

/** The shared columns; those named in `identity` make up the row key. */
export function rankingColumns(identity: readonly string[]): Column[] {
  return RANKING_COLUMNS.map((column) => ({ ...column, isIdentity: identity.includes(column.name) }));
}

/** Columns that identify the search, independent of its results. */
export const SEARCH_IDENTITY = [
  'account_id',
  'web_property_id',
  'time_period_start',
  'time_period_end',
  'search_engine',
  'search_engine_country_code',
  'search_engine_language_code',
  'locode',
  'device',
  'query',
] as const;

export const RANK_FILTERS: readonly Filter[] = [
  {
    name: 'min_rank',
    type: 'integer',
    effect: 'cuts',
    column: 'rank_standard',
    min: 1,
    widens: 'lower',
    comment: 'Best rank to return; 1 is the top.',
  },
  {
    name: 'max_rank',
    type: 'integer',
    effect: 'cuts',
    column: 'rank_standard',
    min: 1,
    widens: 'higher',
    comment: 'Worst rank to return; not below min_rank.',
  },
];

export const RANKING_FILTERS: readonly Filter[] = [
  { ...COLLECTION_FREQUENCY_FILTER, settledBy: 'time_period_end' },
  cutting('result_types', 'result_type', 'Kinds of results to return.', { separates: 'value', known: ['STANDARD_LINK'] }),
  cutting('domains', 'root_domain', 'Domains whose results to return.', { separates: 'host', settledBy: 'normalized_url', form: 'domain' }),
  { name: 'includeMsv', type: 'boolean', effect: 'none', widens: 'any', comment: 'Whether to return monthly search volumes.' },
  {
    name: 'keyword_group_ids',
    type: 'integers',
    effect: 'selects',
    column: 'keyword_group_ids',
    comment: 'Identifiers of keyword groups.',
  },
  selecting('keyword_group_names', 'keyword_group_names', 'Names of keyword groups.'),
  WEB_PROPERTIES_FILTER,
  {
    name: 'rank_source_ids',
    type: 'integers',
    effect: 'selects',
    comment: 'Rank sources (an engine in a country and language) to return.',
  },
  selecting('devices', 'device', 'Devices to return.', {
    separates: 'value',
    known: ['DESKTOP', 'SMARTPHONE', 'TABLET'],
    synonyms: { mobile: 'SMARTPHONE', phone: 'SMARTPHONE', pc: 'DESKTOP', computer: 'DESKTOP' },
    ignoresCase: true,
  }),
  LOCODES_FILTER,
  selecting('countries', 'search_engine_country_code', 'Two-letter country codes.', {
    separates: 'value',
    form: 'country',
    ignoresCase: true,
  }),
  selecting('languages', 'search_engine_language_code', 'Language tags: a language code, or a language and script.', {
    separates: 'prefix',
    form: 'language',
    ignoresCase: true,
  }),
];
