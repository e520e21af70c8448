import { describe, expect, it } from 'vitest';
import { parsedRows } from '../../../src/codec/page-rows.ts';
import { readPage, readRecord } from '../../../src/service/execution-record.ts';

const SCHEMA = [{ name: 'account_id', type: 'integer' }];

function recordOf(value: unknown) {
  const reading = readRecord(value);
  if ('problem' in reading) throw new Error(reading.problem);
  return reading.record;
}

function pageOf(value: Record<string, unknown>) {
  const text = JSON.stringify(value);
  return readPage(recordOf(value), { value, text, bytes: text.length }, { waitedMs: 2, durationMs: 3 });
}

describe('readRecord', () => {
  it('ignores fields it does not know', () => {
    expect(recordOf({ executionState: 'IN_PROGRESS', future: { a: 1 } }).executionState).toBe('IN_PROGRESS');
  });

  it('does not look at rows, whatever they are', () => {
    const results = [['1'], 'not a row', null, { odd: true }];
    expect(recordOf({ executionState: 'COMPLETED', results, schema: SCHEMA }).results).toBe(results);
  });

  it.each(['FAILED', 'IN_PROGRESS'])('needs only the state of a %s record', (executionState) => {
    const record = recordOf({ executionState, results: 'none', schema: 7, nextPageId: 1, executionId: 5, requestId: {} });
    expect(record.executionState).toBe(executionState);
    expect(record.executionId ?? null).toBeNull();
  });

  it.each([
    [{ executionState: 'QUEUED' }, 'executionState'],
    [{}, 'executionState'],
    [[], 'the body'],
    [null, 'the body'],
    ['COMPLETED', 'the body'],
    [{ executionState: 'COMPLETED', results: {}, schema: SCHEMA }, 'results'],
    [{ executionState: 'COMPLETED', results: [], schema: [{ name: 'a', type: 7 }] }, 'schema.0.type'],
    [{ executionState: 'COMPLETED', results: [], schema: [{ type: 'a' }] }, 'schema.0.name'],
    [{ executionState: 'COMPLETED', results: [], schema: Array.from({ length: 1_001 }, () => ({ name: 'a' })) }, 'schema'],
    [{ executionState: 'COMPLETED', results: [], schema: SCHEMA, nextPageId: 'p\u00002' }, 'nextPageId'],
    [{ executionState: 'COMPLETED', results: [], schema: SCHEMA, nextPageId: 'p\ud800' }, 'nextPageId'],
    [{ executionState: 'COMPLETED', results: [], schema: SCHEMA, executionId: 'e\u00001' }, 'executionId'],
    [{ executionState: 'COMPLETED', results: [], schema: SCHEMA, nextPageId: 7 }, 'nextPageId'],
  ])('says what is wrong with %j', (value, where) => {
    const reading = readRecord(value);
    expect('problem' in reading && reading.problem).toContain(`${where}:`);
  });
});

describe('readPage', () => {
  it('returns rows, schema, cursor and count', () => {
    const reading = pageOf({
      executionState: 'COMPLETED',
      results: [['1']],
      schema: SCHEMA,
      nextPageId: 'p2',
      totalRowCount: 9,
      requestId: 'r',
    });
    expect(reading).toEqual({
      page: {
        rows: parsedRows([['1']]),
        schema: SCHEMA,
        nextPageId: 'p2',
        totalRowCount: 9n,
        requestId: 'r',
        bytes: expect.any(Number),
        waitMs: 2,
        networkMs: 3,
      },
    });
  });

  it('accepts an empty page with a cursor', () => {
    const reading = pageOf({ executionState: 'COMPLETED', results: [], schema: SCHEMA, nextPageId: 'p2' });
    expect(reading).toMatchObject({ page: { rows: parsedRows([]), nextPageId: 'p2', totalRowCount: null } });
  });

  it.each([undefined, null, '', ' ', '\n'])('takes a cursor %j for the last page', (nextPageId) => {
    expect(pageOf({ executionState: 'COMPLETED', results: [], schema: SCHEMA, nextPageId })).toMatchObject({ page: { nextPageId: null } });
  });

  it.each([undefined, null, []])('with the schema %j says nothing about columns', (schema) => {
    for (const results of [[], [['1']]])
      expect(pageOf({ executionState: 'COMPLETED', results, schema })).toMatchObject({ page: { rows: parsedRows(results), schema: [] } });
  });

  it.each([undefined, null, ''])('accepts columns whose type is %j', (type) => {
    const named = type === undefined ? [{ name: 'a' }] : [{ name: 'a', type }];
    expect(pageOf({ executionState: 'COMPLETED', results: [], schema: named })).toMatchObject({ page: { schema: named } });
  });

  it.each([undefined, null])('with results %j is empty where the service counts no rows and names no next page', (results) => {
    const record = { executionState: 'COMPLETED', results, totalRowCount: 0 };
    expect(pageOf(record)).toMatchObject({ page: { rows: parsedRows([]), schema: [], nextPageId: null, totalRowCount: 0n } });
    expect(pageOf({ ...record, schema: SCHEMA })).toMatchObject({ page: { schema: SCHEMA } });
    for (const changed of [{ totalRowCount: 1 }, { totalRowCount: null }, { totalRowCount: 'none' }, { nextPageId: 'p2' }])
      expect(pageOf({ ...record, ...changed })).toEqual({ problem: 'COMPLETED without results' });
  });

  it('keeps the page when its count makes no sense, and shows the count', () => {
    const reading = pageOf({ executionState: 'COMPLETED', results: [], schema: SCHEMA, totalRowCount: -4 });
    expect(reading).toMatchObject({ page: { totalRowCount: null, unreadableRowCount: '-4' } });
  });

  it.each([
    [{ executionState: 'COMPLETED', schema: SCHEMA }, 'COMPLETED without results'],
    [{ executionState: 'COMPLETED', results: null, schema: SCHEMA }, 'COMPLETED without results'],
    [{ executionState: 'COMPLETED' }, 'COMPLETED without results'],
  ])('says what %j lacks', (value, problem) => {
    expect(pageOf(value)).toEqual({ problem });
  });
});
