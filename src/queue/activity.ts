// Counts the work under way in a process, so that a stop can wait for it without waiting for a queue that is away.
export class Activity {
  #running = 0;
  #whenIdle: (() => void)[] = [];

  /** Counts `work` until it has ended, however it does. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await work;
    } finally {
      this.#running -= 1;
      if (this.#running === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    }
  }

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    return this.#running === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenIdle.push(resolve));
  }
}
