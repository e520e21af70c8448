// Answers that the specification leaves open, each as a fault: fields that are left out or empty, values written otherwise,
// periods of more than a week, rows that were collected again, and the places where a failure may say why.
import { expect, test } from 'vitest';
import type { Sandbox } from '../../sandbox/server.ts';
import { datasetNamed } from '../../src/datasets/index.ts';
import { call, question, type ReplyBody, type Row, submit } from './sandbox-calls.ts';
import { type Rule, startFaulty } from './sandbox-fault-calls.ts';

const OPERATION = 'keyword_rankings';
const BODY = question(OPERATION);

/** More than two thousand rows: three pages. */
const startLarge = async (...rules: readonly Rule[]): Promise<Sandbox> => (await startFaulty(rules, { sizes: { keywords: 60 } })).sandbox;

/** Every page of an execution, until one has no token to go on with. */
async function pagesOf(sandbox: Sandbox, operation: string, executionId: string): Promise<ReplyBody[]> {
  let page = (await call(sandbox, operation, { executionId })).body;
  const pages = [page];
  while (page.nextPageId) {
    page = (await call(sandbox, operation, { executionId, nextPageId: page.nextPageId })).body;
    pages.push(page);
  }
  return pages;
}

const pagesOfNew = async (sandbox: Sandbox, operation = OPERATION, body = BODY): Promise<ReplyBody[]> =>
  pagesOf(sandbox, operation, await submit(sandbox, operation, body));
const rowsIn = (pages: readonly ReplyBody[]): Row[] => pages.flatMap(({ results }) => results);
const truth = (sandbox: Sandbox, operation = OPERATION, body: unknown = BODY): Row[] => [...sandbox.rowsOf(operation, body)] as Row[];
const delivered = (sandbox: Sandbox, executionId: string): Row[] => [...sandbox.rowsOfExecution(executionId)] as Row[];
const positionOf = (operation: string, column: string): number => datasetNamed(operation).columns.findIndex(({ name }) => name === column);
const valuesOf = (rows: readonly Row[], column: string, operation = OPERATION): unknown[] =>
  rows.map((row) => row[positionOf(operation, column)]);

test('missing_field leaves the schema out of every page but the first, or sends it empty or as null', async () => {
  const sandbox = await startLarge(
    { when: { nth: 1 }, fault: { kind: 'missing_field', field: 'schema', pages: 'later' } },
    { when: { nth: 2 }, fault: { kind: 'missing_field', field: 'schema', as: 'empty', pages: 'later' } },
    { when: { nth: 3 }, fault: { kind: 'missing_field', field: 'schema', as: 'null', pages: 'last' } },
  );
  const [absent, empty, last] = [await pagesOfNew(sandbox), await pagesOfNew(sandbox), await pagesOfNew(sandbox)];
  expect(absent.map((page) => 'schema' in page)).toEqual([true, false, false]);
  expect(empty.map(({ schema }) => schema.length)).toEqual([31, 0, 0]);
  expect(last.map(({ schema }) => schema?.length ?? null)).toEqual([31, 31, null]);
  for (const pages of [absent, empty, last]) expect(rowsIn(pages)).toEqual(truth(sandbox));
});

test('an empty answer comes with its schema, with an empty one, or without schema and results', async () => {
  const { sandbox } = await startFaulty([
    { fault: 'empty_answer' },
    { when: { nth: 2 }, fault: { kind: 'missing_field', field: 'schema', as: 'empty', pages: 'without_rows' } },
    { when: { nth: 3 }, fault: { kind: 'missing_field', field: 'schema' } },
    { when: { nth: 3 }, fault: { kind: 'missing_field', field: 'results' } },
  ]);
  const answers = [await pagesOfNew(sandbox), await pagesOfNew(sandbox), await pagesOfNew(sandbox)].flat();
  expect(answers.map((page) => [page.results, page.schema?.length, page.totalRowCount])).toEqual([
    [[], 31, 0],
    [[], 0, 0],
    [undefined, undefined, 0],
  ]);
});

