// Queues the calls of one budget and kind inside this process, and lets each go only with a fresh grant of the ledger
// (promise P3). Who goes next is decided by Bottleneck when a grant is there, not when a call arrives, so an urgent
// call overtakes all that wait.
//
// What Bottleneck queues are tickets, not calls: a ticket of a priority serves the oldest call of that priority that
// still waits. Bottleneck can neither remove a job nor put one back; with tickets, a cancelled call just leaves its line
// (its ticket serves the next call of that priority, so none pile up, and its grant goes to another), and a call whose
// grant went stale returns to its old place. A call that finds a free place and a grant in hand, after one of each for
// all that wait, goes at once: it takes nobody's turn, and Bottleneck takes several turns of the event loop, which a load
// would wait for before each of its pages.
import { type Clock, SECOND } from '../core/clock.ts';
import { CancelledError, type ErrorContext } from '../core/errors.ts';
import { type CallKind, GRANT_VALID_MS } from '../core/limits.ts';
import { watchAbort } from './abort-watch.ts';
import { Bell } from './bell.ts';
import { CallLines, PRIORITIES, type WaitingCall } from './call-lines.ts';
import { FollowUp } from './follow-up.ts';
import { type GrantInHand, GrantsInHand } from './grants-in-hand.ts';
import type { NumberedGrant, PermissionSource } from './pause-watch.ts';
import { TicketQueue } from './ticket-queue.ts';
import { giveUpStale, refuseWait } from './unsent.ts';

/** Most grants taken at once: more would go stale before they are used. */
const MAX_BATCH = 10;
/** Longest sleep before the ledger is asked again while calls wait: another process may have ended a pause. */
const MAX_SLEEP_MS = 5 * SECOND;
/** Shortest such sleep, so that a ledger that says "in 0 ms" is not asked in a tight loop. */
const MIN_SLEEP_MS = 10;
/** Grants that may go stale on one call before it is given up: this process is then too slow to call safely. */
const MAX_STALE_GRANTS = 5;

/** How a call wants to be queued. */
export type CallWish = Readonly<{
  /** 0, the most urgent, to 9. */
  priority: number;
  /** Longest wait for a grant, in milliseconds; 0: only if one is there now. Without it the call waits as long as it takes. */
  maxWaitMs?: number | undefined;
  /** Takes the call out of the queue. */
  signal?: AbortSignal | undefined;
  /** How many calls follow, each as soon as the one before is answered, as pages do: their grants are asked for ahead. */
  followedBy?: number | undefined;
  context: ErrorContext;
}>;

/** The permission to make one call, now. */
export type Permit = Readonly<{
  /** False once the grant is too old: then throw StaleGrantError instead of sending. */
  isFresh: () => boolean;
  /** The latest pause of the budget that was known when this was granted; see PauseWatch. */
  pauseNumber: number;
  /** Time from queueing to the start of the call, in milliseconds. */
  waitedMs: number;
}>;

/** Thrown by a call that could not be sent while its grant was fresh; it is queued again. */
export class StaleGrantError extends Error {}

export type CallLimiterOptions = Readonly<{
  kind: CallKind;
  source: PermissionSource;
  /** Most calls in flight at once. */
  maxConcurrent: number;
  clock: Clock;
  /** Milliseconds that never jump: the wall clock may be set back while a grant ages. */
  monotonicMs: () => number;
}>;

/** A time in which the ledger grants nothing. */
type Drought = Readonly<{ untilMs: number; pausedBecause: NumberedGrant['pausedBecause'] }>;

