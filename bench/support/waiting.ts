// Waiting for what is measured.
import { systemClock } from '../../src/core/clock.ts';

/** So seldom that it does not slow down what is measured. No time is taken from it. */
const POLL_MS = 200;

/** Waits `ms`; throws CancelledError on Ctrl-C. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return systemClock.sleep(ms, signal);
}

/** Asks again and again until the answer is not undefined, and returns it. */
export async function until<T>(ask: () => Promise<T | undefined>, signal: AbortSignal): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await pause(POLL_MS, signal);
  }
}
