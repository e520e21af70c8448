// BullMQ's workers pause between attempts only when a connection was refused. After any other failure, such as a missing table or a Redis
// out of memory, they ask again at once, thousands of times a second. And a wait for a message whose connection is cut may never end,
// because reconnecting has no time limit (bullmq issues 4378, 4479, 4585).
import { type IQueueBackend, isNotConnectionError } from 'bullmq';
import { backoffMs, type Clock, SECOND, systemClock } from '../../core/clock.ts';

const RETRY = { baseMs: SECOND / 2, maxMs: 5 * SECOND };
/** A wait for a message is given up when it exceeds its own timeout by this much. */
const MAX_OVERTIME_MS = 30 * SECOND;

type Patient = Readonly<{
  backend: Pick<IQueueBackend, 'moveToActive' | 'waitForJob'>;
  once(event: 'closing', listener: () => void): unknown;
}>;

/**
 * Makes the worker pause after each failure to get a message, up to 5 s and longer each time, until it is closed. Also makes it look for
 * a message itself when a wait does not end.
 */
export function waitBetweenFailures<T extends Patient>(worker: T, clock: Clock = systemClock): T {
  const closing = new AbortController();
  // Aborts the time limit of the current wait; its timer must not keep a closing process alive.
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
    // When the limit is aborted, it never settles, so that the wait itself decides.
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
