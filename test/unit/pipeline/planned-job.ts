// A job and slices as the ledger would have them, for tests of planning.
import type { Job } from '../../../src/config/settings.ts';
import { type IsoDate, type Window, weeksOfWindow } from '../../../src/core/weeks.ts';
import { keywordRankings } from '../../../src/datasets/keyword-rankings.ts';
import type { PlannedSlice, WantedLoad } from '../../../src/warehouse/jobs.ts';

export function jobOf(changes: Partial<Job> = {}): Job {
  return {
    name: 'job',
    isEnabled: true,
    dataset: keywordRankings,
    connection: 'main',
    accountId: 1,
    filters: {},
    filtersDigest: 'digest',
    schedule: { cron: '0 6 * * 1', timezone: 'UTC' },
    since: '2026-01-04',
    lookbackWeeks: 1,
    weeksPerQuery: 1,
    weekStartsOn: 'sunday',
    pageSize: 1000,
    maxRejectedShare: 0,
    maxRejectedRows: 0,
    minKeepShare: 0.5,
    allowEmpty: false,
    maxWaitMs: 1,
    maxSubmits: 10,
    ...changes,
  };
}

let lastSlice = 0;

export function sliceOf(window: Window, changes: Partial<PlannedSlice> = {}): PlannedSlice {
  lastSlice += 1;
  return {
    sliceId: lastSlice,
    ...window,
    publishedAt: null,
    publishedFiltersDigest: null,
    publishedRows: null,
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
