// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables
// jobs.config.schema.json as an editor uses it: on the file as it is written, before variables are put in. Checked with
// the JSON Schema validator that Fastify brings along.
import { readFileSync } from 'node:fs';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { jobsConfigSchema } from '../../../scripts/documents/jobs-config-schema.ts';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { completeJobFile, jobFile, mistakesIn } from './jobs-file.ts';

let editor: FastifyInstance;
beforeAll(async () => {
  editor = Fastify({
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, strict: true, strictRequired: false } },
  });
  editor.post('/', { schema: { body: JSON.parse(jobsConfigSchema()) } }, () => 'fine');
  await editor.ready();
});
afterAll(() => editor.close());

/** Whether an editor would underline something in a file. */
async function isUnderlined(text: string): Promise<boolean> {
  const { statusCode } = await editor.inject({ method: 'POST', url: '/', payload: parse(text, { merge: true }) });
  expect([200, 400]).toContain(statusCode);
  return statusCode === 400;
}

it.each(['jobs.config.yaml', 'demo/jobs.config.yaml', 'init/jobs.config.yaml', 'deploy/kubernetes/jobs.config.yaml'])(
  'accepts %s',
  async (file) => {
    expect(await isUnderlined(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8'))).toBe(false);
  },
);

it('is fit for a catalogue of schemas: draft 7, with an address of its own and a title', () => {
  const { $schema, $id, title, type } = JSON.parse(jobsConfigSchema()) as Record<string, string>;
  expect($schema).toBe('http://json-schema.org/draft-07/schema#');
  expect($id).toMatch(/^https:\/\/.+\.json$/);
  expect([title, type]).toEqual(['Jobs of Searchmill', 'object']);
});

describe('what Searchmill accepts, the editor accepts', () => {
  it.each([
    [completeJobFile()],
    [completeJobFile('page_size: ${N}', 'min_keep: "${SHARE}"', 'week_starts_on: ${DAY}', 'max_wait: ${N}m')],
    [completeJobFile('week_starts_on: { day: monday, even_if_refused: true }')],
    [completeJobFile('filters: { max_rank: "${N}", includeMsv: "${FLAG}", keyword_group_ids: [1, "${N}"], devices: [DESKTOP, TABLET] }')],
    [jobFile('account_id: ${N}', 'since: 2026-09-${N}')],
    [
      `defaults: { dataset: ai_search_brands, account_id: 5, since: "2026-09-06" }\n${jobFile().replace('    dataset: keyword_rankings\n', '')}`,
    ],
    [completeJobFile('account_ids: [1, "${N}"]').replace('    account_id: 1\n', '')],
    [`x-common: &common { page_size: 5 }\nx-note: anything\n${completeJobFile('<<: *common')}`],
    [completeJobFile().replace('token: abc', 'api_key: a, shared_secret: b').replace('} }', '}, limits: { submits_per_minute: "${N}" } }')],
  ])('%#', async (text) => {
    expect(mistakesIn(text, { N: '20', SHARE: '0.5', DAY: 'sunday', FLAG: 'true' })).toEqual([]);
    expect(await isUnderlined(text)).toBe(false);
  });
});

describe('what Searchmill refuses for its shape, the editor underlines', () => {
  it.each([
    ['a field it does not know', completeJobFile('pagesize: 5')],
    ['a section it does not know', `notes: {}\n${completeJobFile()}`],
    ['an account that is listed twice', completeJobFile('account_ids: [1, 1]').replace('    account_id: 1\n', '')],
    ['a wrong value that a job merges', `x-common: &common { page_size: 0 }\n${completeJobFile('<<: *common')}`],
    ['a number out of range', completeJobFile('page_size: 1001')],
    ['a number in quotes', completeJobFile('page_size: "10"')],
    ['a word out of a list', completeJobFile('week_starts_on: Sunday')],
    ['another start of the week asked for once', completeJobFile('week_starts_on: monday')],
    ['more weeks than a query may have', completeJobFile('weeks_per_query: 14')],
    ['a duration without a unit', completeJobFile('max_wait: "6"')],
    ['a day that is no date', jobFile('account_id: 1', 'since: 6.9.2026')],
    ['a filter it does not know', completeJobFile('filters: { device: [DESKTOP] }')],
    ['a filter of another type', completeJobFile('filters: { devices: DESKTOP }')],
    ['an empty list', completeJobFile('filters: { devices: [] }')],
    ['a period among the filters', completeJobFile('filters: { start_date: 2026-09-06 }')],
    ['limits above the hard ones', completeJobFile().replace('} }', '}, limits: { submits_per_minute: 41 } }')],
    ['both credentials', completeJobFile().replace('auth: {', 'auth: { api_key: a, shared_secret: b,')],
    ['no connections', completeJobFile().replace(/main: .*/, '{}')],
    ['no jobs', 'connections: { main: { base_url: "https://x.example", auth: { token: t } } }\njobs: []\n'],
  ])('%s', async (_what, text) => {
    expect(mistakesIn(text)).not.toEqual([]);
    expect(await isUnderlined(text)).toBe(true);
  });

  it.each(DATASETS)('filters of other datasets in $name', async (dataset) => {
    const own = dataset.filters.map((filter) => filter.name);
    const foreign = new Set(DATASETS.flatMap((other) => other.filters.map((filter) => filter.name)).filter((name) => !own.includes(name)));
    for (const name of foreign) {
      const text = completeJobFile(`filters: { ${name}: [x] }`).replace('keyword_rankings', dataset.name);
      expect(await isUnderlined(text), name).toBe(true);
    }
  });
});

describe('what Searchmill only warns of, the editor underlines', () => {
  it.each([
    ['keyword_rankings', 'devices', ['desktop', 'Smartphone'], ['DESKTOP', 'CONSOLE', '${DEVICE}']],
    ['keyword_rankings', 'countries', ['USA', 'U1', 'Germany'], ['US', 'us', '${COUNTRY}']],
    ['keyword_rankings', 'locodes', ['New York', 'USA'], ['US', 'US NYC', 'US-CA']],
    ['keyword_rankings', 'languages', ['English'], ['en', 'en-Latn']],
    ['ai_search_brands', 'ai_search_engines', ['ChatGPT', 'skynet', 'perplexitty'], ['chatgpt', '${ENGINE}']],
    ['ai_search_brands', 'languages', ['english_US'], ['en_US', 'zh-Hans']],
    ['ai_search_brands', 'brand_or_product_attributions', ['you', 'seo competitor'], ['You', 'SEO Competitor', 'Rival']],
  ])('in %s: %s', async (dataset, filter, warned, fine) => {
    const env = { DEVICE: 'DESKTOP', COUNTRY: 'US', ENGINE: 'chatgpt' };
    for (const value of [...warned, ...fine]) {
      const text = completeJobFile(`filters: { ${filter}: [${JSON.stringify(value)}] }`).replace('keyword_rankings', dataset);
      const isWarnedOf = parseJobsConfig('jobs.yaml', text, env).warnings.length > 0;
      expect({ value, isWarnedOf, isUnderlined: await isUnderlined(text) }).toEqual({
        value,
        isWarnedOf: warned.includes(value),
        isUnderlined: warned.includes(value),
      });
    }
  });

  it('except misspellings of known words in an open vocabulary, and unknown countries', async () => {
    for (const filters of ['devices: [DEKSTOP]', 'countries: [UK]']) {
      const text = completeJobFile(`filters: { ${filters} }`);
      expect(parseJobsConfig('jobs.yaml', text, {}).warnings).toHaveLength(1);
      expect(await isUnderlined(text)).toBe(false);
    }
  });
});

it('offers the known values of filters, and explains every field', () => {
  const schema = JSON.parse(jobsConfigSchema());
  const devices = schema.definitions.keyword_rankings.properties.devices;
  expect(devices.items.anyOf).toContainEqual({ enum: ['DESKTOP', 'SMARTPHONE', 'TABLET'] });
  for (const properties of [
    schema.properties,
    schema.properties.defaults.properties,
    schema.properties.jobs.items.properties,
    ...DATASETS.map(({ name }) => schema.definitions[name].properties),
  ]) {
    for (const [name, field] of Object.entries<{ description?: string }>(properties)) expect(field.description, name).toMatch(/\.$/);
  }
});
