// Faults in what pages hold, and what is true meanwhile: rowsOf and rowsOfExecution.
import { expect, test } from 'vitest';
import { addedValue } from '../../sandbox/faults/content.ts';
import type { Sandbox } from '../../sandbox/server.ts';
import { findDataset } from '../../src/datasets/index.ts';
import { call, type NextPageId, question, type Reply, type Row, submit } from './sandbox-calls.ts';
import { type Rule, startFaulty } from './sandbox-fault-calls.ts';

const OPERATION = 'keyword_rankings';
const BODY = question(OPERATION);
const COLUMNS = findDataset(OPERATION)?.columns.map(({ name }) => name) ?? [];

/** More than two thousand rows: three pages. */
const startLarge = async (...rules: readonly Rule[]): Promise<Sandbox> => (await startFaulty(rules, { sizes: { keywords: 60 } })).sandbox;

/** Every page of an execution, the first one as the poll gives it. */
async function pagesOf(sandbox: Sandbox, operation: string, executionId: string): Promise<Reply['body'][]> {
  let page = (await call(sandbox, operation, { executionId })).body;
  const pages = [page];
  while (page.nextPageId !== null) {
    page = (await call(sandbox, operation, { executionId, nextPageId: page.nextPageId })).body;
    pages.push(page);
  }
  return pages;
}

async function pagesOfNew(sandbox: Sandbox, operation = OPERATION, body: Record<string, unknown> = BODY): Promise<Reply['body'][]> {
  return pagesOf(sandbox, operation, await submit(sandbox, operation, body));
}

const rowsIn = (pages: readonly Reply['body'][]): Row[] => pages.flatMap(({ results }) => results);
const namesIn = (page: Reply['body'] | undefined): string[] => page?.schema.map(({ name }) => name) ?? [];
const truth = (sandbox: Sandbox, operation = OPERATION, body: unknown = BODY): Row[] => [...sandbox.rowsOf(operation, body)] as Row[];
const delivered = (sandbox: Sandbox, executionId: string): Row[] => [...sandbox.rowsOfExecution(executionId)] as Row[];

test('row_count is absent, wrong or changes from page to page, in all answers of the executions it meets', async () => {
  const sandbox = await startLarge(
    { when: { nth: 1 }, fault: { kind: 'row_count', count: 'absent' } },
    { when: { nth: 2 }, fault: { kind: 'row_count', count: 'wrong', by: -5 } },
    { when: { nth: 3 }, fault: { kind: 'row_count', count: 'changing', by: 10 } },
  );
  const total = truth(sandbox).length;
  const counts: unknown[] = [];
  for (let execution = 1; execution <= 4; execution++) {
    counts.push((await pagesOfNew(sandbox)).map((page) => ('totalRowCount' in page ? page.totalRowCount : 'absent')));
  }
  expect(counts).toEqual([
    ['absent', 'absent', 'absent'],
    [total - 5, total - 5, total - 5],
    [total, total + 10, total + 20],
    [total, total, total],
  ]);
});

