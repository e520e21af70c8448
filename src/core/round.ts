// Work that is repeated at an interval, never twice at once. It waits after each run, whether it succeeded or failed.
import { SECOND } from './clock.ts';
import { describeError, isPassing } from './errors.ts';

/** Delay after a failure, unless the usual interval is shorter. */
const RETRY_MS = 2 * SECOND;

/** `ageMs`: how long ago the work last succeeded, by a clock that nobody sets. */
export type Standing = Readonly<{
  succeededAt: Date | undefined;
  ageMs: number | undefined;
  failure: string | undefined;
  failingSince: Date | undefined;
}>;

export class Round {
  readonly #everyMs: number;
  readonly #work: () => Promise<unknown>;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  readonly #stopping = new AbortController();
  #succeeded: Readonly<{ at: Date; ms: number }> | undefined;
  #failure: string | undefined;
  #failingSince: Date | undefined;

  constructor(everyMs: number, work: () => Promise<unknown>, onError: (error: unknown) => void) {
    this.#everyMs = everyMs;
    this.#work = work;
    this.#onError = onError;
  }

  /** When the work last succeeded, why it has failed since, and since when for lasting reasons. */
  get standing(): Standing {
    const ageMs = this.#succeeded && performance.now() - this.#succeeded.ms;
    return { succeededAt: this.#succeeded?.at, ageMs, failure: this.#failure, failingSince: this.#failingSince };
  }

  /** Does the work once, and from then on repeatedly. Never rejects. */
  async start(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#running = this.#runOnce();
    await this.#running;
  }

  /** Does the work now, or once more after the current run, and then as before. Never rejects. */
  async again(): Promise<void> {
    await this.#running;
    clearTimeout(this.#timer);
    await this.start();
  }

  /** Stops, and waits for the current run. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #runOnce(): Promise<void> {
    let waitMs = this.#everyMs;
    try {
      await this.#work();
      this.#succeeded = { at: new Date(), ms: performance.now() };
      this.#failure = undefined;
      this.#failingSince = undefined;
    } catch (error) {
      waitMs = Math.min(RETRY_MS, waitMs);
      this.#failure = describeError(error);
      if (!isPassing(error)) this.#failingSince ??= new Date();
      if (!this.#stopping.signal.aborted) this.#onError(error);
    }
    // Up to a tenth earlier, so that many processes do not run at the same moment.
    if (!this.#stopping.signal.aborted) this.#timer = setTimeout(() => void this.start(), waitMs * (0.9 + Math.random() * 0.1));
  }
}
