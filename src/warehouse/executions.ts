// Executions in the ledger: taking a lease, and every change of state. Each change is one statement that only the holder of the current
// lease token can make. With another token nothing is written; most then throw LostLeaseError.

import type { QueryResult, QueryResultRow } from 'pg';
import type { SchemaEntry } from '../codec/decode.ts';
import { type ErrorCode, type ErrorContext, LostLeaseError } from '../core/errors.ts';
import { EXECUTION_VALIDITY_MS } from '../core/limits.ts';
import { formatWindow, type IsoDate, windowOf } from '../core/weeks.ts';
import type { Client, Pool } from './pool.ts';
import { execute, readRows } from './statements.ts';
import type { LiveState } from './states.ts';

export type LoadReason = 'newest' | 'lookback' | 'catch_up' | 'backfill';

/** Lower goes first. */
export const PRIORITY: Readonly<Record<LoadReason, number>> = { newest: 1, lookback: 2, catch_up: 3, backfill: 4 };

/** A slice of a job: the days it covers, both included. */
export type SliceWindow = Readonly<{ sliceId: number; job: string; dataset: string; windowStart: IsoDate; windowEnd: IsoDate }>;

/** An execution as its lease holder sees it, at the moment the lease was taken. */
export type Execution = SliceWindow &
  Readonly<{
    id: number;
    leaseToken: number;
    state: LiveState;
    plannedAt: Date;
    connection: string;
    reason: LoadReason;
    priority: number;
    steps: number;
    request: Readonly<Record<string, unknown>>;
    pageSize: number;
    filtersDigest: string;
    maxRejectedShare: number;
    maxRejectedRows: number;
    minKeepShare: number;
    maxSubmits: number;
    /** The plan was made with consent to fewer rows than are published, and the job still has its filters. No rows at all need consent anew. */
    mayShrink: boolean;
    remoteExecutionId: string | null;
    nextCursor: string | null;
    pages: number;
    rowsReceived: number;
    rowsStaged: number;
    rowsQuarantined: number;
    /** Decimal text of an int8. */
    totalRowCount: string | null;
    /** Schema of the last page that had one, which holds for pages without; null before the first. */
    rowSchema: readonly SchemaEntry[] | null;
    errorsInRow: number;
    /** How often its lease ran out since its last progress. */
    deathsInRow: number;
    /** For how long its steps have failed, in milliseconds; 0 when the last one did not. */
    retryingForMs: number;
    /** Digest of a cursor that a later one must not equal. */
    cursorAnchor: string | null;
    pollCalls: number;
    isApproved: boolean;
    /** When it was last held, also after somebody has decided. */
    heldAt: Date | null;
    /** The remote id is past its 7 days, or will be before the rest can be read. Null before there is one. */
    isExpired: boolean | null;
    /** Until the remote id's 7 days are over, in milliseconds. Null before there is one. */
    expiresInMs: number | null;
    /** In progress for longer than max_wait. Null before there is a remote id. */
    isOverdue: boolean | null;
    accountId: number;
  }>;

/** What the queue needs to ring for an execution's next step. */
export type NextStep = Readonly<{ id: number; steps: number; priority: number; delayMs: number }>;

export type Lease = Readonly<{ id: number; leaseToken: number }>;

/** An error as the ledger keeps it. */
export type NotedError = Readonly<{ code: ErrorCode; message: string; isCounted: boolean }>;

export function contextOf(execution: Execution): ErrorContext {
  return {
    job: execution.job,
    dataset: execution.dataset,
    window: formatWindow(windowOf(execution)),
    slice: String(execution.sliceId),
    execution: String(execution.id),
  };
}

/** The row that a fenced statement returned, if it returns any. Throws LostLeaseError when it found none. */
export function requireLease<R extends QueryResultRow>({ rowCount, rows }: QueryResult<R>, { id }: Lease): R {
  if (rowCount === 0) throw new LostLeaseError('this execution was taken over or cancelled', { context: { execution: String(id) } });
  return rows[0] as R;
}

