// keep_weeks of several jobs at random: which weeks go is told by a rule of its own. RANDOM_SEED and RANDOM_RUNS look further.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, type IsoDate, monthsFromTo, startOfWeek, type Window, windowOfWeeks } from '../../../src/core/weeks.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import { checkReports } from '../../../src/reports/rebuild.ts';
import { finishReports } from '../../../src/reports/refresh.ts';
import { keepingOf } from '../../support/kept-weeks.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const ledger = useLedger();
const { expire, load, rowsFrom, partitionsFrom, stateOf } = keepingOf(ledger);
const stopping = new AbortController().signal;

describe('of several jobs with keep_weeks of their own', () => {
  const plan = fc.record({
    account: fc.constantFrom(1, 2),
    first: fc.nat({ max: 8 }),
    weeks: fc.integer({ min: 12, max: 18 }),
    weeksPerQuery: fc.constantFrom(1, 2, 3, 4),
    keep: fc.constantFrom(1, 2, 3, 4, 6, 8, 1, 2, 3, 4, undefined),
    isRemoved: fc.constantFrom(...Array.from({ length: 8 }, (_, place) => place === 7)),
  });
  let year = 1899;
  let removals = 0;

  it('only weeks that no job needs are removed, whole; no other row is touched, and summaries and coverage agree', async () => {
    const { pool } = ledger;
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 2, maxLength: 4 }), async (plans) => {
        year += 2;
        const begin = startOfWeek(`${year}-01-07`, 'sunday');
        const [from, to] = [`${year - 1}-12-01`, `${year + 1}-01-01`] as const;
        const jobs = plans.map(({ account, first, weeks, weeksPerQuery, keep, isRemoved }, place) => {
          const since = addDays(begin, 7 * first);
          // Jobs of one account differ in what they ask.
          const job = jobOf({ accountId: year * 10 + account, since, keepWeeks: keep, filtersDigest: `digest ${place}` });
          const windows: Window[] = [];
          for (let week = 0; week < weeks; week += weeksPerQuery)
            windows.push(windowOfWeeks(addDays(since, 7 * week), Math.min(weeksPerQuery, weeks - week)));
          return { job, windows, isRemoved, newest: addDays(since, 7 * (weeks - 1)) };
        });
        for (const { job, windows, newest } of jobs) {
          await load(job, windows);
          await recordJob(pool, job, newest);
        }
        const configured = jobs.filter(({ isRemoved }) => !isRemoved).map(({ job }) => job);
        await finishReports(pool, stopping, () => undefined);
        const before = await rowsFrom(from, to);
        const newest =
          jobs
            .map((each) => each.newest)
            .toSorted()
            .at(-1) ?? '';
        const gone = await expire(configured, newest);

        // Computed by a separate rule: month by month, what each job would keep.
        const keptFrom = ({ job, newest: own, isRemoved }: (typeof jobs)[number]): IsoDate =>
          isRemoved ? '0001-01-01' : job.keepWeeks === undefined ? job.since : addDays(own, -7 * (job.keepWeeks - 1));
        const expired = new Set<string>();
        const expectedGone: string[] = [];
        for (const month of monthsFromTo(from, to)) {
          const next = monthsFromTo(month, addDays(month, 31))[1] ?? '';
          const loads = jobs.flatMap((each) =>
            each.windows.filter(({ start, end }) => start < next && end >= month).map((window) => ({ each, window })),
          );
          const isKept = jobs.filter(({ isRemoved }) => !isRemoved).some((each) => next > keptFrom(each));
          const canGo = loads.every(
            ({ each, window }) => each.job.keepWeeks !== undefined && !each.isRemoved && window.end < keptFrom(each),
          );
          const left = loads.filter(({ each, window }) => !expired.has(`${each.job.name} ${window.start}`));
          if (isKept || !canGo || left.length === 0) continue;
          for (const { each, window } of left) expired.add(`${each.job.name} ${window.start}`);
          expectedGone.push(`keyword_rankings_${month.slice(0, 7).replace('-', '_')}`);
        }
        expect(gone).toEqual(expectedGone);
        removals += gone.length;
        const { rows: slices } = await pool.query<{ id: number; key: string; isPublished: boolean }>(
          `SELECT id, job || ' ' || window_start AS key, published_execution_id IS NOT NULL AS "isPublished" FROM searchmill.slices WHERE job = ANY ($1)`,
          [jobs.map(({ job }) => job.name)],
        );
        for (const { key, isPublished } of slices) expect([key, isPublished]).toEqual([key, !expired.has(key)]);
        const goneSlices = new Set(slices.filter(({ key }) => expired.has(key)).map(({ id }) => id));
        expect(await rowsFrom(from, to)).toEqual(before.filter(({ slice }) => !goneSlices.has(slice)));
        for (const name of gone) expect(await partitionsFrom(from, to)).not.toContain(name);
        await finishReports(pool, stopping, () => undefined);
        expect(await checkReports(pool, { accountId: String(year * 10 + 1) })).toMatchObject({ marked: 0, differences: [] });
        for (const { job, windows } of jobs) {
          for (const { start } of windows)
            expect([start, await stateOf(job, start)]).toEqual([
              start,
              expect.stringMatching(expired.has(`${job.name} ${start}`) ? /^expired, not expected$/ : /^published/),
            ]);
        }
      }),
      { numRuns: propertyRuns(4), seed: Number(process.env.RANDOM_SEED ?? 27), endOnFailure: true },
    );
    expect(removals).toBeGreaterThan(0);
  });
});
