// Waiting for something to become true, never for a fixed time.
import { setTimeout as delay } from 'node:timers/promises';

const POLL_EVERY_MS = 20;
// Long: it is only reached when something is wrong, and a busy machine is not.
const GIVE_UP_MS = 5 * 60_000;

/** Waits until `look` returns something other than undefined, null or false, and returns that. Throws with `what` when it takes too long. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  giveUpMs = GIVE_UP_MS,
): Promise<T> {
  const giveUpAt = performance.now() + giveUpMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (performance.now() > giveUpAt) throw new Error(`waited ${giveUpMs / 1000} s in vain for ${what}`);
    await delay(POLL_EVERY_MS);
  }
}
