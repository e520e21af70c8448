import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../../src/core/clock.ts';
import { createCallLog, registerConnections, SLOT_GAP_MS } from '../../../src/ledger/call-log.ts';
import type { Pool } from '../../../src/postgres/pool.ts';
import { useLedger } from '../../support/ledger.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { waitForLock } from '../../support/session.ts';
import { type CallLog, connectionOf, letPass, openBudget, takeAll } from './call-budget.ts';

const ledger = useLedger();

/** The most of `times` that lie in any span of `spanMs`, the span's end excluded. */
function mostWithin(times: readonly number[], spanMs: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.max(0, ...sorted.map((start, i) => sorted.slice(i).filter((time) => time < start + spanMs).length));
}

describe('the call log', () => {
  it('permits a new budget its whole limit at once and not one call more within the minute', async () => {
    const { log, budget } = await openBudget(ledger.pool, { submit: 5, read: 10 });
    expect(await takeAll(log, 'submit')).toBe(5);
    expect(await takeAll(log, 'read')).toBe(10);
    await letPass(ledger.pool, budget, MINUTE);
    expect(await log.takeSlots('submit', 1)).toMatchObject({ taken: 0 });
    await letPass(ledger.pool, budget, 2000);
    expect(await takeAll(log, 'submit')).toBe(5);
  });

  it('says correctly how long it takes until the next call is free', async () => {
    const { log, budget } = await openBudget(ledger.pool, { read: 2 });
    await log.takeSlots('read', 1);
    await letPass(ledger.pool, budget, 20_000);
    await log.takeSlots('read', 1);
    const { taken, waitMs, pausedBecause } = await log.takeSlots('read', 1);
    expect({ taken, pausedBecause }).toEqual({ taken: 0, pausedBecause: undefined });
    expect(waitMs).toBeGreaterThan(30_000);
    expect(waitMs).toBeLessThanOrEqual(41_000);
    await letPass(ledger.pool, budget, waitMs);
    expect(await takeAll(log, 'read')).toBe(1);
  });

  it('takes back calls that were never made, as if they had not been taken', async () => {
    const { log, budget } = await openBudget(ledger.pool, { read: 3 });
    const readSlots = async (): Promise<unknown[]> =>
      (
        await ledger.pool.query(
          `SELECT slot, granted_at::text FROM searchmill.call_slots WHERE budget_id = $1 AND kind = 'read' ORDER BY 1`,
          [budget],
        )
      ).rows;
    await log.takeSlots('read', 2);
    await letPass(ledger.pool, budget, 2 * MINUTE);
    const before = await readSlots();
    const { slots } = await log.takeSlots('read', 3);
    expect(await takeAll(log, 'read')).toBe(0);
    await log.returnSlots('read', slots);
    expect(await readSlots()).toEqual(before);
    expect(await takeAll(log, 'read')).toBe(3);
  });

  it('takes a call back only once, and not if its slot was taken again or replaced', async () => {
    const connection = await openBudget(ledger.pool, { read: 2 });
    const { log, budget } = connection;
    const first = await log.takeSlots('read', 2);
    await log.returnSlots('read', first.slots.slice(0, 1));
    expect(await takeAll(log, 'read')).toBe(1);
    await log.returnSlots('read', first.slots.slice(0, 1));
    expect(await takeAll(log, 'read')).toBe(0);
    await registerConnections(ledger.pool, [{ ...connection, callsPerMinute: { submit: 5, read: 1 } }]);
    await registerConnections(ledger.pool, [connection]);
    await log.returnSlots('submit', first.slots);
    expect(await takeAll(log, 'read')).toBe(0);
    await letPass(ledger.pool, budget, 2 * MINUTE);
    await log.returnSlots('read', first.slots);
    expect(await takeAll(log, 'read')).toBe(2);
  });

  it('counts a late call from its answer on, less the time for which a slot stays taken beyond a minute', async () => {
    const { log, budget } = await openBudget(ledger.pool, { read: 2 });
    const { slots } = await log.takeSlots('read', 1);
    expect(await takeAll(log, 'read')).toBe(1);
    await letPass(ledger.pool, budget, 30 * SECOND);
    // Slots are identified by the time they were taken, which has moved back, too.
    const { rows } = await ledger.pool.query<{ takenAt: string }>(
      `SELECT granted_at::text AS "takenAt" FROM searchmill.call_slots WHERE budget_id = $1 AND kind = 'read' AND slot = $2`,
      [budget, slots[0]?.slot],
    );
    const late = slots.map((slot) => ({ ...slot, takenAt: rows[0]?.takenAt ?? '' }));
    await log.renewSlots('read', late);
    await log.renewSlots('read', late);
    await letPass(ledger.pool, budget, SLOT_GAP_MS - 30 * SECOND);
    expect(await takeAll(log, 'read')).toBe(1);
    await letPass(ledger.pool, budget, MINUTE - (SLOT_GAP_MS - 30 * SECOND) - SECOND);
    expect(await takeAll(log, 'read')).toBe(0);
    await letPass(ledger.pool, budget, SECOND);
    expect(await takeAll(log, 'read')).toBe(1);
    await log.renewSlots('read', slots);
    await letPass(ledger.pool, budget, SLOT_GAP_MS);
    expect(await takeAll(log, 'read')).toBe(2);
  });

  it('gives each call to one of many who ask at once from many sessions', async () => {
    const pools = [ledger.pool, ...Array.from({ length: 4 }, () => ledger.openPool())];
    const { budget } = await openBudget(ledger.pool, { read: 40 });
    for (let round = 0; round < 5; round += 1) {
      const asked = Array.from({ length: 60 }, (_, i) => createCallLog(pools[i % 5] as Pool, budget).takeSlots('read', 1 + (i % 3)));
      const taken = (await Promise.all(asked)).reduce((sum, answer) => sum + answer.taken, 0);
      expect(taken).toBeLessThanOrEqual(40);
      expect(taken + (await takeAll(createCallLog(ledger.pool, budget), 'read'))).toBe(40);
      await letPass(ledger.pool, budget, 2 * MINUTE);
    }
  });

  it('holds the limit in any sliding span while many sessions take all they can get', async () => {
    const { pool } = ledger;
    const limit = 12;
    const gapMs = 250;
    const { budget } = await openBudget(pool, { read: limit });
    await pool.query(`CREATE TABLE public.taken_slots (budget_id text, granted_at timestamptz);
      CREATE FUNCTION public.note_taken() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO public.taken_slots VALUES (NEW.budget_id, NEW.granted_at); RETURN NULL; END $$;
      CREATE TRIGGER note_taken AFTER UPDATE ON searchmill.call_slots FOR EACH ROW EXECUTE FUNCTION public.note_taken()`);
    let taken = 0;
    const takeOn = async (own: Pool): Promise<void> => {
      const log = createCallLog(own, budget, Math.random, gapMs);
      while (taken < 8 * limit) {
        const answer = await log.takeSlots('read', 2);
        taken += answer.taken;
      }
    };
    await Promise.all(Array.from({ length: 6 }, () => takeOn(ledger.openPool(1))));
    const { rows } = await pool.query<{ at: number }>(
      'SELECT extract(epoch FROM granted_at)::float8 * 1000 AS at FROM public.taken_slots WHERE budget_id = $1',
      [budget],
    );
    await pool.query('DROP TRIGGER note_taken ON searchmill.call_slots; DROP FUNCTION public.note_taken; DROP TABLE public.taken_slots');
    expect(rows).toHaveLength(taken);
    expect(
      mostWithin(
        rows.map(({ at }) => at),
        gapMs,
      ),
    ).toBeLessThanOrEqual(limit);
  });
});

