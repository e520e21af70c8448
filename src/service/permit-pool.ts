// The calls of one budget and kind in this process, and their permits (promise P3).
//
// Calls wait in one list, the most urgent first. `#pump` matches calls and permits after every change. `#refill` asks the ledger for the
// missing permits, including some ahead of time for the calls that follow those in flight: a request takes as long as several pages when
// the ledger's disk is busy. For this process the ledger is in one of three states:
//
//   quiet     no request is in progress; #refill may send one
//   asking    one request is in progress; there is never a second
//   blocked   the ledger has nothing before a known time; it is asked again then, or after MAX_SLEEP_MS if that is sooner
//
// Bottleneck releases calls by priority and limits the number in flight. It queues turns, not calls: each turn serves the call that is most
// urgent at that moment, so an urgent call overtakes all waiting ones, and a cancelled one leaves nothing behind. A call that finds a spare
// permit skips Bottleneck, which needs a millisecond per turn; a load would pay that before each page.
import type Bottleneck from 'bottleneck';
import { watchAbort } from '../core/abort-watch.ts';
import { SECOND } from '../core/clock.ts';
import { CancelledError } from '../core/errors.ts';
import { type CallKind, PERMIT_VALID_MS } from '../core/limits.ts';
import { insertByRank } from '../core/rank.ts';
import { createSteadyLimiter } from '../core/steady-limiter.ts';
import { type HeldPermit, HeldPermits, type HeldPermitsOptions } from './held-permits.ts';
import type { NumberedSlots } from './pause-watch.ts';
import { type CallWish, ExpiredPermitError, type Permit, type WaitingCall } from './permit.ts';
import { giveUpStale, refuseWait } from './unsent.ts';

/** Bottleneck's priorities: 0, the most urgent, to 9. */
const LEAST_URGENT = 9;
/** Maximum permits taken ahead for the calls that follow one. */
const MAX_AHEAD = 4;
/** Longest time before the ledger is asked again while calls wait: another process may have ended a pause. */
const MAX_SLEEP_MS = 5 * SECOND;
/** Shortest such time, so that a ledger that answers "in 0 ms" is not asked in a tight loop. */
const MIN_SLEEP_MS = 10;
/** How many permits may go stale on one call before it fails: this process is then too slow to call safely. */
const MAX_STALE_PERMITS = 5;
/** Weight of the newest call in the average duration. */
const NEWEST_SHARE = 1 / 4;

type Blocked = Readonly<{ untilMs: number; pausedBecause: NumberedSlots['pausedBecause']; timer: NodeJS.Timeout }>;

/** `maxConcurrent`: most calls in flight at once. */
export type PermitPoolOptions = HeldPermitsOptions & Readonly<{ maxConcurrent: number }>;

export class PermitPool {
  readonly kind: CallKind;
  readonly maxConcurrent: number;
  readonly #monotonicMs: () => number;
  readonly #bottleneck: Bottleneck;
  readonly #permits: HeldPermits;
  readonly #waiting: WaitingCall[] = [];
  #ledger: 'quiet' | 'asking' | Blocked = 'quiet';
  #running = 0;
  /** Turns that Bottleneck has queued but not started. */
  #turns = 0;
  #arrivals = 0;
  /** Start times of the calls in flight that others follow, and the recent average duration of such calls, both in milliseconds. */
  readonly #followed = new Map<WaitingCall, number>();
  #callMs = 1;

  constructor({ maxConcurrent, ...options }: PermitPoolOptions) {
    this.kind = options.kind;
    this.maxConcurrent = maxConcurrent;
    this.#monotonicMs = options.monotonicMs;
    this.#permits = new HeldPermits(options, () => this.#pump());
    this.#bottleneck = createSteadyLimiter({ maxConcurrent });
    this.#bottleneck.on('error', (error) => this.#rejectAll(error));
  }

  get queued(): number {
    return this.#waiting.length;
  }

  get running(): number {
    return this.#running;
  }