test('missing_field says the end of the pages with an empty token, with null, or with none', async () => {
  const sandbox = await startLarge(
    { when: { nth: 1 }, fault: { kind: 'missing_field', field: 'nextPageId', as: 'empty', pages: 'last' } },
    { when: { nth: 2 }, fault: { kind: 'missing_field', field: 'nextPageId', as: 'null', pages: 'last' } },
    { when: { nth: 3 }, fault: { kind: 'missing_field', field: 'nextPageId', pages: 'last' } },
  );
  const ends: unknown[] = [];
  for (let execution = 1; execution <= 3; execution++) {
    const pages = await pagesOfNew(sandbox);
    expect(rowsIn(pages)).toEqual(truth(sandbox));
    ends.push(pages.map((page) => ('nextPageId' in page ? page.nextPageId : 'absent')).at(-1));
  }
  expect(ends).toEqual(['', null, 'absent']);
  expect(sandbox.report().violations).toMatchObject({ foreignPageIds: 0, outOfOrderPages: 0 });
});

test('row_count above_limit counts the rows that the limit left out, if it left out any', async () => {
  const operation = 'ai_search_response';
  const { sandbox } = await startFaulty([{ fault: { kind: 'row_count', count: 'above_limit', by: 500 } }]);
  const countOf = async (limit: number): Promise<unknown[]> =>
    (await pagesOfNew(sandbox, operation, question(operation, { limit }))).map((page) => [page.results.length, page.totalRowCount]);
  expect(await countOf(10)).toEqual([[10, 510]]);
  const all = truth(sandbox, operation, question(operation)).length;
  expect(await countOf(1000)).toEqual([[all, all]]);
});

test('drift leaves the types of columns out of the schema', async () => {
  const { sandbox } = await startFaulty([
    { when: { nth: 1 }, fault: { kind: 'drift', change: 'untyped' } },
    { when: { nth: 2 }, fault: { kind: 'drift', change: 'untyped', column: 'cpc' } },
  ]);
  const untypedIn = (pages: readonly ReplyBody[]): string[] =>
    pages[0]?.schema.filter((entry) => !('type' in entry)).map(({ name }) => name) ?? [];
  expect(untypedIn(await pagesOfNew(sandbox))).toEqual(datasetNamed(OPERATION).columns.map(({ name }) => name));
  expect(untypedIn(await pagesOfNew(sandbox))).toEqual(['cpc']);
});