/** The parameters of every fenced statement. */
export function fenceOf({ id, leaseToken }: Lease): { executionId: number; leaseToken: number } {
  return { executionId: id, leaseToken };
}

export type LeaseOptions = Readonly<{ owner: string; leaseMs: number }>;

/** A queue message may come this much before its step is due, as the clocks of queue and database differ. */
const EARLY_MS = 500;

/** Takes the lease on an execution that is due, or returns undefined: not due, held by another, or ended. */
export async function claimExecution(pool: Pool, executionId: number, options: LeaseOptions): Promise<Execution | undefined> {
  return claim(pool, { ...options, executionId, connection: null, earlyMs: EARLY_MS });
}

/** Takes the lease on the most urgent planned execution of a connection, or returns undefined when none is due. */
export async function claimNextSubmit(pool: Pool, connection: string, options: LeaseOptions): Promise<Execution | undefined> {
  return claim(pool, { ...options, executionId: null, connection, earlyMs: 0 });
}

type Claim = LeaseOptions & Readonly<{ executionId: number | null; connection: string | null; earlyMs: number }>;

/** Undefined, too, when the execution was cancelled as soon as it was taken. */
async function claim(pool: Pool, { executionId, connection, owner, leaseMs, earlyMs }: Claim): Promise<Execution | undefined> {
  const [lease] = await readRows(pool, 'executions/claim', { executionId, connection, owner, leaseMs, earlyMs });
  return lease && (await readRows<'executions/read', Execution>(pool, 'executions/read', fenceOf(lease)))[0];
}

export type DueExecution = Readonly<{
  id: number;
  steps: number;
  leaseToken: number;
  state: LiveState;
  connection: string;
  job: string;
  priority: number;
}>;

/**
 * Live executions that are due and held by nobody: connections in turn, of each its jobs in turn, of each the most urgent first.
 */
export const findDue = (pool: Pool, maxRows: number): Promise<DueExecution[]> => readRows(pool, 'executions/find-due', { maxRows });

/** Keeps the lease for another `leaseMs`. Returns whether its job or connection is paused. Throws LostLeaseError. */
export async function renewLease(pool: Pool, lease: Lease, leaseMs: number): Promise<{ isPaused: boolean }> {
  return requireLease(await execute(pool, 'executions/renew-lease', { ...fenceOf(lease), leaseMs }), lease);
}

/** Says that this process works on an answer for the execution, or publishes it. Throws LostLeaseError. */
export async function markAtWork(pool: Pool, lease: Lease): Promise<void> {
  requireLease(await execute(pool, 'executions/mark-at-work', fenceOf(lease)), lease);
}

/** Gives an unfinished execution back at once, due as before, and notes what it waits for. */
export async function releaseLease(pool: Pool, lease: Lease, waitingFor?: string): Promise<NextStep | undefined> {
  const [released] = await readRows(pool, 'executions/release-lease', { ...fenceOf(lease), waitingFor });
  return released && { id: lease.id, delayMs: 0, ...released };
}

export type Postponement = Readonly<{ delayMs: number; waitingFor?: string; error?: NotedError; pollCalls?: number }>;

/** Schedules the next step `delayMs` from now and gives the lease back. Throws LostLeaseError. */
export async function postpone(pool: Pool, lease: Lease, options: Postponement): Promise<NextStep> {
  const { delayMs, waitingFor, error, pollCalls = 0 } = options;
  const { code: errorCode, message: errorMessage, isCounted = false } = error ?? {};
  const postponed = { ...fenceOf(lease), delayMs, waitingFor, errorCode, errorMessage, isCounted, pollCalls };
  return { id: lease.id, delayMs, ...requireLease(await execute(pool, 'executions/postpone', postponed), lease) };
}

/** Puts off the submits of its job over its connection where the service refuses one after the other. */
export async function postponeJob(pool: Pool, { id: executionId }: Pick<Lease, 'id'>): Promise<void> {
  await execute(pool, 'executions/postpone-job', { executionId });
}

