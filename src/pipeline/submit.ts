// submit: the most urgent planned execution of a connection is sent to the service. The intent is written before the POST
// and the executionId after it; a crash between the two leaves the state `submitting`, which the next step resolves by
// planning anew, because whether the service took it cannot be known. Source: service specification, "Flow rules" 1.
import { MINUTE, SECOND } from '../core/clock.ts';
import { joinSignals } from '../core/deadline.ts';
import { describeError, ExecutionFailedError, isPassing, LostLeaseError, ServiceUnavailableError } from '../core/errors.ts';
import { EXECUTION_VALIDITY_MS } from '../core/limits.ts';
import { datasetNamed } from '../datasets/index.ts';
import type { SubmitAnswer } from '../service/answers.ts';
import type { ServiceClient } from '../service/client.ts';
import {
  claimNextSubmit,
  contextOf,
  type Execution,
  finishSubmit,
  isUnanswered,
  renewLease,
  startSubmit,
} from '../warehouse/executions.ts';
import { resolveFailure } from './failures.ts';
import { keepLease } from './lease-keeper.ts';
import { UnansweredProbeError } from './outcome.ts';
import { noteStoreError, type Pipeline, stepBell } from './pipeline.ts';

/** The first poll of a query comes after this; later ones take longer. */
export const FIRST_POLL_MS = SECOND;
/** Longest wait of a submit for its permit. After it a more urgent one may go first. */
const MAX_WAIT_MS = 250;
/** How long an answer is kept while the database is away, and how often it is tried to write it down. */
const MAX_WRITE_MS = 10 * MINUTE;
const WRITE_AGAIN_MS = SECOND / 2;
/** A probe has the priority of polls. */
const PROBE_PRIORITY = 1;

/**
 * Submits the most urgent planned execution of a connection, if its budget allows a submit now; else asks to be rung when
 * it does. Rings for the next submit as soon as this one is on its way.
 */
export async function submitNext(pipeline: Pipeline, connection: string): Promise<void> {
  const client = pipeline.findClient(connection);
  if (!client || pipeline.stopping.aborted) return;
  const execution = await claimNextSubmit(pipeline.pool, connection, pipeline);
  if (!execution) return;
  try {
    await keepLease(pipeline, execution, (lost) => submit(pipeline, execution, client, lost));
  } catch (error) {
    if (!(error instanceof LostLeaseError)) throw error;
    await resolveFailure(pipeline, execution, error);
  }
}

/** Throws LostLeaseError, and what a database that stays away throws. */
async function submit(pipeline: Pipeline, execution: Execution, client: ServiceClient, lost: AbortSignal): Promise<void> {
  const started = performance.now();
  let state: Execution['state'] = execution.state;
  let answer: SubmitAnswer;
  using unwanted = joinSignals(lost, pipeline.stopping);
  try {
    const call = { maxWaitMs: MAX_WAIT_MS, signal: unwanted.signal, context: contextOf(execution) };
    if (await isUnanswered(pipeline.pool, execution)) await probe(client, execution, { ...call, priority: PROBE_PRIORITY });
    answer = await client.submit(datasetNamed(execution.dataset), execution.request, {
      ...call,
      priority: execution.priority,
      onPermit: async () => {
        // The process may have been paused for longer than its lease. From here the permit is fresh for a moment only, and
        // with it the lease is when the request leaves.
        await renewLease(pipeline.pool, execution, pipeline.leaseMs);
        if (state === 'submitting') return;
        await startSubmit(pipeline.pool, execution);
        state = 'submitting';
        void pipeline.ring({ kind: 'submits', connection: execution.connection, delayMs: 0 });
      },
    });
    if (answer.state === 'failed') throw failedAtOnce(execution, answer);
  } catch (error) {
    // Once the intent is written, what is known of the submit is held on to.
    const resolve = (): Promise<void> => resolveFailure(pipeline, { ...execution, state }, error);
    return state === 'submitting' ? settle(pipeline, execution, resolve) : resolve();
  }
  const { executionId: remoteExecutionId, requestId } = answer;
  const submitted = { remoteExecutionId, requestId, validityMs: EXECUTION_VALIDITY_MS, firstPollMs: FIRST_POLL_MS };
  const next = await settle(pipeline, execution, () => finishSubmit(pipeline.pool, execution, submitted));
  pipeline.observer.onStage?.('submit', execution, performance.now() - started);
  const log = pipeline.log.child({ ...contextOf(execution), remote: remoteExecutionId });
  if (!next) {
    log.warn('submitted, but cancelled in the meantime: its answer is not read');
    return;
  }
  log.info({ reason: execution.reason }, 'submitted');
  await pipeline.ring(stepBell(execution, next));
}

/**
 * Asks whether the service answers at all, after it has left a submit of the job without an answer: a service that takes connections
 * and does not answer would leave submit after submit without a known outcome. Throws UnansweredProbeError, and what a call throws.
 */
async function probe(client: ServiceClient, { dataset }: Execution, call: Parameters<ServiceClient['probe']>[1]): Promise<void> {
  try {
    await client.probe(datasetNamed(dataset), call);
  } catch (error) {
    if (!(error instanceof ServiceUnavailableError)) throw error;
    const message = `no submit is sent until the service answers a probe, since it did not answer the last submit: ${describeError(error)}`;
    throw new UnansweredProbeError(message, { context: error.context, cause: error, isOutcomeUnknown: false });
  }
}

function failedAtOnce(execution: Execution, { executionId, requestId, message }: Extract<SubmitAnswer, { state: 'failed' }>) {
  const context = { ...contextOf(execution), ...(executionId && { remoteExecutionId: executionId }), ...(requestId && { requestId }) };
  return new ExecutionFailedError(describeFailedQuery(message), { context });
}

/**
 * Writes what is known of a submit that was sent, again and again while the database is away: an answer that
 * is forgotten is a submit of which nobody can say what came of it. Should another process take the execution over meanwhile, that ends it.
 */
async function settle<T>(pipeline: Pipeline, { connection }: Execution, write: () => Promise<T>): Promise<T> {
  const started = performance.now();
  for (;;) {
    try {
      const written = await write();
      // Only two of a job go at once: another may have waited for this one.
      await pipeline.ring({ kind: 'submits', connection, delayMs: 0 });
      return written;
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
