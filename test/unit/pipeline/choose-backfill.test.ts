import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_WEEKS_PER_QUERY } from '../../../src/core/limits.ts';
import { addDays, weeksFromTo, weeksOfWindow, windowOfWeeks } from '../../../src/core/weeks.ts';
import { chooseBackfill } from '../../../src/pipeline/plan.ts';
import { jobOf } from '../../support/jobs.ts';
import { publishedSlice, sliceOf, weeksOf } from './planned-slices.ts';

const AT = new Date('2026-11-16T06:00:00Z');
const weeks = weeksFromTo('2026-01-04', '2026-06-28');
const byText = (a: string, b: string): number => (a < b ? -1 : 1);
const someWeeks = fc.subarray(weeks);

describe('a backfill', () => {
  it('asks for the missing weeks of its span, each once, in windows of at most weeks_per_query', () => {
    fc.assert(
      fc.property(someWeeks, someWeeks, fc.integer({ min: 1, max: 9 }), (published, live, weeksPerQuery) => {
        const slices = [
          ...published.map((day) => publishedSlice(windowOfWeeks(day, 1), AT)),
          ...live.map((day) => sliceOf(windowOfWeeks(day, 1), { latestState: 'held' })),
        ];
        const loads = chooseBackfill(jobOf({ weeksPerQuery }), slices, { weeks, mode: 'missing' });
        const missing = weeks.filter((day) => !published.includes(day) && !live.includes(day));
        expect(weeksOf(loads).toSorted(byText)).toEqual(missing);
        for (const { window, reason } of loads) {
          expect(reason).toBe('backfill');
          expect(weeksOfWindow(window).length).toBeLessThanOrEqual(weeksPerQuery);
        }
        expect(loads.map(({ window }) => window.start)).toEqual(
          loads
            .map(({ window }) => window.start)
            .toSorted(byText)
            .reverse(),
        );
      }),
    );
  });

  it('reads published weeks again when all weeks are asked for, but never weeks being loaded', () => {
    const [first = '', second = '', third = ''] = weeks;
    const slices = [
      publishedSlice(windowOfWeeks(first, 1), AT),
      sliceOf(windowOfWeeks(second, 1), { latestState: 'loading' }),
      publishedSlice(windowOfWeeks(third, 1), AT, { latestState: 'in_progress' }),
    ];
    expect(weeksOf(chooseBackfill(jobOf(), slices, { weeks: [first, second, third], mode: 'all' }))).toEqual([first]);
  });

  it('splits a window that was loaded or refused when a query could span more weeks', () => {
    const long = windowOfWeeks(weeks[0] ?? '', 20);
    const refused = sliceOf(long, { latestState: 'failed', latestPlannedAt: AT, latestEndedAt: AT });
    for (const slice of [publishedSlice(long, AT), refused]) {
      const loads = chooseBackfill(jobOf({ weeksPerQuery: MAX_WEEKS_PER_QUERY }), [slice], { weeks: weeksOfWindow(long), mode: 'all' });
      expect(loads.map(({ window }) => weeksOfWindow(window).length)).toEqual([13, 7]);
    }
  });

  it('reads weeks of other filters again when stale weeks are asked for', () => {
    const [first = '', second = '', third = ''] = weeks;
    const slices = [
      publishedSlice(windowOfWeeks(first, 1), AT, { publishedFiltersDigest: 'other' }),
      publishedSlice(windowOfWeeks(second, 1), AT),
    ];
    expect(weeksOf(chooseBackfill(jobOf(), slices, { weeks: [first, second, third], mode: 'stale' }))).toEqual([third, first]);
  });

  it('goes by the latest publication of a week that several slices cover', () => {
    const [first = ''] = weeks;
    const slices = [
      publishedSlice(windowOfWeeks(first, 4), AT, { publishedFiltersDigest: 'other' }),
      publishedSlice(windowOfWeeks(first, 1), new Date(AT.getTime() + 1)),
    ];
    expect(weeksOf(chooseBackfill(jobOf(), slices, { weeks: [first, addDays(first, 7)], mode: 'stale' }))).toEqual([addDays(first, 7)]);
  });

  it('passes on the consent to fewer rows, also to loads already planned and not yet submitted', () => {
    const first = '2026-10-18';
    const weeks = [first, addDays(first, 7), addDays(first, 14)];
    const slices = [
      sliceOf(windowOfWeeks(first, 1), { latestState: 'planned' }),
      sliceOf(windowOfWeeks(addDays(first, 7), 1), { latestState: 'in_progress' }),
    ];
    const windows = [addDays(first, 14), first].map((start) => windowOfWeeks(start, 1));
    expect(chooseBackfill(jobOf(), slices, { weeks, mode: 'stale', mayShrink: true })).toEqual(
      windows.map((window) => ({ window, reason: 'backfill', mayShrink: true })),
    );
    expect(weeksOf(chooseBackfill(jobOf(), slices, { weeks, mode: 'stale' }))).toEqual([addDays(first, 14)]);
  });

  it('tries again what has failed', () => {
    const [first = ''] = weeks;
    const failed = sliceOf(windowOfWeeks(first, 1), { latestState: 'failed', latestEndedAt: AT });
    expect(weeksOf(chooseBackfill(jobOf(), [failed], { weeks: [first], mode: 'missing' }))).toEqual([first]);
  });
});

it('a consent is also recorded for loads that are planned and not submitted, of the weeks that are asked for only', () => {
  const planned = (week: string, count: number) => sliceOf(windowOfWeeks(week, count), { latestState: 'planned' });
  const slices = [planned('2026-01-04', 2), planned('2026-01-25', 2), sliceOf(windowOfWeeks('2026-02-08', 1), { latestState: 'loading' })];
  const chosen = (from: string, to: string) =>
    chooseBackfill(jobOf(), slices, { weeks: weeksFromTo(from, to), mode: 'missing', mayShrink: true }).map(({ window }) => window.start);
  expect(chosen('2026-01-18', '2026-01-18')).toEqual(['2026-01-18']);
  expect(chosen('2026-01-11', '2026-01-18')).toEqual(['2026-01-18', '2026-01-04']);
  expect(chosen('2026-01-18', '2026-01-25')).toEqual(['2026-01-18', '2026-01-25']);
  expect(chosen('2026-02-01', '2026-02-08')).toEqual(['2026-01-25']);
});
