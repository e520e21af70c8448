// The calls of one limiter that wait: a line per priority, in order of arrival.
import type { CallWish, Permit } from './call-limiter.ts';

/** As many as Bottleneck knows: 0, the most urgent, to 9. */
export const PRIORITIES = 10;

/** A call in a line. */
export interface WaitingCall {
  readonly wish: CallWish;
  /** A whole number from 0 to 9. */
  readonly priority: number;
  /** Order of arrival. */
  readonly number: number;
  readonly queuedAtMs: number;
  /** Makes the call; rejects when it failed, having told nobody yet. */
  readonly start: (permit: Permit) => Promise<void>;
  /** Tells the caller that the call failed. */
  readonly reject: (error: unknown) => void;
  /** Grants that became too old on it. */
  staleGrants: number;
}

export class CallLines {
  readonly #lines: WaitingCall[][] = Array.from({ length: PRIORITIES }, () => []);

  get size(): number {
    return this.#lines.reduce((sum, line) => sum + line.length, 0);
  }

  sizeOf(priority: number): number {
    return this.#line(priority).length;
  }

  /** Every waiting call, in the order they would go now. */
  inOrder(): WaitingCall[] {
    return this.#lines.flat();
  }

  /** Puts a call into its line by its number: a new one at the end, one that comes back where it was. */
  add(call: WaitingCall): void {
    const line = this.#line(call.priority);
    const at = line.findIndex((other) => other.number > call.number);
    line.splice(at === -1 ? line.length : at, 0, call);
  }

  /** Takes the call that is first in the line of a priority. */
  takeFirst(priority: number): WaitingCall | undefined {
    return this.#line(priority).shift();
  }

  /** Takes a call out wherever it stands; false when it does not wait. */
  remove(call: WaitingCall): boolean {
    const line = this.#line(call.priority);
    const at = line.indexOf(call);
    if (at !== -1) line.splice(at, 1);
    return at !== -1;
  }

  #line(priority: number): WaitingCall[] {
    const line = this.#lines[priority];
    if (!line) throw new RangeError(`no priority ${priority}: it must be a whole number from 0 to ${PRIORITIES - 1}`);
    return line;
  }
}
