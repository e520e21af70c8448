// Applies the outcome that outcome.ts chooses for an error. Afterwards the execution has a next step with a due time, or has ended
// with a reason.
import { backoffMs, type Random, SECOND } from '../core/clock.ts';
import {
  CancelledError,
  describeError,
  type ErrorCode,
  LostLeaseError,
  RateLimitedError,
  SearchmillError,
  StalePermitError,
  UnauthorizedError,
} from '../core/errors.ts';
import { type Ending, endAndPlanAgain, endExecution } from '../ledger/endings.ts';
import {
  contextOf,
  type Execution,
  postpone,
  postponeJob,
  readExecution,
  releaseLease,
  revertSubmit,
  type SpentSubmits,
} from '../ledger/executions.ts';
import { isStagingUnusable } from '../postgres/store-errors.ts';
import { type Outcome, outcomeOf, type Wait } from './outcome.ts';
import { noteStoreError, type Pipeline, stepBell } from './pipeline.ts';

type OutcomeOf<T extends Outcome['kind']> = Extract<Outcome, { kind: T }>;
type Failure = Readonly<{ execution: Execution; error: unknown; message: string; isSubmit: boolean }>;

/**
 * Decides what happens after a step failed with `error`, and records it if the lease is still held. `execution` has the state in
 * which the step left it. Throws only when the ledger cannot be written.
 */
export async function resolveFailure(pipeline: Pipeline, execution: Execution, error: unknown): Promise<void> {
  const log = pipeline.log.child(contextOf(execution));
  noteStoreError(pipeline, error);
  const { state, errorsInRow } = execution;
  const failure = { execution, error, message: describeError(error), isSubmit: state === 'planned' || state === 'submitting' };
  try {
    const outcome = outcomeOf(state, error, { errorsInRow, isLedgerBehind: await isLedgerBehind(pipeline, execution, error) });
    await carryOut(pipeline, failure, outcome);
  } catch (lost) {
    if (!(lost instanceof LostLeaseError)) throw lost;
    log.warn('another process has taken over this load; nothing was written');
  }
}

async function carryOut(pipeline: Pipeline, failure: Failure, outcome: Outcome): Promise<void> {
  switch (outcome.kind) {
    case 'nothing':
      throw failure.error;
    case 'give-back':
      return giveBack(pipeline, failure, outcome);
    case 'wait':
      return waitForRetry(pipeline, failure, outcome);
    case 'end':
      return endFor(pipeline, failure, outcome);
  }
}

/**
 * A fail-over may have lost commits, including the one that created the staging table. Then the ledger has no page, and the next
 * step begins with the first page. Throws LostLeaseError.
 */
async function isLedgerBehind({ pool }: Pipeline, execution: Execution, error: unknown): Promise<boolean> {
  return isStagingUnusable(error) && (await readExecution(pool, execution)).pages === 0;
}

async function giveBack(pipeline: Pipeline, { execution, error, isSubmit }: Failure, { waitsFor }: OutcomeOf<'give-back'>): Promise<void> {
  if (isSubmit) await revertSubmit(pipeline.pool, execution);
  await releaseLease(pipeline.pool, execution, nameWait(waitsFor, execution));
  // Lets the most urgent execution of the connection go first.
  if (!(error instanceof CancelledError)) await ringForSubmits(pipeline, execution, askedBy(error) ?? SECOND);
}

async function waitForRetry(pipeline: Pipeline, failure: Failure, outcome: OutcomeOf<'wait'>): Promise<void> {
  const { execution, error, message, isSubmit } = failure;
  const { pool } = pipeline;
  const { wait, isCounted, isShared = false, waitsFor } = outcome;
  if (isSubmit) await revertSubmit(pool, execution);
  const delayMs = (wait.isAsked ? askedBy(error) : undefined) ?? lengthOf(wait, execution, undefined, pipeline.random);
  const noted = { code: codeOf(error, 'store'), message, isCounted };
  const waitingFor = nameWait(waitsFor, execution);
  const next = await postpone(pool, execution, { delayMs, error: noted, ...(waitingFor === undefined ? {} : { waitingFor }) });
  // The other submits of this job may fail in the same way. Trying each of them would use up the calls of other jobs.
  if (isShared) await postponeJob(pool, execution);
  logWait(pipeline, failure, delayMs);
  if (isSubmit) await ringForSubmits(pipeline, execution, delayMs);
  else await pipeline.ring(stepBell(execution, next));
}

