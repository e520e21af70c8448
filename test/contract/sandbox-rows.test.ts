// Service specification: "Result rows". And what makes the invented company worth loading: the same question has the
// same rows, weeks belong together, the derived dataset is derived.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../sandbox/server.ts';
import { addDays, isIsoDate } from '../../src/core/weeks.ts';
import { identityColumns, type WireType } from '../../src/datasets/dataset.ts';
import { DATASETS, datasetNamed } from '../../src/datasets/index.ts';
import { question, type Row, readAll, startTinySandbox } from './sandbox-calls.ts';

const MANY = { limits: { submit: 100_000, read: 100_000 } };
const SIZES = { keywords: 10, resultsPerKeyword: 10, prompts: 20, aiEngines: 3, aiLocales: 2, competitors: 3, brands: 4 };

let sandbox: Sandbox;
/** The same company, asked in another order. */
let twin: Sandbox;
/** Another company. */
let stranger: Sandbox;
beforeAll(async () => {
  const options = { ...MANY, sizes: SIZES, duplicates: 0 };
  [sandbox, twin, stranger] = await Promise.all([
    startTinySandbox(options),
    startTinySandbox(options),
    startTinySandbox({ ...options, seed: 2 }),
  ]);
  for (const { name } of DATASETS.toReversed()) await readAll(twin, name, question(name));
});
afterAll(() => Promise.all([sandbox.close(), twin.close(), stranger.close()]));

/** Values of some columns of each row, as one text. */
function keysOf(operation: string, rows: readonly Row[], columns: readonly string[]): string[] {
  const positions = columns.map((name) => datasetNamed(operation).columns.findIndex((column) => column.name === name));
  return rows.map((row) => JSON.stringify(positions.map((position) => row[position])));
}

const FORMS: Readonly<Record<WireType, (value: string) => boolean>> = {
  integer: (value) => /^-?\d+$/.test(value) && Number.isSafeInteger(Number(value)),
  float: (value) => /^-?\d+(\.\d+)?$/.test(value),
  boolean: (value) => value === 'true' || value === 'false',
  date: isIsoDate,
  string: (value) => typeof value === 'string',
};

