// The registry against the specification, transcribed here by hand so that a slip in a definition cannot hide: columns
// from "Result rows", filters from "Submit body, by operation", paths from "Endpoints".
import { describe, expect, it } from 'vitest';
import type { FilterType } from '../../../src/datasets/dataset.ts';
import { identityColumns, operationPath } from '../../../src/datasets/dataset.ts';
import { DATASETS, datasetNamed, findDataset } from '../../../src/datasets/index.ts';

const RANKING_COLUMNS = `
account_id integer
account_name string
organization_id string
organization_name string
web_property_id integer
web_property_name string
time_period_start date
time_period_end date
collection_date date
search_engine_name string
search_engine string
search_engine_country_code string
search_engine_language_code string
locode string
device string
query string
title string
normalized_url string
root_domain string
subdomain string
result_type string
rank_standard integer
rank_true integer
rank_result_type integer
keyword_group_ids string
keyword_group_names string
average_search_volume integer
cpc float
competition float
approximate_search_volume integer
msv_month integer`;

const AI_COLUMNS_1_TO_6 = `
organization_name string
organization_id string
account_name string
account_id integer
web_property_name string
web_property_id integer`;

const AI_COLUMNS_1_TO_17 = `${AI_COLUMNS_1_TO_6}
time_period_start date
time_period_end date
collection_frequency string
locode string
language string
ai_search_engine string
topic string
prompt string
prompt_type string
intent string
persona string`;

const COLUMNS: Readonly<Record<string, string>> = {
  keyword_rankings: RANKING_COLUMNS,
  highest_ranking_url_per_keyword: RANKING_COLUMNS,
  ai_search_brands: `${AI_COLUMNS_1_TO_17}
brand_or_product_name string
brand_or_product_entity_type string
brand_or_product_attribution string
ai_response_collected boolean
web_search_triggered boolean
prompt_group_names string`,
  ai_search_citations: `${AI_COLUMNS_1_TO_17}
citation_title string
citation_url string
citation_domain string
citation_web_property_segment string
citation_attribution string
ai_response_collected boolean
web_search_triggered boolean
prompt_group_names string`,
  ai_search_fan_out: `${AI_COLUMNS_1_TO_17}
fan_out_query string
fan_out_query_position integer
amount_of_searches integer
web_search boolean
ai_response_received boolean
prompt_group_names string`,
  ai_search_sentiments: `${AI_COLUMNS_1_TO_17}
sentiment_brand string
sentiment_value string
sentiment_score float
sentiment_category string
sentiment_snippet string
sentiment_source_url string
sentiment_source_domain string
ai_response_collected boolean
web_search_triggered boolean
prompt_group_names string`,
  ai_search_response: `${AI_COLUMNS_1_TO_6}
collection_frequency string
time_period_start date
time_period_end date
locode string
language string
ai_search_engine_id string
ai_search_engine string
topic string
prompt string
intent string
persona string
ai_response string
collection_date date
prompt_group_names string`,
};

const COLUMN_COUNTS: Readonly<Record<string, number>> = {
  keyword_rankings: 31,
  highest_ranking_url_per_keyword: 31,
  ai_search_brands: 23,
  ai_search_citations: 25,
  ai_search_fan_out: 23,
  ai_search_sentiments: 27,
  ai_search_response: 20,
};

/** The specification's words for the types of submit fields. */
const FILTER_WORDS: Readonly<Record<FilterType, string>> = {
  integer: 'integer',
  string: 'string',
  boolean: 'boolean',
  integers: 'array of integer',
  strings: 'array of string',
};

const TOP_URL_FIELDS = `
account_id integer
start_date date
end_date date
collection_frequency string
result_types array of string
domains array of string
includeMsv boolean
keyword_group_ids array of integer
keyword_group_names array of string
web_property_ids array of integer
rank_source_ids array of integer
devices array of string
locodes array of string
countries array of string
languages array of string`;

const AI_FIELDS_OF_ALL = `
web_property_ids array of integer
ai_search_engines array of string
locodes array of string
languages array of string
topics array of string
prompts array of string`;

const AI_FIELDS_THROUGH_PERSONAS = `
account_id integer
start_date date
end_date date
collection_frequency string${AI_FIELDS_OF_ALL}
prompt_type string
intents array of string
personas array of string`;

const PROMPT_GROUP_FIELDS = `
prompts_groups array of string
prompts_groups_match string`;