async function endFor(pipeline: Pipeline, { execution, error, message }: Failure, outcome: OutcomeOf<'end'>): Promise<void> {
  const { state, submit, again, isUnlimited = false, code = codeOf(error, 'service_unavailable'), reason } = outcome;
  const context = error instanceof SearchmillError ? error.context : {};
  const ending: Ending = {
    state,
    reason: reason === undefined ? message : `${reason}: ${message}`,
    code,
    ...(submit && { submit: { outcome: submit, remoteExecutionId: context.remoteExecutionId, requestId: context.requestId } }),
  };
  if (submit === 'unanswered' || submit === 'lost') pipeline.observer.onUnknownSubmit?.(execution);
  if (again) return resubmit(pipeline, isUnlimited ? { ...execution, maxSubmits: Number.POSITIVE_INFINITY } : execution, ending, again);
  await endExecution(pipeline.pool, execution, ending);
  pipeline.observer.onEnded?.(execution, state);
  pipeline.log.error({ ...contextOf(execution), err: ending.reason }, 'submit refused');
}

/** Ends an execution and plans its slice again after a wait, up to max_submits in 24 hours. Throws LostLeaseError. */
export async function resubmit(pipeline: Pipeline, execution: Execution, ending: Ending, wait: Wait): Promise<void> {
  const { next, submits } = await endAndPlanAgain(pipeline.pool, execution, ending, (counted) =>
    lengthOf(wait, execution, counted, pipeline.random),
  );
  pipeline.log.warn(
    { ...contextOf(execution), err: ending.reason, submitsToday: submits.spent, next: next?.id, nextInMs: next?.delayMs },
    next ? 'submitting anew' : 'failed',
  );
  pipeline.observer.onEnded?.(execution, ending.state, next?.id);
  if (next) await ringForSubmits(pipeline, execution, next.delayMs);
}

/** The length of a wait in milliseconds. `submits` are those of the slice in 24 hours, when it is submitted again. */
function lengthOf(wait: Wait, execution: Execution, submits: SpentSubmits | undefined, random: Random): number {
  const { baseMs, maxMs, grows, isAtOnceFirst = false } = wait;
  const { spent, unknown } = submits ?? { spent: 0, unknown: 0 };
  switch (grows) {
    case 'nothing':
      return Math.round(baseMs + random() * (maxMs - baseMs));
    case 'time':
      return backoffMs(0, { baseMs: Math.max(baseMs, execution.retryingForMs), maxMs, random });
    case 'errors':
      return backoffMs(execution.errorsInRow, { baseMs, maxMs, random });
    case 'spent':
      return backoffMs(Math.max(0, spent - 1), { baseMs, maxMs, random });
    case 'unknown':
      return isAtOnceFirst && unknown <= 1 ? 0 : backoffMs(Math.max(0, unknown - 2), { baseMs, maxMs, random });
  }
}

function logWait({ log }: Pipeline, { execution, error, message }: Failure, nextInMs: number): void {
  const told = { ...contextOf(execution), err: message, nextInMs };
  if (error instanceof RateLimitedError) log.info(told, 'waiting for the call budget');
  // This happens now and then on a busy machine and costs nothing.
  else if (error instanceof StalePermitError && execution.errorsInRow < 3) log.info(told, 'not sent, will be retried');
  else if (error instanceof UnauthorizedError) log.error(told, 'the service refuses the credential');
  else log.warn(told, 'step failed, will be retried');
}

async function ringForSubmits(pipeline: Pipeline, { connection }: Execution, delayMs: number): Promise<void> {
  await pipeline.ring({ kind: 'submits', connection, delayMs });
}

/** Appends the connection: `a free submit on connection main`. */
function nameWait(waitsFor: string | undefined, { connection }: Execution): string | undefined {
  return waitsFor && `${waitsFor} connection ${connection}`;
}

function askedBy(error: unknown): number | undefined {
  return error instanceof SearchmillError ? error.retryAfterMs : undefined;
}

function codeOf(error: unknown, otherwise: ErrorCode): ErrorCode {
  return error instanceof SearchmillError ? error.code : otherwise;
}
