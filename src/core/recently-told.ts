// What was said in the last minute, so that the same is not said many times a second, as a queue does that is away.
import { MINUTE } from './clock.ts';

/** More sentences than this are not remembered: the oldest is then said again when it comes. */
export const MAX_REMEMBERED = 100;

export class RecentlyTold {
  /** When each sentence was said, the oldest first. */
  readonly #toldAtMs = new Map<string, number>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Whether a sentence is to be said now: it was not within the last minute. It counts as said from now on. */
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
