// A CallBudget that keeps an exact sliding log in memory, as the ledger does in Postgres: for each kind a ring of the
// last N grants; the next call takes the oldest slot once it is older than a minute and the margin.
import { type Clock, MINUTE, SECOND } from '../../src/core/clock.ts';
import { type CallKind, GRANT_VALID_MS } from '../../src/core/limits.ts';
import type { CallBudget, Grant, GrantReceipt } from '../../src/service/budget.ts';

export type InMemoryBudgetOptions = Readonly<{
  clock: Clock;
  callsPerMinute: Readonly<Record<CallKind, number>>;
  /** How long the ledger takes to decide, and to answer after that, in milliseconds. */
  latencyMs?: () => number;
  /** Pause after a 429 without Retry-After, in milliseconds. */
  pauseMs?: number;
}>;

export class InMemoryBudget implements CallBudget {
  /** Everything asked and reported, in order. */
  readonly asked: { kind: CallKind; count: number; granted: number }[] = [];
  readonly reports: string[] = [];
  /** Grants that were given back. */
  returned = 0;
  readonly #clock: Clock;
  readonly #latencyMs: () => number;
  readonly #pauseMs: number;
  readonly #slots: Readonly<Record<CallKind, number[]>>;
  #notBefore = 0;
  #isUnauthorized: boolean = false;
  #failure: Error | undefined;

  constructor({ clock, callsPerMinute, latencyMs = () => 0, pauseMs = 10 * SECOND }: InMemoryBudgetOptions) {
    this.#clock = clock;
    this.#latencyMs = latencyMs;
    this.#pauseMs = pauseMs;
    const ring = (slots: number): number[] => new Array<number>(slots).fill(Number.NEGATIVE_INFINITY);
    this.#slots = { submit: ring(callsPerMinute.submit), read: ring(callsPerMinute.read) };
  }

  /** From now on every question and report fails with this; undefined ends it. */
  failWith(error: Error | undefined): void {
    this.#failure = error;
  }

  /** Lets the next call through as a probe although the credential was refused. */
  probe(): void {
    this.#notBefore = 0;
  }

  async takeGrants(kind: CallKind, count: number): Promise<Grant> {
    await this.#delay();
    const grant = this.#decide(kind, count);
    this.asked.push({ kind, count, granted: grant.granted });
    await this.#delay();
    return grant;
  }

  #decide(kind: CallKind, count: number): Grant {
    const now = this.#clock.now().getTime();
    const pausedBecause = this.#isUnauthorized ? 'unauthorized' : 'rate_limited';
    if (now < this.#notBefore) return { granted: 0, waitMs: this.#notBefore - now, pausedBecause };
    const slots = this.#slots[kind].sort((a, b) => a - b);
    const wanted = this.#isUnauthorized ? 1 : count;
    const receipts: GrantReceipt[] = [];
    while (receipts.length < wanted && now - (slots[receipts.length] ?? now) >= MINUTE + GRANT_VALID_MS) {
      const slot = receipts.length;
      receipts.push({ slot, grantedAt: String(now), formerlyAt: String(slots[slot]) });
      slots[slot] = now;
    }
    const granted = receipts.length;
    const waitMs = granted > 0 ? 0 : (slots[0] ?? now) + MINUTE + GRANT_VALID_MS - now;
    if (!this.#isUnauthorized) return { granted, receipts, waitMs };
    this.#notBefore = now + MINUTE;
    return { granted, receipts, waitMs, pausedBecause };
  }

  async returnGrants(kind: CallKind, receipts: readonly GrantReceipt[]): Promise<void> {
    await this.#delay();
    for (const { grantedAt, formerlyAt } of receipts) {
      const at = this.#slots[kind].indexOf(Number(grantedAt));
      if (at !== -1) this.#slots[kind][at] = Number(formerlyAt);
    }
    this.returned += receipts.length;
  }

  async reportRateLimited(retryAfterMs: number | undefined): Promise<void> {
    await this.#report(`rate_limited ${retryAfterMs}`);
    this.#notBefore = this.#clock.now().getTime() + (retryAfterMs ?? this.#pauseMs);
  }

  async reportUnauthorized(): Promise<void> {
    await this.#report('unauthorized');
    this.#isUnauthorized = true;
    this.#notBefore = this.#clock.now().getTime() + MINUTE;
  }

  async reportAccepted(): Promise<void> {
    await this.#report('accepted');
    this.#isUnauthorized = false;
    this.#notBefore = 0;
  }

  async #report(report: string): Promise<void> {
    await this.#delay();
    this.reports.push(report);
  }

  async #delay(): Promise<void> {
    const latencyMs = this.#latencyMs();
    if (latencyMs > 0) await this.#clock.sleep(latencyMs);
    if (this.#failure) throw this.#failure;
  }
}

/** A budget that grants everything and forgets every report, for tests that are about something else. */
export const BOUNDLESS_BUDGET: CallBudget = {
  takeGrants: async (_kind, count) => ({ granted: count, waitMs: 0 }),
  returnGrants: async () => {},
  reportRateLimited: async () => {},
  reportUnauthorized: async () => {},
  reportAccepted: async () => {},
};
