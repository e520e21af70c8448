// What a call asks the pool of permits for, and what lets it go; permit-pool.ts brings both together.
import type { ErrorContext } from '../core/errors.ts';

/** How a call wants to be queued. */
export type CallWish = Readonly<{
  /** 0, the most urgent, to 9. */
  priority: number;
  /** Longest wait for a permit, in milliseconds; 0: only if one is there now. Without it the call waits as long as it takes. */
  maxWaitMs?: number | undefined;
  /** Takes the call out of the queue. */
  signal?: AbortSignal | undefined;
  /** How many calls follow, each as soon as the one before is answered, as pages do: permits are taken ahead for them. */
  followedBy?: number | undefined;
  context: ErrorContext;
}>;

/** What lets one call go. */
export type Permit = Readonly<{
  /** False once it is too old: then throw StalePermitError instead of sending. */
  isFresh: () => boolean;
  /** The latest pause of the budget that was known when the slot was taken; see PauseWatch. */
  pauseNumber: number;
  /** To be called when the answer begins: the call has arrived. One that fails before may have arrived at any time until then. */
  noteArrival: () => void;
  /** Milliseconds that the call has waited for it. */
  waitedMs: number;
}>;

/** Thrown by a call that could not be sent while its permit was fresh; it is queued again where it was. */
export class StalePermitError extends Error {}

/** A call as the pool keeps it until it goes. */
export type WaitingCall = {
  readonly wish: CallWish;
  /** Position among all calls: by priority, then in order of arrival. */
  readonly rank: readonly [priority: number, number: number];
  readonly queuedAtMs: number;
  /** Makes the call; rejects when it failed, having told nobody yet. */
  readonly send: (permit: Permit) => Promise<void>;
  /** Tells the caller that the call failed. */
  readonly reject: (error: unknown) => void;
  stalePermits: number;
};