test('missing_rows leaves rows out and still counts them', async () => {
  const sandbox = await startLarge(
    { when: { nth: 1 }, fault: { kind: 'missing_rows', rows: 3, from_page: 2 } },
    { when: { nth: 2 }, fault: { kind: 'missing_rows', share: 0.01 } },
  );
  const rows = truth(sandbox);
  const few = await pagesOfNew(sandbox);
  expect(rowsIn(few)).toEqual([...rows.slice(0, 1000), ...rows.slice(1003)]);
  expect(few.map(({ totalRowCount }) => totalRowCount)).toEqual([rows.length, rows.length, rows.length]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  const share = rowsIn(await pagesOf(sandbox, OPERATION, executionId));
  expect(rows.length - share.length).toBeGreaterThan(5);
  expect(rows.length - share.length).toBeLessThan(60);
  expect(share).toEqual(delivered(sandbox, executionId));
  expect(truth(sandbox)).toEqual(rows);
});

test.each([
  ['not_a_number', 'msv_month', 'n/a'],
  ['too_large', 'msv_month', '9223372036854775808'],
  ['not_a_date', 'collection_date', '2026-02-30'],
  ['nul', 'keyword_group_names', 'before\u0000after'],
  ['lone_surrogate', 'keyword_group_names', 'half a pair: \ud83d'],
  ['nested', 'msv_month', { unexpected: ['object'] }],
] as const)('bad_value %s is put into a column where it is invalid', async (value, column, expected) => {
  const { sandbox } = await startFaulty([{ fault: { kind: 'bad_value', value, rows: 2 } }]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  const rows = truth(sandbox);
  const [page] = await pagesOf(sandbox, OPERATION, executionId);
  const at = COLUMNS.indexOf(column);
  expect(page?.results.slice(0, 3).map((row) => row[at])).toEqual([expected, expected, rows[2]?.[at]]);
  expect(page?.results.map((row) => row.toSpliced(at, 1))).toEqual(rows.map((row) => row.toSpliced(at, 1)));
  expect(delivered(sandbox, executionId)).toEqual(rows.slice(2));
});

test('bad_value can name its column, cut a row short, and be about booleans', async () => {
  const brands = 'ai_search_brands';
  const { sandbox } = await startFaulty([
    { on: { operation: OPERATION }, when: { nth: 1 }, fault: { kind: 'bad_value', value: 'not_a_number', column: 'cpc' } },
    { on: { operation: OPERATION }, when: { nth: 2 }, fault: { kind: 'bad_value', value: 'short_row', rows: 1 } },
    { on: { operation: brands }, fault: { kind: 'bad_value', value: 'not_a_boolean' } },
  ]);
  const [first] = await pagesOfNew(sandbox);
  expect(first?.results[0]?.[COLUMNS.indexOf('cpc')]).toBe('n/a');
  const [second] = await pagesOfNew(sandbox);
  expect(second?.results.slice(0, 2).map(({ length }) => length)).toEqual([30, 31]);
  const [third] = await pagesOfNew(sandbox, brands, question(brands));
  expect(third?.results[0]?.[21]).toBe('perhaps');
});

test('what is wrong with the rows of an execution is the same however its pages are asked for', async () => {
  const sandbox = await startLarge(
    { fault: { kind: 'bad_value', value: 'nul', share: 0.05 } },
    { fault: { kind: 'missing_rows', share: 0.02 } },
  );
  const executionId = await submit(sandbox, OPERATION, BODY);
  const whole = await pagesOf(sandbox, OPERATION, executionId);
  let nextPageId: NextPageId = whole[0]?.nextPageId ?? null;
  const rows: Row[] = [...(whole[0]?.results ?? [])];
  while (nextPageId !== null) {
    const body = { executionId, nextPageId, pageSize: 77 };
    const once = await call(sandbox, OPERATION, body);
    const again = await call(sandbox, OPERATION, body);
    expect(again.body.results).toEqual(once.body.results);
    rows.push(...again.body.results);
    nextPageId = again.body.nextPageId;
  }
  expect(rows).toEqual(rowsIn(whole));
  const at = COLUMNS.indexOf('keyword_group_names');
  const sound = rows.filter((row) => !row[at]?.includes('\u0000'));
  expect(sound.length).toBeLessThan(rows.length);
  expect(delivered(sandbox, executionId)).toEqual(sound);
});

test('a fault of the content that a page meets changes that answer alone', async () => {
  const sandbox = await startLarge({ on: { call: 'page' }, when: { nth: 1 }, fault: { kind: 'bad_value', value: 'too_large' } });
  const executionId = await submit(sandbox, OPERATION, BODY);
  const { nextPageId } = (await call(sandbox, OPERATION, { executionId })).body;
  const at = COLUMNS.indexOf('msv_month');
  const bad = (await call(sandbox, OPERATION, { executionId, nextPageId })).body.results;
  const good = (await call(sandbox, OPERATION, { executionId, nextPageId })).body.results;
  expect(bad[0]?.[at]).toBe('9223372036854775808');
  expect(good).toEqual(truth(sandbox).slice(1000, 2000));
  expect(bad.slice(1)).toEqual(good.slice(1));
});

test('drift adds a column in the middle, with values that a test can predict', async () => {
  const { sandbox } = await startFaulty([{ fault: { kind: 'drift', change: 'new_column', column: 'sentiment', type: 'float' } }]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  const [page] = await pagesOf(sandbox, OPERATION, executionId);
  expect(page?.schema[15]).toEqual({ name: 'sentiment', type: 'float' });
  expect(namesIn(page).toSpliced(15, 1)).toEqual(COLUMNS);
  const rows = truth(sandbox);
  expect(page?.results.map((row) => row.toSpliced(15, 1))).toEqual(rows);
  expect(page?.results.map((row) => row[15])).toEqual(rows.map(addedValue));
  expect(delivered(sandbox, executionId)).toEqual(rows);
});

test('drift takes a column away, and null is then expected in it', async () => {
  const { sandbox } = await startFaulty([
    { on: { operation: OPERATION }, fault: { kind: 'drift', change: 'missing_column', column: 'title' } },
    { on: { operation: 'ai_search_brands' }, fault: { kind: 'drift', change: 'missing_column' } },
  ]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  const [page] = await pagesOf(sandbox, OPERATION, executionId);
  expect(namesIn(page)).toEqual(COLUMNS.filter((name) => name !== 'title'));
  const at = COLUMNS.indexOf('title');
  const rows = truth(sandbox);
  expect(rows.every((row) => row[at] === null)).toBe(true);
  expect(page?.results).toEqual(rows.map((row) => row.toSpliced(at, 1)));
  expect(delivered(sandbox, executionId)).toEqual(rows);
  const [brands] = await pagesOfNew(sandbox, 'ai_search_brands', question('ai_search_brands'));
  expect(namesIn(brands)).not.toContain('prompt_group_names');
  sandbox.clearFaults();
  expect(truth(sandbox).some((row) => row[at] !== null)).toBe(true);
  expect(delivered(sandbox, executionId)).toEqual(rows);
});

test('drift reverses the order of the columns, from a later page on if told so', async () => {
  const sandbox = await startLarge({ fault: { kind: 'drift', change: 'reordered', from_page: 2 } });
  const pages = await pagesOfNew(sandbox);
  expect(pages.map(namesIn)).toEqual([COLUMNS, COLUMNS.toReversed(), COLUMNS.toReversed()]);
  const rows = [...(pages[0]?.results ?? []), ...rowsIn(pages.slice(1)).map((row) => row.toReversed())];
  expect(rows).toEqual(truth(sandbox));
});

test('drift gives a type another name', async () => {
  const { sandbox } = await startFaulty([
    { when: { nth: 1 }, fault: { kind: 'drift', change: 'renamed_type' } },
    { when: { nth: 2 }, fault: { kind: 'drift', change: 'renamed_type', column: 'title', type: 'text' } },
  ]);
  const [first] = await pagesOfNew(sandbox);
  expect(first?.schema.at(-1)).toEqual({ name: 'msv_month', type: 'int64' });
  const [second] = await pagesOfNew(sandbox);
  expect(second?.schema[16]).toEqual({ name: 'title', type: 'text' });
  expect(second?.results).toEqual(truth(sandbox));
});

const TWO_WEEKS = question(OPERATION, {}, '2026-11-01');
const OLDER = '2026-11-01';
const weekOf = (row: Row): string | null => row[COLUMNS.indexOf('time_period_start')] ?? null;

test('empty_answer leaves weeks without rows, and then none are expected', async () => {
  const { sandbox } = await startFaulty([{ fault: { kind: 'empty_answer', weeks: [OLDER] } }]);
  const pages = await pagesOfNew(sandbox, OPERATION, TWO_WEEKS);
  const rows = rowsIn(pages);
  expect(new Set(rows.map(weekOf))).toEqual(new Set(['2026-11-08']));
  expect(pages[0]?.totalRowCount).toBe(rows.length);
  expect(truth(sandbox, OPERATION, TWO_WEEKS)).toEqual(rows);
  sandbox.clearFaults();
  expect(truth(sandbox, OPERATION, TWO_WEEKS).filter((row) => weekOf(row) !== OLDER)).toEqual(rows);
  expect(truth(sandbox, OPERATION, TWO_WEEKS).some((row) => weekOf(row) === OLDER)).toBe(true);
});

test('shrink keeps a share of the rows, and counts only those', async () => {
  const sandbox = await startLarge({ fault: { kind: 'shrink', keep: 0.25 } });
  const pages = await pagesOfNew(sandbox);
  const rows = truth(sandbox);
  expect(rowsIn(pages)).toEqual(rows);
  expect(pages[0]?.totalRowCount).toBe(rows.length);
  sandbox.clearFaults();
  const all = truth(sandbox);
  expect(rows.length / all.length).toBeGreaterThan(0.2);
  expect(rows.length / all.length).toBeLessThan(0.3);
  const kept = new Set(rows.map((row) => row.join()));
  expect(all.filter((row) => kept.has(row.join()))).toEqual(rows);
});

test('restate changes measures, lets rows vanish and others appear, as often as it is asked the same way', async () => {
  const sandbox = await startLarge({ fault: { kind: 'restate', share: 0.3, vanish: 0.1, appear: 0.1 } });
  const restated = rowsIn(await pagesOfNew(sandbox));
  expect(restated).toEqual(truth(sandbox));
  expect(rowsIn(await pagesOfNew(sandbox))).toEqual(restated);
  sandbox.clearFaults();
  const original = truth(sandbox);
  const before = new Set(original.map((row) => row.join()));
  const unchanged = restated.filter((row) => before.has(row.join()));
  expect(unchanged.length / original.length).toBeGreaterThan(0.5);
  expect(unchanged.length / original.length).toBeLessThan(0.75);
});

test('a change of the rows for some submits only holds for their executions, and not for a new question', async () => {
  const { sandbox } = await startFaulty([{ when: { nth: 2 }, fault: { kind: 'restate', share: 1 } }]);
  const ids: string[] = [];
  for (let execution = 1; execution <= 3; execution++) ids.push(await submit(sandbox, OPERATION, BODY));
  const [first, second, third] = await Promise.all(ids.map(async (id) => rowsIn(await pagesOf(sandbox, OPERATION, id))));
  expect(first).toEqual(truth(sandbox));
  expect(third).toEqual(first);
  expect(second).not.toEqual(first);
  expect(ids.map((id) => delivered(sandbox, id))).toEqual([first, second, third]);
});

test('an execution keeps the rows of the moment of its submit', async () => {
  const { sandbox } = await startFaulty([{ fault: { kind: 'restate', share: 0.5 } }]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  const then = truth(sandbox);
  sandbox.setFaults({ rules: [{ fault: 'empty_answer' }] });
  expect(truth(sandbox)).toEqual([]);
  expect(rowsIn(await pagesOf(sandbox, OPERATION, executionId))).toEqual(then);
  expect(delivered(sandbox, executionId)).toEqual(then);
  expect(rowsIn(await pagesOfNew(sandbox))).toEqual([]);
});

test('faults of transport do not change the rows that are expected', async () => {
  const { sandbox } = await startFaulty([]);
  const rows = truth(sandbox);
  sandbox.setFaults({
    rules: [{ fault: 'reset_before' }, { fault: 'failed' }, { fault: 'empty_page' }, { fault: { kind: 'bad_value', value: 'nul' } }],
  });
  expect(truth(sandbox)).toEqual(rows);
});

test('asking for the rows of a forgotten execution is an error', async () => {
  const { sandbox } = await startFaulty([]);
  expect(() => sandbox.rowsOfExecution('nobody')).toThrow('does not remember an execution nobody');
});
