// How many grants to have in hand for calls that are not there yet but will be at once, as the next pages of those on
// their way. A question to the ledger is a commit there and takes as long as several pages when its disk is busy.
import { GRANT_VALID_MS } from '../core/limits.ts';

/** Calls that take longer than this, on average, are not asked ahead for: the grant would be stale before its call. */
const MAX_CALL_MS = GRANT_VALID_MS / 2;
/** Most grants for the calls that follow one. */
const MAX_AHEAD = 8;
/** Weight of the newest time in the average. */
const NEWEST_SHARE = 1 / 4;

export class FollowUp {
  /** How many calls follow each of those in flight. */
  readonly #followers = new Map<object, number>();
  /** How long followed calls, and questions to the ledger, took lately, in milliseconds. */
  #callMs = 0;
  #askMs = 0;

  /**
   * For each call in flight, of those that follow it, the ones that start while the ledger answers; and one for each of
   * `starting` calls that are followed and go when it has answered.
   */
  wanted(starting = 0): number {
    if (this.#callMs > MAX_CALL_MS) return 0;
    const most = Math.min(MAX_AHEAD, 1 + Math.ceil(this.#askMs / Math.max(1, this.#callMs)));
    let wanted = starting;
    for (const followers of this.#followers.values()) wanted += Math.min(followers, most);
    return wanted;
  }

  noteStart(call: object, followedBy: number): void {
    if (followedBy > 0) this.#followers.set(call, followedBy);
  }

  noteEnd(call: object, durationMs: number): void {
    if (this.#followers.delete(call)) this.#callMs += (durationMs - this.#callMs) * NEWEST_SHARE;
  }

  noteAsked(durationMs: number): void {
    this.#askMs += (durationMs - this.#askMs) * NEWEST_SHARE;
  }
}
