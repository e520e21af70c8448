import { type IsoDate, type Window, weeksOfWindow } from '../../../src/core/weeks.ts';
import type { PlannedSlice, WantedLoad } from '../../../src/ledger/jobs.ts';

let lastSlice = 0;

export function sliceOf(window: Window, changes: Partial<PlannedSlice> = {}): PlannedSlice {
  lastSlice += 1;
  return {
    sliceId: lastSlice,
    ...window,
    publishedAt: null,
    publishedFiltersDigest: null,
    publishedRows: null,
    publishedWeekRows: null,
    publishedPlannedAt: null,
    latestState: null,
    latestPlannedAt: null,
    latestEndedAt: null,
    latestFiltersDigest: 'digest',
    ...changes,
  };
}

export function publishedSlice(window: Window, plannedAt: Date, changes: Partial<PlannedSlice> = {}): PlannedSlice {
  return sliceOf(window, {
    publishedAt: plannedAt,
    publishedFiltersDigest: 'digest',
    publishedRows: 10,
    publishedPlannedAt: plannedAt,
    latestState: 'published',
    latestPlannedAt: plannedAt,
    latestEndedAt: plannedAt,
    ...changes,
  });
}

/** The weeks of some loads, in their order. */
export const weeksOf = (loads: readonly WantedLoad[]): IsoDate[] => loads.flatMap(({ window }) => weeksOfWindow(window));
