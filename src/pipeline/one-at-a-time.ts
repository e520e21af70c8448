// A door that lets one of a process's executions through at a time.
export class OneAtATime {
  /** Resolves when all who have entered have left. */
  #empty: Promise<void> = Promise.resolve();

  /** Resolves when all who entered before have left; `left` resolves when the caller does. */
  enter(left: Promise<void>): Promise<void> {
    const before = this.#empty;
    this.#empty = before.then(() => left);
    return before;
  }
}
