import { describe, expect, it } from 'vitest';
import { LostLeaseError } from '../../../src/core/errors.ts';
import { addDays, windowOfWeeks } from '../../../src/core/weeks.ts';
import { endAndPlanAgain, endExecution } from '../../../src/ledger/endings.ts';
import {
  claimExecution,
  claimNextSubmit,
  type Execution,
  finishSubmit,
  hold,
  postpone,
  readExecution,
  releaseLease,
  renewLease,
  revertSubmit,
  startSubmit,
} from '../../../src/ledger/executions.ts';
import type { Pool } from '../../../src/postgres/pool.ts';
import { commitPages } from '../../../src/publishing/checkpoint.ts';
import { jobOf, LEASE, useLedger, WEEK } from '../../support/ledger.ts';
import { claim, planLoads, planWindow, publish, stageWindow, submitWindow } from '../../support/window-steps.ts';
import { decodedPage, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const job = jobOf();

/** Lets the lease of an execution run out, as if its holder had been paused for long. */
async function runOut(pool: Pool, id: number): Promise<void> {
  await pool.query("UPDATE searchmill.executions SET lease_until = clock_timestamp() - interval '1 minute' WHERE id = $1", [id]);
}

/** How many planned executions of a connection somebody holds. */
async function countTaken(pool: Pool, connection: string): Promise<number> {
  const { rows } = await pool.query<{ taken: number }>(
    'SELECT count(*)::integer AS taken FROM searchmill.executions WHERE connection = $1 AND lease_owner IS NOT NULL',
    [connection],
  );
  return rows[0]?.taken ?? 0;
}

/** Everything the ledger has of an execution. */
async function entry(pool: Pool, id: number): Promise<unknown> {
  return (await pool.query('SELECT e.*, xmin FROM searchmill.executions e WHERE id = $1', [id])).rows[0];
}

describe('a lease', () => {
  it('belongs to one process only, until it runs out or is given back', async () => {
    const { pool } = ledger;
    const id = await planWindow(pool, jobOf());
    const first = await claim(pool, id);
    expect(await claimExecution(pool, id, LEASE)).toBeUndefined();
    await releaseLease(pool, first);
    const second = await claim(pool, id);
    await runOut(pool, id);
    const third = await claim(pool, id);
    expect([second.leaseToken, third.leaseToken]).toEqual([first.leaseToken + 1, first.leaseToken + 2]);
  });

  it('cannot be taken before the execution is due', async () => {
    const { pool } = ledger;
    const own = jobOf({ connection: 'later' });
    const id = await planWindow(pool, own);
    await postpone(pool, await claim(pool, id), { delayMs: 60_000 });
    expect(await claimExecution(pool, id, LEASE)).toBeUndefined();
    expect(await claimNextSubmit(pool, 'later', LEASE)).toBeUndefined();
  });

  it('cannot be taken on an execution that has ended or is held', async () => {
    const { pool } = ledger;
    const ended = await submitWindow(pool, jobOf());
    await endExecution(pool, ended, { state: 'failed', reason: 'test' });
    expect(await claimExecution(pool, ended.id, LEASE)).toBeUndefined();
    const held = await stageWindow(pool, jobOf(), [[]]);
    await hold(pool, held, [], 0);
    expect(await claimExecution(pool, held.id, LEASE)).toBeUndefined();
  });

  it('goes to exactly one of many that claim it at once', async () => {
    const { pool } = ledger;
    const others = [pool, ledger.openPool(), ledger.openPool()];
    for (let round = 0; round < 10; round += 1) {
      const id = await planWindow(pool, jobOf());
      const claims = await Promise.all(Array.from({ length: 24 }, (_, i) => claimExecution(others[i % 3] as Pool, id, LEASE)));
      expect(claims.filter(Boolean)).toHaveLength(1);
    }
  });

  it('on each planned execution goes to one of many that look for submits at once', async () => {
    const { pool } = ledger;
    const ids = [];
    for (let i = 0; i < 8; i += 1) ids.push(await planWindow(pool, jobOf({ connection: 'busy' })));
    const others = [pool, ledger.openPool(), ledger.openPool()];
    const claims = await Promise.all(Array.from({ length: 24 }, (_, i) => claimNextSubmit(others[i % 3] as Pool, 'busy', LEASE)));
    const taken = claims.flatMap((execution) => (execution ? [execution.id] : []));
    expect(new Set(taken).size).toBe(taken.length);
    // A process that found a row locked may have returned without a lease; the next one finds what is left.
    for (let next = await claimNextSubmit(pool, 'busy', LEASE); next; next = await claimNextSubmit(pool, 'busy', LEASE))
      taken.push(next.id);
    expect(taken.toSorted((a, b) => a - b)).toEqual(ids);
  });

  it('on planned executions of a job is given for two at most, however many look for submits at once', async () => {
    const { pool } = ledger;
    const others = [pool, ledger.openPool(), ledger.openPool()];
    for (let round = 0; round < 10; round += 1) {
      const own = jobOf({ connection: `narrow ${round}` });
      const weeks = Array.from({ length: 12 }, (_, week) => windowOfWeeks(addDays(WEEK.start, -7 * week), 1));
      await planLoads(
        pool,
        own,
        weeks.map((window) => ({ window, reason: 'catch_up' })),
      );
      const look = () => Promise.all(Array.from({ length: 24 }, (_, i) => claimNextSubmit(others[i % 3] as Pool, own.connection, LEASE)));
      expect((await look()).filter(Boolean).length).toBeLessThanOrEqual(2);
      await look();
      expect(await countTaken(pool, own.connection)).toBe(2);
    }
  });

  it('is not given on a third execution of a job while a dead process has left two submits of unknown outcome', async () => {
    const { pool } = ledger;
    const own = jobOf({ connection: 'died' });
    const weeks = Array.from({ length: 3 }, (_, week) => windowOfWeeks(addDays(WEEK.start, -7 * week), 1));
    await planLoads(
      pool,
      own,
      weeks.map((window) => ({ window, reason: 'catch_up' })),
    );
    const next = () => claimNextSubmit(pool, own.connection, LEASE);
    const left = [await next(), await next()].flatMap((execution) => execution ?? []);
    for (const execution of left) {
      await startSubmit(pool, execution);
      await runOut(pool, execution.id);
    }
    expect(left).toHaveLength(2);
    expect(await next()).toBeUndefined();
    for (const { id } of left) await endExecution(pool, await claim(pool, id), { state: 'failed', reason: 'test' });
    expect(await next()).toBeDefined();
  });

  it('is kept by renewing, and does not come back when a renewal follows its return', async () => {
    const { pool } = ledger;
    const id = await planWindow(pool, jobOf());
    const lease = await claim(pool, id);
    await runOut(pool, id);
    await renewLease(pool, lease, 60_000);
    expect(await claimExecution(pool, id, LEASE)).toBeUndefined();
    await releaseLease(pool, lease);
    await renewLease(pool, lease, 60_000);
    expect(await claimExecution(pool, id, LEASE)).toBeDefined();
  });
});

describe('a process that has lost the lease', () => {
  const page = (stale: Execution, number = stale.pages + 1) =>
    commitPages(ledger.pool, job.dataset, stale, {
      ...LEASE,
      pages: [decodedPage(job.dataset, number, [wireRow(job, { query: 'stale' })])],
    });
  const ending = { state: 'failed', reason: 'stale' } as const;

  const planned = async (): Promise<Execution> => claim(ledger.pool, await planWindow(ledger.pool, jobOf()));
  const submitting = async (): Promise<Execution> => {
    const execution = await planned();
    await startSubmit(ledger.pool, execution);
    return execution;
  };
  const inProgress = (): Promise<Execution> => submitWindow(ledger.pool, jobOf());
  const loading = async (): Promise<Execution> => {
    const execution = await inProgress();
    await commitPages(ledger.pool, job.dataset, execution, {
      ...LEASE,
      pages: [decodedPage(job.dataset, 1, [], { nextCursor: 'cursor-2' })],
    });
    return readExecution(ledger.pool, execution);
  };
  const staged = (): Promise<Execution> => stageWindow(ledger.pool, jobOf(), [[]]);
  /** An execution whose lease somebody else has taken meanwhile, and what the ledger then has of it. */
  const lose = async (prepare: () => Promise<Execution>) => {
    const stale = await prepare();
    await runOut(ledger.pool, stale.id);
    await claim(ledger.pool, stale.id);
    return { stale, before: await entry(ledger.pool, stale.id) };
  };

  it.each<[string, () => Promise<Execution>, (pool: Pool, stale: Execution) => Promise<unknown>]>([
    ['begin a submit', planned, startSubmit],
    [
      'note an executionId',
      submitting,
      (pool, stale) => finishSubmit(pool, stale, { remoteExecutionId: 'x', requestId: null, validityMs: 1, firstPollMs: 0 }),
    ],
    ['postpone', inProgress, (pool, stale) => postpone(pool, stale, { delayMs: 5 })],
    [
      'note an error',
      loading,
      (pool, stale) => postpone(pool, stale, { delayMs: 5, error: { code: 'store', message: 'x', isCounted: true } }),
    ],
    ['renew the lease', loading, (pool, stale) => renewLease(pool, stale, 60_000)],
    ['read on', loading, readExecution],
    ['commit a first page', inProgress, (_, stale) => page(stale)],
    ['commit a further page', loading, (_, stale) => page(stale)],
    ['hold', staged, (pool, stale) => hold(pool, stale, [], 0)],
    ['publish', staged, (pool, stale) => publish(pool, job, stale)],
    ['end it', loading, (pool, stale) => endExecution(pool, stale, ending)],
    ['end it and plan again', loading, (pool, stale) => endAndPlanAgain(pool, stale, ending, 0)],
  ])('cannot %s', async (_, prepare, act) => {
    const { pool } = ledger;
    const { stale, before } = await lose(prepare);
    await expect(act(pool, stale)).rejects.toBeInstanceOf(LostLeaseError);
    expect(await entry(pool, stale.id)).toEqual(before);
    const others = await pool.query('SELECT FROM searchmill.executions WHERE slice_id = $1', [stale.sliceId]);
    expect(others.rowCount).toBe(1);
  });

  it.each<[string, () => Promise<Execution>, (pool: Pool, stale: Execution) => Promise<unknown>]>([
    ['take a submit back', submitting, revertSubmit],
    ['give the lease back', loading, (pool, stale) => releaseLease(pool, stale)],
  ])('changes nothing when it tries to %s', async (_, prepare, act) => {
    const { pool } = ledger;
    const { stale, before } = await lose(prepare);
    await act(pool, stale);
    expect(await entry(pool, stale.id)).toEqual(before);
  });

  it('takes nothing from the staging of the process that has the lease', async () => {
    const { pool } = ledger;
    const stale = await inProgress();
    await runOut(pool, stale.id);
    const holder = await claim(pool, stale.id);
    await commitPages(pool, job.dataset, holder, {
      ...LEASE,
      pages: [decodedPage(job.dataset, 1, [wireRow(job, { query: 'kept' })], { nextCursor: 'cursor-2' })],
    });
    await expect(page(stale, 1)).rejects.toBeInstanceOf(LostLeaseError);
    const { rows } = await pool.query(`SELECT query FROM searchmill_staging.execution_${stale.id}`);
    expect(rows).toEqual([{ query: 'kept' }]);
  });
});
