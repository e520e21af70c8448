// Lets one waiter sleep until something happens or a time has passed.
import type { Clock } from '../core/clock.ts';

export class Bell {
  readonly #clock: Clock;
  #stopWaiting: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Waits for the next ring, at most `maxMs` milliseconds where given. Rings while nobody waits are not kept. */
  async wait(maxMs?: number): Promise<void> {
    const stop = new AbortController();
    this.#stopWaiting = stop;
    if (maxMs === undefined) {
      await new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve(), { once: true }));
      return;
    }
    try {
      await this.#clock.sleep(maxMs, stop.signal);
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    }
  }

  ring(): void {
    this.#stopWaiting?.abort();
  }
}
