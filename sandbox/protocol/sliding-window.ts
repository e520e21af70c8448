// Exact count of calls in the last 60 seconds, to refuse calls over the limit and to report the maximum. A call at second 0 no longer counts at
// second 60.
import { MINUTE } from '../../src/core/clock.ts';

/** Accepts at most `limit` calls in any 60 seconds. Refused calls do not count. */
export class SlidingLimit {
  /** Times of the last `limit` calls, as a ring; the next slot holds the oldest. */
  readonly #calls: Float64Array;
  #next = 0;

  constructor(limit: number) {
    this.#calls = new Float64Array(limit).fill(Number.NEGATIVE_INFINITY);
  }

  /** Counts a call at `nowMs` and returns 0; or counts nothing and returns the milliseconds to wait. */
  take(nowMs: number): number {
    const waitMs = (this.#calls[this.#next] ?? 0) + MINUTE - nowMs;
    if (waitMs > 0) return waitMs;
    this.#calls[this.#next] = nowMs;
    this.#next = (this.#next + 1) % this.#calls.length;
    return 0;
  }
}

/** Maximum calls in any 60 seconds so far. Every call counts, also refused ones. */
export class SlidingPeak {
  peak = 0;
  #times: number[] = [];
  #first = 0;

  add(nowMs: number): void {
    this.#times.push(nowMs);
    while ((this.#times[this.#first] ?? nowMs) <= nowMs - MINUTE) this.#first++;
    this.peak = Math.max(this.peak, this.#times.length - this.#first);
    // Trimmed only when the outdated part is the larger one, which keeps this cheap and the memory bounded.
    if (this.#first > 1000 && this.#first * 2 > this.#times.length) {
      this.#times = this.#times.slice(this.#first);
      this.#first = 0;
    }
  }
}
