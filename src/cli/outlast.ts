// What a person waits for outlives a database that is away for a while: it restarts, has no connection left, cannot serialize.
import { backoffMs, type Clock, SECOND } from '../core/clock.ts';
import { describeError, isPassing } from '../core/errors.ts';

const BACKOFF = { baseMs: SECOND / 2, maxMs: 10 * SECOND };

export type OutlastOptions = Readonly<{
  clock: Clock;
  signal: AbortSignal;
  /** Told what it waits for, once it has failed twice; and with undefined when that is over. */
  onWait: (waitingFor: string | undefined) => void;
}>;

/**
 * Does `work`, which may be repeated, until it does not fail for a reason of the database that passes by itself.
 * Throws whatever else it throws, and CancelledError when `signal` aborts.
 */
export async function outlast<T>(work: () => Promise<T>, { clock, signal, onWait }: OutlastOptions): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      const result = await work();
      if (failures > 1) onWait(undefined);
      return result;
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (failures === 1) onWait(`waiting for the database: ${describeError(error)}`);
    }
    await clock.sleep(backoffMs(failures, BACKOFF), signal);
  }
}
