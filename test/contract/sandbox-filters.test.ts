// Service specification: "Submit body, by operation". Every filter of every operation leaves exactly the rows that an
// independent reading of the unfiltered answer says it should.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../sandbox/server.ts';
import { addDays } from '../../src/core/weeks.ts';
import type { Dataset, Filter } from '../../src/datasets/dataset.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import { question, type Row, readAll, startTinySandbox } from './sandbox-calls.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startTinySandbox({
    limits: { submit: 100_000, read: 100_000 },
    sizes: {
      keywords: 12,
      resultsPerKeyword: 10,
      rankSources: 4,
      locodesPerRankSource: 2,
      competitors: 4,
      brands: 4,
      prompts: 24,
      aiEngines: 3,
      aiLocales: 3,
    },
  });
});
afterAll(() => sandbox.close());

/** Tested one by one below: no column of the answer shows what they select. */
const WITHOUT_COLUMN = ['includeMsv', 'rank_source_ids', 'collection_frequency', 'prompts_groups_match', 'limit'];

function valueIn(dataset: Dataset, row: Row, column: string): string | null {
  return row[dataset.columns.findIndex(({ name }) => name === column)] ?? null;
}

/** Whether `filter` with these values asks for a row, judged by the row alone. */
function isAskedFor(dataset: Dataset, row: Row, filter: Filter, values: readonly (string | number)[]): boolean {
  const column = filter.column ?? '';
  const value = valueIn(dataset, row, column);
  if (value === null) return false;
  if (filter.name === 'min_rank') return Number(value) >= Number(values[0]);
  if (filter.name === 'max_rank') return Number(value) <= Number(values[0]);
  if (filter.name === 'root_domains') return values.some((root) => value === root || value.endsWith(`.${root}`));
  const isList = dataset.columns.find(({ name }) => name === column)?.items !== undefined;
  return values.some((wanted) => (isList ? value.split(',') : [value]).includes(String(wanted)));
}

/** Distinct values a filter can be given, as they occur in the rows. */
function valuesFor(dataset: Dataset, rows: readonly Row[], filter: Filter): (string | number)[] {
  const column = dataset.columns.find(({ name }) => name === filter.column);
  const present = rows.map((row) => valueIn(dataset, row, filter.column ?? '')).filter((value) => value !== null && value !== '');
  const items = present.flatMap((value) => (column?.items ? (value ?? '').split(',') : [value ?? '']));
  const asRoots = filter.name === 'root_domains' ? items.map((host) => host.split('.').slice(-2).join('.')) : items;
  return [...new Set(asRoots)].sort().map((value) => (filter.type.startsWith('integer') ? Number(value) : value));
}

function bodyFor(filter: Filter, values: readonly (string | number)[]): Record<string, unknown> {
  return { [filter.name]: filter.type === 'integers' || filter.type === 'strings' ? values : values[0] };
}

