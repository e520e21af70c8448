// Times in the ledger are compared with the database's clock, which may be set back, and with the 7 days of an id.
import { describe, expect, it } from 'vitest';
import { createCallLog } from '../../../src/ledger/call-log.ts';
import { claimExecution, claimNextSubmit, findDue, finishSubmit, startSubmit } from '../../../src/ledger/executions.ts';
import { jobOf, LEASE, useLedger, WEEK } from '../../support/ledger.ts';
import { claim, planWindow, release, submitWindow } from '../../support/window-steps.ts';

const ledger = useLedger({ keepsInvariants: false });

describe('a database whose clock is set back by a day', () => {
  it('goes on with what was due, and with what dead processes had in hand', async () => {
    const { pool } = ledger;
    const running = await submitWindow(pool, jobOf({ connection: 'back' }));
    await release(pool, running);
    const planned = await planWindow(pool, jobOf({ connection: 'back' }));
    // As seen after the jump: every time in the ledger is a day ahead.
    await pool.query(
      "UPDATE searchmill.executions SET due_at = due_at + interval '1 day', lease_until = clock_timestamp() + interval '1 day'",
    );
    expect((await findDue(pool, 10)).map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(
      [running.id, planned].toSorted((a, b) => a - b),
    );
    expect(await claimExecution(pool, running.id, LEASE)).toBeDefined();
    expect(await claimNextSubmit(pool, 'back', LEASE)).toBeDefined();
  });

  it('permits a call a minute later, since the last may have been made just before the jump', async () => {
    const { pool } = ledger;
    await pool.query(
      `INSERT INTO searchmill.budgets (id, paused_until, probe_at) VALUES ('back', clock_timestamp() + interval '1 day', clock_timestamp() + interval '1 day');
       INSERT INTO searchmill.call_slots VALUES ('back', 'read', 0, clock_timestamp() + interval '1 day')`,
    );
    const log = createCallLog(pool, 'back');
    expect(await log.takeSlots('read', 1)).toMatchObject({ taken: 0 });
    const { taken, waitMs } = await log.takeSlots('read', 1);
    expect(taken).toBe(0);
    expect(waitMs).toBeGreaterThan(55_000);
    expect(waitMs).toBeLessThanOrEqual(61_000);
    await pool.query("UPDATE searchmill.call_slots SET granted_at = granted_at - interval '62 seconds' WHERE budget_id = 'back'");
    expect(await log.takeSlots('read', 1)).toMatchObject({ taken: 1 });
  });
});

it('an execution whose id expires within hours goes before everything else, also in the queue of calls', async () => {
  const { pool } = ledger;
  const planned = await claim(pool, await planWindow(pool, jobOf(), WEEK, 'backfill'));
  await startSubmit(pool, planned);
  const step = await finishSubmit(pool, planned, { remoteExecutionId: 'r', requestId: null, validityMs: 3_600_000, firstPollMs: 0 });
  expect(step?.priority).toBe(0);
  const claimed = await claim(pool, planned.id);
  expect(claimed.priority).toBe(0);
  expect(claimed.expiresInMs).toBeGreaterThan(3_500_000);
});
