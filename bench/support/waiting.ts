// Waits for conditions during measurements.
import { systemClock } from '../../src/core/clock.ts';

/** Rare enough not to slow down the measured work. No measured time depends on it. */
const POLL_MS = 200;

/** Waits `ms`; throws CancelledError on Ctrl-C. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return systemClock.sleep(ms, signal);
}

/** Repeats the question until the answer is not undefined, and returns it. */
export async function until<T>(ask: () => Promise<T | undefined>, signal: AbortSignal): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await pause(POLL_MS, signal);
  }
}