const SUBMIT_FIELDS: Readonly<Record<string, string>> = {
  keyword_rankings: `${TOP_URL_FIELDS}
min_rank integer
max_rank integer`,
  highest_ranking_url_per_keyword: TOP_URL_FIELDS,
  ai_search_brands: `${AI_FIELDS_THROUGH_PERSONAS}
brand_or_product_names array of string
brand_or_product_attributions array of string
${PROMPT_GROUP_FIELDS}`,
  ai_search_citations: `${AI_FIELDS_THROUGH_PERSONAS}
root_domains array of string
domains array of string
citation_urls array of string
citation_attributions array of string
${PROMPT_GROUP_FIELDS}`,
  ai_search_fan_out: `${AI_FIELDS_THROUGH_PERSONAS}
${PROMPT_GROUP_FIELDS}`,
  ai_search_sentiments: `${AI_FIELDS_THROUGH_PERSONAS}
sentiment_brands array of string
sentiment_values array of string
sentiment_categories array of string
sentiment_source_domains array of string
${PROMPT_GROUP_FIELDS}`,
  ai_search_response: `
time_period_start date
time_period_end date
collection_frequency string
account_id integer
limit integer${AI_FIELDS_OF_ALL}
intents array of string
personas array of string
${PROMPT_GROUP_FIELDS}`,
};

/** Values the specification shows in its request shapes; DAILY and TABLET are documented publicly. */
const KNOWN_VALUES: Readonly<Record<string, readonly string[]>> = {
  collection_frequency: ['WEEKLY', 'DAILY'],
  result_types: ['STANDARD_LINK'],
  devices: ['DESKTOP', 'SMARTPHONE', 'TABLET'],
  brand_or_product_attributions: ['You', 'Partner', 'SEO Competitor', 'Other'],
  citation_attributions: ['You', 'Partner', 'SEO Competitor', 'Other'],
  prompts_groups_match: ['any'],
};

function lines(text: string | undefined): string[] {
  return (text ?? '').split('\n').filter(Boolean);
}

it('has the seven operations in the order of the specification', () => {
  expect(DATASETS.map((dataset) => dataset.name)).toEqual(Object.keys(COLUMN_COUNTS));
});

describe.each(DATASETS)('$name', (dataset) => {
  it('has the columns of the specification, in its order, with its types', () => {
    expect(dataset.columns.map(({ name, wire }) => `${name} ${wire}`)).toEqual(lines(COLUMNS[dataset.name]));
    expect(dataset.columns).toHaveLength(COLUMN_COUNTS[dataset.name] ?? 0);
  });

  it('takes the submit fields of the specification, with its types', () => {
    const period = [`${dataset.period.start} date`, `${dataset.period.end} date`];
    const filters = dataset.filters.map(({ name, type }) => `${name} ${FILTER_WORDS[type]}`);
    const fields = ['account_id integer', ...period, ...filters];
    expect(new Set(fields)).toEqual(new Set(lines(SUBMIT_FIELDS[dataset.name])));
    expect(fields).toHaveLength(new Set(fields).size);
  });

  it('knows exactly the values that the specification shows', () => {
    for (const { name, known } of dataset.filters) expect([name, known]).toEqual([name, KNOWN_VALUES[name]]);
  });

  it('is asked for at the path of its operation', () => {
    expect(operationPath(dataset)).toBe(`/data-api/v1/async/${dataset.name}`);
  });

  it('stores every type of the wire in a Postgres type that holds all of its values', () => {
    const allowed = { integer: ['bigint', 'integer'], string: ['text'], date: ['date'], float: ['double precision'], boolean: ['boolean'] };
    for (const { name, wire, pg } of dataset.columns) expect(allowed[wire], name).toContain(pg);
  });

  it('tells rows apart by dimensions, never by what was measured', () => {
    const identity = identityColumns(dataset).map((column) => column.name);
    expect(identity).toEqual(expect.arrayContaining(['account_id', 'web_property_id', 'time_period_start', 'time_period_end']));
    for (const { name, wire } of identityColumns(dataset)) expect(['float', 'boolean'], name).not.toContain(wire);
    expect(identity.filter((name) => /^rank_|_score$|volume|_name$/.test(name) && name !== 'brand_or_product_name')).toEqual([]);
  });

  it('filters only by columns that it has', () => {
    const names = dataset.columns.map((column) => column.name);
    for (const { name, column } of dataset.filters) if (column) expect(names, name).toContain(column);
  });

  it('explains every column and filter in one sentence', () => {
    for (const { name, comment } of [...dataset.columns, ...dataset.filters]) expect(comment, name).toMatch(/^[A-Z].*\.$/);
  });
});

it('marks exactly the comma-separated columns of the specification as lists', () => {
  const lists = DATASETS.flatMap((dataset) => dataset.columns.filter((column) => column.items).map((column) => column.name));
  expect([...new Set(lists)]).toEqual(['keyword_group_ids', 'keyword_group_names', 'prompt_group_names']);
});

it('finds a dataset by its name, and refuses a name that this release does not know', () => {
  expect(findDataset('ai_search_brands')?.name).toBe('ai_search_brands');
  expect(findDataset('ai_search_brand')).toBeUndefined();
  expect(() => datasetNamed('ai_search_brand')).toThrow(/does not know: ai_search_brand/);
});
