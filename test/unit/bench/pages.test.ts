import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NULL, writeLines } from '../../../bench/peers/row-lines.ts';
import { createPageMaker, RESTATED_EVERY } from '../../../bench/service/pages.ts';
import { answerRows, ROWS_PER_KEYWORD, type Row, type RowKind, rankingRows } from '../../../bench/service/rows.ts';
import { identityColumns } from '../../../src/datasets/dataset.ts';

const slice = { accountId: 12345, week: { start: '2025-01-05', end: '2025-01-11' } };

function rowsOf(kind: RowKind, rows: number, pageSize: number, version = 0): Row[] {
  const maker = createPageMaker(kind, slice, { rows, pageSize });
  return Array.from({ length: maker.pages }, (_, page) => JSON.parse(`[${maker.makePage(page, version).toString()}]`) as Row[]).flat();
}

describe.each([
  ['keyword_rankings', rankingRows],
  ['ai_search_response', answerRows(200)],
])('pages of %s', (_, kind) => {
  it('hold as many rows as asked for, the last page the rest', () => {
    expect(rowsOf(kind, 23, 5)).toHaveLength(23);
    expect(createPageMaker(kind, slice, { rows: 23, pageSize: 5 }).pages).toBe(5);
    expect(() => createPageMaker(kind, slice, { rows: 23, pageSize: 5 }).makePage(5, 0)).toThrow(RangeError);
  });

  it('have a value for every column, without a mark left in any', () => {
    for (const row of rowsOf(kind, 12, 5)) {
      expect(row).toHaveLength(kind.dataset.columns.length);
      expect(row.join('\n')).not.toMatch(/[~^`]/);
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

describe('rows of keyword_rankings', () => {
  const rows = rowsOf(rankingRows, 4000, 1000);
  const valuesOf = (name: string, some = rows): (string | null | undefined)[] => {
    const index = rankingRows.dataset.columns.findIndex((column) => column.name === name);
    return some.map((row) => row[index]);
  };

  it('are as wide as real ones, about 430 bytes as a line of text', () => {
    const widths = rows.map((row) => Buffer.byteLength(row.join('\t')));
    const mean = widths.reduce((sum, width) => sum + width, 0) / widths.length;
    expect(mean).toBeGreaterThan(400);
    expect(mean).toBeLessThan(460);
  });

  it.each([
    ['web_property_id', 3],
    ['search_engine', 2],
    ['search_engine_country_code', 4],
    ['search_engine_language_code', 2],
    ['locode', 10],
    ['device', 2],
    ['collection_date', 7],
    ['result_type', 6],
    ['query', 100],
  ])('have many values of %s, several of them on each page', (name, least) => {
    expect(new Set(valuesOf(name)).size).toBeGreaterThanOrEqual(least);
    for (let page = 0; page < 4; page += 1)
      expect(new Set(valuesOf(name, rows.slice(page * 1000, (page + 1) * 1000))).size).toBeGreaterThan(1);
  });

  it('are in the language and place of their engine', () => {
    const countries = valuesOf('search_engine_country_code');
    const [places, names, languages] = [valuesOf('locode'), valuesOf('search_engine_name'), valuesOf('search_engine_language_code')];
    for (const [row, country] of countries.entries()) {
      expect(places[row]).toMatch(new RegExp(`^${country}\\b`));
      expect(names[row]).toMatch(new RegExp(`_${languages[row]}_${country}$`, 'i'));
    }
  });

  it('have the same query for all results of a keyword, and another for the next', () => {
    const queries = valuesOf('query');
    for (let row = 0; row < rows.length; row += ROWS_PER_KEYWORD) {
      expect(new Set(queries.slice(row, row + ROWS_PER_KEYWORD)).size).toBe(1);
      expect(queries[row]).not.toBe(queries[row + ROWS_PER_KEYWORD]);
    }
  });

  it('lack values that the service leaves out: the standard rank of other results, prices, groups', () => {
    const [types, ranks] = [valuesOf('result_type'), valuesOf('rank_standard')];
    for (const [row, type] of types.entries()) expect(ranks[row] === null).toBe(type !== 'STANDARD_LINK');
    for (const name of ['cpc', 'competition']) expect(valuesOf(name)).toContain(null);
    expect(valuesOf('keyword_group_ids')).toContain('');
  });
});

it('lines for peers hold the rows of the pages, each with a key of its own, and nulls as Postgres reads them', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'searchmill-lines-')), 'rows.tsv');
  try {
    await writeLines(path, [slice], { rows: 90, pageSize: 40 });
    const lines = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\t').map((value) => (value === NULL ? null : value)));
    const width = rankingRows.dataset.columns.length;
    expect(lines.map((line) => line.slice(0, width))).toEqual(rowsOf(rankingRows, 90, 40));
    expect(new Set(lines.map((line) => line[width])).size).toBe(90);
  } finally {
    rmSync(dirname(path), { recursive: true });
  }
});
