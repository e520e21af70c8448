// Work that a person waits for survives a database that is unavailable for a while: it restarts, has no connection left, cannot serialize.
import { backoffMs, type Clock, MINUTE, SECOND } from '../core/clock.ts';
import { describeError, isPassing, StoreError } from '../core/errors.ts';

const BACKOFF = { baseMs: SECOND / 2, maxMs: 10 * SECOND };
/** A restart or a fail-over takes less. Anything longer should end the script that waits. */
const LONGEST_MS = 10 * MINUTE;

export type OutlastOptions = Readonly<{
  clock: Clock;
  signal: AbortSignal;
  /** Monotonic clock in milliseconds; default performance.now(). */
  monotonicMs?: () => number;
  /** Called with the reason once the work has failed twice, and with undefined when that is over. */
  onWait: (waitingFor: string | undefined) => void;
}>;

/**
 * Does `work`, which must be repeatable, until it no longer fails with a temporary database error.
 * Throws its other errors, StoreError when the database is away for LONGEST_MS, and CancelledError when `signal` aborts.
 */
export async function outlast<T>(work: () => Promise<T>, options: OutlastOptions): Promise<T> {
  const { clock, signal, onWait, monotonicMs = () => performance.now() } = options;
  let awaySince: number | undefined;
  for (let failures = 0; ; failures += 1) {
    try {
      const result = await work();
      if (failures > 1) onWait(undefined);
      return result;
    } catch (error) {
      if (!isPassing(error)) throw error;
      const now = monotonicMs();
      awaySince ??= now;
      if (now - awaySince >= LONGEST_MS) throw awayTooLong(error);
      if (failures === 1) onWait(`waiting for the database: ${describeError(error)}`);
    }
    await clock.sleep(backoffMs(failures, BACKOFF), signal);
  }
}

function awayTooLong(error: unknown): StoreError {
  const message = `the database did not come back within ${LONGEST_MS / MINUTE} minutes, so this command ends; a running service or the next run continues with what was planned: ${describeError(error)}`;
  return new StoreError(message, { retryable: false, cause: error });
}