describe.each(DATASETS)('$name', (dataset) => {
  let all: Row[];
  beforeAll(async () => {
    all = await readAll(sandbox, dataset.name, question(dataset.name));
  });

  test.each(dataset.filters.filter(({ name }) => !WITHOUT_COLUMN.includes(name)))('$name selects by $column', async (filter) => {
    const values = valuesFor(dataset, all, filter);
    const middle = values[Math.floor(values.length / 2)];
    if (middle === undefined) throw new Error(`no row has a ${filter.column}`);
    const expected = all.filter((row) => isAskedFor(dataset, row, filter, [middle]));
    const rows = await readAll(sandbox, dataset.name, question(dataset.name, bodyFor(filter, [middle])));
    expect(rows).toEqual(expected);
    expect(rows.length).toBeGreaterThan(0);
    // Where the world has only one value, selecting it leaves nothing out, and the test above shows nothing.
    if (values.length > 1) expect(rows.length).toBeLessThan(all.length);
  });

  test.each(dataset.filters.filter(({ name, type }) => !WITHOUT_COLUMN.includes(name) && (type === 'integers' || type === 'strings')))(
    '$name takes several values, and a value that no row has',
    async (filter) => {
      const values = valuesFor(dataset, all, filter).slice(0, 2);
      const unknown = filter.type === 'integers' ? 987_654_321 : 'nothing has this';
      const expected = all.filter((row) => isAskedFor(dataset, row, filter, values));
      expect(await readAll(sandbox, dataset.name, question(dataset.name, bodyFor(filter, [unknown, ...values])))).toEqual(expected);
      expect(await readAll(sandbox, dataset.name, question(dataset.name, bodyFor(filter, [unknown])))).toEqual([]);
    },
  );

  test('rows match all of several filters', async () => {
    const [first, second] = dataset.filters.filter(({ name, type }) => !WITHOUT_COLUMN.includes(name) && type === 'strings');
    const some = all[Math.floor(all.length / 2)];
    if (!first?.column || !second?.column || !some) throw new Error('two filters and a row are needed');
    const filters = [first, second].map((filter) => ({ filter, values: [valueIn(dataset, some, filter.column ?? '') ?? ''] }));
    const expected = all.filter((row) => filters.every(({ filter, values }) => isAskedFor(dataset, row, filter, values)));
    const body = Object.assign({}, ...filters.map(({ filter, values }) => bodyFor(filter, values)));
    const rows = await readAll(sandbox, dataset.name, question(dataset.name, body));
    expect(rows).toEqual(expected);
    expect(rows.length).toBeGreaterThan(0);
  });

  test('all rows are collected weekly, a part of them daily too, and none at another frequency', async () => {
    const rowsAt = (frequency: string) => readAll(sandbox, dataset.name, question(dataset.name, { collection_frequency: frequency }));
    expect(await rowsAt('WEEKLY')).toEqual(all);
    expect(await rowsAt('MONTHLY')).toEqual([]);
    const daily = await rowsAt('DAILY');
    const periods = daily.map((row) => `${valueIn(dataset, row, 'time_period_start')}..${valueIn(dataset, row, 'time_period_end')}`);
    const days = Array.from({ length: 7 }, (_, day) => addDays('2026-11-08', day));
    expect(new Set(periods)).toEqual(new Set(days.map((day) => `${day}..${day}`)));
    expect(daily.length / all.length).toBeGreaterThan(0.3);
    expect(daily.length / all.length).toBeLessThan(3);
    for (const row of daily) {
      expect(valueIn(dataset, row, 'collection_frequency') ?? 'DAILY').toBe('DAILY');
      const start = valueIn(dataset, row, 'time_period_start');
      expect(valueIn(dataset, row, 'collection_date') ?? start).toBe(start);
    }
    expect(daily).toEqual([...sandbox.rowsOf(dataset.name, question(dataset.name, { collection_frequency: 'DAILY' }))]);
  });

  const caseless = dataset.filters.filter(
    ({ name, column }) => ['locodes', 'countries', 'languages', 'devices'].includes(name) || column?.endsWith('_attribution'),
  );
  test.each(caseless)('$name is compared without case', async (filter) => {
    for (const value of valuesFor(dataset, all, filter)) {
      const asWritten = await readAll(sandbox, dataset.name, question(dataset.name, { [filter.name]: [value] }));
      expect(asWritten.length).toBeGreaterThan(0);
      for (const other of [String(value).toLowerCase(), String(value).toUpperCase()])
        expect(await readAll(sandbox, dataset.name, question(dataset.name, { [filter.name]: [other] }))).toEqual(asWritten);
    }
  });
});

describe.each(DATASETS.filter(({ filters }) => filters.some(({ name }) => name === 'includeMsv')))('$name', (dataset) => {
  const VOLUMES = ['average_search_volume', 'cpc', 'competition', 'approximate_search_volume', 'msv_month'];

  test('search volumes are null unless includeMsv is true', async () => {
    for (const filters of [{}, { includeMsv: false }]) {
      const rows = await readAll(sandbox, dataset.name, question(dataset.name, filters));
      expect(rows.every((row) => VOLUMES.every((column) => valueIn(dataset, row, column) === null))).toBe(true);
    }
    const rows = await readAll(sandbox, dataset.name, question(dataset.name, { includeMsv: true }));
    for (const column of VOLUMES) expect(rows.some((row) => valueIn(dataset, row, column) !== null)).toBe(true);
    expect(new Set(rows.map((row) => valueIn(dataset, row, 'msv_month')))).toEqual(new Set(['202610']));
  });

  test('includeMsv changes nothing but the volumes', async () => {
    const [without, with_] = [
      await readAll(sandbox, dataset.name, question(dataset.name)),
      await readAll(sandbox, dataset.name, question(dataset.name, { includeMsv: true })),
    ];
    expect(with_.map((row) => row.slice(0, 26))).toEqual(without.map((row) => row.slice(0, 26)));
  });

  test('rank sources select an engine in a country and language', async () => {
    const all = await readAll(sandbox, dataset.name, question(dataset.name));
    const source = (row: Row) =>
      ['search_engine', 'search_engine_country_code', 'search_engine_language_code']
        .map((column) => valueIn(dataset, row, column))
        .join(' ');
    const SOURCES: Readonly<Record<number, string>> = { 1: 'GOOGLE US en', 2: 'GOOGLE DE de', 3: 'GOOGLE GB en', 4: 'BING US en' };
    for (const ids of [[1], [4], [2, 3], [99]]) {
      const wanted = ids.map((id) => SOURCES[id]);
      const rows = await readAll(sandbox, dataset.name, question(dataset.name, { rank_source_ids: ids }));
      expect(rows).toEqual(all.filter((row) => wanted.includes(source(row))));
      expect(rows.length > 0).toBe(ids[0] !== 99);
    }
  });
});

