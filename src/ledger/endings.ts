// Ends executions without publishing: abandoned, failed, discarded, cancelled. The end and the plan for the next execution are one
// transaction, so a slice is never left without a next step. The staging is removed afterwards.
import pg from 'pg';
import { compareText } from '../core/compare-text.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { execute, readRows } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Actor, NOBODY, noteForExecutions } from './actions.ts';
import {
  countSubmits,
  fenceOf,
  type Lease,
  noteSubmit,
  requireLease,
  type SliceWindow,
  type SpentSubmits,
  type SubmitEnd,
} from './executions.ts';
import { readSubmission } from './jobs.ts';
import { sweepAfterEnd } from './leftover-staging.ts';
import { type EndState, statesBefore } from './states.ts';

/** The `end_reason` of discarded executions. */
export const DISCARDED_BY_HAND = 'discarded by an operator after the audit objected';

export type Ending = Readonly<{
  state: Exclude<EndState, 'published'>;
  reason: string;
  code?: ErrorCode;
  /** The outcome of its submit, when it ends together with it. */
  submit?: SubmitEnd;
}>;

/** Ends an execution for good, within a transaction; a sweep removes its staging. Throws LostLeaseError. */
export async function endInTransaction(client: Client, lease: Lease, ending: Ending): Promise<void> {
  const { state, reason, code: errorCode } = ending;
  const end = { ...fenceOf(lease), state, statesBefore: statesBefore(state), reason, errorCode };
  requireLease(await execute(client, 'transitions/end', end), lease);
}

/** Ends an execution for good; its slice waits for the next tick of its schedule or for a person. Throws LostLeaseError. */
export async function endExecution(pool: Pool, lease: Lease, ending: Ending): Promise<void> {
  await inTransaction(pool, async (client) => {
    if (ending.submit && !(await noteSubmit(client, lease, ending.submit))) return;
    await endInTransaction(client, lease, ending);
  });
  await sweepAfterEnd(pool, lease.id);
}

/** What follows an execution that was given up: a new one, or undefined when there are no more attempts. */
export type NextAttempt = Readonly<{ next: { id: number; delayMs: number } | undefined; submits: SpentSubmits }>;

/**
 * Ends an execution and plans the next one for the same slice after `delayMs`, with the job's current question. If the slice has spent
 * `maxSubmits` in 24 hours, it fails instead. Throws LostLeaseError.
 */
export async function endAndPlanAgain(
  pool: Pool,
  lease: Lease & { maxSubmits: number },
  ending: Ending,
  delayMs: number | ((submits: SpentSubmits) => number),
): Promise<NextAttempt> {
  const nextAttempt = await inTransaction(pool, async (client) => {
    const question = await readSubmission(client, lease.id);
    const isLive = ending.submit === undefined || (await noteSubmit(client, lease, ending.submit));
    const submits = await countSubmits(client, lease.id);
    // Cancelled meanwhile, or its job was removed: only the outcome of the submit is recorded.
    if (!isLive) return { next: undefined, submits };
    if (submits.spent >= lease.maxSubmits) {
      const reason = `${ending.reason.replace(/\.$/, '')}; ${submits.spent} submits in 24 hours are the most allowed (max_submits)`;
      await endInTransaction(client, lease, { ...ending, state: 'failed', reason });
      return { next: undefined, submits };
    }
    await endInTransaction(client, lease, ending);
    const delay = typeof delayMs === 'number' ? delayMs : delayMs(submits);
    const [next] = await readRows(client, 'transitions/plan-again', { endedId: lease.id, ...question, delayMs: delay });
    return { next: next && { id: next.id, delayMs: delay }, submits };
  });
  await sweepAfterEnd(pool, lease.id);
  return nextAttempt;
}

/** A slice whose held execution was decided. */
export type DecidedSlice = Omit<SliceWindow, 'dataset'>;

/** What to decide: a slice's held execution (slice number), all held ones of a job (name), or one execution but not its successors. */
export type Held = number | string | Readonly<{ executionId: number }>;

function heldParams(held: Held) {
  const nothing = { sliceId: null, job: null, executionId: null };
  if (typeof held === 'object') return { ...nothing, ...held };
  return typeof held === 'number' ? { ...nothing, sliceId: held } : { ...nothing, job: held };
}

/** Allows held executions to be published as they are. Returns their slices, oldest window first; empty when nothing is held. */
export async function approveHeld(pool: Pool, held: Held, by: Actor = NOBODY): Promise<DecidedSlice[]> {
  const approved = await inTransaction(pool, async (client) => {
    const found = await readRows(client, 'transitions/approve', heldParams(held));
    await noteForExecutions(client, 'approve', by, found);
    return found;
  });
  return byWindow(approved);
}

/** Ends held executions and drops their rows. Returns their slices, oldest window first; empty when nothing is held. */
export async function discardHeld(pool: Pool, held: Held, by: Actor = NOBODY): Promise<DecidedSlice[]> {
  const discarded = await inTransaction(pool, async (client) => {
    const claimed = await readRows(client, 'executions/claim-held', heldParams(held));
    const ending = { state: 'discarded', reason: DISCARDED_BY_HAND } as const;
    for (const lease of claimed) await endInTransaction(client, lease, ending);
    await noteForExecutions(client, 'discard', by, claimed);
    return claimed;
  });
  for (const { id } of discarded) await sweepAfterEnd(pool, id);
  return byWindow(discarded);
}

function byWindow<Decided extends DecidedSlice>(slices: readonly Decided[]): Decided[] {
  return slices.toSorted((a, b) => compareText(a.windowStart, b.windowStart) || compareText(a.windowEnd, b.windowEnd));
}

/** Ends the live executions of jobs that are no longer configured, in one transaction. Returns their number. */
export async function abandonRemoved(db: Pool | Client): Promise<number> {
  if (db instanceof pg.Pool) return inTransaction(db, abandonRemoved);
  const removed = await readRows(db, 'executions/claim-removed');
  for (const lease of removed) await endInTransaction(db, lease, { state: 'abandoned', reason: 'its job is no longer configured' });
  return removed.length;
}