export class CallLimiter {
  readonly kind: CallKind;
  readonly maxConcurrent: number;
  readonly #source: PermissionSource;
  readonly #monotonicMs: () => number;
  readonly #clock: Clock;
  readonly #tickets: TicketQueue;
  readonly #lines = new CallLines();
  readonly #bell: Bell;
  /** For each there is a unit in the ticket queue's reservoir, or a ticket that is on its way to #serve. */
  readonly #grants: GrantsInHand;
  readonly #followUp = new FollowUp();
  #running = 0;
  /** Tickets whose turn has come while all places are taken. */
  readonly #waitingForPlace: (() => void)[] = [];
  #arrivals = 0;
  #isAsking: boolean = false;
  #drought: Drought | undefined;
  #staleTimer: NodeJS.Timeout | undefined;

  constructor({ kind, source, maxConcurrent, clock, monotonicMs }: CallLimiterOptions) {
    this.kind = kind;
    this.maxConcurrent = maxConcurrent;
    this.#source = source;
    this.#monotonicMs = monotonicMs;
    this.#clock = clock;
    this.#bell = new Bell(clock);
    this.#grants = new GrantsInHand(monotonicMs, clock);
    this.#tickets = new TicketQueue(
      maxConcurrent,
      (priority) => this.#serve(priority),
      (error) => this.#rejectAll(error),
    );
  }

  /** Calls that wait, for a grant or for a free place. */
  get queued(): number {
    return this.#lines.size;
  }

  /** Calls in flight. */
  get running(): number {
    return this.#running;
  }

  /**
   * Queues a call and runs `send` once it has a place and a grant; again after it threw StaleGrantError.
   * @throws CancelledError when the signal aborts first; RateLimitedError with `retryAfterMs` when no grant can be had
   * within `maxWaitMs`; what asking the ledger throws; ServiceUnavailableError when grants went stale time and again:
   * nothing was sent in all of these. Else what `send` throws.
   */
  run<T>(wish: CallWish, send: (permit: Permit) => Promise<T>): Promise<T> {
    if (wish.signal?.aborted) return Promise.reject(new CancelledError());
    let stopWatching = (): void => {};
    const result = new Promise<T>((resolve, reject) => {
      const call: WaitingCall = {
        wish,
        priority: Math.min(Math.max(Math.trunc(wish.priority), 0), PRIORITIES - 1),
        number: this.#arrivals++,
        queuedAtMs: this.#monotonicMs(),
        staleGrants: 0,
        start: async (permit) => resolve(await send(permit)),
        reject,
      };
      stopWatching = watchAbort(wish.signal, () => this.#cancel(call));
      if (!this.#startAtOnce(call)) this.#queue(call);
    });
    return result.finally(stopWatching);
  }

  /** Has the ledger asked again at once, since a pause has ended. */
  askAgain(): void {
    this.#drought = undefined;
    this.#bell.ring();
  }

  /** Starts a call that has nothing to wait for, since there are a place and a grant for it and all that wait; false when it has. */
  #startAtOnce(call: WaitingCall): boolean {
    if (this.#running + this.#lines.size >= this.maxConcurrent) return false;
    this.#dropStale();
    const grant = this.#grants.size > this.#lines.size ? this.#grants.take() : undefined;
    if (!grant) return false;
    this.#tickets.admit(-1);
    void this.#start(call, grant);
    return true;
  }

  #queue(call: WaitingCall): void {
    this.#lines.add(call);
    this.#refuseImpatient();
    this.#tickets.keepStanding(call.priority, this.#lines.sizeOf(call.priority));
    if (this.#isAsking) this.#bell.ring();
    else void this.#askWhileCallsWait();
  }

  #cancel(call: WaitingCall): void {
    if (!this.#lines.remove(call)) return;
    call.reject(new CancelledError());
    this.#bell.ring();
  }

  async #askWhileCallsWait(): Promise<void> {
    this.#isAsking = true;
    try {
      while (this.#lines.size > 0) {
        this.#dropStale();
        const free = Math.min(this.#lines.size, this.maxConcurrent - this.#running) - this.#grants.size;
        if (free > 0) await this.#ask(Math.min(free, MAX_BATCH));
        else await this.#bell.wait();
      }
    } catch (error) {
      this.#rejectAll(error);
    } finally {
      this.#isAsking = false;
      void this.#askAhead();
    }
  }

  /**
   * Asks for the grants of the calls that follow those in flight, when nobody waits and they will be used while fresh. A
   * ledger that has none now is asked again by the calls themselves.
   */
  async #askAhead(): Promise<void> {
    this.#dropStale();
    if (this.#isAsking || this.#lines.size > 0) return;
    const ahead = Math.min(this.#missingAhead(0), MAX_BATCH);
    // With more than half of them in hand asking can wait: it would be a question a call.
    if (ahead <= 0 || 2 * this.#grants.size > this.#followUp.wanted()) return;
    this.#isAsking = true;
    try {
      await this.#take(0, ahead);
    } catch {
      // The next call meets the same problem and tells of it.
    } finally {
      this.#isAsking = false;
      if (this.#lines.size > 0) void this.#askWhileCallsWait();
    }
  }

  /** How many grants are missing for the calls that follow others, of those that may be asked for ahead; see FollowUp. */
  #missingAhead(starting: number): number {
    const inHand = Math.max(0, this.#grants.size - this.#lines.size);
    return Math.min(this.#followUp.wanted(starting) - inHand, this.#grants.advanceAllowed);
  }

  /** Asks the ledger once, for `now` calls that wait and `ahead` that will come while their grants are fresh. */
  async #take(now: number, ahead: number): Promise<NumberedGrant> {
    const asked = { askedAtMs: this.#monotonicMs(), askedAtWallMs: this.#clock.now().getTime() };
    const answer = await this.#source.takeGrants(this.kind, now + ahead);
    this.#followUp.noteAsked(this.#monotonicMs() - asked.askedAtMs);
    if (answer.granted > 0) {
      const { granted, pauseNumber, receipts } = answer;
      this.#grants.add(
        Array.from({ length: granted }, (_, at) => ({ ...asked, pauseNumber, isAhead: at >= now, receipt: receipts?.[at] })),
      );
      this.#tickets.admit(granted);
      this.#dropWhenStale();
    }
    return answer;
  }

  /**
   * Asks for grants once, and for those of the calls that follow; when there are none, stays until it is time to ask again or
   * nobody waits any more.
   */
  async #ask(count: number): Promise<void> {
    const starting = this.#lines
      .inOrder()
      .slice(0, count)
      .filter(({ wish }) => (wish.followedBy ?? 0) > 0).length;
    const ahead = Math.max(0, Math.min(this.#missingAhead(starting), MAX_BATCH - count));
    const { granted, waitMs, pausedBecause } = await this.#take(count, ahead);
    if (granted > 0) return;
    const nowMs = this.#monotonicMs();
    const askAgainAtMs = nowMs + Math.min(Math.max(waitMs, MIN_SLEEP_MS), MAX_SLEEP_MS);
    this.#drought = { untilMs: nowMs + waitMs, pausedBecause };
    this.#refuseImpatient();
    while (this.#drought && this.#lines.size > 0 && this.#monotonicMs() < askAgainAtMs) {
      await this.#bell.wait(askAgainAtMs - this.#monotonicMs());
      this.#refuseImpatient();
    }
    this.#drought = undefined;
  }

  /** Refuses those who would wait too long, except the first ones, for whom grants are in hand. */
  #refuseImpatient(): void {
    if (!this.#drought) return;
    const nowMs = this.#monotonicMs();
    const waitMs = Math.max(0, Math.ceil(this.#drought.untilMs - nowMs));
    if (waitMs === 0) return;
    this.#dropStale();
    for (const call of this.#lines.inOrder().slice(this.#grants.size)) {
      const { maxWaitMs, context } = call.wish;
      if (maxWaitMs === undefined || nowMs - call.queuedAtMs + waitMs <= maxWaitMs) continue;
      this.#lines.remove(call);
      call.reject(refuseWait(this.kind, this.#drought.pausedBecause, waitMs, context));
    }
  }

  /** A ticket's turn has come: it brings one unit, hence one grant. */
  async #serve(priority: number): Promise<void> {
    // Bottleneck does not know of the calls that were started at once.
    while (this.#running >= this.maxConcurrent) await new Promise<void>((resolve) => this.#waitingForPlace.push(resolve));
    this.#dropStale();
    const grant = this.#grants.take();
    const call = grant && this.#lines.takeFirst(priority);
    if (!grant) {
      // Its unit stood for a grant that was dropped or taken at once; the unit that was withdrawn for it comes back.
      this.#tickets.admit(1);
      this.#tickets.keepStanding(priority, this.#lines.sizeOf(priority));
    } else if (!call) {
      this.#grants.putBack(grant);
      this.#tickets.admit(1);
    } else {
      await this.#start(call, grant);
    }
    this.#bell.ring();
  }

  /** Gives grants back that are too old, with their units. */
  #dropStale(): void {
    const stale = this.#grants.dropStale();
    if (stale.length === 0) return;
    this.#tickets.admit(-stale.length);
    this.#giveBack(stale);
    const waiting = this.#lines.inOrder();
    for (const { isAhead, askedAtMs } of stale) {
      // Those of calls that were cancelled say nothing about how fast later calls are.
      const call = isAhead ? undefined : waiting.find(({ queuedAtMs }) => queuedAtMs <= askedAtMs);
      if (!call) continue;
      waiting.splice(waiting.indexOf(call), 1);
      if (this.#isTooSlow(call)) this.#lines.remove(call);
    }
  }

  /** Counts a grant that went stale on a call, and rejects the call when there were too many. */
  #isTooSlow(call: WaitingCall): boolean {
    if (++call.staleGrants < MAX_STALE_GRANTS) return false;
    call.reject(giveUpStale(this.kind, call.staleGrants, call.wish.context));
    return true;
  }

  async #start(call: WaitingCall, grant: GrantInHand): Promise<void> {
    const startedMs = this.#monotonicMs();
    this.#running++;
    this.#grants.noteUsed(grant);
    this.#followUp.noteStart(call, call.wish.followedBy ?? 0);
    if (this.#isAsking) this.#bell.ring();
    else void this.#askAhead();
    try {
      await call.start({
        isFresh: () => this.#grants.isFresh(grant),
        pauseNumber: grant.pauseNumber,
        waitedMs: this.#monotonicMs() - call.queuedAtMs,
      });
    } catch (error) {
      if (error instanceof StaleGrantError) this.#putBack(call, grant);
      else call.reject(error);
    } finally {
      this.#running--;
      this.#waitingForPlace.shift()?.();
      this.#followUp.noteEnd(call, this.#monotonicMs() - startedMs);
    }
  }

  /** The ledger takes back what nobody called with. When it cannot be reached now, those calls are not made for a minute. */
  #giveBack(grants: readonly GrantInHand[]): void {
    const receipts = grants.flatMap(({ receipt }) => receipt ?? []);
    if (receipts.length > 0) this.#source.returnGrants(this.kind, receipts).catch(() => undefined);
  }

  /** Sees to it that no grant lies here for long when nobody calls any more. */
  #dropWhenStale(): void {
    this.#staleTimer ??= setTimeout(() => {
      this.#staleTimer = undefined;
      this.#dropStale();
      if (this.#grants.size > 0) this.#dropWhenStale();
    }, GRANT_VALID_MS + 1).unref();
  }

  #putBack(call: WaitingCall, grant: GrantInHand): void {
    this.#giveBack([grant]);
    if (call.wish.signal?.aborted) call.reject(new CancelledError());
    else if (!this.#isTooSlow(call)) this.#queue(call);
  }

  #rejectAll(error: unknown): void {
    for (const call of this.#lines.inOrder()) {
      this.#lines.remove(call);
      call.reject(error);
    }
  }
}
