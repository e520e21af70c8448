// Suppresses sentences repeated within a minute. An unavailable queue would otherwise log the same many times a second.
import { MINUTE } from './clock.ts';

/** How many sentences are remembered. Beyond it the oldest is forgotten. */
export const MAX_REMEMBERED = 100;

export class RecentlyTold {
  /** When each sentence was last logged, oldest first. */
  readonly #toldAtMs = new Map<string, number>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Whether a sentence should be logged now, since it was not logged within the last minute. It then counts as logged. */
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
