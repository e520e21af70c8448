// Executions in the ledger: taking a lease, and every state change. Each change is one statement that only the holder of the current lease
// token can make. With any other token nothing is written; most functions then throw LostLeaseError.

import type { QueryResult, QueryResultRow } from 'pg';
import type { SchemaEntry } from '../codec/decode.ts';
import { type ErrorCode, type ErrorContext, LostLeaseError } from '../core/errors.ts';
import { EXECUTION_VALIDITY_MS } from '../core/limits.ts';
import { formatWindow, type IsoDate, windowOf } from '../core/weeks.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { execute, readRows } from '../postgres/statements.ts';
import type { LiveState } from './states.ts';

export type LoadReason = 'newest' | 'lookback' | 'catch_up' | 'backfill';

/** Lower numbers go first. */
export const PRIORITY: Readonly<Record<LoadReason, number>> = { newest: 1, lookback: 2, catch_up: 3, backfill: 4 };

/** A slice of a job and the days it covers, both inclusive. */
export type SliceWindow = Readonly<{ sliceId: number; job: string; dataset: string; windowStart: IsoDate; windowEnd: IsoDate }>;

/** An execution as its lease holder read it when the lease was taken. */
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
    /** The plan allowed fewer rows than are published, and the job still has the same filters. No rows at all need separate approval. */
    mayShrink: boolean;
    remoteExecutionId: string | null;
    nextCursor: string | null;
    pages: number;
    rowsReceived: number;
    rowsStaged: number;
    rowsQuarantined: number;
    /** Decimal text of an int8. */
    totalRowCount: string | null;
    /** Schema of the last page that had one, which applies to pages without; null before the first. */
    rowSchema: readonly SchemaEntry[] | null;
    errorsInRow: number;
    /** How often its lease expired since its last progress. */
    deathsInRow: number;
    /** How long its steps have been failing, in milliseconds; 0 when the last one did not. */
    retryingForMs: number;
    /** Digest of an earlier cursor; a later cursor with the same digest is a loop. */
    cursorAnchor: string | null;
    pollCalls: number;
    isApproved: boolean;
    /** When it was last held, kept after the decision. */
    heldAt: Date | null;
    /** Whether the remote id is past its 7 days, or will be before the rest can be read. Null before there is one. */
    isExpired: boolean | null;
    /** Milliseconds until the remote id's 7 days are over. Null before there is one. */
    expiresInMs: number | null;
    /** Whether it has been in progress for longer than max_wait. Null before there is a remote id. */
    isOverdue: boolean | null;
    accountId: number;
  }>;

/** What the queue needs to ring for an execution's next step. */
export type NextStep = Readonly<{ id: number; steps: number; priority: number; delayMs: number }>;

export type Lease = Readonly<{ id: number; leaseToken: number }>;

/** An error as stored in the ledger. */
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

/** The row that a fenced statement returned, if it returns any. Throws LostLeaseError when it affected none. */
export function requireLease<R extends QueryResultRow>({ rowCount, rows }: QueryResult<R>, { id }: Lease): R {
  if (rowCount === 0) throw new LostLeaseError('this execution was taken over or cancelled', { context: { execution: String(id) } });
  return rows[0] as R;
}

/** The parameters of every fenced statement. */
export function fenceOf({ id, leaseToken }: Lease): { executionId: number; leaseToken: number } {
  return { executionId: id, leaseToken };
}

export type LeaseOptions = Readonly<{ owner: string; leaseMs: number }>;

/** How much earlier than its step a queue message may arrive, because the clocks of queue and database differ. */
const EARLY_MS = 500;

/** Takes the lease on a due execution. Returns undefined when it is not due, held by another process, or ended. */
export async function claimExecution(pool: Pool, executionId: number, options: LeaseOptions): Promise<Execution | undefined> {
  return claim(pool, { ...options, executionId, connection: null, earlyMs: EARLY_MS });
}

/** Takes the lease on the most urgent planned execution of a connection; undefined when none is due. */
export async function claimNextSubmit(pool: Pool, connection: string, options: LeaseOptions): Promise<Execution | undefined> {
  return claim(pool, { ...options, executionId: null, connection, earlyMs: 0 });
}

type Claim = LeaseOptions & Readonly<{ executionId: number | null; connection: string | null; earlyMs: number }>;

/** Also returns undefined when the execution was cancelled right after it was claimed. */
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
 * Live executions that are due and not leased. Alternates between connections and, within each, between jobs; most urgent first.
 */
export const findDue = (pool: Pool, maxRows: number): Promise<DueExecution[]> => readRows(pool, 'executions/find-due', { maxRows });

/** Extends the lease by `leaseMs`. Returns whether its job or connection is paused. Throws LostLeaseError. */
export async function renewLease(pool: Pool, lease: Lease, leaseMs: number): Promise<{ isPaused: boolean }> {
  return requireLease(await execute(pool, 'executions/renew-lease', { ...fenceOf(lease), leaseMs }), lease);
}

/** Records that this process is working on an answer for the execution, or publishing it. Throws LostLeaseError. */
export async function markAtWork(pool: Pool, lease: Lease): Promise<void> {
  requireLease(await execute(pool, 'executions/mark-at-work', fenceOf(lease)), lease);
}

