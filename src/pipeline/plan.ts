// plan: expected weeks minus those the ledger has or is loading, plus the lookback. `choosePlan` is a pure function of the
// job, the expectation and the ledger, so planning may run at every tick, start-up and reconnect. Weeks of a missed tick are
// found missing, and what is already planned is not planned again.

import type { Job } from '../config/settings.ts';
import { MINUTE } from '../core/clock.ts';
import { compareText } from '../core/compare-text.ts';
import { ConfigurationError } from '../core/errors.ts';
import { addDays, type IsoDate, type Window, weeksOfWindow, windowOfWeeks } from '../core/weeks.ts';
import type { LoadReason } from '../ledger/executions.ts';
import { type PlannedSlice, planChosen, type WantedLoad, type WantedWeeks } from '../ledger/jobs.ts';
import type { NamedQuestion } from '../ledger/renames.ts';
import { LIVE_STATES } from '../ledger/states.ts';
import type { Expectation } from './expected-weeks.ts';
import type { Pipeline } from './pipeline.ts';

const LIVE: ReadonlySet<string> = new Set(LIVE_STATES);
/** End states after which a week waits for the next tick. */
const GAVE_UP: ReadonlySet<string> = new Set(['failed', 'discarded', 'cancelled']);

/** What the ledger has for a week, from all slices that cover it. */
type WeekRecord = {
  isLive: boolean;
  gaveUpSince: boolean;
  /** The newest publication; `rows` counts those of this week. */
  published?: Readonly<{ plannedAt: Date; filtersDigest: string | null; rows: number }>;
};

/** The loads that should happen now, most urgent first. */
export function choosePlan(job: Job, expectation: Expectation, slices: readonly PlannedSlice[]): WantedLoad[] {
  const newest = expectation.weeks.at(-1);
  if (newest === undefined) return [];
  const oldestLookback = startOfLookback(job, newest);
  const records = recordWeeks(job, expectation.tick, slices);
  const wanted = new Map<LoadReason, IsoDate[]>();
  for (const week of expectation.weeks) {
    const reason = week === newest ? 'newest' : week >= oldestLookback ? 'lookback' : 'catch_up';
    const record = records.get(week);
    if (record?.isLive || (record?.gaveUpSince && !expectation.retriesFailed)) continue;
    // Recent weeks are loaded again once per tick, since the service restates them. A missing one counts as catch-up.
    if (record?.published && (reason === 'catch_up' || record.published.plannedAt >= expectation.tick)) continue;
    const why = reason === 'lookback' && !record?.published ? 'catch_up' : reason;
    wanted.set(why, [...(wanted.get(why) ?? []), week]);
  }
  return (['newest', 'lookback', 'catch_up'] as const).flatMap((reason) =>
    groupWeeks(wanted.get(reason) ?? [], job.weeksPerQuery).map((window) => ({ window, reason })),
  );
}

/** The first week of the lookback, which may be before the job's first week. */
function startOfLookback(job: Job, newest: IsoDate): IsoDate {
  return addDays(newest, -7 * job.lookbackWeeks);
}

/** The weeks a job should have, in the form in which one statement finds all jobs that lack some. Undefined before its first week. */
export function describeWanted(job: Job, { tick, weeks }: Expectation): WantedWeeks | undefined {
  const [first, newest] = [weeks[0], weeks.at(-1)];
  if (first === undefined || newest === undefined) return undefined;
  const lookback = startOfLookback(job, newest);
  return { name: job.name, first, recent: lookback > first ? lookback : first, newest, tick };
}

/**
 * Weeks requested by hand. `mode`: load those that are missing; all of them; or those that are missing or were published under
 * other filters (`stale`). `mayShrink` consents to fewer rows than are published.
 */
export type Backfill = Readonly<{ weeks: readonly IsoDate[]; mode: 'missing' | 'all' | 'stale'; mayShrink?: boolean }>;

/** The loads for weeks requested by hand; weeks that are being loaded are left out. */
export function chooseBackfill(job: Job, slices: readonly PlannedSlice[], { weeks, mode, mayShrink = false }: Backfill): WantedLoad[] {
  const records = recordWeeks(job, new Date(8.64e15), slices);
  const missing = weeks.filter((week) => {
    const record = records.get(week);
    if (record?.isLive) return false;
    return mode === 'all' || !record?.published || (mode === 'stale' && record.published.filtersDigest !== job.filtersDigest);
  });
  const windows = groupWeeks(missing, job.weeksPerQuery);
  if (!mayShrink) return windows.map((window) => ({ window, reason: 'backfill' }));
  // Executions that are planned but not submitted are planned again, to record the consent.
  const planned = slices.filter(
    ({ latestState, start, end }) => latestState === 'planned' && weeks.some((week) => week >= start && week <= end),
  );
  return [...windows, ...planned.map(({ start, end }) => ({ start, end }))].map((window) => ({ window, reason: 'backfill', mayShrink }));
}

