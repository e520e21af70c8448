import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, type IsoDate, weeksFromTo, weeksOfWindow, windowOfWeeks } from '../../../src/core/weeks.ts';
import type { PlannedSlice } from '../../../src/ledger/jobs.ts';
import { choosePlan } from '../../../src/pipeline/plan.ts';
import { jobOf } from '../../support/jobs.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { publishedSlice, sliceOf, weeksOf } from './planned-slices.ts';

const FIRST = '2025-11-02';
const TICK = new Date('2026-11-16T06:00:00Z');
const before = new Date(TICK.getTime() - 1);
const after = new Date(TICK.getTime() + 1);

const week = (index: number): IsoDate => addDays(FIRST, index * 7);
const LIVE = ['planned', 'submitting', 'in_progress', 'loading', 'staged', 'held'] as const;

const byText = (a: string, b: string): number => (a < b ? -1 : 1);

/** A slice somewhere, in any state it can be found in. */
const anySlice: fc.Arbitrary<PlannedSlice> = fc
  .record({
    start: fc.integer({ min: -2, max: 26 }),
    weeks: fc.integer({ min: 1, max: 4 }),
    state: fc.constantFrom(...LIVE, 'published', 'failed', 'discarded', 'abandoned'),
    wasPublished: fc.boolean(),
    at: fc.constantFrom(before, TICK, after),
    digest: fc.constantFrom('digest', 'other'),
  })
  .map(({ start, weeks, state, wasPublished, at, digest }) => {
    const window = windowOfWeeks(week(start), weeks);
    const isEnded = !LIVE.includes(state as (typeof LIVE)[number]);
    const latest = { latestState: state, latestPlannedAt: at, latestEndedAt: isEnded ? at : null, latestFiltersDigest: digest };
    return wasPublished || state === 'published' ? publishedSlice(window, at, latest) : sliceOf(window, latest);
  });

const situation = fc.record({
  weeks: fc.integer({ min: 0, max: 25 }).map((count) => Array.from({ length: count }, (_, i) => week(i))),
  slices: fc.array(anySlice, { maxLength: 12 }),
  job: fc
    .record({ lookbackWeeks: fc.nat(6), weeksPerQuery: fc.integer({ min: 1, max: 8 }) })
    .map((limits) => jobOf({ since: FIRST, ...limits })),
});

const covers = (slice: PlannedSlice, day: IsoDate): boolean => weeksOfWindow(slice).includes(day);
const isLive = (slice: PlannedSlice): boolean => (LIVE as readonly (string | null)[]).includes(slice.latestState);
const gaveUp = (slice: PlannedSlice): boolean =>
  ['failed', 'discarded'].includes(slice.latestState ?? '') && slice.latestFiltersDigest === 'digest' && slice.latestEndedAt !== before;

