// The port through which the client asks for permission to call. The warehouse implements it on the ledger's sliding log;
// queue/service-clients.ts connects the two, so that neither folder knows the other.
import type { CallKind } from '../core/limits.ts';

/** A slot of the sliding log that a call took; only the budget interprets its fields. */
export type Slot = Readonly<{ slot: number; takenAt: string; formerlyAt: string }>;

/** How many of the requested calls may be sent now; if none, how long to wait before asking again. */
export type SlotsTaken = Readonly<{
  taken: number;
  /** The slots taken; needed to give them back. */
  slots?: readonly Slot[];
  waitMs: number;
  pausedBecause?: 'rate_limited' | 'unauthorized';
}>;

/** A call that was answered 429: its kind, and how long ago it got its permit. */
export type RefusedCall = Readonly<{ kind: CallKind; ageMs: number }>;

/** One credential's budget, shared by every process that uses it. */
export interface CallBudget {
  /** Takes up to `count` slots, or none. Never waits. A permit must be used at once or given back. */
  takeSlots(kind: CallKind, count: number): Promise<SlotsTaken>;
  /** Gives back slots that no call used, however old: as if they had never been taken. */
  returnSlots(kind: CallKind, slots: readonly Slot[]): Promise<void>;
  /** The calls made with these slots may have arrived only now: they count from now on, unless the slots were taken again. */
  renewSlots(kind: CallKind, slots: readonly Slot[]): Promise<void>;
  /**
   * Reports a 429: no calls before `retryAfterMs`, or before a pause that grows with each consecutive 429. With `call`, which came just
   * now, the budget also judges whether its own calls explain it.
   */
  reportRateLimited(retryAfterMs: number | undefined, call?: RefusedCall): Promise<void>;
  /** Reports a 401: no calls except a slow probe until one call succeeds. */
  reportUnauthorized(): Promise<void>;
  /** Reports any other answer, which ends the pause that a 429 or 401 began. Called only when it would change something. */
  reportAccepted(): Promise<void>;
}