function recordWeeks(job: Job, tick: Date, slices: readonly PlannedSlice[]): Map<IsoDate, WeekRecord> {
  const records = new Map<IsoDate, WeekRecord>();
  for (const slice of slices) {
    const isLive = slice.latestState !== null && LIVE.has(slice.latestState);
    // A week that failed, or was discarded or cancelled, is retried at the next tick, or when the job's filters have changed.
    const gaveUpSince =
      slice.latestState !== null &&
      GAVE_UP.has(slice.latestState) &&
      slice.latestFiltersDigest === job.filtersDigest &&
      [slice.latestPlannedAt, slice.latestEndedAt].some((at) => at !== null && at >= tick);
    const weeks = weeksOfWindow({ start: slice.start, end: slice.end });
    for (const [number, week] of weeks.entries()) {
      const record: WeekRecord = records.get(week) ?? { isLive: false, gaveUpSince: false };
      record.isLive ||= isLive;
      record.gaveUpSince ||= gaveUpSince;
      const { publishedPlannedAt: plannedAt, publishedFiltersDigest: filtersDigest, publishedRows, publishedWeekRows } = slice;
      if (plannedAt && (!record.published || plannedAt > record.published.plannedAt)) {
        const rows = publishedWeekRows?.[number] ?? publishedRows ?? 0;
        record.published = { plannedAt, filtersDigest, rows };
      }
      records.set(week, record);
    }
  }
  return records;
}

/** Weeks published under filters other than the job's current ones, oldest first. */
export function findStaleWeeks(job: Job, slices: readonly PlannedSlice[]): IsoDate[] {
  const records = [...recordWeeks(job, new Date(0), slices)];
  return records
    .filter(([, { published }]) => published && published.filtersDigest !== job.filtersDigest)
    .map(([week]) => week)
    .toSorted(compareText);
}

/** A load, and the weeks and published rows that it would replace. */
export type LoadPreview = Readonly<{
  window: Window;
  reason: LoadReason;
  weeks: number;
  replacedWeeks: number;
  replacedRows: number;
}>;

/** What the chosen loads would submit and replace. Loads with a week that is already being loaded are left out. */
export function previewLoads(job: Job, loads: readonly WantedLoad[], slices: readonly PlannedSlice[]): LoadPreview[] {
  const records = recordWeeks(job, new Date(0), slices);
  return loads.flatMap(({ window, reason }) => {
    const weeks = weeksOfWindow(window);
    const found = weeks.flatMap((week) => records.get(week) ?? []);
    if (found.some(({ isLive }) => isLive)) return [];
    const published = found.flatMap((record) => record.published ?? []);
    const rows = published.reduce((sum, each) => sum + each.rows, 0);
    return [{ window, reason, weeks: weeks.length, replacedWeeks: published.length, replacedRows: Math.round(rows) }];
  });
}

/** Joins adjacent weeks into windows of at most `most` weeks, newest window first. */
function groupWeeks(weeks: readonly IsoDate[], most: number): Window[] {
  const windows: Window[] = [];
  for (const week of [...weeks].sort().reverse()) {
    const last = windows.at(-1);
    if (last && addDays(week, 7) === last.start && weeksOfWindow(last).length < most)
      windows[windows.length - 1] = { start: week, end: last.end };
    else windows.push(windowOfWeeks(week, 1));
  }
  return windows;
}

export type PlannedJob = Readonly<{ job: string; planned: readonly number[]; expectedThrough: IsoDate | undefined }>;

/** Most that this machine's clock may be ahead: beyond it, weeks that are not over could be expected. A slow clock only plans late. */
export const MAX_AHEAD_MS = 5 * MINUTE;

/** How a job is planned. `configured` are all jobs of the process, to detect a job that was renamed since the ledger recorded it. */
export type JobPlanning = Readonly<{
  configured: readonly NamedQuestion[];
  expectedThrough: IsoDate | undefined;
  choose: (slices: readonly PlannedSlice[]) => readonly WantedLoad[];
}>;

/**
 * Records the job, plans the loads that `choose` returns, and rings for their submits. Throws ConfigurationError when the
 * pipeline's clock, from which expectations come, is more than 5 minutes ahead of the database's; and what planChosen throws.
 */
export async function planJob(pipeline: Pipeline, job: Job, { configured, expectedThrough, choose }: JobPlanning): Promise<PlannedJob> {
  const plannedAt = pipeline.clock.now();
  const planned = await planChosen(pipeline.pool, job, {
    configured,
    instanceId: pipeline.owner,
    expectedThrough,
    plannedAt,
    choose: (slices, databaseNow) => {
      refuseAhead(plannedAt, databaseNow);
      return choose(slices);
    },
  });
  if (planned.length > 0) {
    pipeline.log.info({ job: job.name, planned: planned.length, newest: expectedThrough }, 'planned loads');
    await pipeline.ring({ kind: 'submits', connection: job.connection, delayMs: 0 });
  }
  return { job: job.name, planned, expectedThrough };
}

/**
 * Throws ConfigurationError when `now` is more than 5 minutes ahead of the database's clock: a week that is not over would be
 * published with no rows, and would not count as missing once it is over.
 */
export function refuseAhead(now: Date, databaseNow: Date): void {
  const aheadMs = now.getTime() - databaseNow.getTime();
  if (aheadMs <= MAX_AHEAD_MS) return;
  throw new ConfigurationError(
    `the clock of this machine is ${Math.floor(aheadMs / MINUTE)} minutes ahead of the database's; nothing is planned until they agree`,
  );
}
