// What operators and metrics read: coverage, live executions, connections. Read-only; nothing here takes a lock.

import type { Drift } from '../codec/decode.ts';
import { compareText } from '../core/compare-text.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { IsoDate } from '../core/weeks.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { type DescribedRow, readRows } from '../postgres/statements.ts';
import type { LoadReason, SliceWindow } from './executions.ts';
import type { EndState, LiveState } from './states.ts';

export type CoverageState = 'published' | 'running' | 'held' | 'failed' | 'missing' | 'expired';

/**
 * `sliceRows` are those of the slice that covers the week; for a slice of several weeks, the sum. `weekRows` are those of this week; null when it
 * is not published. `pausedSince`: when its job or the job's connection was paused by hand.
 */
export type CoveredWeek = DescribedRow<'coverage/read', { state: CoverageState; executionState: LiveState | EndState | null }>;

/**
 * Weeks of one job that a report describes alike; not necessarily consecutive. `isPublished` also for held ones that were published before.
 * `failure`: why they failed, or could not be read again. `filtersDigest`: of the filters they were published with. For missing weeks,
 * `cancellation` says why their last load was cancelled, and `displacement` which jobs took over rows of them. `publishedAt` is their latest
 * publication, `stateSince` the earliest time at which any of them got its current state.
 */
export type WeekGroup = DescribedRow<'coverage/read-week-groups', { state: CoverageState }>;

/** Loads of the last 24 hours by how they ended, or held by the audit. */
export type LoadOutcomes = DescribedRow<'executions/count-outcomes', { outcome: EndState | 'held' }>;

/** Published weeks of a job that have no rows, although the job does not declare that as expected. */
export type EmptyWeeks = DescribedRow<'coverage/read-empty-weeks', { filters: Readonly<Record<string, unknown>> }>;

/** `isEnabled`: else it is configured, but not planned. `pausedSince`: when the job itself was paused by hand; its connection may be, too. */
export type KnownJob = DescribedRow<'jobs/read'>;

/** `pausedUntil` is set by a 429 of the service, `pausedSince` by hand. `lastSubmitAt`: null unless within the last hour. */
export type KnownConnection = DescribedRow<'connections/read'>;

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
    /** Since when all its steps have failed, whatever the cause. */
    retryingSince: Date | null;
    /** How often its process died or hung and another took it over: in total, and since its last progress. */
    leaseTakings: number;
    deathsInRow: number;
    /** Last progress: a page, an answered poll, a change of state. */
    progressAt: Date;
    /** Since when it has been due without a worker; null before that, and while a worker has it. */
    freeSince: Date | null;
    waitingFor: string | null;
    objections: readonly { rule: string; message: string }[] | null;
    expiresAt: Date | null;
    /** Calls so far: submit, polls and pages. */
    calls: number;
    /** Time since the submit; null before it. */
    durationMs: number | null;
    timings: StageTimings;
    /** Whether its job or connection is paused by hand. */
    isPaused: boolean;
    /** When and why the previous query of the last 24 hours was given up. */
    gaveUpAt: Date | null;
    gaveUpBecause: string | null;
  }>;

/**
 * Milliseconds that a load has spent in each stage. Stages of different pages overlap, so the sum may exceed the duration of the load; it
 * may also be less, because the time in which the service works is in no stage.
 */
export type StageTimings = Readonly<{
  /** Waiting of its calls for the budget. */
  waitMs: number;
  /** From request to parsed page. */
  networkMs: number;
  decodeMs: number;
  /** Copying to staging, including checkpoints. */
  copyMs: number;
  /** Audit and publish. */
  publishMs: number;
}>;

/** Submits of a job in the last 24 hours whose outcome is unknown; `lost` is the number that were lost with their process. */
export type UnknownSubmits = DescribedRow<'executions/read-unknown-submits'>;

/** Status of a configured job: maxima of the times of its loads, and sums. */
type JobStanding = DescribedRow<'jobs/read-standing'>;

/** The latest execution of a slice that somebody waits for. */
export type WatchedSlice = SliceWindow &
  Pick<LiveExecution, 'pages' | 'rowsReceived' | 'totalRowCount' | 'waitingFor' | 'errorsInRow' | 'objections'> &
  Readonly<{
    executionId: number;
    state: LiveState | EndState;
    rowsQuarantined: number;
    /** Why it ended, or its last error. */
    detail: string | null;
    pollCalls: number;
    pageCalls: number;
  }>;

/** A difference in the service's schema, for rows of a dataset that are published or being loaded. `column` is empty for a changed order. */
export type KnownDrift = DescribedRow<'drift/read'>;

/** Every week of one job or of all, sorted by job, oldest week first. */
export async function readCoverage(pool: Pool | Client, job?: string): Promise<CoveredWeek[]> {
  const weeks: CoveredWeek[] = await readRows(pool, 'coverage/read', { job });
  return weeks.sort((a, b) => compareText(a.job, b.job) || compareText(a.week, b.week));
}

/** Coverage grouped by what a report says: a few rows, however many weeks there are. */
export const readWeekGroups = (pool: Pool, job?: string): Promise<WeekGroup[]> => readRows(pool, 'coverage/read-week-groups', { job });

/** Published weeks without rows, of one job or of some slices; one entry per job that has such weeks. */
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

/** Schema differences of an execution that are new to its job, each with the first page on which it was seen. */
export const findNewDrift = (db: Pool | Client, executionId: number): Promise<(Drift & { page: number })[]> =>
  readRows(db, 'drift/find-new', { executionId });

/** The slices of `executions`, each with its latest execution, which is a later one if the first was given up. */
export const watchSlices = (pool: Pool, executions: readonly number[]): Promise<WatchedSlice[]> =>
  readRows(pool, 'slices/watch', { executionIds: executions });

/** A week of a job for a calendar. */
export type CalendarWeek = Pick<CoveredWeek, 'job' | 'week' | 'state' | 'isExpected' | 'publishedAt' | 'detail' | 'pausedSince'>;

/** Weeks of some jobs from `firstWeek` on, by job and week, without weeks that are neither expected nor present. Throws StoreError. */
export const readCalendar = (pool: Pool, jobs: readonly string[], firstWeek: IsoDate): Promise<CalendarWeek[]> =>
  readRows(pool, 'coverage/read-calendar', { jobs, firstWeek });
