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
    const lines = await ask('units', chosen);
    const units = lines.filter((row) => row.in === 'both weeks');
    // Ten keywords of one device were dropped, and ten of the other added; a search without a place is none of the average.
    for (const kind of ['added', 'dropped']) {
      const own = lines.filter((row) => row.in === kind);
      expect(own.length).toBeGreaterThanOrEqual(10);
      expect(Math.abs(sumOf(own, 'contribution') - sumOf(of(kind), 'amount'))).toBeLessThan(1.5);
    }
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
    Math.abs(
      numberOf(of('all'), 'contribution') * 1000 -
        sumOf(
          (await ask('units', { ...values, measure: 'visibility' })).filter((row) => row.in === 'both weeks'),
          'contribution',
        ),
    ),
  ).toBeLessThan(1);
});

it('a week that cannot be compared has the reason in place of figures', async () => {
  for (const panel of ['bridge', 'units', 'columns', 'groups'])
    expect([panel, (await ask(panel, { ...values, measure: 'visibility', compare: 'year' })).map(({ reason }) => reason)]).toEqual([
      panel,
      [`The week of ${NOW} is not compared: the week of 2025-11-09 is not loaded.`],
    ]);
});

it('names nothing that adds nothing, and of what was added each keyword with what it adds: by another share than that of the others', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const rowsOf = (amount: number): WireValues[] =>
    Array.from({ length: amount }, (_, at) => ({
      query: `k${String(at).padStart(2, '0')}`,
      // Ours in every second one of the old ones, and in all new ones but one.
      root_domain: at < 40 ? ['acme.example', 'rival.example'][at % 2] : at === 40 ? 'rival.example' : 'acme.example',
      normalized_url: `https://x.example/${at}`,
      rank_standard: '1',
      rank_true: '1',
      average_search_volume: '10',
    }));
  const loaded = await loadAskedWeeks(ledger.pool, job, [
    { week: BEFORE, rows: rowsOf(40) },
    { week: NOW, rows: rowsOf(44) },
  ]);
  const chosen: Values = { ...loaded, weighted: 'true', compare: 'week', measure: 'visibility' };
  const steps = await ask('bridge', chosen);
  expect(steps.map(({ step, amount, units }) => [step, amount, units])).toEqual([
    [`Week of ${BEFORE}`, '5.000', '40'],
    ['all 40', '0.000', '40'],
    ['Added', '0.227', '4'],
    ['Dropped', '0.000', '0'],
    [`Week of ${NOW}`, '5.227', '44'],
  ]);
  // (10 - 5) / 44 for each of three, (0 - 5) / 44 for the other.
  expect((await ask('units', chosen)).map(({ keyword, in: weeks, contribution }) => [keyword, weeks, contribution])).toEqual([
    ['all 40', 'both weeks', '0.000'],
    ['k40', 'added', '-0.114'],
    ['k41', 'added', '0.114'],
    ['k42', 'added', '0.114'],
    ['k43', 'added', '0.113'],
  ]);
});