describe('a plan', () => {
  it('holds every missing week exactly once, and otherwise only weeks to read again', () => {
    fc.assert(
      fc.property(situation, ({ job, weeks, slices }) => {
        const expected = weeks.filter((day, index) => {
          const here = slices.filter((slice) => covers(slice, day));
          if (here.some((slice) => isLive(slice) || gaveUp(slice))) return false;
          const published = here.flatMap((slice) => slice.publishedPlannedAt ?? []);
          if (published.length === 0) return true;
          const isRecent = index >= weeks.length - 1 - job.lookbackWeeks;
          return isRecent && published.every((at) => at < TICK);
        });
        expect(weeksOf(choosePlan(job, { tick: TICK, weeks }, slices)).toSorted(byText)).toEqual(expected);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  it('asks for at most weeks_per_query weeks at once, the newest window of a reason first', () => {
    fc.assert(
      fc.property(situation, ({ job, weeks, slices }) => {
        const loads = choosePlan(job, { tick: TICK, weeks }, slices);
        for (const { window } of loads) expect(weeksOfWindow(window).length).toBeLessThanOrEqual(job.weeksPerQuery);
        const ranks = loads.map(
          ({ reason, window }) => [['newest', 'lookback', 'catch_up', 'backfill'].indexOf(reason), window.start] as const,
        );
        const sorted = [...ranks].sort(([a, x], [b, y]) => a - b || (x < y ? 1 : -1));
        expect(ranks).toEqual(sorted);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('joins neighbouring missing weeks rather than ask for each', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 8 }), (count, weeksPerQuery) => {
        const weeks = Array.from({ length: count }, (_, i) => week(i));
        const loads = choosePlan(jobOf({ weeksPerQuery, lookbackWeeks: 0 }), { tick: TICK, weeks }, []);
        // The newest is a load of its own, so that nothing delays it.
        expect(loads).toHaveLength(1 + Math.ceil((count - 1) / weeksPerQuery));
        expect(loads[0]).toEqual({ reason: 'newest', window: windowOfWeeks(week(count - 1), 1) });
      }),
    );
  });

  it('is empty when it is made again after planning, and after publishing, until the next tick', () => {
    fc.assert(
      fc.property(situation, ({ job, weeks, slices }) => {
        const expectation = { tick: TICK, weeks };
        const loads = choosePlan(job, expectation, slices);
        const planned = loads.map(({ window }) => sliceOf(window, { latestState: 'planned', latestPlannedAt: after }));
        expect(choosePlan(job, expectation, [...slices, ...planned])).toEqual([]);
        const published = loads.map(({ window }) => publishedSlice(window, after));
        expect(choosePlan(job, expectation, [...slices, ...published])).toEqual([]);
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

describe('the lookback', () => {
  const weeks = weeksFromTo(week(0), week(9));
  const job = jobOf({ lookbackWeeks: 3, weeksPerQuery: 1 });
  const allPublished = (at: Date): PlannedSlice[] => weeks.map((day) => publishedSlice(windowOfWeeks(day, 1), at));

  it('is read once at every tick, the newest week first', () => {
    expect(choosePlan(job, { tick: TICK, weeks }, allPublished(before))).toEqual([
      { reason: 'newest', window: windowOfWeeks(week(9), 1) },
      { reason: 'lookback', window: windowOfWeeks(week(8), 1) },
      { reason: 'lookback', window: windowOfWeeks(week(7), 1) },
      { reason: 'lookback', window: windowOfWeeks(week(6), 1) },
    ]);
    expect(choosePlan(job, { tick: TICK, weeks }, allPublished(TICK))).toEqual([]);
    expect(choosePlan(job, { tick: TICK, weeks }, allPublished(after))).toEqual([]);
  });

  it('gives the reason catch_up to a recent week that was never published', () => {
    const slices = allPublished(after).filter(({ start }) => start !== week(7));
    expect(choosePlan(job, { tick: TICK, weeks }, slices)).toEqual([{ reason: 'catch_up', window: windowOfWeeks(week(7), 1) }]);
  });
});

describe('a week that was given up', () => {
  const weeks = [week(0)];
  const window = windowOfWeeks(week(0), 1);
  const ended = (state: 'failed' | 'discarded' | 'cancelled' | 'abandoned', at: Date, digest = 'digest') =>
    sliceOf(window, { latestState: state, latestPlannedAt: before, latestEndedAt: at, latestFiltersDigest: digest });

  it.each(['failed', 'discarded', 'cancelled'] as const)('because it %s waits for the next tick', (state) => {
    expect(choosePlan(jobOf(), { tick: TICK, weeks }, [ended(state, after)])).toEqual([]);
    expect(choosePlan(jobOf(), { tick: TICK, weeks }, [ended(state, before)])).toHaveLength(1);
  });

  it('is asked for at once when the question has changed', () => {
    expect(choosePlan(jobOf(), { tick: TICK, weeks }, [ended('failed', after, 'other')])).toHaveLength(1);
  });

  it('is asked for at once when its execution was abandoned and none followed', () => {
    expect(choosePlan(jobOf(), { tick: TICK, weeks }, [ended('abandoned', after)])).toHaveLength(1);
  });
});