describe('a budget', () => {
  it('is one for two connections with the same credential', async () => {
    const { pool } = ledger;
    const one = connectionOf({ read: 6 });
    const other = connectionOf({ read: 6 }, one.budgetId);
    const nameBudget = await registerConnections(pool, [one, other]);
    const [first, second] = await Promise.all([one, other].map((each) => takeAll(createCallLog(pool, nameBudget(each)), 'read')));
    expect((first ?? 0) + (second ?? 0)).toBe(6);
  });

  it('has its limit once when twenty processes start at once, whatever order they name their connections in', async () => {
    const connections = [connectionOf(), connectionOf(), connectionOf({ read: 7 }, 'shared'), connectionOf({ read: 7 }, 'shared')];
    const pools = Array.from({ length: 20 }, () => ledger.openPool(1));
    const [nameBudget] = await Promise.all(
      pools.map((pool, i) => registerConnections(pool, i % 2 ? connections : connections.toReversed())),
    );
    const taken = await Promise.all(connections.map((each) => takeAll(createCallLog(ledger.pool, nameBudget?.(each) ?? ''), 'read')));
    expect(taken.slice(0, 2)).toEqual([10, 10]);
    expect((taken[2] ?? 0) + (taken[3] ?? 0)).toBe(7);
  });

  it('keeps the calls of the last minute when a process starts again', async () => {
    const { pool } = ledger;
    const connection = await openBudget(pool);
    await takeAll(connection.log, 'submit');
    await registerConnections(pool, [connection]);
    expect(await takeAll(connection.log, 'submit')).toBe(0);
  });

  it('keeps its limits when a file with others is only checked', async () => {
    const { pool } = ledger;
    const connection = await openBudget(pool, { read: 2 });
    await registerConnections(pool, [{ ...connection, callsPerMinute: { submit: 40, read: 9 } }], { isTrial: true });
    expect(await takeAll(connection.log, 'read')).toBe(2);
    const { rows } = await pool.query('SELECT reads_per_minute FROM searchmill.connections WHERE name = $1', [connection.name]);
    expect(rows).toEqual([{ reads_per_minute: 2 }]);
  });

  it('whose limit is lowered keeps a slot that is being taken at that moment', async () => {
    const { pool } = ledger;
    const connection = await openBudget(pool, { read: 2 });
    await connection.log.takeSlots('read', 1);
    await letPass(pool, connection.budget, 30_000);
    const taker = await pool.connect();
    try {
      await taker.query('BEGIN');
      await taker.query(
        "UPDATE searchmill.call_slots SET granted_at = clock_timestamp() WHERE budget_id = $1 AND kind = 'read' AND granted_at = '-infinity'",
        [connection.budget],
      );
      const lowering = registerConnections(pool, [{ ...connection, callsPerMinute: { submit: 5, read: 1 } }]);
      await waitForLock(pool, '');
      await taker.query('COMMIT');
      await lowering;
    } finally {
      taker.release();
    }
    await letPass(pool, connection.budget, 32_000);
    expect(await connection.log.takeSlots('read', 1)).toMatchObject({ taken: 0 });
    await letPass(pool, connection.budget, 30_000);
    expect(await takeAll(connection.log, 'read')).toBe(1);
  });

  type Slot = Awaited<ReturnType<CallLog['takeSlots']>>['slots'][number];
  type Step = Readonly<
    { kind: 'limit'; limit: number } | { kind: 'take'; count: number } | { kind: 'return'; at: number } | { kind: 'pass'; ms: number }
  >;
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.integer({ min: 1, max: 8 }).map((limit): Step => ({ kind: 'limit', limit })),
    fc.integer({ min: 1, max: 9 }).map((count): Step => ({ kind: 'take', count })),
    fc.integer({ min: 0, max: 5 }).map((at): Step => ({ kind: 'return', at })),
    fc.constantFrom(1_000, 20_000, 45_000, 62_000, 90_000).map((ms): Step => ({ kind: 'pass', ms })),
  );

  it('never permits more calls in the last minute than the current limit, however limits are raised and lowered and slots are given back', async () => {
    const { pool } = ledger;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
        const connection = await openBudget(pool, { read: 4 });
        const { log } = connection;
        let nowMs = 0;
        let limit = 4;
        let calls: { at: number; slot: Slot }[] = [];
        for (const each of steps) {
          if (each.kind === 'limit') {
            limit = each.limit;
            await registerConnections(pool, [{ ...connection, callsPerMinute: { submit: 5, read: limit } }]);
          } else if (each.kind === 'take') {
            const { taken, slots } = await log.takeSlots('read', each.count);
            expect(slots).toHaveLength(taken);
            calls.push(...slots.map((slot) => ({ at: nowMs, slot })));
            const inLastMinute = calls.filter(({ at }) => at > nowMs - MINUTE).length;
            if (taken > 0) expect(inLastMinute).toBeLessThanOrEqual(limit);
          } else if (each.kind === 'return') {
            // Only slots taken at this very moment: time passes here by changing the slots.
            const returned = calls.filter(({ at }) => at === nowMs).slice(0, each.at);
            await log.returnSlots(
              'read',
              returned.map(({ slot }) => slot),
            );
            calls = calls.filter((call) => !returned.includes(call));
          } else {
            await letPass(pool, connection.budget, each.ms);
            nowMs += each.ms;
          }
        }
      }),
      { numRuns: propertyRuns(60), seed: 7 },
    );
  });
});
