// submit: sends the most urgent planned execution of a connection to the service. The intent is written before the POST and
// the executionId after it. A crash between the two leaves the state `submitting`; the next step then plans the slice again,
// because it is unknown whether the service accepted the query. Source: service specification, "Flow rules" 1.
import { MINUTE, SECOND } from '../core/clock.ts';
import { joinSignals } from '../core/deadline.ts';
import { describeError, ExecutionFailedError, isPassing, LostLeaseError, ServiceUnavailableError } from '../core/errors.ts';
import { EXECUTION_VALIDITY_MS } from '../core/limits.ts';
import { datasetNamed } from '../datasets/index.ts';
import { claimNextSubmit, contextOf, type Execution, finishSubmit, isUnanswered, renewLease, startSubmit } from '../ledger/executions.ts';
import type { SubmitAnswer } from '../service/answers.ts';
import type { ServiceClient } from '../service/client.ts';
import { resolveFailure } from './failures.ts';
import { keepLease } from './lease-keeper.ts';
import { UnansweredProbeError } from './outcome.ts';
import { noteStoreError, type Pipeline, stepBell } from './pipeline.ts';

/** Delay before the first poll of a query; later delays are longer. */
export const FIRST_POLL_MS = SECOND;
/** Longest wait of a submit for its permit. After that a more urgent submit may go first. */
const MAX_WAIT_MS = 250;
/** How long an answer is kept during a database outage, and the delay between attempts to record it. */
const MAX_WRITE_MS = 10 * MINUTE;
const WRITE_AGAIN_MS = SECOND / 2;
/** The same priority as polls. */
const PROBE_PRIORITY = 1;

/**
 * Submits the most urgent planned execution of a connection if its budget allows a submit now; otherwise asks for a bell when
 * it does. Rings for the next submit as soon as this one is about to be sent.
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

/** Throws LostLeaseError, and the database's error when an outage lasts. */
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
        // The process may have been suspended for longer than its lease. A permit is valid only for a moment, so a lease
        // renewed here is still held when the request is sent.
        await renewLease(pipeline.pool, execution, pipeline.leaseMs);
        if (state === 'submitting') return;
        await startSubmit(pipeline.pool, execution);
        state = 'submitting';
        void pipeline.ring({ kind: 'submits', connection: execution.connection, delayMs: 0 });
      },
    });
    if (answer.state === 'failed') throw failedAtOnce(execution, answer);
  } catch (error) {
    // Once the intent is written, the outcome of the submit must be recorded, even after a database outage.
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
 * Checks that the service answers at all, after a submit of the job was not answered: a service that accepts connections but does
 * not answer would leave submit after submit with an unknown outcome. Throws UnansweredProbeError, and what a call throws.
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
 * Records the outcome of a submit that was sent, and retries for up to 10 minutes during a database outage: an answer that is not
 * recorded leaves a submit with an unknown outcome. Throws what `write` throws, such as LostLeaseError after a takeover.
 */
async function settle<T>(pipeline: Pipeline, { connection }: Execution, write: () => Promise<T>): Promise<T> {
  const started = performance.now();
  for (;;) {
    try {
      const written = await write();
      // At most two executions of a job submit at once, so another may have waited for this one.
      await pipeline.ring({ kind: 'submits', connection, delayMs: 0 });
      return written;
    } catch (error) {
      if (!isPassing(error) || performance.now() - started > MAX_WRITE_MS) throw error;
      noteStoreError(pipeline, error);
      await pipeline.clock.sleep(WRITE_AGAIN_MS);
    }
  }
}

/** The error message for a query that the service reports as FAILED. */
export function describeFailedQuery(message: string | null): string {
  return `the service reports that the query failed: ${message ?? 'it gave no message'}`;
}
