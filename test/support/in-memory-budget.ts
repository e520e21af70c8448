// A CallBudget that keeps an exact sliding log in memory, as the ledger does in Postgres: for each kind a ring of the
// last N calls; the next call takes the oldest slot once it is older than a minute and the margin.
import { type Clock, MINUTE, SECOND } from '../../src/core/clock.ts';
import { ARRIVAL_MS, type CallKind } from '../../src/core/limits.ts';
import type { CallBudget, Slot, SlotsTaken } from '../../src/service/budget.ts';

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
  readonly asked: { kind: CallKind; count: number; taken: number }[] = [];
  readonly reports: string[] = [];
  /** Slots that were given back. */
  returned = 0;
  /** Slots that count from later than they were taken. */
  renewed = 0;
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

  async takeSlots(kind: CallKind, count: number): Promise<SlotsTaken> {
    await this.#delay();
    const answer = this.#decide(kind, count);
    this.asked.push({ kind, count, taken: answer.taken });
    await this.#delay();
    return answer;
  }

  #decide(kind: CallKind, count: number): SlotsTaken {
    const now = this.#clock.now().getTime();
    const pausedBecause = this.#isUnauthorized ? 'unauthorized' : 'rate_limited';
    if (now < this.#notBefore) return { taken: 0, waitMs: this.#notBefore - now, pausedBecause };
    const ring = this.#slots[kind].sort((a, b) => a - b);
    const wanted = this.#isUnauthorized ? 1 : count;
    const slots: Slot[] = [];
    while (slots.length < wanted && now - (ring[slots.length] ?? now) >= MINUTE + ARRIVAL_MS) {
      const slot = slots.length;
      slots.push({ slot, takenAt: String(now), formerlyAt: String(ring[slot]) });
      ring[slot] = now;
    }
    const taken = slots.length;
    const waitMs = taken > 0 ? 0 : (ring[0] ?? now) + MINUTE + ARRIVAL_MS - now;
    if (!this.#isUnauthorized) return { taken, slots, waitMs };
    this.#notBefore = now + MINUTE;
    return { taken, slots, waitMs, pausedBecause };
  }

  async returnSlots(kind: CallKind, slots: readonly Slot[]): Promise<void> {
    await this.#delay();
    for (const { takenAt, formerlyAt } of slots) {
      const at = this.#slots[kind].indexOf(Number(takenAt));
      if (at !== -1) this.#slots[kind][at] = Number(formerlyAt);
    }
    this.returned += slots.length;
  }

  async renewSlots(kind: CallKind, slots: readonly Slot[]): Promise<void> {
    await this.#delay();
    for (const { takenAt } of slots) {
      const at = this.#slots[kind].indexOf(Number(takenAt));
      if (at !== -1) this.#slots[kind][at] = this.#clock.now().getTime() - ARRIVAL_MS;
    }
    this.renewed += slots.length;
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

/** A budget that permits everything and forgets every report, for tests that are about something else. */
export const BOUNDLESS_BUDGET: CallBudget = {
  takeSlots: async (_kind, count) => ({ taken: count, waitMs: 0 }),
  returnSlots: async () => {},
  renewSlots: async () => {},
  reportRateLimited: async () => {},
  reportUnauthorized: async () => {},
  reportAccepted: async () => {},
};
