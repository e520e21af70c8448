// What a call requests from the permit pool, and the permit it gets; permit-pool.ts matches the two.
import type { ErrorContext } from '../core/errors.ts';

/** How a call is queued. */
export type CallWish = Readonly<{
  /** 0, the most urgent, to 9. */
  priority: number;
  /** Longest wait for a permit, in milliseconds; 0: only if one is available now. Without it the wait is unlimited. */
  maxWaitMs?: number | undefined;
  /** Removes the call from the queue. */
  signal?: AbortSignal | undefined;
  /** How many calls follow, each as soon as the previous one is answered, as pages do: permits are taken ahead for them. */
  followedBy?: number | undefined;
  context: ErrorContext;
}>;

export type Permit = Readonly<{
  /** False once it is too old: then throw ExpiredPermitError instead of sending. */
  isFresh: () => boolean;
  /** The latest pause of the budget known when the slot was taken; see PauseWatch. */
  pauseNumber: number;
  /** Call it when the answer begins, which proves arrival. A call that fails before may have arrived at any time until then. */
  noteArrival: () => void;
  /** Milliseconds that the call waited for it. */
  waitedMs: number;
}>;

/** Thrown by a call that could not be sent while its permit was fresh; it is queued again at its old place. */
export class ExpiredPermitError extends Error {}

/** A call in the pool until it is sent. */
export type WaitingCall = {
  readonly wish: CallWish;
  /** Position among all calls: by priority, then in order of arrival. */
  readonly rank: readonly [priority: number, number: number];
  readonly queuedAtMs: number;
  /** Makes the call; rejects when it failed, without telling the caller. */
  readonly send: (permit: Permit) => Promise<void>;
  /** Tells the caller that the call failed. */
  readonly reject: (error: unknown) => void;
  stalePermits: number;
};
