// Answers bells; scheduler.ts answers ticks. Every outcome is in the ledger when a handler returns, so no handler fails and BullMQ never
// retries.
import type { JobsConfig } from '../config/settings.ts';
import { describeError } from '../core/errors.ts';
import type { DueExecution } from '../ledger/executions.ts';
import { type Bell, noteStoreError, type Pipeline } from '../pipeline/pipeline.ts';
import { runStep } from '../pipeline/step.ts';
import { submitNext } from '../pipeline/submit.ts';
import { SUBMITS_AT_ONCE } from '../service/limiters.ts';
import type { QueueBackend, RunningWorker } from './backend/backend.ts';
import { ConcurrencySlots } from './concurrency-slots.ts';
import { BELL_QUEUES, stepMessageSchema, submitsMessageSchema } from './messages.ts';

/** Steps of one connection that a process works on at once. Most wait for the service; few copy. */
export const DEFAULT_CONCURRENCY = 16;

export type BellWorkers = Readonly<{
  /** Not running yet. */
  workers: readonly RunningWorker[];
  /** Whether a step is queued in this process for a slot. */
  isWaiting: (execution: DueExecution) => boolean;
  /** Adjusts how many messages are taken at once to the connections configured now. */
  resize: () => void;
}>;

/** Opens workers on the bell queues; `config` returns the current configuration. `concurrency` is the number of steps per connection. */
export function openBellWorkers(backend: QueueBackend, pipeline: Pipeline, config: () => JobsConfig, concurrency: number): BellWorkers {
  const isShared = (connection: string): boolean =>
    config().jobs.filter((job) => job.isEnabled && job.connection === connection).length > 1;
  const stepSlots = new ConcurrencySlots({ slotsPerConnection: concurrency, isShared });
  // A submit beyond the number of concurrent calls would hold a lease while it waits for a call.
  const submitSlots = new ConcurrencySlots({ slotsPerConnection: SUBMITS_AT_ONCE });
  const answerStep = (message: unknown): Promise<void> => {
    const { execution, ...name } = stepMessageSchema.parse(message);
    const run = (): Promise<void> => answerBell(pipeline, 'step', () => runStep(pipeline, execution));
    return stepSlots.use({ ...name, key: execution, run });
  };
  const answerSubmits = (message: unknown): Promise<void> => {
    const { connection } = submitsMessageSchema.parse(message);
    const run = (): Promise<void> => answerBell(pipeline, 'submits', () => submitNext(pipeline, connection));
    return submitSlots.use({ connection, job: '', key: 'next', priority: 0, run });
  };
  // Takes as many messages as there are slots. The slots of one extra connection are for steps of connections that are not configured: one that
  // was removed while its steps run, or one that only other processes have. They take no messages from the others.
  const messagesFor = (slots: number): number => slots * (config().connections.size + 1);
  const open = (kind: Bell['kind'], slots: number, answer: (message: unknown) => Promise<void>): RunningWorker =>
    backend.openWorker(BELL_QUEUES[kind], (job) => answerBell(pipeline, kind, () => answer(job.data)), { concurrency: messagesFor(slots) });
  const steps = open('step', concurrency, answerStep);
  const submits = open('submits', SUBMITS_AT_ONCE, answerSubmits);
  return {
    workers: [steps, submits],
    isWaiting: ({ id, connection, job }) => stepSlots.isWaiting({ connection, job, key: id }),
    resize: () => {
      steps.concurrency = messagesFor(concurrency);
      submits.concurrency = messagesFor(SUBMITS_AT_ONCE);
    },
  };
}

async function answerBell(pipeline: Pipeline, bell: Bell['kind'], answer: () => Promise<void>): Promise<void> {
  try {
    await answer();
  } catch (error) {
    noteStoreError(pipeline, error);
    pipeline.log.warn({ err: describeError(error), bell }, 'a bell was not answered to the end; the reconciler rings again');
  }
}