/** Releases the lease of an unfinished execution at once, with its due time unchanged, and notes what it waits for. */
export async function releaseLease(pool: Pool, lease: Lease, waitingFor?: string): Promise<NextStep | undefined> {
  const [released] = await readRows(pool, 'executions/release-lease', { ...fenceOf(lease), waitingFor });
  return released && { id: lease.id, delayMs: 0, ...released };
}

export type Postponement = Readonly<{ delayMs: number; waitingFor?: string; error?: NotedError; pollCalls?: number }>;

/** Schedules the next step `delayMs` from now and releases the lease. Throws LostLeaseError. */
export async function postpone(pool: Pool, lease: Lease, options: Postponement): Promise<NextStep> {
  const { delayMs, waitingFor, error, pollCalls = 0 } = options;
  const { code: errorCode, message: errorMessage, isCounted = false } = error ?? {};
  const postponed = { ...fenceOf(lease), delayMs, waitingFor, errorCode, errorMessage, isCounted, pollCalls };
  return { id: lease.id, delayMs, ...requireLease(await execute(pool, 'executions/postpone', postponed), lease) };
}

/** Postpones the other submits of its job over its connection when the service refuses one after another. */
export async function postponeJob(pool: Pool, { id: executionId }: Pick<Lease, 'id'>): Promise<void> {
  await execute(pool, 'executions/postpone-job', { executionId });
}

/** Records the intent to submit. Throws LostLeaseError. */
export async function startSubmit(pool: Pool, lease: Lease): Promise<void> {
  requireLease(await execute(pool, 'transitions/start-submit', fenceOf(lease)), lease);
}

/** Takes back the intent to submit: the POST was not sent, or was refused unread. */
export async function revertSubmit(pool: Pool, lease: Lease): Promise<void> {
  await execute(pool, 'transitions/revert-submit', fenceOf(lease));
}

export type Submitted = Readonly<{ remoteExecutionId: string; requestId: string | null; validityMs: number; firstPollMs: number }>;

/**
 * The outcome of a submit, recorded by the process that saw it. A submit is spent once the service answered as if it had begun a query.
 * The outcome of an `unanswered` one, or of one `lost` with its process, is unknown.
 */
export type SubmitOutcome = 'accepted' | 'refused' | 'unreadable' | 'unanswered' | 'lost';
/** The end of a submit that yields no rows to read; the ids are the service's, if it gave any. */
export type SubmitEnd = Readonly<{
  outcome: SubmitOutcome;
  remoteExecutionId?: string | null | undefined;
  requestId?: string | null | undefined;
}>;

const SPENT: ReadonlySet<SubmitOutcome> = new Set(['accepted', 'unreadable']);

/** Records the executionId. Returns undefined when the load was cancelled meanwhile or its job removed. Throws LostLeaseError. */
export async function finishSubmit(pool: Pool, lease: Lease, submitted: Submitted): Promise<NextStep | undefined> {
  const { firstPollMs: delayMs, remoteExecutionId, requestId } = submitted;
  const [finished] = await readRows(pool, 'transitions/finish-submit', { ...fenceOf(lease), ...submitted });
  if (finished) return { id: lease.id, delayMs, ...finished };
  await noteSubmit(pool, lease, { outcome: 'accepted', remoteExecutionId, requestId });
  return undefined;
}

/** Records the outcome of a submit that yields no rows to read. Returns false when the load ended meanwhile. Throws LostLeaseError. */
export async function noteSubmit(db: Pool | Client, lease: Lease, end: SubmitEnd): Promise<boolean> {
  const { outcome, remoteExecutionId, requestId } = end;
  const noted = { outcome, isSpent: SPENT.has(outcome), remoteExecutionId, requestId, validityMs: EXECUTION_VALIDITY_MS };
  return requireLease(await execute(db, 'executions/note-submit', { ...fenceOf(lease), ...noted }), lease).isLive;
}

/** Whether the service left a submit of its job unanswered, and has answered none since. */
export async function isUnanswered(pool: Pool, { id: executionId }: Pick<Lease, 'id'>): Promise<boolean> {
  const [found] = await readRows(pool, 'executions/is-unanswered', { executionId });
  return found?.isUnanswered ?? false;
}

/** Holds a staged execution for a person's decision. `objections` are stored unchanged. Throws LostLeaseError. */
export async function hold(pool: Pool, lease: Lease, objections: readonly unknown[], elapsedMs: number): Promise<void> {
  const audited = { objections: JSON.stringify(objections), elapsedMs: Math.round(elapsedMs) };
  requireLease(await execute(pool, 'transitions/hold', { ...fenceOf(lease), ...audited }), lease);
}

/** Reads the execution again for its lease holder. Throws LostLeaseError. */
export async function readExecution(pool: Pool, lease: Lease): Promise<Execution> {
  return requireLease(await execute<'executions/read', Execution>(pool, 'executions/read', fenceOf(lease)), lease);
}

/** Submits of a slice in the last 24 hours since it was last published: spent ones, and ones with unknown outcome. */
export type SpentSubmits = Readonly<{ spent: number; unknown: number }>;

export async function countSubmits(db: Pool | Client, executionId: number): Promise<SpentSubmits> {
  const [counted] = await readRows(db, 'executions/count-submits', { executionId });
  return counted ?? { spent: 0, unknown: 0 };
}
