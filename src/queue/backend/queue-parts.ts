// The parts of BullMQ's queues and workers that are used, the same on both backends.
import type { Job, Queue, Worker } from 'bullmq';

/** The part of a BullMQ queue that is used here. */
export type RingingQueue = Pick<
  Queue,
  'add' | 'upsertJobScheduler' | 'removeJobScheduler' | 'getJobSchedulers' | 'getJobSchedulersCount' | 'getJobCounts' | 'close'
>;
/** The part of a BullMQ worker that is used here. */
export type RunningWorker = Pick<Worker, 'run' | 'close' | 'concurrency'>;
export type Answer = (job: Pick<Job, 'name' | 'data'>) => Promise<void>;
