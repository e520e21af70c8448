// A mutual-exclusion lock: one holder at a time, in order of arrival.
export class OneAtATime {
  /** Resolves when every caller so far has left. */
  #empty: Promise<void> = Promise.resolve();

  /** Resolves when all earlier callers have left. `left` must resolve when the caller leaves. */
  enter(left: Promise<void>): Promise<void> {
    const before = this.#empty;
    this.#empty = before.then(() => left);
    return before;
  }
}
