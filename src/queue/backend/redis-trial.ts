// Sends and receives a trial message with the same commands as real ones: a login that is allowed to do that can carry the queue.
import { randomUUID } from 'node:crypto';
import { SECOND } from '../../core/clock.ts';
import { StoreError } from '../../core/errors.ts';
import { GONE_WHEN_DONE } from '../messages.ts';
import type { Answer, RingingQueue, RunningWorker } from './queue-parts.ts';

const PATIENCE_MS = 10 * SECOND;

/** Keys that BullMQ leaves behind for a queue without messages. */
const LEFTOVERS = [
  'meta',
  'id',
  'events',
  'marker',
  'stalled-check',
  'delayed',
  'repeat',
  'pc',
  'prioritized',
  'wait',
  'active',
  'stalled',
];

export type Trial = Readonly<{
  openQueue(name: string): RingingQueue;
  openWorker(name: string, answer: Answer): RunningWorker;
  remove(keys: readonly string[]): Promise<unknown>;
  prefix: string;
  /** Rejects with the first error. */
  failed: Promise<never>;
}>;

/** Throws the error of the first command that was refused. */
export async function tryQueue({ openQueue, openWorker, remove, prefix, failed }: Trial): Promise<void> {
  const name = `check-${randomUUID()}`;
  const queue = openQueue(name);
  let answered = (): void => undefined;
  const answer = new Promise<void>((resolve) => {
    answered = resolve;
  });
  const worker = openWorker(name, async () => answered());
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreError('a bell was rung, but not answered', { retryable: true })), PATIENCE_MS);
  });
  const ring = async (): Promise<void> => {
    void worker.run();
    await queue.upsertJobScheduler(name, { pattern: '0 0 1 1 *' }, { name });
    await queue.removeJobScheduler(name);
    await queue.add(name, {}, { jobId: name, delay: 1, priority: 1, ...GONE_WHEN_DONE });
    await answer;
    await queue.getJobCounts();
  };
  try {
    await Promise.race([ring(), failed, tooLate]);
  } finally {
    clearTimeout(timer);
    await worker.close();
    await queue.close();
    await remove(LEFTOVERS.map((key) => `${prefix}:${name}:${key}`)).catch(() => undefined);
  }
}