test('keyword group names count only where no ids are given', async () => {
  const rowsOf = (filters: Record<string, unknown>) => readAll(sandbox, 'keyword_rankings', question('keyword_rankings', filters));
  const all = await rowsOf({});
  const groups = all.map((row) => ({ ids: (row[24] ?? '').split(','), names: (row[25] ?? '').split(',') }));
  const first = groups.find(({ ids }) => ids[0] !== '');
  const other = groups.find(({ ids }) => ids[0] !== '' && ids[0] !== first?.ids[0]);
  const [id, name] = [Number(first?.ids[0]), other?.names[0]];
  const byId = await rowsOf({ keyword_group_ids: [id] });
  expect(byId.length).toBeGreaterThan(0);
  expect(await rowsOf({ keyword_group_ids: [id], keyword_group_names: [name] })).toEqual(byId);
  const byName = await rowsOf({ keyword_group_names: [name] });
  expect(byName).not.toEqual(byId);
  expect(await rowsOf({ keyword_group_ids: [], keyword_group_names: [name] })).toEqual(byName);
});

test('texts other than locations, languages, devices and attributions are compared with case', async () => {
  const [row] = await readAll(sandbox, 'ai_search_brands', question('ai_search_brands'));
  for (const [filter, value] of [
    ['ai_search_engines', row?.[11]],
    ['topics', row?.[12]],
    ['brand_or_product_names', row?.[17]],
  ] as const)
    expect(await readAll(sandbox, 'ai_search_brands', question('ai_search_brands', { [filter]: [value?.toUpperCase()] }))).toEqual([]);
});

test('tablets are searched for a few keywords', async () => {
  const all = await readAll(sandbox, 'keyword_rankings', question('keyword_rankings'));
  const tablets = all.filter((row) => row[14] === 'TABLET');
  expect(new Set(all.map((row) => row[14]))).toEqual(new Set(['DESKTOP', 'SMARTPHONE', 'TABLET']));
  expect(tablets.length / all.length).toBeLessThan(0.15);
});

test('min_rank and max_rank together leave the ranks between them, and nothing without a standard rank', async () => {
  const rows = await readAll(sandbox, 'keyword_rankings', question('keyword_rankings', { min_rank: 3, max_rank: 4 }));
  expect(new Set(rows.map((row) => row[21]))).toEqual(new Set(['3', '4']));
  const all = await readAll(sandbox, 'keyword_rankings', question('keyword_rankings'));
  expect(all.some((row) => row[21] === null)).toBe(true);
});

test('a limit cuts ai_search_response after that many rows', async () => {
  const all = await readAll(sandbox, 'ai_search_response', question('ai_search_response'));
  for (const limit of [1, 7, all.length - 1, all.length, all.length + 1]) {
    const rows = await readAll(sandbox, 'ai_search_response', question('ai_search_response', { limit }), 3);
    expect(rows).toEqual(all.slice(0, limit));
  }
});

test('prompts_groups_match any is the default for prompts_groups', async () => {
  const groups = { prompts_groups: ['Core prompts', 'Brand defence'] };
  const plain = await readAll(sandbox, 'ai_search_brands', question('ai_search_brands', groups));
  expect(plain.length).toBeGreaterThan(0);
  expect(await readAll(sandbox, 'ai_search_brands', question('ai_search_brands', { ...groups, prompts_groups_match: 'any' }))).toEqual(
    plain,
  );
});

test('the brands operation has no rows of competitors', async () => {
  const filters = { brand_or_product_attributions: ['SEO Competitor', 'Other'] };
  expect(await readAll(sandbox, 'ai_search_brands', question('ai_search_brands', filters))).toEqual([]);
});
