// Remembers what was said in the last minute. A queue that is away would otherwise have the same said many times a second.
import { MINUTE } from './clock.ts';

/** How many sentences are remembered. Beyond it the oldest is forgotten, and said again when it comes. */
export const MAX_REMEMBERED = 100;

export class RecentlyTold {
  /** When each sentence was said, the oldest first. */
  readonly #toldAtMs = new Map<string, number>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Whether a sentence should be said now, since it was not said within the last minute. It counts as said from now on. */
  isNews(sentence: string): boolean {
    const now = this.#nowMs();
    for (const [old, at] of this.#toldAtMs) {
      if (now - at < MINUTE) break;
      this.#toldAtMs.delete(old);
    }
    if (this.#toldAtMs.has(sentence)) return false;
    const [oldest] = this.#toldAtMs.keys();
    if (oldest !== undefined && this.#toldAtMs.size === MAX_REMEMBERED) this.#toldAtMs.delete(oldest);
    this.#toldAtMs.set(sentence, now);
    return true;
  }
}
