// plan: expected weeks minus what the ledger has or is loading, plus the lookback. `choosePlan` is a pure function of the
// job, the expectation and the ledger, so planning may run at every tick, start-up and reconnect: a schedule that was
// missed is simply found missing, and what is planned already is not planned again.

import type { Job } from '../config/settings.ts';
import { MINUTE } from '../core/clock.ts';
import { compareText } from '../core/compare-text.ts';
import { ConfigurationError } from '../core/errors.ts';
import { addDays, type IsoDate, type Window, weeksOfWindow, windowOfWeeks } from '../core/weeks.ts';
import type { LoadReason } from '../warehouse/executions.ts';
import { type PlannedSlice, planChosen, type WantedLoad, type WantedWeeks } from '../warehouse/jobs.ts';
import type { NamedQuestion } from '../warehouse/renames.ts';
import { LIVE_STATES } from '../warehouse/states.ts';
import type { Expectation } from './expected-weeks.ts';
import type { Pipeline } from './pipeline.ts';

const LIVE: ReadonlySet<string> = new Set(LIVE_STATES);
/** States of an ended execution after which its week waits for the next tick. */
const GAVE_UP: ReadonlySet<string> = new Set(['failed', 'discarded', 'cancelled']);

/** What the ledger has for a week, over all slices that cover it. */
type WeekRecord = {
  isLive: boolean;
  gaveUpSince: boolean;
  /** The newest publication; `rows` are those of the week. */
  published?: Readonly<{ plannedAt: Date; filtersDigest: string | null; rows: number }>;
};

/** Loads that should happen now, most urgent first. */
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
    // Recent weeks are read again once per tick, since the service restates them; a missing one is catch-up.
    if (record?.published && (reason === 'catch_up' || record.published.plannedAt >= expectation.tick)) continue;
    const why = reason === 'lookback' && !record?.published ? 'catch_up' : reason;
    wanted.set(why, [...(wanted.get(why) ?? []), week]);
  }
  return (['newest', 'lookback', 'catch_up'] as const).flatMap((reason) =>
    groupWeeks(wanted.get(reason) ?? [], job.weeksPerQuery).map((window) => ({ window, reason })),
  );
}

/** The first week that is read again at each tick, where the job goes back so far. */
function startOfLookback(job: Job, newest: IsoDate): IsoDate {
  return addDays(newest, -7 * job.lookbackWeeks);
}

/** What `choosePlan` wants a job to have: one statement for all jobs finds those that lack some of it. Undefined before its first week. */
export function describeWanted(job: Job, { tick, weeks }: Expectation): WantedWeeks | undefined {
  const [first, newest] = [weeks[0], weeks.at(-1)];
  if (first === undefined || newest === undefined) return undefined;
  const lookback = startOfLookback(job, newest);
  return { name: job.name, first, recent: lookback > first ? lookback : first, newest, tick };
}

/**
 * The weeks somebody asked for. Loaded are those that are missing, all, or also those that were asked for with other filters.
 * `mayShrink` is the consent to fewer rows than are published.
 */
export type Backfill = Readonly<{ weeks: readonly IsoDate[]; mode: 'missing' | 'all' | 'stale'; mayShrink?: boolean }>;

/** Loads for a span of weeks that somebody asked for. */
export function chooseBackfill(job: Job, slices: readonly PlannedSlice[], { weeks, mode, mayShrink = false }: Backfill): WantedLoad[] {
  const records = recordWeeks(job, new Date(8.64e15), slices);
  const missing = weeks.filter((week) => {
    const record = records.get(week);
    if (record?.isLive) return false;
    return mode === 'all' || !record?.published || (mode === 'stale' && record.published.filtersDigest !== job.filtersDigest);
  });
  const windows = groupWeeks(missing, job.weeksPerQuery);
  if (!mayShrink) return windows.map((window) => ({ window, reason: 'backfill' }));
  // What is planned already, and not submitted yet, is planned once more for the consent.
  const planned = slices.filter(
    ({ latestState, start, end }) => latestState === 'planned' && weeks.some((week) => week >= start && week <= end),
  );
  return [...windows, ...planned.map(({ start, end }) => ({ start, end }))].map((window) => ({ window, reason: 'backfill', mayShrink }));
}

function recordWeeks(job: Job, tick: Date, slices: readonly PlannedSlice[]): Map<IsoDate, WeekRecord> {
  const records = new Map<IsoDate, WeekRecord>();
  for (const slice of slices) {
    const isLive = slice.latestState !== null && LIVE.has(slice.latestState);
    // What failed, or was taken back, is tried again at the next tick, or when the question has changed.
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

/** Weeks whose published rows answer another question than the job asks now. */
export function findStaleWeeks(job: Job, slices: readonly PlannedSlice[]): IsoDate[] {
  const records = [...recordWeeks(job, new Date(0), slices)];
  return records
    .filter(([, { published }]) => published && published.filtersDigest !== job.filtersDigest)
    .map(([week]) => week)
    .toSorted(compareText);
}

/** A load that is wanted, and what it would replace. */
export type LoadPreview = Readonly<{
  window: Window;
  reason: LoadReason;
  weeks: number;
  replacedWeeks: number;
  replacedRows: number;
}>;

/** What loads that were chosen would submit and replace. What is under way already is no new load, and left out. */
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

/** Joins neighbouring weeks to windows of at most `most` weeks, newest window first. */
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

/** A clock that is further ahead than this would make weeks expected that are not over. One that is behind only plans late. */
export const MAX_AHEAD_MS = 5 * MINUTE;

/** What is planned of a job. `configured` are all jobs of the process: one may have another name than in the ledger. */
export type JobPlanning = Readonly<{
  configured: readonly NamedQuestion[];
  expectedThrough: IsoDate | undefined;
  choose: (slices: readonly PlannedSlice[]) => readonly WantedLoad[];
}>;

/**
 * Writes the job down and plans what `choose` wants of it; rings for the submits. Expectations come from the pipeline's clock,
 * just before: while it is ahead of the database's by more than 5 minutes, ConfigurationError is thrown. Throws as planChosen does.
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
 * Throws ConfigurationError when the clock that expectations come from is ahead of the database's: a week that is not over
 * would be answered with no rows, published so, and not be missing when it is over.
 */
export function refuseAhead(now: Date, databaseNow: Date): void {
  const aheadMs = now.getTime() - databaseNow.getTime();
  if (aheadMs <= MAX_AHEAD_MS) return;
  throw new ConfigurationError(
    `the clock of this machine is ${Math.floor(aheadMs / MINUTE)} minutes ahead of the database's; nothing is planned until they agree`,
  );
}
