// Answers bells. The only place where the pipeline meets BullMQ's workers: whatever happens is in the ledger by the time
// a handler returns, so a handler never fails and BullMQ never retries.
import type { Job } from 'bullmq';
import { describeError } from '../core/errors.ts';
import { lookAt } from '../pipeline/look.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { submitNext } from '../pipeline/submit.ts';
import type { QueueBackend, RunningWorker } from './backend.ts';
import { BELL_QUEUE, lookMessageSchema, submitsMessageSchema } from './messages.ts';

/** Looks that one process works on at once. Most wait for the service; few copy. */
export const DEFAULT_CONCURRENCY = 16;

/** A worker on the bell queue, not running yet. */
export function openBellWorker(backend: QueueBackend, pipeline: Pipeline, concurrency: number): RunningWorker {
  return backend.openWorker(BELL_QUEUE, (job) => answerBell(pipeline, job), { concurrency });
}

async function answerBell(pipeline: Pipeline, job: Pick<Job, 'name' | 'data'>): Promise<void> {
  try {
    if (job.name === 'look') await lookAt(pipeline, lookMessageSchema.parse(job.data).execution);
    else if (job.name === 'submits') await submitNext(pipeline, submitsMessageSchema.parse(job.data).connection);
    else pipeline.log.warn({ message: job.name }, 'a message of an unknown name was dropped');
  } catch (error) {
    pipeline.log.warn({ err: describeError(error), message: job.name }, 'a look was cut short; the reconciler rings again');
  }
}
