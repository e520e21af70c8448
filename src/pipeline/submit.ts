// submit: the most urgent planned execution of a connection is sent to the service. The intent is written before the POST
// and the executionId after it; a crash between the two leaves the state `submitting`, which the next step resolves by
// planning anew, because whether the service took it cannot be known. Source: service specification, "Flow rules" 1.

import { backoffMs, MINUTE, SECOND } from '../core/clock.ts';
import { joinSignals } from '../core/deadline.ts';
import {
  CancelledError,
  describeError,
  isPassing,
  LostLeaseError,
  ProtocolError,
  RateLimitedError,
  RejectedError,
  SearchmillError,
  ServiceUnavailableError,
  UnauthorizedError,
} from '../core/errors.ts';
import { EXECUTION_VALIDITY_MS } from '../core/limits.ts';
import { datasetNamed } from '../datasets/index.ts';
import { endExecution } from '../warehouse/endings.ts';
import {
  claimNextSubmit,
  contextOf,
  type Execution,
  finishSubmit,
  postpone,
  postponeJob,
  readExecution,
  releaseLease,
  renewLease,
  revertSubmit,
  startSubmit,
} from '../warehouse/executions.ts';
import { resolveFailure, resubmit } from './failures.ts';
import { keepLease } from './lease-keeper.ts';
import { noteStoreError, type Pipeline, stepBell } from './pipeline.ts';

/** The first poll of a query comes after this; later ones take longer. */
export const FIRST_POLL_MS = SECOND;
/** Submits without a known outcome are tried again after this, growing with each of the last 24 hours. */
const UNKNOWN_OUTCOME_BACKOFF = { baseMs: 30 * SECOND, maxMs: 10 * MINUTE };
const REFUSED_BACKOFF = { baseMs: 5 * SECOND, maxMs: 5 * MINUTE };
/** Longest wait of a submit for its permit. After it a more urgent one may go first. */
const MAX_WAIT_MS = 250;
/** How long an answer is held on to while the database is away, and how often writing it is tried. */
const MAX_WRITE_MS = 10 * MINUTE;
const WRITE_AGAIN_MS = SECOND / 2;

/**
 * Submits the most urgent planned execution of a connection, if its budget allows a submit now; else asks to be rung when
 * it does. Rings for the next submit as soon as this one is on its way.
 */
export async function submitNext(pipeline: Pipeline, connection: string): Promise<void> {
  const client = pipeline.findClient(connection);
  if (!client || pipeline.stopping.aborted) return;
  const execution = await claimNextSubmit(pipeline.pool, connection, pipeline);
  if (!execution) return;
  const log = pipeline.log.child(contextOf(execution));
  const started = performance.now();
  let isIntentWritten = false;
  try {
    await keepLease(pipeline, execution, async (lost) => {
      using unwanted = joinSignals(lost, pipeline.stopping);
      const answer = await client.submit(datasetNamed(execution.dataset), execution.request, {
        priority: execution.priority,
        maxWaitMs: MAX_WAIT_MS,
        signal: unwanted.signal,
        context: contextOf(execution),
        onPermit: async () => {
          // The process may have been paused for longer than its lease. From here the permit is fresh for a moment only, and
          // with it the lease is when the request leaves.
          await renewLease(pipeline.pool, execution, pipeline.leaseMs);
          if (isIntentWritten) return;
          await startSubmit(pipeline.pool, execution);
          isIntentWritten = true;
          void pipeline.ring({ kind: 'submits', connection, delayMs: 0 });
        },
      });
      if (answer.state === 'failed') {
        const ending = { state: 'failed', reason: describeFailedQuery(answer.message), code: 'execution_failed', answer } as const;
        await untilWritten(pipeline, () => resubmit(pipeline, execution, ending));
        return;
      }
      const next = await untilWritten(pipeline, () =>
        finishSubmit(pipeline.pool, execution, {
          remoteExecutionId: answer.executionId,
          requestId: answer.requestId,
          validityMs: EXECUTION_VALIDITY_MS,
          firstPollMs: FIRST_POLL_MS,
        }),
      );
      pipeline.observer.onStage?.('submit', execution, performance.now() - started);
      if (!next) {
        log.warn({ remote: answer.executionId }, 'submitted, but cancelled meanwhile: nothing is read of it');
        return;
      }
      log.info({ remote: answer.executionId, reason: execution.reason }, 'submitted');
      await pipeline.ring(stepBell(execution, next));
    });
  } catch (error) {
    try {
      await resolveFailedSubmit(pipeline, execution, error);
    } catch (lost) {
      // Cancelled while the answer was awaited: nothing more is to be written.
      if (!(lost instanceof LostLeaseError)) throw lost;
      await resolveFailure(pipeline, execution, lost);
    }
  }
}

