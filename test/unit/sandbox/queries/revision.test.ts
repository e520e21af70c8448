import { describe, expect, test } from 'vitest';
import { resolveOptions } from '../../../../sandbox/options.ts';
import { wireRows } from '../../../../sandbox/queries/pages.ts';
import { planQuery } from '../../../../sandbox/queries/plan-query.ts';
import type { Query, Revision } from '../../../../sandbox/queries/query.ts';
import { createWorld } from '../../../../sandbox/world/world.ts';
import { createDecoder } from '../../../../src/codec/decode.ts';
import { DATASETS } from '../../../../src/datasets/index.ts';
import type { WireRow } from '../../../../src/service/wire.ts';
import { decodePage } from '../../../support/decode-page.ts';

// Enough rows for shares, and duplicates among citations and sentiments.
const settings = resolveOptions({ size: 'small', sizes: { keywords: 20, prompts: 30 }, duplicates: 0.05 });
const world = createWorld(settings);
const calendar = { weekStartsOn: settings.weekStartsOn, historyStart: settings.historyStart };
const OLDER = '2026-11-01';

function queryOf(name: string, revisions: readonly Revision[], filters: Query['filters'] = {}): Query {
  const dataset = DATASETS.find((one) => one.name === name);
  if (!dataset) throw new Error(`no dataset ${name}`);
  return { dataset, accountId: 12345, window: { start: OLDER, end: '2026-11-14' }, filters, newestWeek: '2026-11-08', revisions };
}

function rowsOf(name: string, revisions: readonly Revision[] = [], filters: Query['filters'] = {}): WireRow[] {
  return [...wireRows(planQuery(world, calendar, queryOf(name, revisions, filters)), Number.POSITIVE_INFINITY)];
}

const restatement = (changes: Partial<Extract<Revision, { kind: 'restate' }>> = {}): Revision => ({
  kind: 'restate',
  number: 1,
  share: 0,
  vanish: 0,
  appear: 0,
  ...changes,
});

const keys = (rows: readonly WireRow[]): string[] => rows.map((row) => JSON.stringify(row));

/** How many of the rows of `a`, duplicates counted, `b` does not have. */
function missingFrom(a: readonly WireRow[], b: readonly WireRow[]): number {
  const left = new Map<string, number>();
  for (const key of keys(b)) left.set(key, (left.get(key) ?? 0) + 1);
  return keys(a).filter((key) => {
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  }).length;
}

describe.each(DATASETS.map(({ name }) => name))('%s', (name) => {
  const original = rowsOf(name);
  const dataset = queryOf(name, []).dataset;
  const identityOf = (row: WireRow): string => JSON.stringify(row.filter((_, position) => dataset.columns[position]?.isIdentity));

  test('a full restatement changes a measure of every row and no identity, and every value still decodes', () => {
    const restated = rowsOf(name, [restatement({ share: 1 })]);
    expect(restated.map(identityOf)).toEqual(original.map(identityOf));
    expect(keys(restated).filter((key, index) => key === JSON.stringify(original[index]))).toEqual([]);
    const decoder = createDecoder(
      dataset,
      dataset.columns.map((column) => ({ name: column.name, type: column.wire })),
    );
    expect(decodePage(decoder, restated, 1).rejected).toEqual([]);
  });

  test('a share changes about that share of rows; the same number chooses the same rows, another number others', () => {
    const first = rowsOf(name, [restatement({ share: 0.3 })]);
    const changed = missingFrom(original, first) / original.length;
    expect(changed).toBeGreaterThan(0.15);
    expect(changed).toBeLessThan(0.45);
    expect(rowsOf(name, [restatement({ share: 0.3 })])).toEqual(first);
    expect(rowsOf(name, [restatement({ share: 0.3, number: 2 })])).not.toEqual(first);
  });

  test('rows vanish, and new ones appear with identities that no row had', () => {
    const fewer = rowsOf(name, [restatement({ vanish: 0.3 })]);
    expect(missingFrom(fewer, original)).toBe(0);
    expect(fewer.length).toBeLessThan(original.length * 0.85);
    expect(fewer.length).toBeGreaterThan(original.length * 0.55);
    const more = rowsOf(name, [restatement({ appear: 0.3 })]);
    expect(missingFrom(original, more)).toBe(0);
    const known = new Set(original.map(identityOf));
    const fresh = more.filter((row) => !known.has(identityOf(row)));
    expect(fresh.length).toBe(more.length - original.length);
    expect(fresh.length).toBeGreaterThan(original.length * 0.1);
  });

  test('only the named weeks are revised', () => {
    const period = dataset.columns.findIndex((column) => column.name === 'time_period_start');
    const rows = rowsOf(name, [{ kind: 'shrink', keep: 0, weeks: [OLDER] }]);
    expect(rows).toEqual(original.filter((row) => row[period] !== OLDER));
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThan(original.length);
  });

  test('a plan counts exactly the rows it gives', () => {
    const plan = planQuery(world, calendar, queryOf(name, [{ kind: 'shrink', keep: 0.5 }, restatement({ appear: 0.5, vanish: 0.2 })]));
    for (let unit = 0; unit < Math.min(plan.unitCount, 50); unit++) expect(plan.countOf(unit)).toBe(plan.rowsOf(unit).length);
  });
});

test('copies of a row change or vanish with it', () => {
  const copies = (rows: readonly WireRow[]): number => rows.length - new Set(keys(rows)).size;
  const rows = rowsOf('ai_search_citations', [restatement({ share: 1 })]);
  expect(copies(rowsOf('ai_search_citations'))).toBeGreaterThan(0);
  expect(copies(rows)).toBe(copies(rowsOf('ai_search_citations')));
});

test('no row appears that the filters would not ask for', () => {
  const [first] = rowsOf('ai_search_brands');
  const prompt = first?.[13];
  const filters = { prompts: [String(prompt)] };
  const asked = rowsOf('ai_search_brands', [], filters);
  expect(rowsOf('ai_search_brands', [restatement({ appear: 1 })], filters)).toEqual(asked);
  expect(rowsOf('ai_search_brands', [restatement({ appear: 1 })]).length).toBeGreaterThan(rowsOf('ai_search_brands').length);
});
