import { expect, it } from 'vitest';
import { resolveOptions } from '../../../../sandbox/options.ts';
import { wireRows } from '../../../../sandbox/queries/pages.ts';
import { planQuery } from '../../../../sandbox/queries/plan-query.ts';
import { createWorld } from '../../../../sandbox/world/world.ts';
import { keywordRankings } from '../../../../src/datasets/keyword-rankings.ts';

it('a dataset of result pages has rows of its own columns, in their order', () => {
  const settings = resolveOptions({ size: 'tiny' });
  const world = createWorld(settings);
  const rowsOf = (dataset: typeof keywordRankings): unknown[] => {
    const query = {
      accountId: 12345,
      window: { start: '2026-11-08', end: '2026-11-14' },
      filters: {},
      newestWeek: '2026-11-08',
      revisions: [],
    };
    const rows = [...wireRows(planQuery(world, settings, { dataset, ...query }), Number.POSITIVE_INFINITY)];
    return rows.map((row) => Object.fromEntries(row.map((value, at) => [dataset.columns[at]?.name, value])));
  };
  const columns = keywordRankings.columns.filter(({ name }) => !['account_name', 'title', 'rank_true', 'msv_month'].includes(name));
  const expected = rowsOf(keywordRankings).map((row) => {
    const values = row as Record<string, unknown>;
    return Object.fromEntries(columns.map(({ name }) => [name, values[name]]));
  });
  expect(expected.length).toBeGreaterThan(100);
  expect(rowsOf({ ...keywordRankings, columns })).toEqual(expected);
});
