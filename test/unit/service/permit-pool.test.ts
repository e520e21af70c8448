import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MINUTE, SECOND } from '../../../src/core/clock.ts';
import { CancelledError, RateLimitedError, SearchmillError, StoreError } from '../../../src/core/errors.ts';
import { PERMIT_VALID_MS } from '../../../src/core/limits.ts';
import type { CallBudget } from '../../../src/service/budget.ts';
import { PauseWatch } from '../../../src/service/pause-watch.ts';
import { type CallWish, ExpiredPermitError } from '../../../src/service/permit.ts';
import { PermitPool } from '../../../src/service/permit-pool.ts';
import { InMemoryBudget } from '../../support/in-memory-budget.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { timerClock } from '../../support/timer-clock.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 5) });
});
afterEach(() => {
  vi.useRealTimers();
});

function limiterOn(budget: CallBudget, maxConcurrent = 100): PermitPool {
  return new PermitPool({
    kind: 'read',
    source: new PauseWatch(budget, () => {}),
    maxConcurrent,
    clock: timerClock,
    monotonicMs: () => performance.now(),
  });
}

function budgetOf(read: number, latencyMs = () => 1): InMemoryBudget {
  return new InMemoryBudget({ clock: timerClock, callsPerMinute: { submit: 1, read }, latencyMs });
}

/** A limiter whose calls are written down when they are sent, by name. */
function recordingOn(budget: CallBudget, options: { maxConcurrent?: number; durationMs?: number } = {}) {
  const limiter = limiterOn(budget, options.maxConcurrent);
  const sent: { name: string; atMs: number }[] = [];
  const call = (name: string, wish: Partial<CallWish> = {}): Promise<string> =>
    limiter.run({ priority: 5, context: {}, ...wish }, async (permit) => {
      if (!permit.isFresh()) throw new ExpiredPermitError();
      sent.push({ name, atMs: Date.now() });
      await timerClock.sleep(options.durationMs ?? 5);
      return name;
    });
  return { limiter, sent, names: () => sent.map(({ name }) => name), call };
}

/** What became of a promise once the timers have run: its error's class, or its value. */
const settle = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => value,
    (error: unknown) => error,
  );

it.each([-2, 2])('goes on at once when the wall clock is set by %d hours in the middle of a load', async (hours) => {
  const { call, names } = recordingOn(budgetOf(100), { maxConcurrent: 1 });
  const calls = ['a', 'b'].map((name) => call(name));
  await vi.advanceTimersByTimeAsync(SECOND);
  vi.setSystemTime(Date.now() + hours * 60 * MINUTE);
  const later = ['c', 'd'].map((name) => call(name));
  await vi.advanceTimersByTimeAsync(SECOND);
  expect(names()).toEqual(['a', 'b', 'c', 'd']);
  await Promise.all([...calls, ...later]);
});

