// What operators and metrics read: coverage, live executions, connections. Reading only; nothing here takes a lock.

import type { Drift } from '../codec/decode.ts';
import { compareText } from '../core/compare-text.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { IsoDate } from '../core/weeks.ts';
import type { LoadReason, SliceWindow } from './executions.ts';
import type { Client, Pool } from './pool.ts';
import { readRows } from './statements.ts';
import type { EndState, LiveState } from './states.ts';

export type CoverageState = 'published' | 'running' | 'held' | 'failed' | 'missing' | 'expired';

/** One week of one job. */
export type CoveredWeek = Readonly<{
  job: string;
  week: IsoDate;
  state: CoverageState;
  isExpected: boolean;
  publishedAt: Date | null;
  /** Rows of the slice that covers the week; a slice of several weeks has them together. */
  sliceRows: number | null;
  /** Those of this week; null where it is not published. */
  weekRows: number | null;
  sliceId: number | null;
  executionId: number | null;
  executionState: LiveState | EndState | null;
  stateSince: Date | null;
  dueAt: Date | null;
  rowsReceived: number | null;
  totalRowCount: string | null;
  publishedFiltersDigest: string | null;
  detail: string | null;
  /** Since when its job or the job's connection has been paused by hand. */
  pausedSince: Date | null;
}>;

/** Weeks of one job of which a report says the same; not necessarily neighbours. */
export type WeekGroup = Readonly<{
  job: string;
  state: CoverageState;
  isExpected: boolean;
  /** Published weeks are, and held ones that were published before. */
  isPublished: boolean;
  /** Why they failed, or could not be read again; null when they did not. */
  failure: string | null;
  /** Filters they were published with. */
  filtersDigest: string | null;
  /** Of missing weeks: why their last load was taken back; null when it was not. */
  cancellation: string | null;
  /** Of missing weeks that were published: who took rows of them; null of all others. */
  displacement: string | null;
  /** How many they are. */
  weeks: number;
  first: IsoDate;
  last: IsoDate;
  /** The latest time at which one of them was published. */
  publishedAt: Date | null;
  /** The earliest time since which one of them is as it is. */
  stateSince: Date | null;
}>;

/** Loads of the last 24 hours that ended so, or that the audit held. */
export type LoadOutcomes = Readonly<{ job: string; dataset: string; outcome: EndState | 'held'; loads: number }>;

/** Weeks of a job that are published with no rows, though it does not say that this is right. */
export type EmptyWeeks = Pick<WeekGroup, 'job' | 'weeks' | 'first' | 'last'> &
  Readonly<{ accountId: number; filters: Readonly<Record<string, unknown>> }>;

export type KnownJob = Readonly<{
  name: string;
  dataset: string;
  connection: string;
  accountId: number;
  cron: string;
  timezone: string;
  since: IsoDate;
  expectedThrough: IsoDate | null;
  lookbackWeeks: number;
  filtersDigest: string;
  plannedAt: Date | null;
  removedAt: Date | null;
  /** False: configured, but not planned. */
  isEnabled: boolean;
  /** Paused by hand, itself; its connection may be, too. */
  pausedSince: Date | null;
  pauseReason: string | null;
}>;

export type KnownConnection = Readonly<{
  name: string;
  baseUrl: string;
  authKind: string;
  submitsPerMinute: number;
  readsPerMinute: number;
  /** By the service's 429. */
  pausedUntil: Date | null;
  rateLimitedAt: Date | null;
  unauthorizedSince: Date | null;
  probeAt: Date | null;
  submitsLastMinute: number;
  readsLastMinute: number;
  /** Within the last hour. */
  lastSubmitAt: Date | null;
  /** Paused by hand. */
  pausedSince: Date | null;
  pauseReason: string | null;
}>;

export type LiveExecution = SliceWindow &
  Readonly<{
    id: number;
    connection: string;
    state: LiveState;
    stateSince: Date;
    reason: LoadReason;
    dueAt: Date | null;
    leaseOwner: string | null;
    isLeased: boolean | null;
    pages: number;
    rowsReceived: number;
    totalRowCount: string | null;
    errorsInRow: number;
    lastError: string | null;
    lastErrorCode: ErrorCode | null;
    lastErrorAt: Date | null;
    /** Since when its steps fail one after another, whatever the cause. */
    retryingSince: Date | null;
    /** Times its process died or hung and another took it over, in all and since its last progress. */
    leaseTakings: number;
    deathsInRow: number;
    /** When it last got on: a page, an answered poll, a change of state. */
    progressAt: Date;
    /** Since when it is due and nobody works on it; null before, and while somebody does. */
    freeSince: Date | null;
    waitingFor: string | null;
    objections: readonly { rule: string; message: string }[] | null;
    expiresAt: Date | null;
    /** Calls so far: the submit, polls and pages. */
    calls: number;
    /** Since the submit; null before it. */
    durationMs: number | null;
    timings: StageTimings;
    /** Its job or connection is paused by hand. */
    isPaused: boolean;
    /** When and why the query before it, of the last 24 hours, brought nothing. */
    gaveUpAt: Date | null;
    gaveUpBecause: string | null;
  }>;

