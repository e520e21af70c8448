// Answers bells. The only place where the pipeline meets BullMQ's workers: whatever happens is in the ledger by the time
// a handler returns, so a handler never fails and BullMQ never retries.
import { describeError } from '../core/errors.ts';
import { lookAt } from '../pipeline/look.ts';
import { type Bell, noteStoreError, type Pipeline } from '../pipeline/pipeline.ts';
import { submitNext } from '../pipeline/submit.ts';
import { DEFAULT_CONCURRENCY as CALLS_AT_ONCE } from '../service/limiters.ts';
import type { QueueBackend, RunningWorker } from './backend.ts';
import { BELL_QUEUES, lookMessageSchema, submitsMessageSchema } from './messages.ts';
import { SubmitPlaces } from './submit-places.ts';

/** Looks that one process works on at once. Most wait for the service; few copy. */
export const DEFAULT_CONCURRENCY = 16;

/** Workers on the queues of bells, not running yet. `concurrency` is that of looks. */
export function openBellWorkers(
  backend: QueueBackend,
  pipeline: Pipeline,
  { concurrency, connections }: Readonly<{ concurrency: number; connections: number }>,
): RunningWorker[] {
  // More than may be called at once would wait for a call, leased.
  const submits = new SubmitPlaces(CALLS_AT_ONCE.submit);
  const answerSubmits = ({ connection }: { connection: string }): Promise<void> =>
    submits.use(
      connection,
      () => submitNext(pipeline, connection),
      () => pipeline.ring({ kind: 'submits', connection, delayMs: 0 }),
    );
  const open = (kind: Bell['kind'], places: number, answer: (data: unknown) => Promise<void>): RunningWorker =>
    backend.openWorker(BELL_QUEUES[kind], (job) => answerBell(pipeline, kind, () => answer(job.data)), { concurrency: places });
  return [
    open('look', concurrency, (data) => lookAt(pipeline, lookMessageSchema.parse(data).execution)),
    open('submits', CALLS_AT_ONCE.submit * Math.max(1, connections), (data) => answerSubmits(submitsMessageSchema.parse(data))),
  ];
}

async function answerBell(pipeline: Pipeline, bell: Bell['kind'], answer: () => Promise<void>): Promise<void> {
  try {
    await answer();
  } catch (error) {
    noteStoreError(pipeline, error);
    pipeline.log.warn({ err: describeError(error), bell }, 'a bell was not answered to the end; the reconciler rings again');
  }
}
