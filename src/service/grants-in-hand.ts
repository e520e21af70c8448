// The grants a limiter has taken and not used yet, oldest first. A grant ages from the moment the ledger was asked.
import type { Clock } from '../core/clock.ts';
import { GRANT_VALID_MS } from '../core/limits.ts';
import { AdvanceCredit } from './advance-credit.ts';
import type { GrantReceipt } from './budget.ts';

export type GrantInHand = Readonly<{
  askedAtMs: number;
  /** The same by the wall clock. */
  askedAtWallMs: number;
  /** The latest pause of the budget that was known when it was made; see PauseWatch. */
  pauseNumber: number;
  /** Whether it was asked for ahead of its call. */
  isAhead: boolean;
  receipt: GrantReceipt | undefined;
}>;

export class GrantsInHand {
  readonly #monotonicMs: () => number;
  readonly #clock: Clock;
  readonly #credit: AdvanceCredit;
  #grants: GrantInHand[] = [];

  constructor(monotonicMs: () => number, clock: Clock) {
    this.#monotonicMs = monotonicMs;
    this.#clock = clock;
    this.#credit = new AdvanceCredit(monotonicMs);
  }

  get size(): number {
    return this.#grants.length;
  }

  /** How many more may be asked for ahead. */
  get advanceAllowed(): number {
    return this.#credit.available - this.#grants.filter(({ isAhead }) => isAhead).length;
  }

  isFresh(grant: GrantInHand): boolean {
    // By both clocks: the monotonic one may stand still while the machine is suspended.
    const wallMs = this.#clock.now().getTime() - grant.askedAtWallMs;
    return this.#monotonicMs() - grant.askedAtMs <= GRANT_VALID_MS && wallMs <= GRANT_VALID_MS;
  }

  add(grants: readonly GrantInHand[]): void {
    this.#grants.push(...grants);
  }

  /** Takes the oldest. */
  take(): GrantInHand | undefined {
    return this.#grants.shift();
  }

  /** A grant that was taken has a call. */
  noteUsed({ isAhead }: GrantInHand): void {
    if (isAhead) this.#credit.noteUsed();
  }

  /** Takes a grant back that found nobody to use it. */
  putBack(grant: GrantInHand): void {
    this.#grants.unshift(grant);
  }

  /** Throws away those that are too old, and returns them. */
  dropStale(): GrantInHand[] {
    const stale = this.#grants.filter((grant) => !this.isFresh(grant));
    if (stale.length > 0) this.#grants = this.#grants.filter((grant) => this.isFresh(grant));
    for (const { isAhead } of stale) if (isAhead) this.#credit.noteLost();
    return stale;
  }
}