/**
 * Milliseconds a load has spent in each stage. The stages of different pages overlap, so that their sum may be more than
 * the load lasted; and less, as the service's own work is in none of them.
 */
export type StageTimings = Readonly<{
  /** Its calls waited for the budget. */
  waitMs: number;
  /** From requests to parsed pages. */
  networkMs: number;
  decodeMs: number;
  /** Copying to staging, checkpoints included. */
  copyMs: number;
  /** Audit and publish. */
  publishMs: number;
}>;

/** Submits of a job in the last 24 hours of which nobody can say whether the service took them; `lost` of them with their process. */
export type UnknownSubmits = Readonly<{ job: string; submits: number; lost: number; lastAt: Date; lastReason: string }>;

/** How a configured job stands: the longest times of its loads, and sums over them. */
type JobStanding = Readonly<{ job: string; isPaused: boolean; retryingSeconds: number; overdueSeconds: number; leaseTakings: number }>;

/** The latest execution of a slice that somebody waits for. */
export type WatchedSlice = SliceWindow &
  Pick<LiveExecution, 'pages' | 'rowsReceived' | 'totalRowCount' | 'waitingFor' | 'errorsInRow' | 'objections'> &
  Readonly<{
    executionId: number;
    state: LiveState | EndState;
    rowsQuarantined: number;
    /** Why it ended so, or its last error. */
    detail: string | null;
    pollCalls: number;
    pageCalls: number;
  }>;

/** A way in which the service's schema differs, in what is published or being loaded of a dataset. */
export type KnownDrift = Readonly<{
  dataset: string;
  kind: Drift['kind'];
  /** Empty for a changed order. */
  column: string;
  detail: string;
  since: Date;
  jobs: readonly string[];
  loads: number;
}>;

/** Every week of a job or of all, by job, the oldest week first. */
export async function readCoverage(pool: Pool | Client, job?: string): Promise<CoveredWeek[]> {
  const weeks: CoveredWeek[] = await readRows(pool, 'coverage/read', { job });
  return weeks.sort((a, b) => compareText(a.job, b.job) || compareText(a.week, b.week));
}

/** The same by what there is to say of it: a few rows, however many weeks there are. */
export const readWeekGroups = (pool: Pool, job?: string): Promise<WeekGroup[]> => readRows(pool, 'coverage/read-week-groups', { job });

/** Published weeks without rows, of a job, or of some slices only; one entry for each job that has some. */
export const readEmptyWeeks = (
  pool: Pool,
  { job, slices }: { job?: string | undefined; slices?: readonly number[] },
): Promise<EmptyWeeks[]> => readRows(pool, 'coverage/read-empty-weeks', { job, sliceIds: slices });

export const readJobs = (pool: Pool | Client, job?: string): Promise<KnownJob[]> => readRows(pool, 'jobs/read', { job });
export const readConnections = (pool: Pool): Promise<KnownConnection[]> => readRows(pool, 'connections/read');
export const readLiveExecutions = (pool: Pool | Client, job?: string): Promise<LiveExecution[]> =>
  readRows(pool, 'executions/read-live', { job });
export const readUnknownSubmits = (pool: Pool, job?: string): Promise<UnknownSubmits[]> =>
  readRows(pool, 'executions/read-unknown-submits', { job });
export const countOutcomes = (pool: Pool): Promise<LoadOutcomes[]> => readRows(pool, 'executions/count-outcomes');
export const readStanding = (pool: Pool): Promise<JobStanding[]> => readRows(pool, 'jobs/read-standing');
export const readDrift = (pool: Pool, job?: string): Promise<KnownDrift[]> => readRows(pool, 'drift/read', { job });

/** Differences of an execution's schemas that are new to its job, each with the page on which it was first seen. */
export const findNewDrift = (db: Pool | Client, executionId: number): Promise<(Drift & { page: number })[]> =>
  readRows(db, 'drift/find-new', { executionId });

/** The slices of `executions`, each with its latest execution: a later one when the first was given up. */
export const watchSlices = (pool: Pool, executions: readonly number[]): Promise<WatchedSlice[]> =>
  readRows(pool, 'slices/watch', { executionIds: executions });

/** A week of a job as a calendar shows it. */
export type CalendarWeek = Pick<CoveredWeek, 'job' | 'week' | 'state' | 'isExpected' | 'publishedAt' | 'detail' | 'pausedSince'>;

/** Weeks of some jobs from `firstWeek` on, by job and week. Weeks that are neither expected nor there are left out. Throws StoreError. */
export const readCalendar = (pool: Pool, jobs: readonly string[], firstWeek: IsoDate): Promise<CalendarWeek[]> =>
  readRows(pool, 'coverage/read-calendar', { jobs, firstWeek });
