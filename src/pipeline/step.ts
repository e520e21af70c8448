// One step of one execution: takes its lease, does what its state requires, and records what happens next. Repeated queue
// messages are harmless.

import { MINUTE } from '../core/clock.ts';
import { openDeadline } from '../core/deadline.ts';
import { EXECUTION_VALIDITY_MS } from '../core/limits.ts';
import { claimExecution, type Execution, markAtWork, postpone, readExecution, releaseLease } from '../ledger/executions.ts';
import type { Page } from '../service/answers.ts';
import { resolveFailure, resubmit } from './failures.ts';
import { keepLease } from './lease-keeper.ts';
import { loadPages } from './load.ts';
import { AT_ONCE, LostSubmitError } from './outcome.ts';
import { type Pipeline, stepBell } from './pipeline.ts';
import { pollOnce } from './poll.ts';
import { auditAndPublish } from './publish.ts';
import { convict, isConvicted, type Suspicion, suspicionOf } from './suspects.ts';

/** Delay before the next attempt when this process is not configured with the execution's connection. */
const UNKNOWN_CONNECTION_MS = MINUTE;

/** Takes the next step of an execution if it is due. Throws only when the ledger cannot be written. */
export async function runStep(pipeline: Pipeline, executionId: number): Promise<void> {
  if (pipeline.stopping.aborted) return;
  const execution = await claimExecution(pipeline.pool, executionId, pipeline);
  if (!execution) return;
  const suspicion = suspicionOf(pipeline, execution);
  try {
    await keepLease(pipeline, execution, (lost, paused) => takeStep(pipeline, execution, { lost, paused, suspicion }));
  } catch (error) {
    await resolveFailure(pipeline, execution, error);
  } finally {
    suspicion.leave();
  }
}

/** `lost` aborts everything. `paused` aborts only calls: pages that were read are committed, and staged rows are published. */
type Circumstances = Readonly<{ lost: AbortSignal; paused: AbortSignal; suspicion: Suspicion }>;

async function takeStep(pipeline: Pipeline, execution: Execution, circumstances: Circumstances): Promise<void> {
  if (execution.state === 'submitting') throw new LostSubmitError();
  if (isConvicted(execution)) return convict(pipeline, execution);
  switch (execution.state) {
    case 'planned':
      // Submits go by urgency, not by bell: this execution is submitted when it is the most urgent of its connection.
      await releaseLease(pipeline.pool, execution);
      await pipeline.ring({ kind: 'submits', connection: execution.connection, delayMs: 0 });
      return;
    case 'in_progress':
    case 'loading':
      await readRemote(pipeline, execution, circumstances);
      return;
    case 'staged':
      if (execution.deathsInRow > 0) await markAtWork(pipeline.pool, execution);
      await auditAndPublish(pipeline, execution, circumstances.lost);
      return;
    case 'held':
      return;
  }
}

async function readRemote(pipeline: Pipeline, execution: Execution, { lost, paused, suspicion }: Circumstances): Promise<void> {
  const isOverdue = execution.state === 'in_progress' && execution.isOverdue;
  if (execution.isExpired || isOverdue) {
    const reason = execution.isExpired
      ? 'its executionId is older than its 7 days, or would be before the rest is read'
      : 'it was in progress for longer than max_wait';
    return resubmit(pipeline, execution, { state: 'abandoned', reason }, AT_ONCE);
  }
  const client = pipeline.findClient(execution.connection);
  const remoteId = execution.remoteExecutionId;
  if (!client || remoteId === null) {
    await postpone(pipeline.pool, execution, {
      delayMs: UNKNOWN_CONNECTION_MS,
      waitingFor: `a process configured with connection ${execution.connection}`,
    });
    return;
  }
  // A call may wait long for its turn. None may be sent after the executionId has expired.
  const validMs = Math.max(0, Math.floor(Math.min(execution.expiresInMs ?? 0, EXECUTION_VALIDITY_MS)));
  using deadline = openDeadline(validMs, lost, paused, pipeline.stopping);
  const calling = deadline.signal;
  let firstPage: Page | undefined;
  if (execution.state === 'in_progress') {
    firstPage = await pollOnce(pipeline, execution, { client, remoteId, calling, onAnswered: suspicion.enter });
    if (!firstPage) return;
  }
  const isComplete = await loadPages(pipeline, execution, { client, remoteId, firstPage, lost, calling, suspicion });
  const now = await readExecution(pipeline.pool, execution);
  if (isComplete) return auditAndPublish(pipeline, now, lost);
  const next = await releaseLease(pipeline.pool, execution);
  if (next) await pipeline.ring(stepBell(execution, next));
}