test.each([
  ['decimal_integer', 'account_id', '12345.0', '12345'],
  ['exponent_integer', 'account_id', '1.2345E4', '12345'],
  ['number_in_text', 'title', 1.5, '1.5'],
  ['not_a_number', 'cpc', 'NaN', 'NaN'],
  ['infinity', 'cpc', 'Infinity', 'Infinity'],
  ['minus_infinity', 'cpc', '-Infinity', '-Infinity'],
] as const)('odd_value %s is sent as written here, and published as what it means', async (value, column, sent, meant) => {
  const { sandbox } = await startFaulty([{ fault: { kind: 'odd_value', value, column, rows: 2 } }]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  const rows = truth(sandbox);
  const [page] = await pagesOf(sandbox, OPERATION, executionId);
  const at = positionOf(OPERATION, column);
  expect(page?.results.slice(0, 3).map((row) => row[at])).toEqual([sent, sent, rows[2]?.[at]]);
  expect(delivered(sandbox, executionId)).toEqual(rows.map((row, index) => (index < 2 ? row.with(at, meant) : row)));
});

test('odd_value rewrites any integer as the same number, and leaves other values alone', async () => {
  const { sandbox } = await startFaulty([
    { when: { nth: 1 }, fault: { kind: 'odd_value', value: 'exponent_integer', column: 'average_search_volume', share: 1 } },
    { when: { nth: 2 }, fault: { kind: 'odd_value', value: 'decimal_integer', column: 'average_search_volume', share: 1 } },
  ]);
  const body = question(OPERATION, { includeMsv: true });
  const volumes = valuesOf(truth(sandbox, OPERATION, body), 'average_search_volume');
  expect(new Set(volumes).size).toBeGreaterThan(2);
  for (const form of [/^\d\.\d+E\d+$/, /^\d+\.0$/]) {
    const sent = valuesOf(rowsIn(await pagesOfNew(sandbox, OPERATION, body)), 'average_search_volume');
    expect(sent.filter((value) => value !== null).every((value) => form.test(String(value)))).toBe(true);
    expect(sent.map((value) => (value === null ? null : String(Number(value))))).toEqual(volumes);
  }
});

test('odd_value puts a comma into the names of groups, so that there seem to be more names than ids', async () => {
  const { sandbox } = await startFaulty([{ fault: { kind: 'odd_value', value: 'comma_in_name', share: 1 } }]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  const rows = rowsIn(await pagesOf(sandbox, OPERATION, executionId));
  expect(rows).toEqual(delivered(sandbox, executionId));
  const before = valuesOf(truth(sandbox), 'keyword_group_names');
  expect(valuesOf(rows, 'keyword_group_names')).toEqual(before.map((names) => (names ? `${names}, and more` : names)));
  expect(before.some(Boolean)).toBe(true);
});

test('whole_period answers four weeks with the rows of one, and gives them all four weeks as their period', async () => {
  const { sandbox } = await startFaulty([{ fault: 'whole_period' }]);
  const body = question(OPERATION, {}, '2026-10-18');
  const pages = await pagesOfNew(sandbox, OPERATION, body);
  const rows = rowsIn(pages);
  expect(new Set(valuesOf(rows, 'time_period_start'))).toEqual(new Set(['2026-10-18']));
  expect(new Set(valuesOf(rows, 'time_period_end'))).toEqual(new Set(['2026-11-14']));
  expect(pages[0]?.totalRowCount).toBe(rows.length);
  expect(truth(sandbox, OPERATION, body)).toEqual(rows);
  sandbox.clearFaults();
  const weekly = truth(sandbox, OPERATION, { ...body, end_date: '2026-10-24' });
  expect(rows.map((row) => row.with(positionOf(OPERATION, 'time_period_end'), '2026-10-24'))).toEqual(weekly);
});

test('ignored_filter answers as if the filter had not been asked for, and keeps to the others', async () => {
  const operation = 'keyword_rankings';
  const { sandbox } = await startFaulty([{ on: { operation }, fault: { kind: 'ignored_filter', field: 'devices' } }]);
  const asked = { devices: ['DESKTOP'], max_rank: 5 };
  const rows = rowsIn(await pagesOfNew(sandbox, operation, question(operation, asked)));
  expect(new Set(valuesOf(rows, 'device', operation)).size).toBeGreaterThan(1);
  expect(truth(sandbox, operation, question(operation, asked))).toEqual(rows);
  sandbox.clearFaults();
  expect(truth(sandbox, operation, question(operation, { max_rank: 5 }))).toEqual(rows);
});

test('restate can change other columns: the day of collection and the intent', async () => {
  const operation = 'ai_search_response';
  const columns = ['collection_date', 'intent'];
  const { sandbox } = await startFaulty([{ when: { nth: 2 }, fault: { kind: 'restate', share: 1, columns } }]);
  const body = question(operation);
  const before = rowsIn(await pagesOfNew(sandbox, operation, body));
  const again = rowsIn(await pagesOfNew(sandbox, operation, body));
  for (const column of columns) {
    const [then, now] = [valuesOf(before, column, operation), valuesOf(again, column, operation)];
    expect(now.some((value, index) => value !== then[index])).toBe(true);
  }
  const dated = valuesOf(again, 'collection_date', operation).filter((date) => date !== null);
  expect(dated.every((date) => /^2026-11-\d\d$/.test(String(date)))).toBe(true);
  const without = (rows: readonly Row[]): Row[] =>
    rows.map((row) => columns.reduce<Row>((one, name) => one.with(positionOf(operation, name), ''), row));
  expect(without(again)).toEqual(without(before));
});

test.each([
  ['message', { error: 'QUERY_FAILED', message: 'out of disk' }],
  ['errorMessage', { errorMessage: 'out of disk' }],
  ['error', { error: { code: 'QUERY_FAILED', message: 'out of disk' } }],
  ['errors', { errors: [{ message: 'out of disk' }] }],
] as const)('failed says why in %s', async (place, expected) => {
  const { sandbox } = await startFaulty([{ fault: { kind: 'failed', message: 'out of disk', message_in: place } }]);
  const { body } = await call(sandbox, OPERATION, { executionId: await submit(sandbox, OPERATION, BODY) });
  expect(body).toMatchObject({ executionState: 'FAILED', ...expected });
  expect(Object.keys(body).filter((name) => /error|message/i.test(name))).toEqual(Object.keys(expected));
});
