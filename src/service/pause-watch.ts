// What this process knows of a budget's pauses, between its limiters and the ledger. It reports answers that begin or
// end a pause, each once, and sees to it that an answer to a call sent before a pause does not end that pause.
import type { CallKind } from '../core/limits.ts';
import type { CallBudget, Grant, GrantReceipt } from './budget.ts';

/** A grant with the number of the latest pause known when it was made; 0 before the first. */
export type NumberedGrant = Grant & Readonly<{ pauseNumber: number }>;

/** Where a limiter asks for permission. */
export interface PermissionSource {
  takeGrants(kind: CallKind, count: number): Promise<NumberedGrant>;
  returnGrants(kind: CallKind, receipts: readonly GrantReceipt[]): Promise<void>;
}

export class PauseWatch implements PermissionSource {
  readonly #budget: CallBudget;
  readonly #onPauseEnded: () => void;
  #pauseNumber = 0;
  #isPauseKnown: boolean = false;
  /** A report the ledger has not taken yet; it must hear it before it is asked for more. */
  #unreported: (() => Promise<void>) | undefined;

  /** `onPauseEnded` is called when the ledger has been told that a pause is over. */
  constructor(budget: CallBudget, onPauseEnded: () => void) {
    this.#budget = budget;
    this.#onPauseEnded = onPauseEnded;
  }

  /** @throws what the ledger throws when it cannot be asked. */
  async takeGrants(kind: CallKind, count: number): Promise<NumberedGrant> {
    if (this.#unreported) await this.#deliver(this.#unreported);
    const pauseNumber = this.#pauseNumber;
    const grant = await this.#budget.takeGrants(kind, count);
    if (grant.pausedBecause === undefined) return { ...grant, pauseNumber };
    if (!this.#isPauseKnown) this.#noteNewPause();
    // Granted in spite of the pause: the probe, whose answer may end it.
    return { ...grant, pauseNumber: this.#pauseNumber };
  }

  returnGrants(kind: CallKind, receipts: readonly GrantReceipt[]): Promise<void> {
    return this.#budget.returnGrants(kind, receipts);
  }

  /** The service answered 429 to a call with a grant of that number. */
  async noteRateLimited(pauseNumber: number, retryAfterMs: number | undefined): Promise<void> {
    // Several calls in flight may all be answered 429 for one reason; a pause that grows must grow once.
    if (pauseNumber < this.#pauseNumber && retryAfterMs === undefined) return;
    this.#noteNewPause();
    await this.#report(() => this.#budget.reportRateLimited(retryAfterMs));
  }

  /** The service answered 401. */
  async noteUnauthorized(): Promise<void> {
    this.#noteNewPause();
    await this.#report(() => this.#budget.reportUnauthorized());
  }

  /** The service took a call with a grant of that number. */
  async noteAccepted(pauseNumber: number): Promise<void> {
    if (!this.#isPauseKnown || pauseNumber < this.#pauseNumber) return;
    this.#isPauseKnown = false;
    await this.#report(async () => {
      await this.#budget.reportAccepted();
      this.#onPauseEnded();
    });
  }

  #noteNewPause(): void {
    this.#isPauseKnown = true;
    this.#pauseNumber++;
  }

  /** The answer that is reported counts whether or not the ledger can be reached now, so a failure waits. */
  async #report(report: () => Promise<void>): Promise<void> {
    this.#unreported = report;
    try {
      await this.#deliver(report);
    } catch {
      // Kept in #unreported; the next call asks the ledger through takeGrants, which delivers it or fails as this did.
    }
  }

  async #deliver(report: () => Promise<void>): Promise<void> {
    await report();
    if (this.#unreported === report) this.#unreported = undefined;
  }
}