describe.each(DATASETS)('$name', (dataset) => {
  const { name, columns } = dataset;
  const sample = question(name, dataset.filters.some((filter) => filter.name === 'includeMsv') ? { includeMsv: true } : {}, '2026-10-18');
  let rows: Row[];
  beforeAll(async () => {
    rows = await readAll(sandbox, name, sample);
  });

  test('every value is a string of the form its column says, or null', () => {
    expect(rows.length).toBeGreaterThan(100);
    for (const row of rows) {
      expect(row).toHaveLength(columns.length);
      for (const [position, { name: column, wire }] of columns.entries()) {
        const value = row[position];
        if (value !== null && !FORMS[wire](value as string)) throw new Error(`${column} has ${JSON.stringify(value)}, which is no ${wire}`);
      }
    }
  });

  test('every column has values', () => {
    for (const [position, column] of columns.entries()) {
      expect(
        rows.some((row) => row[position] !== null && row[position] !== ''),
        column.name,
      ).toBe(true);
    }
  });

  test('rows belong to the whole weeks inside the window, and every week has rows', () => {
    const weeks = new Set(keysOf(name, rows, ['time_period_start', 'time_period_end']));
    const expected = ['2026-10-18', '2026-10-25', '2026-11-01', '2026-11-08'].map((start) => JSON.stringify([start, addDays(start, 6)]));
    expect(weeks).toEqual(new Set(expected));
  });

  test('no two rows are the same by what identifies them', () => {
    const keys = keysOf(
      name,
      rows,
      identityColumns(dataset).map((column) => column.name),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('a week has the same rows whether a query asks for it alone or with others', async () => {
    const { account_id, ...rest } = sample;
    const oneWeek = { account_id, ...rest, [dataset.period.start]: '2026-11-01', [dataset.period.end]: '2026-11-07' };
    const keys = keysOf(name, rows, ['time_period_start']);
    expect(await readAll(sandbox, name, oneWeek)).toEqual(rows.filter((_, index) => keys[index] === '["2026-11-01"]'));
  });

  test('the same seed has the same rows, in any order of calls; another seed has others', async () => {
    expect(await readAll(twin, name, sample, 77)).toEqual(rows);
    expect([...stranger.rowsOf(name, sample)]).not.toEqual(rows);
  });

  test('the rows promised for a body are the rows served', () => {
    expect([...sandbox.rowsOf(name, sample)]).toEqual(rows);
  });
});

describe('weeks', () => {
  const startsOf = (rows: Iterable<readonly unknown[]>) => [...new Set([...rows].map((row) => row[6]))];

  test('only weeks wholly inside the window are reported', () => {
    const body = { account_id: 12345, start_date: '2026-10-19', end_date: '2026-11-13' };
    expect(startsOf(sandbox.rowsOf('keyword_rankings', body))).toEqual(['2026-10-25', '2026-11-01']);
    const within = { account_id: 12345, start_date: '2026-11-02', end_date: '2026-11-13' };
    expect([...sandbox.rowsOf('keyword_rankings', within)]).toEqual([]);
  });

  test('a week that is not over yet has no rows', () => {
    const body = { account_id: 12345, start_date: '2026-11-08', end_date: '2026-12-31' };
    expect(startsOf(sandbox.rowsOf('keyword_rankings', body))).toEqual(['2026-11-08']);
  });

  test('nothing is known before the company began', async () => {
    const young = await startTinySandbox({ historyStart: '2026-11-03' });
    const body = { account_id: 12345, start_date: '0001-01-01', end_date: '9999-12-31' };
    expect(startsOf(young.rowsOf('keyword_rankings', body))).toEqual(['2026-11-08']);
    await young.close();
  });

  test('have the story in the week that is chosen, also when a later one is over', async () => {
    const growing = await startTinySandbox({ ...MANY, sizes: { keywords: 30 }, story: 'growth', storyWeek: '2026-11-01' });
    const searches = (start: string): number => {
      const body = { account_id: 12345, start_date: start, end_date: addDays(start, 6) };
      return new Set(keysOf('keyword_rankings', [...growing.rowsOf('keyword_rankings', body)] as Row[], ['query'])).size;
    };
    expect(searches('2026-11-01')).toBeGreaterThan(searches('2026-10-25'));
    expect(searches('2026-11-08')).toBe(searches('2026-11-01'));
    await growing.close();
  });

  test('weeks can begin on another day', async () => {
    const mondays = await startTinySandbox({ weekStartsOn: 'monday' });
    const body = { account_id: 12345, start_date: '2026-11-01', end_date: '2026-11-30' };
    expect(startsOf(mondays.rowsOf('keyword_rankings', body))).toEqual(['2026-11-02', '2026-11-09']);
    await mondays.close();
  });
});

describe('highest_ranking_url_per_keyword', () => {
  test.each([
    {},
    { includeMsv: true },
    { devices: ['SMARTPHONE'], countries: ['DE'] },
    { domains: ['alpenwerk.example', 'brightpeak.example'] },
  ])('is the best standard result of each tracked domain in keyword_rankings (%o)', async (filters) => {
    const rankings = await readAll(sandbox, 'keyword_rankings', question('keyword_rankings', filters));
    const tracked = new Set(['northtrail.example', 'alpenwerk.example', 'fernweh-supply.example']);
    const own: Readonly<Record<string, string>> = { 501: 'brightpeak.example', 502: 'peakhire.example' };
    const standard = rankings.filter((row) => row[21] !== null && (tracked.has(row[18] ?? '') || own[row[4] ?? ''] === row[18]));
    const best = new Map<string, Row>();
    for (const row of standard) {
      const known = best.get(groupOf(row));
      if (!known || Number(row[21]) < Number(known[21])) best.set(groupOf(row), row);
    }
    const derived = await readAll(sandbox, 'highest_ranking_url_per_keyword', question('highest_ranking_url_per_keyword', filters));
    expect(sorted(derived)).toEqual(sorted([...best.values()]));
    expect(derived.length).toBeGreaterThan(10);
  });

  /** Property, dates, engine, place, device, keyword and domain. */
  function groupOf(row: Row): string {
    return JSON.stringify([...row.slice(4, 16), row[18]]);
  }

  function sorted(rows: readonly Row[]): string[] {
    return rows.map((row) => JSON.stringify(row)).sort();
  }
});

describe('the invented company', () => {
  test('ranks move from week to week, but not far', async () => {
    const rows = await readAll(sandbox, 'keyword_rankings', question('keyword_rankings', { devices: ['DESKTOP'] }, '2026-10-18'));
    const pages = new Map<string, Set<string | null | undefined>>();
    for (const row of rows) {
      const search = JSON.stringify([row[4], row[6], row[12], row[15]]);
      pages.set(search, (pages.get(search) ?? new Set()).add(row[17]));
    }
    const shares: number[] = [];
    for (const [search, urls] of pages) {
      const [property, week, language, query] = JSON.parse(search) as string[];
      const before = pages.get(JSON.stringify([property, addDays(week ?? '', -7), language, query]));
      if (before) shares.push([...urls].filter((url) => before.has(url)).length / urls.size);
    }
    const stayed = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    expect(stayed).toBeGreaterThan(0.75);
    expect(stayed).toBeLessThan(0.99);
  });

  test('ranks count 1, 2, 3 and so on, within a type and on the page', async () => {
    const rows = await readAll(sandbox, 'keyword_rankings', question('keyword_rankings'));
    const counters = new Map<string, number>();
    for (const row of rows) {
      const search = JSON.stringify(row.slice(4, 16));
      for (const [counter, rank] of [[search, row[22]] as const, [`${search} ${row[20]}`, row[23]] as const]) {
        const next = (counters.get(counter) ?? 0) + 1;
        counters.set(counter, next);
        expect(rank).toBe(String(next));
      }
      expect(row[21]).toBe(row[20] === 'STANDARD_LINK' ? row[23] : null);
    }
  });

  test('answers have the length of answers and name the brands that ai_search_brands reports', async () => {
    const responses = await readAll(sandbox, 'ai_search_response', question('ai_search_response'));
    const lengths = responses.map((row) => (row[17] ?? '').length);
    expect(Math.min(...lengths)).toBeGreaterThan(500);
    expect(Math.max(...lengths)).toBeLessThan(5000);
    const textOf = new Map(responses.map((row) => [JSON.stringify([row[5], row[9], row[10], row[12], row[14]]), row[17]]));
    const brands = await readAll(sandbox, 'ai_search_brands', question('ai_search_brands'));
    const collected = brands.filter((row) => row[20] === 'true');
    expect(collected.length).toBeGreaterThan(50);
    for (const row of collected)
      expect(textOf.get(JSON.stringify([row[5], row[9], row[10], row[11], row[13]]))).toContain(`**${row[17]}**`);
  });

  test('a search engine has an identifier, and a display name with its language and country', async () => {
    const rows = await readAll(sandbox, 'keyword_rankings', question('keyword_rankings'));
    const engines = new Set(rows.map((row) => `${row[9]} ${row[10]} ${row[11]} ${row[12]}`));
    expect(engines).toEqual(new Set(['GOOGLE_EN_US GOOGLE US en', 'GOOGLE_DE_DE GOOGLE DE de']));
  });

  test('pages are on reserved domains, and a citation of the domain is of its own URL', async () => {
    const citations = await readAll(sandbox, 'ai_search_citations', question('ai_search_citations'));
    for (const row of citations) {
      const { hostname } = new URL(row[18] ?? '');
      expect(hostname).toBe(row[19]);
      expect(hostname).toMatch(/\.(example|test)$/);
    }
    expect(new Set(citations.map((row) => row[21]))).toEqual(new Set(['you', 'Partner', 'SEO Competitor', 'Other']));
  });

  test('a sentiment has a score of its value, and a source that the answer cites', async () => {
    const cited = new Set((await readAll(sandbox, 'ai_search_citations', question('ai_search_citations'))).map((row) => row[18]));
    const rows = await readAll(sandbox, 'ai_search_sentiments', question('ai_search_sentiments'));
    const scores: Readonly<Record<string, string>> = { positive: '10', neutral: '5', negative: '1' };
    for (const row of rows) {
      expect(row[19]).toBe(scores[row[18] ?? '']);
      if (row[22] !== null) expect(cited).toContain(row[22]);
    }
    expect(rows.some((row) => row[21] === null)).toBe(true);
    expect(rows.some((row) => row[22] === null)).toBe(true);
  });

  test('the snippet of a sentiment is part of the answer', async () => {
    const read = async (name: string): Promise<Record<string, string | null>[]> =>
      (await readAll(sandbox, name, question(name))).map((row) =>
        Object.fromEntries(datasetNamed(name).columns.map((column, at) => [column.name, row[at] ?? null])),
      );
    const keyOf = (row: Record<string, string | null>): string =>
      JSON.stringify(
        ['web_property_id', 'time_period_start', 'prompt', 'ai_search_engine', 'locode', 'language', 'persona'].map((name) => row[name]),
      );
    const textOf = new Map((await read('ai_search_response')).map((row) => [keyOf(row), row.ai_response]));
    const told = (await read('ai_search_sentiments')).filter((row) => row.sentiment_snippet !== null && textOf.has(keyOf(row)));
    expect(told.length).toBeGreaterThan(50);
    for (const row of told) expect(textOf.get(keyOf(row))).toContain(row.sentiment_snippet);
  });

  test('only citations and sentiments have duplicates, in the share that was set', async () => {
    const doubling = await startTinySandbox({ ...MANY, sizes: SIZES, duplicates: 0.5 });
    try {
      for (const { name } of DATASETS) {
        const plain = [...sandbox.rowsOf(name, question(name))];
        const rows = [...doubling.rowsOf(name, question(name))];
        const isDoubled = name === 'ai_search_citations' || name === 'ai_search_sentiments';
        expect(new Set(rows.map((row) => JSON.stringify(row)))).toEqual(new Set(plain.map((row) => JSON.stringify(row))));
        if (isDoubled) expect(Math.abs(rows.length / plain.length - 1.5)).toBeLessThan(0.1);
        else expect(rows).toEqual(plain);
      }
    } finally {
      await doubling.close();
    }
  });

  test('accounts of one sandbox have their own web properties and rows', async () => {
    const property = (id: number) => ({ id, name: `Site ${id}`, brand: `Brand${id}`, domain: `site${id}.example` });
    const account = (id: number, sites: number[]) => ({
      id,
      name: `Account ${id}`,
      organizationId: `org-${id}`,
      organizationName: `Organization ${id}`,
      webProperties: sites.map(property),
    });
    const two = await startTinySandbox({ accounts: [account(7, [71]), account(8, [81, 82])] });
    try {
      const body = (id: number) => ({ ...question('keyword_rankings'), account_id: id });
      const sites = (id: number) => new Set([...two.rowsOf('keyword_rankings', body(id))].map((row) => `${row[0]} ${row[4]}`));
      expect(sites(7)).toEqual(new Set(['7 71']));
      expect(sites(8)).toEqual(new Set(['8 81', '8 82']));
      expect(() => two.rowsOf('keyword_rankings', body(12345))).toThrow(/account_id 12345 is not an account/);
    } finally {
      await two.close();
    }
  });
});
