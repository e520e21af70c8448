import { describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../../src/core/clock.ts';
import { createCallLog, registerConnections } from '../../../src/ledger/call-log.ts';
import { useLedger } from '../../support/ledger.ts';
import { type CallLog, connectionOf, letPass, openBudget, takeAll } from './call-budget.ts';

const ledger = useLedger();

/** Expects that the budget is paused for that long by what is reported. */
async function expectPause(log: CallLog, ms: number, report: () => Promise<unknown>): Promise<void> {
  const sinceMs = performance.now();
  await report();
  const { taken, waitMs } = await log.takeSlots('read', 1);
  expect(taken).toBe(0);
  expect(waitMs).toBeLessThanOrEqual(ms);
  // Times of the database are rounded to a millisecond.
  expect(waitMs + performance.now() - sinceMs).toBeGreaterThan(ms - 1);
}

describe('after a 429', () => {
  it('no call of either kind is made for as long as the service asked', async () => {
    const { log, budget } = await openBudget(ledger.pool);
    const sinceMs = performance.now();
    await log.reportRateLimited(30 * SECOND);
    for (const kind of ['submit', 'read'] as const) {
      const { taken, waitMs, pausedBecause } = await log.takeSlots(kind, 1);
      expect({ taken, pausedBecause }).toEqual({ taken: 0, pausedBecause: 'rate_limited' });
      expect(waitMs).toBeLessThanOrEqual(30 * SECOND);
      expect(waitMs + performance.now() - sinceMs).toBeGreaterThan(30 * SECOND - 1);
    }
    await letPass(ledger.pool, budget, 30 * SECOND);
    // Asking meanwhile has used up no call.
    expect(await takeAll(log, 'read')).toBe(10);
  });

  it('when the service does not say how long, the pause doubles with each 429 that follows, up to five minutes', async () => {
    const { log, budget } = await openBudget(ledger.pool);
    for (const seconds of [5, 10, 20, 40, 80, 160, 300, 300, 300]) {
      await expectPause(log, seconds * SECOND, () => log.reportRateLimited(undefined));
      await letPass(ledger.pool, budget, seconds * SECOND);
    }
  });

  it.each([
    [0, 3.75],
    [0.999_999, 6.25],
  ])('the pause varies from three to five quarters of its length: chance %d', async (chance, seconds) => {
    const { budget } = await openBudget(ledger.pool);
    const log = createCallLog(ledger.pool, budget, () => chance);
    await expectPause(log, seconds * SECOND, () => log.reportRateLimited(undefined));
  });

  it('several 429s that come together, from calls that were under way, count as one', async () => {
    const { log, budget } = await openBudget(ledger.pool);
    const pools = Array.from({ length: 5 }, () => ledger.openPool(2));
    const logs = Array.from({ length: 30 }, (_, i) => createCallLog(pools[i % 5] ?? ledger.pool, budget, () => 0.5));
    await expectPause(log, 5 * SECOND, () => Promise.all(logs.map((each) => each.reportRateLimited(undefined))));
    await letPass(ledger.pool, budget, 5 * SECOND);
    await expectPause(log, 10 * SECOND, () => log.reportRateLimited(undefined));
  });

  it('a second 429 makes the pause longer when it asks for that, and never shorter', async () => {
    const { log } = await openBudget(ledger.pool);
    await expectPause(log, 20 * SECOND, async () => {
      await log.reportRateLimited(20 * SECOND);
      await log.reportRateLimited(5 * SECOND);
    });
    await expectPause(log, 60 * SECOND, async () => {
      await expectPause(log, 60 * SECOND, () => log.reportRateLimited(60 * SECOND));
      await log.reportRateLimited(undefined);
    });
  });

  it('an answer to an earlier call does not end the pause, and a later one ends its growth', async () => {
    const { log, budget } = await openBudget(ledger.pool);
    await expectPause(log, 5 * SECOND, async () => {
      await log.reportRateLimited(undefined);
      await log.reportAccepted();
    });
    await letPass(ledger.pool, budget, 5 * SECOND);
    await expectPause(log, 10 * SECOND, () => log.reportRateLimited(undefined));
    await letPass(ledger.pool, budget, 10 * SECOND);
    await log.reportAccepted();
    await expectPause(log, 5 * SECOND, () => log.reportRateLimited(undefined));
  });

  it('other credentials go on', async () => {
    const { log } = await openBudget(ledger.pool);
    const other = await openBudget(ledger.pool);
    await log.reportRateLimited(MINUTE);
    expect(await takeAll(other.log, 'read')).toBe(10);
  });
});

describe('after a 401', () => {
  it('one probe goes out after a minute, then after 1, 2, 4, 8, 16 and 16 minutes more, however many ask', async () => {
    const { log, budget } = await openBudget(ledger.pool);
    await log.reportUnauthorized();
    const waits: number[] = [];
    for (let probe = 0; probe < 7; probe += 1) {
      const { taken, waitMs, pausedBecause } = await log.takeSlots('read', 5);
      expect({ taken, pausedBecause }).toEqual({ taken: 0, pausedBecause: 'unauthorized' });
      waits.push(Math.ceil(waitMs / MINUTE));
      await letPass(ledger.pool, budget, waitMs);
      const asked = await Promise.all(Array.from({ length: 10 }, (_, i) => log.takeSlots(i % 2 ? 'read' : 'submit', 3)));
      expect(asked.reduce((sum, answer) => sum + answer.taken, 0)).toBe(1);
      await log.reportUnauthorized();
    }
    expect(waits).toEqual([1, 1, 2, 4, 8, 16, 16]);
  });

  it('an accepted call ends the refusal at once', async () => {
    const { log } = await openBudget(ledger.pool);
    await log.reportUnauthorized();
    await log.reportAccepted();
    expect(await takeAll(log, 'submit')).toBe(5);
    await expectPause(log, MINUTE, () => log.reportUnauthorized());
  });

  it('the probe is kept for a call that can go out: asking for a kind whose calls are used up does not spend it', async () => {
    const { log, budget } = await openBudget(ledger.pool);
    await takeAll(log, 'submit');
    await log.reportUnauthorized();
    // A minute later the probe is due, but the submits, which were made half a minute after the 401, need half a minute more.
    await letPass(ledger.pool, budget, MINUTE);
    await ledger.pool.query(
      `UPDATE searchmill.call_slots SET granted_at = granted_at + interval '30 seconds' WHERE budget_id = $1 AND kind = 'submit'`,
      [budget],
    );
    expect(await log.takeSlots('submit', 1)).toMatchObject({ taken: 0, pausedBecause: 'unauthorized' });
    expect(await log.takeSlots('read', 1)).toMatchObject({ taken: 1 });
  });

  it('no probe goes out while the service has asked for a pause', async () => {
    const { log, budget } = await openBudget(ledger.pool);
    await log.reportUnauthorized();
    await log.reportRateLimited(10 * MINUTE);
    await letPass(ledger.pool, budget, 2 * MINUTE);
    expect(await log.takeSlots('read', 1)).toMatchObject({ taken: 0 });
    await letPass(ledger.pool, budget, 9 * MINUTE);
    expect(await log.takeSlots('read', 1)).toMatchObject({ taken: 1 });
  });

  it('a changed credential is another budget, which is asked at once', async () => {
    const connection = await openBudget(ledger.pool);
    await connection.log.reportUnauthorized();
    const renewed = connectionOf();
    const nameBudget = await registerConnections(ledger.pool, [{ ...renewed, name: connection.name }]);
    expect(await takeAll(createCallLog(ledger.pool, nameBudget(renewed)), 'read')).toBe(10);
  });
});