describe('the order of calls', () => {
  it('sends calls of one priority in the order they came', async () => {
    const { call, names } = recordingOn(budgetOf(100), { maxConcurrent: 2 });
    const calls = ['a', 'b', 'c', 'd', 'e'].map((name) => call(name));
    await vi.advanceTimersByTimeAsync(SECOND);
    await Promise.all(calls);
    expect(names()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('sends an urgent call first when it arrives while others wait for the next permit', async () => {
    const { call, names } = recordingOn(budgetOf(1));
    const calls = ['first', 'backfill 1', 'backfill 2'].map((name) => call(name, { priority: 9 }));
    await vi.advanceTimersByTimeAsync(30 * SECOND);
    expect(names()).toEqual(['first']);
    calls.push(call('this week', { priority: 0 }));
    await vi.advanceTimersByTimeAsync(3 * (MINUTE + SECOND));
    await Promise.all(calls);
    expect(names()).toEqual(['first', 'this week', 'backfill 1', 'backfill 2']);
  });

  it('sends an urgent call first when it arrives while others wait for a free place', async () => {
    const { call, names } = recordingOn(budgetOf(100), { maxConcurrent: 1, durationMs: SECOND });
    const calls = ['running', 'next', 'last'].map((name) => call(name));
    await vi.advanceTimersByTimeAsync(500);
    calls.push(call('urgent', { priority: 0 }));
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    await Promise.all(calls);
    expect(names()).toEqual(['running', 'urgent', 'next', 'last']);
  });

  it('takes a priority outside 0 to 9 as the nearest within', async () => {
    const { call, names } = recordingOn(budgetOf(100), { maxConcurrent: 1, durationMs: SECOND });
    const calls = [call('running')];
    await vi.advanceTimersByTimeAsync(100);
    calls.push(call('late', { priority: 99 }), call('middle', { priority: 8.7 }), call('early', { priority: -3 }));
    await vi.advanceTimersByTimeAsync(6 * SECOND);
    await Promise.all(calls);
    expect(names()).toEqual(['running', 'early', 'middle', 'late']);
  });
});

describe('waiting', () => {
  it('refuses a call that may not wait when there is no permit now, and takes none', async () => {
    const budget = budgetOf(1);
    const { call } = recordingOn(budget);
    const first = call('first');
    await vi.advanceTimersByTimeAsync(50);
    await first;
    const refused = settle(call('impatient', { maxWaitMs: 0, context: { job: 'acme' } }));
    await vi.advanceTimersByTimeAsync(50);
    const error = await refused;
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({ context: { job: 'acme' } });
    expect((error as RateLimitedError).retryAfterMs).toBeGreaterThan(59 * SECOND);
    expect((error as RateLimitedError).retryAfterMs).toBeLessThanOrEqual(61 * SECOND);
    expect(budget.asked.filter(({ taken }) => taken > 0)).toHaveLength(1);
  });

  it('sends a call that may not wait when a permit is there now', async () => {
    const { call } = recordingOn(budgetOf(1));
    const first = call('first', { maxWaitMs: 0 });
    await vi.advanceTimersByTimeAsync(50);
    await expect(first).resolves.toBe('first');
  });

  it('refuses exactly those for whom there is no permit when only some can go', async () => {
    const { call, names } = recordingOn(budgetOf(3));
    const outcomes = Array.from({ length: 8 }, (_, at) => settle(call(`call ${at}`, { maxWaitMs: 0 })));
    await vi.advanceTimersByTimeAsync(SECOND);
    const refused = (await Promise.all(outcomes)).filter((outcome) => outcome instanceof RateLimitedError);
    expect(names()).toEqual(['call 0', 'call 1', 'call 2']);
    expect(refused).toHaveLength(5);
  });

  it('refuses an impatient call that arrives while patient ones wait, without asking the ledger again', async () => {
    const budget = budgetOf(1);
    const { call } = recordingOn(budget);
    const patient = [call('first'), call('patient')];
    await vi.advanceTimersByTimeAsync(SECOND);
    const questions = budget.asked.length;
    await expect(call('impatient', { priority: 0, maxWaitMs: 30 * SECOND })).rejects.toBeInstanceOf(RateLimitedError);
    expect(budget.asked).toHaveLength(questions);
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    await Promise.all(patient);
  });

  it('lets a call wait as long as it may and sends it', async () => {
    const { call } = recordingOn(budgetOf(1));
    const calls = [call('first'), call('patient', { maxWaitMs: 62 * SECOND })];
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    await expect(Promise.all(calls)).resolves.toEqual(['first', 'patient']);
  });

  it('says why nothing may be sent while the credential is refused', async () => {
    const budget = budgetOf(10);
    await Promise.all([budget.reportUnauthorized(), vi.advanceTimersByTimeAsync(5)]);
    const refused = settle(recordingOn(budget).call('a', { maxWaitMs: 0 }));
    await vi.advanceTimersByTimeAsync(50);
    expect(String(await refused)).toMatch(/refused the credential \(401\); correct it \(send SIGHUP to each process.*nothing was sent/);
  });

  it('rejects every waiting call with the ledger error when the ledger cannot be asked, and recovers afterwards', async () => {
    const budget = budgetOf(10);
    const { call, limiter } = recordingOn(budget);
    budget.failWith(new StoreError('the ledger cannot be reached', { retryable: true }));
    const outcomes = [settle(call('a')), settle(call('b'))];
    await vi.advanceTimersByTimeAsync(50);
    for (const outcome of await Promise.all(outcomes)) expect(outcome).toBeInstanceOf(StoreError);
    expect(limiter.queued).toBe(0);
    budget.failWith(undefined);
    const after = call('c');
    await vi.advanceTimersByTimeAsync(50);
    await expect(after).resolves.toBe('c');
  });

  it('asks again at the latest every five seconds, since another process may have ended a pause', async () => {
    const budget = budgetOf(10);
    await Promise.all([budget.reportRateLimited(10 * MINUTE), vi.advanceTimersByTimeAsync(5)]);
    const { call, names } = recordingOn(budget);
    const waiting = call('a');
    await vi.advanceTimersByTimeAsync(20 * SECOND);
    expect(names()).toEqual([]);
    await Promise.all([budget.reportAccepted(), vi.advanceTimersByTimeAsync(6 * SECOND)]);
    expect(names()).toEqual(['a']);
    await waiting;
  });
});

describe('cancelling', () => {
  it('takes a cancelled call out of the queue at once', async () => {
    const { call, limiter } = recordingOn(budgetOf(1));
    const first = call('first');
    await vi.advanceTimersByTimeAsync(50);
    const stop = new AbortController();
    const second = settle(call('second', { signal: stop.signal }));
    await vi.advanceTimersByTimeAsync(50);
    stop.abort();
    expect(await second).toBeInstanceOf(CancelledError);
    expect(limiter.queued).toBe(0);
    await first;
  });

  it('gives the permit of a cancelled call to the next one', async () => {
    const budget = budgetOf(1);
    const { call, names } = recordingOn(budget);
    const stop = new AbortController();
    const cancelled = settle(call('cancelled', { priority: 0, signal: stop.signal }));
    const other = call('other', { priority: 5 });
    // The permit was given and is on its way through Bottleneck when its call is cancelled.
    await vi.advanceTimersByTimeAsync(2);
    expect(budget.asked.filter(({ taken }) => taken > 0)).toHaveLength(1);
    expect(names()).toEqual([]);
    stop.abort();
    await vi.advanceTimersByTimeAsync(100);
    expect(await cancelled).toBeInstanceOf(CancelledError);
    expect(await other).toBe('other');
    expect(budget.asked.filter(({ taken }) => taken > 0)).toHaveLength(1);
  });

  it('never starts a call whose signal has aborted before', async () => {
    const { call, names } = recordingOn(budgetOf(1));
    await expect(call('a', { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(CancelledError);
    await vi.advanceTimersByTimeAsync(100);
    expect(names()).toEqual([]);
  });

  it('stays usable after thousands of calls were cancelled while they waited', async () => {
    const { call, names } = recordingOn(budgetOf(1));
    const first = call('first');
    await vi.advanceTimersByTimeAsync(50);
    for (let round = 0; round < 200; round++) {
      const stop = new AbortController();
      const cancelled = Array.from({ length: 10 }, () => settle(call('cancelled', { priority: 0, signal: stop.signal })));
      stop.abort();
      await Promise.all(cancelled);
    }
    const last = call('last', { priority: 9 });
    await vi.advanceTimersByTimeAsync(MINUTE + SECOND);
    expect(names()).toEqual(['first', 'last']);
    await Promise.all([first, last]);
  });
});

describe('stale permits', () => {
  it('throws away a permit whose answer took longer than it is valid, and sends nothing with it', async () => {
    const latencies = [0, PERMIT_VALID_MS + 1, 0, 0];
    const budget = budgetOf(10, () => latencies.shift() ?? 0);
    const { call, sent } = recordingOn(budget);
    const waiting = call('a');
    await vi.advanceTimersByTimeAsync(PERMIT_VALID_MS + 100);
    await waiting;
    expect(budget.asked.map(({ taken }) => taken)).toEqual([1, 1]);
    expect(sent).toHaveLength(1);
  });

  it.each([494, 495, 496, 497, 498, 499, 500])(
    'sends with a fresh one when a permit grows old between its answer and the start (%d ms)',
    async (latencyMs) => {
      const latencies = [0, latencyMs];
      const budget = budgetOf(10, () => latencies.shift() ?? 0);
      const { call, sent } = recordingOn(budget);
      const calls = [call('a')];
      await vi.advanceTimersByTimeAsync(SECOND);
      expect(sent).toHaveLength(1);
      calls.push(call('b'), call('c'));
      await vi.advanceTimersByTimeAsync(SECOND);
      await Promise.all(calls);
      expect(sent).toHaveLength(3);
    },
  );

  it('makes every waiting call give up on its own account when the ledger always answers too late', async () => {
    const budget = budgetOf(100, () => PERMIT_VALID_MS);
    const { call, names } = recordingOn(budget);
    const outcomes = ['a', 'b', 'c'].map((name) => settle(call(name)));
    await vi.advanceTimersByTimeAsync(MINUTE);
    for (const outcome of await Promise.all(outcomes))
      expect(outcome).toMatchObject({ code: 'service_unavailable', isOutcomeUnknown: false });
    expect(names()).toEqual([]);
    // The first question was for the first call only; each then had five permits.
    expect(budget.asked.map(({ taken }) => taken)).toEqual([1, 3, 3, 3, 3, 2]);
  });

  it('puts a call back to its old place when it could not be sent in time', async () => {
    const limiter = limiterOn(budgetOf(100), 1);
    const started: string[] = [];
    let isSlow = true;
    const call = (name: string): Promise<void> =>
      limiter.run({ priority: 5, context: {} }, async (permit) => {
        started.push(name);
        if (name === 'a' && isSlow) await timerClock.sleep(PERMIT_VALID_MS + 100);
        isSlow = false;
        if (!permit.isFresh()) throw new ExpiredPermitError();
      });
    const calls = ['a', 'b', 'c'].map(call);
    await vi.advanceTimersByTimeAsync(2 * SECOND);
    await Promise.all(calls);
    expect(started).toEqual(['a', 'a', 'b', 'c']);
  });

  it('throws away a permit that is old by the wall clock, as after the machine was suspended', async () => {
    let suspendedMs = 0;
    const clock = { now: () => new Date(Date.now() + suspendedMs), sleep: timerClock.sleep };
    const budget = budgetOf(100, () => 0);
    const limiter = new PermitPool({
      kind: 'read',
      source: new PauseWatch(budget, () => {}),
      maxConcurrent: 5,
      clock,
      monotonicMs: () => performance.now(),
    });
    const fresh: boolean[] = [];
    const call = limiter.run({ priority: 5, context: {} }, async (permit) => {
      if (fresh.length === 0) suspendedMs = MINUTE;
      fresh.push(permit.isFresh());
      if (!permit.isFresh()) throw new ExpiredPermitError();
    });
    await vi.advanceTimersByTimeAsync(SECOND);
    await call;
    expect(fresh).toEqual([false, true]);
    expect(budget.returned).toBe(1);
  });

  it('gives up a call whose permits go stale again and again, and says that nothing was sent', async () => {
    const budget = budgetOf(100);
    const limiter = limiterOn(budget);
    const outcome = settle(limiter.run({ priority: 5, context: {} }, () => Promise.reject(new ExpiredPermitError())));
    await vi.advanceTimersByTimeAsync(10 * SECOND);
    expect(await outcome).toMatchObject({ code: 'service_unavailable', isOutcomeUnknown: false });
    expect(String(await outcome)).toContain('nothing was sent');
    expect(budget.returned).toBe(5);
  });

  it('does not count permits left over from cancelled calls against a call', async () => {
    const { call, names } = recordingOn(budgetOf(100));
    const stop = new AbortController();
    const cancelled = Array.from({ length: 10 }, () => settle(call('cancelled', { signal: stop.signal })));
    await vi.advanceTimersByTimeAsync(2);
    stop.abort();
    await Promise.all(cancelled);
    await vi.advanceTimersByTimeAsync(PERMIT_VALID_MS + 100);
    const later = call('later');
    await vi.advanceTimersByTimeAsync(SECOND);
    await expect(later).resolves.toBe('later');
    expect(names()).toEqual(['later']);
  });
});

describe('calls that are followed', () => {
  it('ask for the permit of the next call with their own, so that the next call need not wait', async () => {
    const budget = budgetOf(100, () => 20);
    const { call, sent } = recordingOn(budget, { durationMs: 60 });
    const first = call('first', { followedBy: 1 });
    await vi.advanceTimersByTimeAsync(110);
    await first;
    expect(budget.asked).toHaveLength(1);
    const second = call('second');
    await vi.advanceTimersByTimeAsync(5);
    expect(sent.map(({ name }) => name)).toEqual(['first', 'second']);
    await vi.advanceTimersByTimeAsync(100);
    await second;
    expect(budget.asked).toHaveLength(1);
  });

  it('never have their next call sent with a permit that went stale meanwhile', async () => {
    const budget = budgetOf(100);
    const { call, sent } = recordingOn(budget, { durationMs: 10 });
    const first = call('first', { followedBy: 1 });
    await vi.advanceTimersByTimeAsync(2 * PERMIT_VALID_MS);
    await first;
    const second = call('second');
    await vi.advanceTimersByTimeAsync(SECOND);
    await second;
    expect(sent).toHaveLength(2);
    expect(budget.asked.map(({ taken }) => taken)).toEqual([2, 1]);
  });

  it('ask for no permit ahead when they take so long that it would be stale', async () => {
    const budget = budgetOf(100);
    const { call } = recordingOn(budget, { durationMs: 2 * PERMIT_VALID_MS });
    for (let round = 0; round < 6; round++) {
      const slow = call('slow', { followedBy: 1 });
      await vi.advanceTimersByTimeAsync(3 * PERMIT_VALID_MS);
      await slow;
    }
    const asked = budget.asked.length;
    const last = call('last', { followedBy: 1 });
    await vi.advanceTimersByTimeAsync(3 * PERMIT_VALID_MS);
    await last;
    expect(budget.asked.length - asked).toBe(1);
  });
});

describe('asking ahead', () => {
  it('costs little of the allowed rate where the next call always comes too late: a few slots are held, and go back', async () => {
    const budget = budgetOf(5_000);
    const { call, sent } = recordingOn(budget, { durationMs: 20 });
    const held: number[] = [];
    const countHeld = (): number => budget.asked.reduce((sum, { taken }) => sum + taken, 0) - sent.length - budget.returned;
    for (let page = 0; page < 300; page++) {
      const reading = call('page', { followedBy: 20 });
      for (let passed = 0; passed < 50 + PERMIT_VALID_MS; passed += 10) {
        await vi.advanceTimersByTimeAsync(10);
        held.push(countHeld());
      }
      await reading;
    }
    // No more than four permits are taken ahead of a call, at any moment.
    expect(Math.max(...held)).toBeLessThanOrEqual(4);
    await vi.advanceTimersByTimeAsync(2 * PERMIT_VALID_MS);
    expect(sent).toHaveLength(300);
    expect(countHeld()).toBe(0);
    // One question to the ledger per page, and one for the page that follows.
    expect(budget.asked.length).toBeLessThanOrEqual(2 * 300);
  });

  it('that fails does not fail the calls that come meanwhile: they ask for permits themselves', async () => {
    const budget = budgetOf(5_000, () => 20);
    const { call, names } = recordingOn(budget, { durationMs: 200 });
    const first = call('first', { followedBy: 5 });
    await vi.advanceTimersByTimeAsync(45);
    expect(names()).toEqual(['first']);
    budget.failWith(new StoreError('the database is away', { retryable: true }));
    // One permit was taken with that of the first call; for more the ledger is being asked.
    const others = [call('second'), call('third')];
    await vi.advanceTimersByTimeAsync(20);
    budget.failWith(undefined);
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(await Promise.all([first, ...others])).toEqual(['first', 'second', 'third']);
  });

  it('stops while a call hangs, so that it keeps no slot from other processes', async () => {
    const budget = budgetOf(5_000, () => 5);
    const { call } = recordingOn(budget, { durationMs: MINUTE });
    const hanging = call('page', { followedBy: 100 });
    await vi.advanceTimersByTimeAsync(MINUTE + SECOND);
    await hanging;
    // With the call, and once while it might still be answered soon.
    expect(budget.asked.length).toBeLessThanOrEqual(2);
    expect(budget.returned).toBe(budget.asked.reduce((sum, { taken }) => sum + taken, 0) - 1);
  });

  it('does not count permits that were taken ahead for other calls against a call that waits', async () => {
    const limiter = limiterOn(
      budgetOf(5_000, () => 0),
      2,
    );
    const call = (durationMs: number, wish: Partial<CallWish> = {}): Promise<void> =>
      limiter.run({ priority: 0, context: {}, ...wish }, () => timerClock.sleep(durationMs));
    const urgent: Promise<void>[] = [];
    let last: Promise<unknown> | undefined;
    for (let round = 0; round < 8; round++) {
      // Permits are taken ahead for the page, and two long calls keep the last one waiting until these are stale.
      urgent.push(call(60, { followedBy: 10 }), call(30), call(20), call(600), call(600));
      last ??= settle(call(1, { priority: 9 }));
      await vi.advanceTimersByTimeAsync(620);
    }
    await vi.advanceTimersByTimeAsync(2 * SECOND);
    await Promise.all(urgent);
    expect(await last).toBeUndefined();
  });

  it('gives every permit back that goes stale while the pool is looking at the clock', async () => {
    const budget = budgetOf(5_000);
    let looks = 0;
    const pool = new PermitPool({
      kind: 'read',
      source: new PauseWatch(budget, () => {}),
      maxConcurrent: 10,
      clock: timerClock,
      monotonicMs: () => performance.now() + 37 * looks++,
    });
    let sent = 0;
    for (let page = 0; page < 50; page++) {
      const reading = settle(pool.run({ priority: 5, context: {}, followedBy: 20 }, async () => sent++));
      await vi.advanceTimersByTimeAsync(20);
      await reading;
    }
    await vi.advanceTimersByTimeAsync(3 * PERMIT_VALID_MS);
    const taken = budget.asked.reduce((sum, asked) => sum + asked.taken, 0);
    expect(taken).toBeGreaterThan(sent);
    expect(budget.returned).toBe(taken - sent);
  });

  it('goes on for every call where the next one comes in time', async () => {
    const budget = budgetOf(5_000, () => 10);
    const { call, sent } = recordingOn(budget, { durationMs: 40 });
    const waits: number[] = [];
    for (let page = 0; page < 300; page++) {
      const startedMs = Date.now();
      const reading = call('page', { followedBy: 299 - page });
      await vi.advanceTimersByTimeAsync(90);
      await reading;
      waits.push((sent.at(-1)?.atMs ?? 0) - startedMs);
    }
    // A ledger that takes 20 ms to answer is waited for by the first page only.
    expect(waits.filter((waitMs) => waitMs >= 20)).toHaveLength(1);
    expect(budget.asked.reduce((sum, asked) => sum + asked.taken, 0)).toBeLessThanOrEqual(302);
  });

  it.each([
    { loads: 1, latencyMs: 1, durationMs: 20 },
    { loads: 4, latencyMs: 3, durationMs: 20 },
    { loads: 14, latencyMs: 5, durationMs: 30 },
    { loads: 2, latencyMs: 15, durationMs: 20 },
    { loads: 4, latencyMs: 10, durationMs: 8 },
  ])('lets $loads loads whose calls take $durationMs ms wait little for a ledger $latencyMs ms away', async ({ loads, ...times }) => {
    const budget = budgetOf(5_000, () => times.latencyMs);
    const limiter = limiterOn(budget);
    let waitedMs = 0;
    let calls = 0;
    const load = async (): Promise<void> => {
      for (let page = 0; page < 60; page++) {
        await limiter.run({ priority: 5, followedBy: 59 - page, context: {} }, async (permit) => {
          waitedMs += permit.waitedMs;
          calls += 1;
          await timerClock.sleep(times.durationMs);
        });
      }
    };
    const all = Promise.all(Array.from({ length: loads }, load));
    await vi.advanceTimersByTimeAsync(20 * SECOND);
    await all;
    expect(waitedMs / calls).toBeLessThan(times.latencyMs);
  });

  it('does not make a call wait for the old permits to be thrown away one by one', async () => {
    const budget = budgetOf(5_000, () => 0);
    const { call, sent } = recordingOn(budget, { durationMs: 1 });
    const many = Array.from({ length: 20 }, () => call('page', { followedBy: 20 }));
    await vi.advanceTimersByTimeAsync(PERMIT_VALID_MS * 3);
    await Promise.all(many);
    const startedMs = Date.now();
    const late = call('late');
    await vi.advanceTimersByTimeAsync(100);
    await late;
    expect((sent.at(-1)?.atMs ?? 0) - startedMs).toBeLessThan(15);
  });
});

describe('permits in hand', () => {
  it('are not taken for calls that have no free place, since they would go stale', async () => {
    const budget = budgetOf(100);
    const { call, sent } = recordingOn(budget, { maxConcurrent: 2, durationMs: 10 * SECOND });
    const calls = [call('first')];
    await vi.advanceTimersByTimeAsync(3 * SECOND);
    for (let at = 1; at < 9; at++) calls.push(call(`call ${at}`));
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    await Promise.all(calls);
    expect(sent).toHaveLength(9);
    expect(budget.asked.reduce((sum, { taken }) => sum + taken, 0)).toBe(9);
  });

  it('do not keep a call that arrives meanwhile from getting its own at once', async () => {
    const budget = budgetOf(100, () => 0);
    const { call, names } = recordingOn(budget, { durationMs: 10 * SECOND });
    const calls = [call('first')];
    await vi.advanceTimersByTimeAsync(1);
    expect(budget.asked).toHaveLength(1);
    expect(names()).toEqual([]);
    calls.push(call('second'));
    await vi.advanceTimersByTimeAsync(100);
    expect(names()).toEqual(['first', 'second']);
    await vi.advanceTimersByTimeAsync(MINUTE);
    await Promise.all(calls);
  });

  it('go back to the ledger when they are old, for others to have', async () => {
    const budget = budgetOf(2, () => 0);
    const { call, names } = recordingOn(budget);
    const stop = new AbortController();
    const cancelled = settle(call('cancelled', { signal: stop.signal }));
    await vi.advanceTimersByTimeAsync(1);
    stop.abort();
    await cancelled;
    await vi.advanceTimersByTimeAsync(PERMIT_VALID_MS + 100);
    expect(budget.returned).toBe(1);
    const calls = [call('urgent', { priority: 0 }), call('other', { priority: 9 }), call('third', { priority: 9 })];
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(names()).toEqual(['urgent', 'other']);
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    await Promise.all(calls);
  });
});

describe('promise P3: the limit', () => {
  type Step = Readonly<{
    afterMs: number;
    priority: number;
    maxWaitMs: number | undefined;
    cancelAfterMs: number | undefined;
    durationMs: number;
    /** Of the duration, until it has arrived. */
    carriedShare: number;
    followedBy: number;
  }>;

  const step: fc.Arbitrary<Step> = fc.record({
    afterMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 8_000 })),
    priority: fc.integer({ min: 0, max: 9 }),
    maxWaitMs: fc.option(fc.integer({ min: 0, max: 90_000 }), { nil: undefined }),
    cancelAfterMs: fc.option(fc.integer({ min: 0, max: 30_000 }), { nil: undefined, freq: 3 }),
    durationMs: fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 100 }), fc.integer({ min: 20_000, max: 50_000 })),
    carriedShare: fc.constantFrom(0, 0.5, 1),
    followedBy: fc.integer({ min: 0, max: 20 }),
  });

  it('is held in every sliding minute, as the service sees it, whatever calls come, wait, are cancelled, are slow or arrive late', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 40 }) }, fc.integer({ min: 0, max: 700 })), {
          minLength: 10,
          maxLength: 20,
        }),
        async (steps, callsPerMinute, maxConcurrent, latencies) => {
          let questions = 0;
          const budget = budgetOf(callsPerMinute, () => latencies[questions++ % latencies.length] ?? 0);
          const limiter = limiterOn(budget, maxConcurrent);
          const arrivedAtMs: number[] = [];
          const waiting = new Map<number, { priority: number; sinceMs: number }>();
          const overtaken: string[] = [];
          let inFlight = 0;
          let mostInFlight = 0;
          const outcomes: Promise<unknown>[] = [];
          for (const [name, { afterMs, priority, maxWaitMs, cancelAfterMs, durationMs, carriedShare, followedBy }] of steps.entries()) {
            await vi.advanceTimersByTimeAsync(afterMs);
            const stop = new AbortController();
            if (cancelAfterMs !== undefined) setTimeout(() => stop.abort(), cancelAfterMs);
            waiting.set(name, { priority, sinceMs: Date.now() });
            const call = limiter.run({ priority, maxWaitMs, signal: stop.signal, followedBy, context: {} }, async (permit) => {
              expect(stop.signal.aborted).toBe(false);
              expect(permit.isFresh()).toBe(true);
              waiting.delete(name);
              for (const [other, { priority: urgency, sinceMs }] of waiting) {
                if (urgency < priority && sinceMs < Date.now() - 50) overtaken.push(`${other} by ${name}`);
              }
              arrivedAtMs.push(Date.now() + durationMs * carriedShare);
              mostInFlight = Math.max(mostInFlight, ++inFlight);
              await timerClock.sleep(durationMs);
              permit.noteArrival();
              inFlight--;
              return 'sent';
            });
            outcomes.push(settle(call.finally(() => waiting.delete(name))));
          }
          for (let minute = 0; minute < 1_000 && limiter.queued + limiter.running > 0; minute++) await vi.advanceTimersByTimeAsync(MINUTE);
          expect(limiter.queued + limiter.running).toBe(0);
          const results = await Promise.all(outcomes);

          expect(results.filter((result) => result === 'sent')).toHaveLength(arrivedAtMs.length);
          for (const result of results) expect(result === 'sent' || result instanceof SearchmillError).toBe(true);
          arrivedAtMs.sort((a, b) => a - b);
          for (const [at, first] of arrivedAtMs.entries()) {
            const next = arrivedAtMs[at + callsPerMinute];
            if (next !== undefined) expect(next - first).toBeGreaterThanOrEqual(MINUTE);
          }
          expect(mostInFlight).toBeLessThanOrEqual(maxConcurrent);
          expect(overtaken).toEqual([]);
        },
      ),
      { numRuns: propertyRuns(60), seed: 42 },
    );
  });

  it('counts a late failed call from its failure on, and reports it again to a ledger that was out of reach', async () => {
    const budget = budgetOf(1);
    const limiter = limiterOn(budget);
    const failed = settle(
      limiter.run({ priority: 5, context: {} }, async () => {
        await timerClock.sleep(30 * SECOND);
        budget.failWith(new StoreError('the ledger is away', { retryable: true }));
        throw new Error('no answer');
      }),
    );
    await vi.advanceTimersByTimeAsync(30 * SECOND + 10);
    expect(await failed).toMatchObject({ message: 'no answer' });
    const failedAtMs = Date.now();
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    budget.failWith(undefined);
    const next = limiter.run({ priority: 5, context: {} }, async () => Date.now());
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    expect(budget.renewed).toBe(1);
    expect((await next) - failedAtMs).toBeGreaterThanOrEqual(MINUTE);
  });

  it('counts a call from its permit when the answer began in time, however long it takes', async () => {
    const budget = budgetOf(1);
    const limiter = limiterOn(budget);
    const call = limiter.run({ priority: 5, context: {} }, async ({ noteArrival }) => {
      noteArrival();
      await timerClock.sleep(10 * SECOND);
      noteArrival();
    });
    await vi.advanceTimersByTimeAsync(11 * SECOND);
    await call;
    expect(budget.renewed).toBe(0);
  });

  it('uses all of the limit while there is work', async () => {
    const budget = budgetOf(300);
    const { call, sent } = recordingOn(budget, { maxConcurrent: 32 });
    let left = 750;
    const worker = async (): Promise<void> => {
      while (left-- > 0) await call('read');
    };
    const workers = Array.from({ length: 32 }, worker);
    await vi.advanceTimersByTimeAsync(2 * (MINUTE + SECOND));
    expect(sent.length).toBeGreaterThanOrEqual(600);
    await vi.advanceTimersByTimeAsync(MINUTE);
    await Promise.all(workers);
    expect(sent).toHaveLength(750);
  });
});
