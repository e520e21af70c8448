// What a figure has opened. It is closed in reverse order when the figure is done, has failed, or was interrupted.

export class Scope {
  readonly #closings: (() => Promise<unknown>)[] = [];

  /** Runs `close` when the scope ends. */
  defer(close: () => Promise<unknown>): void {
    this.#closings.push(close);
  }

  /** Closes everything, last first; continues after a failure and throws the first one at the end. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closings.pop(); close; close = this.#closings.pop()) {
      await close().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}
