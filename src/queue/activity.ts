// Counts the work in progress in a process, so that a stop can wait for it without depending on a queue that may be unreachable.
export class Activity {
  #running = 0;
  #whenIdle: (() => void)[] = [];

  /** Counts `work` as in progress until it settles. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await work;
    } finally {
      this.#running -= 1;
      if (this.#running === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    }
  }

  /** Resolves when no work is in progress. */
  idle(): Promise<void> {
    return this.#running === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenIdle.push(resolve));
  }
}
