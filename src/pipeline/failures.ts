// What follows from a failed step: the one mapping from kinds of errors to the ledger. After it the execution has a next
// step with a time, or has ended for a stated reason.
import { backoffMs, MINUTE, type Random, SECOND } from '../core/clock.ts';
import {
  CancelledError,
  describeError,
  ExecutionFailedError,
  isPassing,
  LostLeaseError,
  ProtocolError,
  RateLimitedError,
  RejectedError,
  SearchmillError,
  UnauthorizedError,
} from '../core/errors.ts';
import { type Ending, endAndPlanAgain } from '../warehouse/endings.ts';
import { contextOf, type Execution, postpone, readExecution, releaseLease, type SpentSubmits } from '../warehouse/executions.ts';
import { isStagingUnusable } from '../warehouse/store-errors.ts';
import { noteStoreError, type Pipeline, stepBell } from './pipeline.ts';

const STEP_BACKOFF = { baseMs: 2 * SECOND, maxMs: 5 * MINUTE };
/** Longest wait for a database that cannot be used for now: a load goes on within a minute after it can. */
const MAX_STORE_WAIT_MS = 30 * SECOND;
/** A credential that is refused is probed by the budget; executions are tried again this often. */
const UNAUTHORIZED_RETRY_MS = MINUTE;
/** Asking again may help against an answer that makes no sense, but not for ever: then a new query is asked. */
const MAX_NONSENSE_IN_ROW = 4;
/** A query that failed is submitted anew after this, growing with the submits of the day. */
const RESUBMIT_BACKOFF = { baseMs: 10 * SECOND, maxMs: 30 * MINUTE };

/** Decides what happens after `error` and writes it down, if the lease is still held. Throws only when the ledger cannot be written. */
export async function resolveFailure(pipeline: Pipeline, execution: Execution, error: unknown): Promise<void> {
  try {
    await decide(pipeline, execution, error);
  } catch (lost) {
    // Taken over, or cancelled.
    if (!(lost instanceof LostLeaseError)) throw lost;
    pipeline.log.child(contextOf(execution)).warn('somebody else has taken this load; nothing was written');
  }
}

async function decide(pipeline: Pipeline, execution: Execution, error: unknown): Promise<void> {
  const log = pipeline.log.child(contextOf(execution));
  const message = describeError(error);
  noteStoreError(pipeline, error);
  if (error instanceof LostLeaseError) throw error;
  if (error instanceof CancelledError) {
    await releaseLease(pipeline.pool, execution);
    return;
  }
  const ending = (await isLedgerBehind(pipeline, execution, error)) ? undefined : endingAfter(execution, error, message);
  if (ending) return resubmit(pipeline, execution, ending);
  if (error instanceof RateLimitedError) {
    const delayMs = error.retryAfterMs ?? backoffMs(0, { ...STEP_BACKOFF, random: pipeline.random });
    await retryStep(pipeline, execution, error, { delayMs, waitingFor: `the call budget of connection ${execution.connection}` });
    log.info({ err: message, nextInMs: delayMs }, 'waiting for the call budget');
    return;
  }
  if (error instanceof UnauthorizedError) {
    const waitingFor = `a valid credential of connection ${execution.connection}`;
    await retryStep(pipeline, execution, error, { delayMs: UNAUTHORIZED_RETRY_MS, waitingFor });
    log.error({ err: message }, 'the service refuses the credential');
    return;
  }
  // A database that is away is no fault of the execution; what it refuses for good is, so the wait grows and status shows it.
  const isCounted = !isPassing(error);
  const delayMs = waitBeforeRetry(execution, isCounted, pipeline.random);
  await retryStep(pipeline, execution, error, { delayMs, isCounted });
  log.warn({ err: message, nextInMs: delayMs }, 'step failed, will be repeated');
}

/**
 * A fail-over may have lost commits, with the staging table that they made. The ledger then knows of no page, and the next step
 * begins with the first. Throws LostLeaseError.
 */
async function isLedgerBehind({ pool }: Pipeline, execution: Execution, error: unknown): Promise<boolean> {
  return isStagingUnusable(error) && (await readExecution(pool, execution)).pages === 0;
}

/** How an execution ends that no further step can help; undefined when one may. */
function endingAfter({ errorsInRow }: Execution, error: unknown, message: string): Ending | undefined {
  if (error instanceof ExecutionFailedError) return { state: 'failed', reason: message, code: error.code };
  if (error instanceof RejectedError)
    return { state: 'abandoned', reason: `the service no longer accepts the executionId: ${message}`, code: error.code };
  if (error instanceof ProtocolError && error.isLasting) return { state: 'abandoned', reason: message, code: error.code };
  if (error instanceof ProtocolError && errorsInRow >= MAX_NONSENSE_IN_ROW) {
    const reason = `the service's answers made no sense ${errorsInRow + 1} times in a row: ${message}`;
    return { state: 'abandoned', reason, code: error.code };
  }
  if (!isStagingUnusable(error)) return undefined;
  const reason = 'its staging table is gone, as after restoring a backup without staging, or lacks columns';
  return { state: 'abandoned', reason, code: 'store' };
}

/** Grows with the errors in a row that count, and with the time that others have lasted. */
function waitBeforeRetry({ errorsInRow, retryingForMs }: Execution, isCounted: boolean, random: Random): number {
  if (isCounted) return backoffMs(errorsInRow, { ...STEP_BACKOFF, random });
  return backoffMs(0, { baseMs: Math.max(STEP_BACKOFF.baseMs, retryingForMs), maxMs: MAX_STORE_WAIT_MS, random });
}

async function retryStep(
  pipeline: Pipeline,
  execution: Execution,
  error: unknown,
  { isCounted = false, ...when }: Readonly<{ delayMs: number; waitingFor?: string; isCounted?: boolean }>,
): Promise<void> {
  const code = error instanceof SearchmillError ? error.code : 'store';
  const next = await postpone(pipeline.pool, execution, { ...when, error: { code, message: describeError(error), isCounted } });
  await pipeline.ring(stepBell(execution, next));
}

/** Ends an execution and submits its slice anew after a wait, as long as the day's submits last. Throws LostLeaseError. */
export async function resubmit(
  pipeline: Pipeline,
  execution: Execution,
  ending: Ending,
  waitAfter: (spent: SpentSubmits) => number = ({ accepted }) =>
    backoffMs(Math.max(0, accepted - 1), { ...RESUBMIT_BACKOFF, random: pipeline.random }),
): Promise<void> {
  const { next, spent } = await endAndPlanAgain(pipeline.pool, execution, ending, waitAfter);
  pipeline.log.warn(
    { ...contextOf(execution), err: ending.reason, submitsToday: spent.accepted, next: next?.id, nextInMs: next?.delayMs },
    next ? 'submitting anew' : 'failed',
  );
  pipeline.observer.onEnded?.(execution, ending.state, next?.id);
  if (next) await pipeline.ring({ kind: 'submits', connection: execution.connection, delayMs: next.delayMs });
}
