// What this process knows about a budget's pauses, between its limiters and the ledger. It reports answers that begin or end a pause, each
// once, and ensures that the answer to a call sent before a pause does not end that pause.
import type { CallKind } from '../core/limits.ts';
import type { CallBudget, RefusedCall, Slot, SlotsTaken } from './budget.ts';

/** Slots with the number of the latest pause known when they were taken; 0 before the first. */
export type NumberedSlots = SlotsTaken & Readonly<{ pauseNumber: number }>;

/** Where a limiter asks for permission. */
export interface SlotSource {
  takeSlots(kind: CallKind, count: number): Promise<NumberedSlots>;
  returnSlots(kind: CallKind, slots: readonly Slot[]): Promise<void>;
  renewSlots(kind: CallKind, slots: readonly Slot[]): Promise<void>;
}

export class PauseWatch implements SlotSource {
  readonly #budget: CallBudget;
  readonly #onPauseEnded: () => void;
  #pauseNumber = 0;
  #isPauseKnown: boolean = false;
  /** A report that the ledger has not received yet; it must be delivered before more slots are requested. */
  #unreported: (() => Promise<void>) | undefined;

  /** `onPauseEnded` is called when the ledger was told that a pause is over. */
  constructor(budget: CallBudget, onPauseEnded: () => void) {
    this.#budget = budget;
    this.#onPauseEnded = onPauseEnded;
  }

  /** @throws the ledger's error when it cannot be reached. */
  async takeSlots(kind: CallKind, count: number): Promise<NumberedSlots> {
    if (this.#unreported) await this.#deliver(this.#unreported);
    const pauseNumber = this.#pauseNumber;
    const taken = await this.#budget.takeSlots(kind, count);
    if (taken.pausedBecause === undefined) return { ...taken, pauseNumber };
    if (!this.#isPauseKnown) this.#noteNewPause();
    // Taken in spite of a pause: this is the probe, whose answer may end the pause.
    return { ...taken, pauseNumber: this.#pauseNumber };
  }

  returnSlots(kind: CallKind, slots: readonly Slot[]): Promise<void> {
    return this.#budget.returnSlots(kind, slots);
  }

  renewSlots(kind: CallKind, slots: readonly Slot[]): Promise<void> {
    return this.#budget.renewSlots(kind, slots);
  }

  /** The service answered 429 to a call with a permit of that number. */
  async noteRateLimited(pauseNumber: number, retryAfterMs: number | undefined, call?: RefusedCall): Promise<void> {
    // Several calls in flight may get a 429 for the same reason; a growing pause must grow only once.
    if (pauseNumber < this.#pauseNumber && retryAfterMs === undefined) return;
    this.#noteNewPause();
    let isLate = false;
    await this.#report(() => {
      // The log of calls says nothing about a 429 that is reported later, when the ledger was away.
      const judged = isLate ? undefined : call;
      isLate = true;
      return this.#budget.reportRateLimited(retryAfterMs, judged);
    });
  }

  async noteUnauthorized(): Promise<void> {
    this.#noteNewPause();
    await this.#report(() => this.#budget.reportUnauthorized());
  }

  /** The service accepted a call with a permit of that number. */
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

  /** A reported answer counts even if the ledger cannot be reached now, so a failed report is kept. */
  async #report(report: () => Promise<void>): Promise<void> {
    this.#unreported = report;
    try {
      await this.#deliver(report);
    } catch {
      // Kept in #unreported. The next takeSlots delivers it, or fails in the same way.
    }
  }

  async #deliver(report: () => Promise<void>): Promise<void> {
    await report();
    if (this.#unreported === report) this.#unreported = undefined;
  }
}
