// BullMQ's workers wait between two tries only where a connection was refused. After any other failure, such as a table that
// is missing or a Redis without memory, they ask again at once, thousands of times a second. And a wait for a message that is cut
// may never end: whatever makes the connection anew has no limit (bullmq issues 4378, 4479, 4585).
import { type IQueueBackend, isNotConnectionError } from 'bullmq';
import { backoffMs, type Clock, SECOND, systemClock } from '../../core/clock.ts';

const RETRY = { baseMs: SECOND / 2, maxMs: 5 * SECOND };
/** A wait for a message is given up when it takes so much longer than it should. */
const MAX_OVERTIME_MS = 30 * SECOND;

type Patient = Readonly<{
  backend: Pick<IQueueBackend, 'moveToActive' | 'waitForJob'>;
  once(event: 'closing', listener: () => void): unknown;
}>;

/**
 * Makes the worker wait after each failure to get a message, longer each time up to 5 s, until it is closed; and look for one itself
 * when a wait for it does not end.
 */
export function waitBetweenFailures<T extends Patient>(worker: T, clock: Clock = systemClock): T {
  const closing = new AbortController();
  // The time limit of the wait that is under way; its timer must not keep a process alive that is closing.
  let limit: AbortController | undefined;
  worker.once('closing', () => {
    closing.abort();
    limit?.abort();
  });
  const { backend } = worker;
  const patiently = <Args extends unknown[], Result>(ask: (...args: Args) => Promise<Result>) => {
    let failures = 0;
    return async (...args: Args): Promise<Result> => {
      try {
        const result = await ask.apply(backend, args);
        failures = 0;
        return result;
      } catch (error) {
        if (error instanceof Error && isNotConnectionError(error)) {
          await clock.sleep(backoffMs(failures, RETRY), closing.signal).catch(() => undefined);
          failures += 1;
        }
        throw error;
      }
    };
  };
  backend.moveToActive = patiently(backend.moveToActive);
  const { waitForJob } = backend;
  backend.waitForJob = patiently(async (seconds) => {
    const own = new AbortController();
    limit = own;
    // Without its limit a wait ends by itself.
    const overtime = clock.sleep(seconds * SECOND + MAX_OVERTIME_MS, own.signal).then(
      () => null,
      () => new Promise<never>(() => undefined),
    );
    try {
      return await Promise.race([waitForJob.call(backend, seconds), overtime]);
    } finally {
      own.abort();
    }
  });
  return worker;
}