/** Writes the intent to submit. Throws LostLeaseError. */
export async function startSubmit(pool: Pool, lease: Lease): Promise<void> {
  requireLease(await execute(pool, 'executions/start-submit', fenceOf(lease)), lease);
}

/** Takes the intent back: the POST did not leave, or was refused unread. */
export async function revertSubmit(pool: Pool, lease: Lease): Promise<void> {
  await execute(pool, 'executions/revert-submit', fenceOf(lease));
}

export type Submitted = Readonly<{ remoteExecutionId: string; requestId: string | null; validityMs: number; firstPollMs: number }>;

/**
 * What came of a submit, written by the process that saw it. A submit is spent once the service has answered as if it had begun a query. Of one that is
 * `unanswered`, or `lost` with its process, nobody can say.
 */
export type SubmitOutcome = 'accepted' | 'refused' | 'unreadable' | 'unanswered' | 'lost';
/** Of a submit of which nothing is read; the names are the service's, where it gave any. */
export type SubmitEnd = Readonly<{
  outcome: SubmitOutcome;
  remoteExecutionId?: string | null | undefined;
  requestId?: string | null | undefined;
}>;

const SPENT: ReadonlySet<SubmitOutcome> = new Set(['accepted', 'unreadable']);

/** Writes down the executionId. Undefined when the load was cancelled meanwhile, or its job removed: nothing is read of it. Throws LostLeaseError. */
export async function finishSubmit(pool: Pool, lease: Lease, submitted: Submitted): Promise<NextStep | undefined> {
  const { firstPollMs: delayMs, remoteExecutionId, requestId } = submitted;
  const [finished] = await readRows(pool, 'executions/finish-submit', { ...fenceOf(lease), ...submitted });
  if (finished) return { id: lease.id, delayMs, ...finished };
  await noteSubmit(pool, lease, { outcome: 'accepted', remoteExecutionId, requestId });
  return undefined;
}

/** Writes down what came of a submit of which nothing is read. Returns false when the load has ended meanwhile. Throws LostLeaseError. */
export async function noteSubmit(db: Pool | Client, lease: Lease, end: SubmitEnd): Promise<boolean> {
  const { outcome, remoteExecutionId, requestId } = end;
  const noted = { outcome, isSpent: SPENT.has(outcome), remoteExecutionId, requestId, validityMs: EXECUTION_VALIDITY_MS };
  return requireLease(await execute(db, 'executions/note-submit', { ...fenceOf(lease), ...noted }), lease).isLive;
}

/** Whether the service has left a submit of its job without an answer, and answered none since. */
export async function isUnanswered(pool: Pool, { id: executionId }: Pick<Lease, 'id'>): Promise<boolean> {
  const [found] = await readRows(pool, 'executions/is-unanswered', { executionId });
  return found?.isUnanswered ?? false;
}

/** Holds a staged execution for a person to decide. `objections` go to the ledger as they are. Throws LostLeaseError. */
export async function hold(pool: Pool, lease: Lease, objections: readonly unknown[], elapsedMs: number): Promise<void> {
  const audited = { objections: JSON.stringify(objections), elapsedMs: Math.round(elapsedMs) };
  requireLease(await execute(pool, 'executions/hold', { ...fenceOf(lease), ...audited }), lease);
}

/** The execution as it is now, for the one who holds its lease. Throws LostLeaseError. */
export async function readExecution(pool: Pool, lease: Lease): Promise<Execution> {
  return requireLease(await execute<'executions/read', Execution>(pool, 'executions/read', fenceOf(lease)), lease);
}

/** Submits of a slice in the last 24 hours, since it was last published: those that are spent, and those of which nobody can say. */
export type SpentSubmits = Readonly<{ spent: number; unknown: number }>;

export async function countSubmits(db: Pool | Client, executionId: number): Promise<SpentSubmits> {
  const [counted] = await readRows(db, 'executions/count-submits', { executionId });
  return counted ?? { spent: 0, unknown: 0 };
}