  /**
   * Queues a call and runs `send` once it may go; again after `send` threw ExpiredPermitError.
   * @throws CancelledError when the signal aborts first; RateLimitedError with `retryAfterMs` when no permit is available within
   * `maxWaitMs`; the ledger's error when it cannot be asked; StalePermitError when its permits went stale too often. In
   * all of these cases nothing was sent. Else what `send` throws.
   */
  run<T>(wish: CallWish, send: (permit: Permit) => Promise<T>): Promise<T> {
    if (wish.signal?.aborted) return Promise.reject(new CancelledError());
    let stopWatching = (): void => {};
    const result = new Promise<T>((resolve, reject) => {
      const call: WaitingCall = {
        wish,
        rank: [Math.min(Math.max(Math.trunc(wish.priority), 0), LEAST_URGENT), this.#arrivals++],
        queuedAtMs: this.#monotonicMs(),
        send: async (permit) => resolve(await send(permit)),
        reject,
        stalePermits: 0,
      };
      stopWatching = watchAbort(wish.signal, () => {
        if (this.#remove(call)) call.reject(new CancelledError());
        this.#pump();
      });
      this.#dropStale();
      const isFree = this.#running + this.#waiting.length < this.maxConcurrent;
      const permit = isFree && this.#permits.count > this.#waiting.length ? this.#permits.use() : undefined;
      if (permit) void this.#start(call, permit);
      else this.#enqueue(call);
    });
    return result.finally(stopWatching);
  }

  /** Asks the ledger again at once, because a pause has ended. */
  askAgain(): void {
    this.#unblock();
    this.#pump();
  }

  #enqueue(call: WaitingCall): void {
    insertByRank(this.#waiting, call);
    this.#pump();
  }

  #remove(call: WaitingCall): boolean {
    const at = this.#waiting.indexOf(call);
    if (at !== -1) this.#waiting.splice(at, 1);
    return at !== -1;
  }

  /** Starts a turn for every call that can go now, refuses those that would wait too long, and requests missing permits. */
  #pump(): void {
    this.#dropStale();
    this.#refuseImpatient();
    if (this.#waiting.length === 0) this.#unblock();
    const going = Math.min(this.#waiting.length, this.#permits.count, this.maxConcurrent - this.#running);
    while (this.#turns < going) this.#queueTurn(this.#waiting[this.#turns]?.rank[0]);
    this.#refill();
  }

  #queueTurn(priority = LEAST_URGENT): void {
    this.#turns++;
    const turn = async (): Promise<void> => {
      this.#turns--;
      this.#dropStale();
      const isFree = this.#running < this.maxConcurrent && this.#permits.count > 0;
      const call = isFree ? this.#waiting.shift() : undefined;
      const permit = call && this.#permits.use();
      if (call && permit) await this.#start(call, permit);
      else this.#pump();
    };
    this.#bottleneck.schedule({ priority }, turn).catch((error: unknown) => this.#rejectAll(error));
  }

  async #start(call: WaitingCall, permit: HeldPermit): Promise<void> {
    const startedMs = this.#monotonicMs();
    this.#running++;
    if (call.wish.followedBy) this.#followed.set(call, startedMs);
    this.#refill();
    let hasArrived = false;
    const noteArrival = (): void => {
      if (!hasArrived) this.#permits.renewIfLate(permit);
      hasArrived = true;
    };
    try {
      await call.send({ ...permit, noteArrival, waitedMs: startedMs - call.queuedAtMs });
    } catch (error) {
      if (error instanceof ExpiredPermitError) this.#putBack(call, permit);
      else {
        noteArrival();
        call.reject(error);
      }
    } finally {
      this.#running--;
      if (this.#followed.delete(call)) this.#callMs += (this.#monotonicMs() - startedMs - this.#callMs) * NEWEST_SHARE;
      this.#pump();
    }
  }

  #putBack(call: WaitingCall, permit: HeldPermit): void {
    this.#permits.giveBack([permit]);
    if (call.wish.signal?.aborted) call.reject(new CancelledError());
    else if (!this.#isTooSlow(call)) this.#enqueue(call);
  }

  /** Permits needed soon: for calls that follow those in flight, and the first `starting` waiting ones. A hanging call is not counted. */
  #wantedAhead(starting: number): number {
    const each = Math.min(MAX_AHEAD, Math.floor(PERMIT_VALID_MS / 2 / Math.max(1, this.#callMs)));
    if (each === 0) return 0;
    const hangsIfBeforeMs = this.#monotonicMs() - PERMIT_VALID_MS / 2;
    let wanted = this.#waiting.slice(0, starting).filter(({ wish }) => (wish.followedBy ?? 0) > 0).length;
    for (const [{ wish }, startedMs] of this.#followed) {
      if (startedMs >= hangsIfBeforeMs) wanted += Math.min(wish.followedBy ?? 0, each);
    }
    return wanted;
  }

  #refill(): void {
    if (this.#ledger !== 'quiet') return;
    const going = Math.min(this.#waiting.length, this.maxConcurrent - this.#running);
    const missing = Math.max(0, going - this.#permits.count);
    const spare = Math.max(0, this.#permits.count - going);
    const wantedAhead = this.#wantedAhead(missing);
    const ahead = Math.max(0, wantedAhead - spare);
    // When no call waits, the request can wait until half of the permits are used: otherwise each call would cause one.
    if (missing === 0 && (this.#waiting.length > 0 || ahead === 0 || 2 * this.#permits.count > wantedAhead)) return;
    void this.#ask(missing, ahead);
  }

  async #ask(now: number, ahead: number): Promise<void> {
    this.#ledger = 'asking';
    try {
      const { taken, waitMs, pausedBecause } = await this.#permits.ask(now, ahead);
      this.#ledger = 'quiet';
      if (taken === 0 && this.#waiting.length > 0) {
        const timer = setTimeout(() => this.askAgain(), Math.min(Math.max(waitMs, MIN_SLEEP_MS), MAX_SLEEP_MS));
        this.#ledger = { untilMs: this.#monotonicMs() + waitMs, pausedBecause, timer };
      }
      // If the ledger has nothing for future calls, those calls will ask again themselves.
      if (taken > 0 || this.#waiting.length > 0) this.#pump();
    } catch (error) {
      this.#ledger = 'quiet';
      // Calls that arrived during a request ahead of time ask for themselves.
      if (now > 0) this.#rejectAll(error);
      else if (this.#waiting.length > 0) this.#pump();
    }
  }

  #unblock(): void {
    if (typeof this.#ledger === 'string') return;
    clearTimeout(this.#ledger.timer);
    this.#ledger = 'quiet';
  }

  /** Refuses calls that would wait too long, except the first ones, for which permits are there. */
  #refuseImpatient(): void {
    if (typeof this.#ledger === 'string') return;
    const { untilMs, pausedBecause } = this.#ledger;
    const nowMs = this.#monotonicMs();
    const waitMs = Math.ceil(untilMs - nowMs);
    if (waitMs <= 0) return;
    for (const call of this.#waiting.slice(this.#permits.count)) {
      const { maxWaitMs, context } = call.wish;
      if (maxWaitMs === undefined || nowMs - call.queuedAtMs + waitMs <= maxWaitMs) continue;
      this.#remove(call);
      call.reject(refuseWait(this.kind, pausedBecause, waitMs, context));
    }
  }

  /** Counts each stale permit against a call that waited for it; permits taken ahead were for other calls. */
  #dropStale(): void {
    const waiting = [...this.#waiting];
    for (const { askedAtMs } of this.#permits.dropStale().filter(({ isAhead }) => !isAhead)) {
      const at = waiting.findIndex(({ queuedAtMs }) => queuedAtMs <= askedAtMs);
      const [call] = at === -1 ? [] : waiting.splice(at, 1);
      if (call && this.#isTooSlow(call)) this.#remove(call);
    }
  }

  /** Counts a permit that went stale on a call, and rejects the call when there were too many. */
  #isTooSlow(call: WaitingCall): boolean {
    if (++call.stalePermits < MAX_STALE_PERMITS) return false;
    call.reject(giveUpStale(this.kind, call.stalePermits, call.wish.context));
    return true;
  }

  #rejectAll(error: unknown): void {
    for (const call of this.#waiting.splice(0)) call.reject(error);
    this.#unblock();
  }
}
