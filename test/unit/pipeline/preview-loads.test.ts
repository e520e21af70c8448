import { describe, expect, it } from 'vitest';
import { addDays, type IsoDate, type Window, windowOfWeeks } from '../../../src/core/weeks.ts';
import { submitMinutes } from '../../../src/ledger/call-log.ts';
import { previewLoads } from '../../../src/pipeline/plan.ts';
import { jobOf } from '../../support/jobs.ts';
import { publishedSlice, sliceOf } from './planned-slices.ts';

const week = (n: number): IsoDate => addDays('2026-01-04', 7 * n);
const weeks = (n: number, length: number): Window => windowOfWeeks(week(n), length);
const AT = new Date('2026-06-01T00:00:00Z');
const LATER = new Date('2026-07-01T00:00:00Z');

describe('what a plan would replace', () => {
  it('is empty if nothing is published', () => {
    const failed = sliceOf(weeks(1, 1), { latestState: 'failed', latestEndedAt: AT });
    expect(previewLoads(jobOf(), [{ window: weeks(0, 3), reason: 'backfill' }], [failed])).toEqual([
      { window: weeks(0, 3), reason: 'backfill', weeks: 3, replacedWeeks: 0, replacedRows: 0 },
    ]);
  });

  it('are the published weeks of each window, each with the rows of the load that was planned last', () => {
    const slices = [
      publishedSlice(weeks(0, 4), AT, { publishedRows: 400, publishedWeekRows: [100, 100, 100, 100] }),
      publishedSlice(weeks(1, 1), LATER, { publishedRows: 7 }),
      publishedSlice(weeks(4, 2), AT, { publishedRows: 50, publishedWeekRows: [20, 30] }),
      publishedSlice(weeks(9, 1), AT, { publishedRows: 1_000 }),
    ];
    const loads = [
      { window: weeks(0, 2), reason: 'backfill' },
      { window: weeks(3, 2), reason: 'lookback' },
    ] as const;
    expect(previewLoads(jobOf(), loads, slices)).toMatchObject([
      { weeks: 2, replacedWeeks: 2, replacedRows: 107 },
      { reason: 'lookback', weeks: 2, replacedWeeks: 2, replacedRows: 120 },
    ]);
  });

  it('leaves out what is under way already', () => {
    const planned = sliceOf(weeks(0, 1), { latestState: 'planned' });
    expect(previewLoads(jobOf(), [{ window: weeks(0, 1), reason: 'backfill', mayShrink: true }], [planned])).toEqual([]);
  });
});

it('takes the minutes that 60/61 of the limit allows', () => {
  expect([0, 1, 5, 42, 300].map((submits) => submitMinutes(submits, 5))).toEqual([0, 1, 2, 9, 61]);
  expect(submitMinutes(40, 40)).toBe(2);
});
