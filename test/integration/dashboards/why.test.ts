// The board Why: whatever the measure, its lines add up to the change, to the last digit that they show.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Values } from '../../../src/dashboards/variables.ts';
import { loadAskedWeeks, ownDomain } from '../../support/asked-weeks.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf, type PanelRow } from '../../support/panels.ts';
import type { WireValues } from '../../support/wire-rows.ts';

const ledger = useLedger();
const [BEFORE, NOW] = ['2026-11-01', '2026-11-08'] as const;
const ask = asksOf(() => ledger.pool, 'why', { isWhole: true });
let values: Values;

/** Searches with our result at a place that their number and the week decide, or none; of two devices, in groups that overlap. */
const searches = (from: number, to: number, week: number): WireValues[] =>
  Array.from({ length: to - from }, (_, index) => from + index).map((at) => ({
    query: `q${at % 50}`,
    device: at < 50 ? 'DESKTOP' : 'SMARTPHONE',
    search_engine: at % 3 === 0 ? 'BING' : 'GOOGLE',
    search_engine_country_code: 'US',
    root_domain: (at * 7 + week) % 4 === 0 ? 'rival.example' : 'acme.example',
    keyword_group_ids: at % 2 === 0 ? '1, 2' : '1',
    keyword_group_names: at % 2 === 0 ? 'all, even' : 'all',
    rank_standard: String(1 + ((at * 13 + week * 5) % 14)),
    rank_true: String(1 + ((at * 13 + week * 5) % 14)),
    average_search_volume: String(10 + ((at * 31 + week) % 90)),
  }));

beforeAll(async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const loaded = await loadAskedWeeks(ledger.pool, job, [
    { week: BEFORE, rows: searches(0, 90, 1) },
    { week: NOW, rows: searches(10, 100, 2) },
  ]);
  values = { ...loaded, weighted: 'true', compare: 'week' };
});

const numberOf = (row: PanelRow | undefined, column: string): number => Number(row?.[column]);
/** In thousandths, as panels round. */
const sumOf = (rows: readonly PanelRow[], column: string): number =>
  Math.round(1000 * rows.reduce((sum, row) => sum + numberOf(row, column), 0));

describe.each(['visibility', 'first_three', 'found', 'average_place'])('of %s', (measure) => {
  it('the steps lead from one figure to the other, and the lines of each table add up to what is like for like', async () => {
    const chosen = { ...values, measure };
    const steps = await ask('bridge', chosen);
    const of = (kind: string): PanelRow[] => steps.filter((row) => row.kind === kind);
    expect(of('level').map(({ step }) => step)).toEqual([`Week of ${BEFORE}`, `Week of ${NOW}`]);
    expect(steps.map(({ kind }) => kind)).toEqual(['level', ...of('like for like').map(({ kind }) => kind), 'added', 'dropped', 'level']);
    expect(sumOf(steps.slice(0, -1), 'amount')).toBe(sumOf(steps.slice(-1), 'amount'));
    const like = sumOf(of('like for like'), 'amount') / 1000;
    const units = await ask('units', chosen);
    // The largest five, then the others together.
    expect(of('like for like').map(({ step }) => step?.replace(/^\d+/, 'n'))).toEqual([
      ...units.slice(0, 5).map(({ keyword }) => keyword),
      'n others',
    ]);
    expect(steps[0]?.notice).toMatch(/Like for like [+−]\d+\.\d{3}: [+−]\d+\.\d{3} by what happened, [+−]\d+\.\d{3} by other weights\./);
    expect(units.at(-1)?.keyword).toMatch(/^\d+ others?$/);
    // Rounding the steps may move one thousandth from one to another.
    expect(Math.abs(sumOf(units, 'contribution') - 1000 * like)).toBeLessThan(2.5);
    const amounts = units.slice(0, -1).map((row) => Math.abs(numberOf(row, 'contribution')));
    expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));
    const columns = await ask('columns', chosen);
    const sums = [...new Set(columns.map(({ column }) => column))].map((column) =>
      sumOf(
        columns.filter((row) => row.column === column),
        'contribution',
      ),
    );
    expect(sums.length).toBeGreaterThan(2);
    expect(new Set(sums)).toEqual(new Set([sumOf(units, 'contribution')]));
  });
});

it('groups overlap: a search counts in each of its groups, once', async () => {
  const groups = await ask('groups', { ...values, measure: 'visibility' });
  const of = (name: string): PanelRow | undefined => groups.find(({ group }) => group === name);
  expect([of('all')?.units, of('even')?.units]).toEqual(['80', '40']);
  expect(
    Math.abs(numberOf(of('all'), 'contribution') * 1000 - sumOf(await ask('units', { ...values, measure: 'visibility' }), 'contribution')),
  ).toBeLessThan(1);
});

it('a week that cannot be compared has the reason in place of figures', async () => {
  for (const panel of ['bridge', 'units', 'columns', 'groups'])
    expect([panel, (await ask(panel, { ...values, measure: 'visibility', compare: 'year' })).map(({ reason }) => reason)]).toEqual([
      panel,
      [`The week of ${NOW} is not compared: the week of 2025-11-09 is not loaded.`],
    ]);
});
