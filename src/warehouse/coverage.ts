// What operators and metrics read: coverage, live executions, connections. Reading only; nothing here takes a lock.
import type { IsoDate } from '../core/weeks.ts';
import type { Drift } from './decode.ts';
import type { EndState, LiveState, LoadReason } from './executions.ts';
import type { Client, Pool } from './pool.ts';
import { execute } from './statements.ts';

export type CoverageState = 'published' | 'running' | 'held' | 'failed' | 'missing';

/** One week of one job. */
export type CoveredWeek = Readonly<{
  job: string;
  week: IsoDate;
  state: CoverageState;
  isExpected: boolean;
  publishedAt: Date | null;
  /** Rows of the slice that covers the week; a slice of several weeks has them together. */
  sliceRows: number | null;
  sliceId: number | null;
  executionId: number | null;
  executionState: LiveState | EndState | null;
  stateSince: Date | null;
  dueAt: Date | null;
  rowsReceived: number | null;
  totalRowCount: string | null;
  publishedFiltersDigest: string | null;
  detail: string | null;
}>;

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
}>;

export type KnownConnection = Readonly<{
  name: string;
  baseUrl: string;
  authKind: string;
  submitsPerMinute: number;
  readsPerMinute: number;
  pausedUntil: Date | null;
  rateLimitedAt: Date | null;
  unauthorizedSince: Date | null;
  probeAt: Date | null;
  submitsLastMinute: number;
  readsLastMinute: number;
}>;

export type LiveExecution = Readonly<{
  id: number;
  sliceId: number;
  job: string;
  dataset: string;
  windowStart: IsoDate;
  windowEnd: IsoDate;
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
  lastErrorAt: Date | null;
  waitingFor: string | null;
  objections: readonly { rule: string; message: string }[] | null;
  expiresAt: Date | null;
}>;

/** The latest execution of a slice that somebody waits for. */
export type WatchedSlice = Readonly<{
  sliceId: number;
  job: string;
  dataset: string;
  windowStart: IsoDate;
  windowEnd: IsoDate;
  executionId: number;
  state: LiveState | EndState;
  pages: number;
  rowsReceived: number;
  totalRowCount: string | null;
  /** Why it ended so, or its last error. */
  detail: string | null;
  waitingFor: string | null;
  errorsInRow: number;
  objections: readonly { rule: string; message: string }[] | null;
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

export async function readCoverage(pool: Pool, job?: string): Promise<CoveredWeek[]> {
  return (await execute<CoveredWeek>(pool, 'read-coverage', [job ?? null])).rows;
}

export async function readJobs(pool: Pool, job?: string): Promise<KnownJob[]> {
  return (await execute<KnownJob>(pool, 'read-jobs', [job ?? null])).rows;
}

export async function readConnections(pool: Pool): Promise<KnownConnection[]> {
  return (await execute<KnownConnection>(pool, 'read-connections')).rows;
}

export async function readLiveExecutions(pool: Pool, job?: string): Promise<LiveExecution[]> {
  return (await execute<LiveExecution>(pool, 'read-live', [job ?? null])).rows;
}

export async function readDrift(pool: Pool, job?: string): Promise<KnownDrift[]> {
  return (await execute<KnownDrift>(pool, 'read-drift', [job ?? null])).rows;
}

/** Differences of an execution's schemas that are new to its job, each with the page on which it was first seen. */
export async function findNewDrift(db: Pool | Client, executionId: number): Promise<(Drift & { page: number })[]> {
  return (await execute<Drift & { page: number }>(db, 'find-new-drift', [executionId])).rows;
}

/** The slices of `executions`, each with its latest execution: a later one when the first was given up. */
export async function watchSlices(pool: Pool, executions: readonly number[]): Promise<WatchedSlice[]> {
  return (await execute<WatchedSlice>(pool, 'watch-slices', [executions])).rows;
}
