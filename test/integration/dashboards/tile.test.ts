// What a tile says of its newest week: a change like for like where both weeks have the same units, what others add, and why there is no change.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { loadAskedWeeks, ownDomain } from '../../support/asked-weeks.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import type { WireValues } from '../../support/wire-rows.ts';

const ledger = useLedger();
const [FIRST, BEFORE, NOW] = ['2026-10-25', '2026-11-01', '2026-11-08'] as const;

/** Searches from one number to another; we hold the first place of those below `ours`, a rival that of the others. */
const searches = (from: number, to: number, ours: number): WireValues[] =>
  Array.from({ length: to - from }, (_, index) => from + index).map((at) => ({
    query: `q${at}`,
    device: 'DESKTOP',
    search_engine: 'GOOGLE',
    root_domain: at < ours ? 'acme.example' : 'rival.example',
    rank_standard: '1',
    rank_true: '1',
  }));

type Weeks = Parameters<typeof loadAskedWeeks>[2];
type Row = Readonly<Record<string, string | null>>;

/** The newest week of the tile of the first places that we hold, in an account of its own. */
async function newestOf(weeks: Weeks, compare = 'week'): Promise<Row | undefined> {
  const job = jobOf({ dataset: datasetNamed('keyword_rankings') });
  await ownDomain(ledger.pool, job);
  await loadAskedWeeks(ledger.pool, job, weeks);
  const { rows } = await ledger.pool.query<Row>(
    `SELECT week::text, figure::text, compared_with::text, before::text, change::text, added::text, dropped::text, reading, uncompared, reason
       FROM search_reports.tile_of('visibility', (SELECT ROW(c.account, c.web_property, c.country, c.engine, c.device, c.keyword_group, c.keyword, c.assistant,
                                                           c.topic, c.kind, c.persona, c.intent, c.prompt_group, c.prompt, c.rank, 1, false)::search_reports.choices
                                                   FROM search_reports.all_of($1) AS c), '13', $2) ORDER BY week`,
    [job.accountId, compare],
  );
  return rows.at(-1);
}

it('changes like for like: searches that only one of the weeks has are added or dropped, and are no change', async () => {
  // Of 20 searches that both weeks have we hold 10, then 15; we hold none of the 10 that are dropped, and all 20 that are added.
  expect(
    await newestOf([
      { week: BEFORE, rows: [...searches(0, 20, 10), ...searches(100, 110, 0)] },
      { week: NOW, rows: [...searches(0, 20, 15), ...searches(200, 220, 300)] },
    ]),
  ).toMatchObject({
    figure: '87.50',
    before: '33.33',
    compared_with: BEFORE,
    change: '25.00',
    added: '12.50',
    dropped: '16.67',
    uncompared: null,
  });
});

it('is not compared, and says why: with a later week, a week that is not there or has no figure, or one with other searches only', async () => {
  const weeks = [FIRST, BEFORE, NOW].map((week) => ({ week, rows: searches(0, 20, 10) }));
  const newest = { figure: '50.00', change: null, reading: null };
  expect(await newestOf(weeks, NOW)).toMatchObject({ ...newest, uncompared: `the week of ${NOW} is not before it` });
  expect(await newestOf(weeks, 'none')).toMatchObject({ ...newest, uncompared: 'no week is chosen to compare with' });
  expect(await newestOf(weeks, 'year')).toMatchObject({ ...newest, uncompared: 'the week of 2025-11-09 is not there' });
  expect(await newestOf(weeks, FIRST)).toMatchObject({ figure: '50.00', change: '0.00', uncompared: null });
  const others = [
    { week: BEFORE, rows: searches(100, 120, 110) },
    { week: NOW, rows: searches(0, 20, 10) },
  ];
  expect(await newestOf(others)).toMatchObject({ ...newest, uncompared: `nothing is the same as in the week of ${BEFORE}` });
  const gap = [
    { week: FIRST, rows: searches(0, 20, 10) },
    { week: BEFORE, rows: [] },
    { week: NOW, rows: searches(0, 20, 10) },
  ];
  expect(await newestOf(gap)).toMatchObject({ ...newest, uncompared: `the week of ${BEFORE} has no figure` });
});

it('judges a change by its keywords: of many that move one way it is news, of as many that move either way it is noise', async () => {
  const before = { week: BEFORE, rows: searches(0, 200, 100) };
  expect(await newestOf([before, { week: NOW, rows: searches(0, 200, 120) }])).toMatchObject({ change: '10.00', reading: 'more' });
  const mixed = searches(0, 200, 110).map((row, at) => (at < 10 ? { ...row, root_domain: 'rival.example' } : row));
  expect(await newestOf([before, { week: NOW, rows: mixed }])).toMatchObject({ change: '0.00', reading: 'within noise' });
  // Fewer than six that changed are named, not judged.
  expect(await newestOf([before, { week: NOW, rows: searches(0, 200, 103) }])).toMatchObject({ change: '1.50', reading: null });
});

it('rounds parts so that they add up to the rounded sum, each by less than one of its last digit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: -99_999, max: 99_999 }), { minLength: 1, maxLength: 12 }), async (thousandths) => {
      const parts = thousandths.map((each) => each / 1000);
      const { rows } = await ledger.pool.query<{ part: string; shown: string }>(
        'SELECT * FROM unnest($1::numeric[], search_reports.rounded_parts($1::numeric[], 1)) AS p (part, shown)',
        [parts],
      );
      const total = thousandths.reduce((sum, each) => sum + each, 0) / 1000;
      const shown = rows.reduce((sum, row) => sum + Number(row.shown), 0);
      expect(Math.abs(shown - total)).toBeLessThan(0.05 + 1e-9);
      for (const row of rows) expect(Math.abs(Number(row.part) - Number(row.shown))).toBeLessThan(0.1);
    }),
    { numRuns: 50, seed: 55 },
  );
});