async function resolveFailedSubmit(pipeline: Pipeline, execution: Execution, error: unknown): Promise<void> {
  const { pool, random } = pipeline;
  const log = pipeline.log.child(contextOf(execution));
  const message = describeError(error);
  if (error instanceof RateLimitedError && error.context.status === undefined) {
    // Refused by our own budget: nothing was sent, and whoever is most urgent then goes first.
    await revertSubmit(pool, execution);
    await releaseLease(pool, execution, `a free submit on connection ${execution.connection}`);
    await pipeline.ring({ kind: 'submits', connection: execution.connection, delayMs: error.retryAfterMs ?? SECOND });
    return;
  }
  if (error instanceof RejectedError) {
    await endExecution(pool, execution, { state: 'failed', reason: `the service refused the submit: ${message}`, code: error.code });
    pipeline.observer.onEnded?.(execution, 'failed');
    log.error({ err: message }, 'submit refused');
    return;
  }
  if (error instanceof LostLeaseError) throw error;
  if (error instanceof ProtocolError && error.isLasting) {
    // The service took the query under a name that nobody can use: the submit is spent, and the next may end the same.
    const answer = { executionId: null, requestId: error.context.requestId ?? null };
    const ending = { state: 'abandoned', reason: message, code: error.code, answer } as const;
    await untilWritten(pipeline, () => resubmit(pipeline, execution, ending));
    return;
  }
  if (isUnspent(error)) {
    await revertSubmit(pool, execution);
    if (error instanceof CancelledError) {
      await releaseLease(pool, execution);
      return;
    }
    const code = error instanceof SearchmillError ? error.code : 'store';
    const status = error instanceof SearchmillError ? error.context.status : undefined;
    // 429 and 401 pause the connection. A 403 may be about this job alone.
    const isCounted = !(error instanceof RateLimitedError || (error instanceof UnauthorizedError && status !== 403));
    const delayMs =
      (error instanceof SearchmillError ? error.retryAfterMs : undefined) ??
      backoffMs(execution.errorsInRow, { ...REFUSED_BACKOFF, random });
    await postpone(pool, execution, { delayMs, error: { code, message, isCounted } });
    // All of its job may be refused: else its weeks, in turn, take the calls of other jobs.
    if (isCounted && status !== undefined) await postponeJob(pool, execution);
    log.warn({ err: message, retryInMs: delayMs }, 'submit not accepted');
    await pipeline.ring({ kind: 'submits', connection: execution.connection, delayMs });
    return;
  }
  // No intent was written, so nothing was sent: the database failed before.
  if ((await readExecution(pool, execution)).state === 'planned') return resolveFailure(pipeline, execution, error);
  await abandonUnknownSubmit(pipeline, execution, message);
}

/**
 * Writes what the service has answered to a submit, again and again while the database is away: an executionId that is
 * forgotten is a submit spent for nothing. Should another process take the execution over meanwhile, that ends it.
 */
async function untilWritten<T>(pipeline: Pipeline, write: () => Promise<T>): Promise<T> {
  const started = performance.now();
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isPassing(error) || performance.now() - started > MAX_WRITE_MS) throw error;
      noteStoreError(pipeline, error);
      await pipeline.clock.sleep(WRITE_AGAIN_MS);
    }
  }
}

/** What is said of a query that the service reports as FAILED. */
export function describeFailedQuery(message: string | null): string {
  return `the service reports that the query failed: ${message ?? 'it gave no message'}`;
}

/**
 * True when the service cannot have begun a query: nothing was sent, or it answered that it would not. A gateway that says
 * it had no good answer from behind it (502, 504) leaves that open.
 */
function isUnspent(error: unknown): boolean {
  if (error instanceof ServiceUnavailableError)
    return !error.isOutcomeUnknown || error.context.status === 500 || error.context.status === 503;
  if (error instanceof ProtocolError) return !error.isOutcomeUnknown;
  return error instanceof RateLimitedError || error instanceof UnauthorizedError || error instanceof CancelledError;
}

/**
 * A submit whose outcome is not known, after a cut connection or a crash: the execution is abandoned and a new one is
 * planned. It may have been spent for nothing; it is counted, and the wait grows.
 */
export async function abandonUnknownSubmit(pipeline: Pipeline, execution: Execution, why: string): Promise<void> {
  // The executionId may have been written down although nobody could say so: then it is known, and polled.
  if ((await readExecution(pipeline.pool, execution)).state !== 'submitting') return;
  const ending = { state: 'abandoned', reason: `the outcome of the submit is not known: ${why}`, code: 'service_unavailable' } as const;
  const unlimited = { ...execution, maxSubmits: Number.POSITIVE_INFINITY };
  await resubmit(pipeline, unlimited, ending, ({ unknown }) =>
    unknown <= 1 ? 0 : backoffMs(unknown - 2, { ...UNKNOWN_OUTCOME_BACKOFF, random: pipeline.random }),
  );
  pipeline.observer.onUnknownSubmit?.(execution);
}
