// The port through which the client asks for permission to call. The warehouse implements it on the ledger's sliding
// log; queue/service-clients.ts joins the two, so that neither folder knows the other.
import type { CallKind } from '../core/limits.ts';

/** A slot of the sliding log that a call has taken; only the budget knows what its fields mean. */
export type Slot = Readonly<{ slot: number; takenAt: string; formerlyAt: string }>;

/** How many of the calls that were asked for may be sent now; when none, how long until asking again makes sense. */
export type SlotsTaken = Readonly<{
  taken: number;
  /** Those that were taken; without them they cannot be given back. */
  slots?: readonly Slot[];
  waitMs: number;
  pausedBecause?: 'rate_limited' | 'unauthorized';
}>;

/** One credential's budget, shared by every process that uses it. */
export interface CallBudget {
  /** Takes up to `count` slots, or none. Never waits. A permit is to be used at once or given back. */
  takeSlots(kind: CallKind, count: number): Promise<SlotsTaken>;
  /** Gives back slots that no call was made with, however old: they are as if they had never been taken. */
  returnSlots(kind: CallKind, slots: readonly Slot[]): Promise<void>;
  /** The calls made with these slots may have arrived only now: they count from now on, unless the slots were taken again. */
  renewSlots(kind: CallKind, slots: readonly Slot[]): Promise<void>;
  /** A 429 came: nobody calls before `retryAfterMs`, or before a pause that grows with each 429 in a row. */
  reportRateLimited(retryAfterMs: number | undefined): Promise<void>;
  /** A 401 came: nobody calls but a slow probe until one call succeeds. */
  reportUnauthorized(): Promise<void>;
  /** A call was answered otherwise: ends what the two above began. Called only when it would change something. */
  reportAccepted(): Promise<void>;
}
