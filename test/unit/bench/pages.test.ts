import { describe, expect, it } from 'vitest';
import { createPageMaker, RESTATED_EVERY } from '../../../bench/service/pages.ts';
import { answerRows, type RowKind, rankingRows } from '../../../bench/service/wide-rows.ts';
import { identityColumns } from '../../../src/datasets/dataset.ts';

const topic = { accountId: 12345, week: { start: '2025-01-05', end: '2025-01-11' } };

function rowsOf(kind: RowKind, rows: number, pageSize: number, version = 0): string[][] {
  const maker = createPageMaker(kind, topic, { rows, pageSize });
  return Array.from({ length: maker.pages }, (_, page) => JSON.parse(`[${maker.makePage(page, version).toString()}]`) as string[][]).flat();
}

describe.each([
  ['keyword_rankings', rankingRows],
  ['ai_search_response', answerRows(200)],
])('pages of %s', (_, kind) => {
  it('hold as many rows as asked for, the last page the rest', () => {
    expect(rowsOf(kind, 23, 5)).toHaveLength(23);
    expect(createPageMaker(kind, topic, { rows: 23, pageSize: 5 }).pages).toBe(5);
    expect(() => createPageMaker(kind, topic, { rows: 23, pageSize: 5 }).makePage(5, 0)).toThrow(RangeError);
  });

  it('have a value for every column, without a mark left in any', () => {
    for (const row of rowsOf(kind, 12, 5)) {
      expect(row).toHaveLength(kind.dataset.columns.length);
      expect(row.join('\n')).not.toMatch(/[~^]/);
    }
  });

  it('tell every row from every other by its identity columns', () => {
    const identity = identityColumns(kind.dataset).map((column) => kind.dataset.columns.indexOf(column));
    const keys = rowsOf(kind, 200, 7).map((row) => identity.map((index) => row[index]).join('|'));
    expect(new Set(keys).size).toBe(200);
  });

  it('restate one row in a hundred, in a column that does not identify it', () => {
    const before = rowsOf(kind, 3 * RESTATED_EVERY, 50);
    const after = rowsOf(kind, 3 * RESTATED_EVERY, 50, 1);
    const changes = before.flatMap((row, number) =>
      row.flatMap((value, index) => (value === after[number]?.[index] ? [] : [{ number, column: kind.dataset.columns[index] }])),
    );
    expect(changes.map(({ number }) => number)).toEqual([0, RESTATED_EVERY, 2 * RESTATED_EVERY]);
    expect(changes.every(({ column }) => column?.isIdentity === false)).toBe(true);
  });
});

it('rows of keyword_rankings are as wide as real ones, about 430 bytes as a line of text', () => {
  const widths = rowsOf(rankingRows, 1000, 100).map((row) => Buffer.byteLength(row.join('\t')));
  const mean = widths.reduce((sum, width) => sum + width, 0) / widths.length;
  expect(mean).toBeGreaterThan(400);
  expect(mean).toBeLessThan(460);
});
