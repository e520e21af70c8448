import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { LostLeaseError } from '../../../src/core/errors.ts';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { abandonRemoved, endAndPlanAgain } from '../../../src/ledger/endings.ts';
import { claimNextSubmit, countSubmits, findDue, finishSubmit, postpone, renewLease, startSubmit } from '../../../src/ledger/executions.ts';
import { reportInstance } from '../../../src/ledger/instances.ts';
import { markRemovedJobs, readSlices, recordJob, type WantedLoad } from '../../../src/ledger/jobs.ts';
import { renameJobs } from '../../../src/ledger/renames.ts';
import { inTransaction } from '../../../src/postgres/transaction.ts';
import { jobOf, LEASE, useLedger, WEEK } from '../../support/ledger.ts';
import { claim, loadWindow, planLoads, planWindow, release, submitWindow } from '../../support/window-steps.ts';

const ledger = useLedger();
const AT = new Date('2026-11-16T06:00:00Z');
const weeks = (count: number): WantedLoad[] =>
  Array.from({ length: count }, (_, i) => ({ window: windowOfWeeks('2026-01-04', i + 1), reason: 'catch_up' }) as const);

describe('planning', () => {
  it('by ten schedulers at once plans each load once', async () => {
    const job = jobOf();
    const loads = weeks(12);
    const pools = Array.from({ length: 10 }, () => ledger.openPool(1));
    const planned = await Promise.all(pools.map((pool) => planLoads(pool, job, loads, AT)));
    expect(new Set(planned.flat()).size).toBe(12);
    expect(planned.flat()).toHaveLength(12);
    const slices = await readSlices(ledger.pool, job.name);
    expect(slices).toHaveLength(12);
    expect(
      slices.every(({ latestState, latestPlannedAt }) => latestState === 'planned' && latestPlannedAt?.getTime() === AT.getTime()),
    ).toBe(true);
  });

  it('gives an execution that waits to be submitted the question as it is now, and leaves one that was submitted alone', async () => {
    const { pool } = ledger;
    const job = jobOf({ connection: 'old' });
    const changed = { ...job, connection: 'new', filters: { devices: ['DESKTOP'] }, filtersDigest: 'other' };
    const other = windowOfWeeks('2026-11-15', 1);
    const waiting = await planWindow(pool, job);
    const submitted = await submitWindow(pool, job, other);
    const loads = [WEEK, other].map((window) => ({ window, reason: 'newest' }) as const);
    expect(await planLoads(pool, changed, loads, AT)).toEqual([]);
    const { rows } = await pool.query(
      "SELECT id, connection, filters_digest, request->'devices' AS devices FROM searchmill.executions WHERE id = ANY ($1) ORDER BY id",
      [[waiting, submitted.id]],
    );
    expect(rows).toEqual([
      { id: waiting, connection: 'new', filters_digest: 'other', devices: ['DESKTOP'] },
      { id: submitted.id, connection: 'old', filters_digest: 'digest', devices: null },
    ]);
  });

  it('takes an execution from a process that is about to submit the former question, whoever records the new one', async () => {
    const { pool } = ledger;
    const job = jobOf({ connection: 'before' });
    const id = await planWindow(pool, job);
    const taken = await claim(pool, id);
    await recordJob(pool, job, undefined);
    await renewLease(pool, taken, LEASE.leaseMs);
    await recordJob(pool, { ...job, connection: 'after', filters: { devices: ['MOBILE'] }, filtersDigest: 'after' }, undefined);
    await expect(startSubmit(pool, taken)).rejects.toThrow(LostLeaseError);
    const next = await claimNextSubmit(pool, 'after', LEASE);
    expect(next).toMatchObject({ id, request: { devices: ['MOBILE'] }, filtersDigest: 'after', deathsInRow: 0 });
  });

  it('keeps the consent to fewer rows as long as the question is the same, also when the week is planned again', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const id = await planWindow(pool, job);
    const planAgain = (of: Job, mayShrink: boolean): Promise<unknown> =>
      planLoads(pool, of, [{ window: WEEK, reason: 'backfill', mayShrink }], AT);
    const mayShrink = async (execution: number): Promise<unknown> =>
      (await pool.query<{ may: boolean }>('SELECT may_shrink AS may FROM searchmill.executions WHERE id = $1', [execution])).rows[0]?.may;
    expect(await mayShrink(id)).toBe(false);
    await planAgain(job, true);
    expect(await mayShrink(id)).toBe(true);
    await planAgain(job, false);
    expect(await mayShrink(id)).toBe(true);
    const { next } = await endAndPlanAgain(pool, await claim(pool, id), { state: 'abandoned', reason: 'test' }, 0);
    expect(await mayShrink(next?.id ?? 0)).toBe(true);
    await planAgain({ ...job, filtersDigest: 'other' }, false);
    expect(await mayShrink(next?.id ?? 0)).toBe(false);
  });

  it('keeps the time of its first planning when a load is planned again before the schedule next fires', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const future = new Date(Date.now() + 3_600_000);
    await planLoads(pool, job, [{ window: WEEK, reason: 'newest' }], future);
    const [execution] = await readSlices(pool, job.name);
    const { rows } = await pool.query<{ id: number }>('SELECT id FROM searchmill.executions WHERE slice_id = $1', [execution?.sliceId]);
    const { next } = await endAndPlanAgain(pool, await claim(pool, rows[0]?.id ?? 0), { state: 'abandoned', reason: 'test' }, 0);
    expect(next).toBeDefined();
    expect((await readSlices(pool, job.name))[0]?.latestPlannedAt).toEqual(future);
  });
});

describe('the next submit of a connection', () => {
  it('is the most urgent one, and of those the newest week', async () => {
    const { pool } = ledger;
    const job = jobOf({ connection: 'urgent' });
    const plan = (start: string, reason: WantedLoad['reason']) => planWindow(pool, job, windowOfWeeks(start, 1), reason);
    const backfill = await plan('2026-11-01', 'backfill');
    const catchUpOld = await plan('2026-03-01', 'catch_up');
    const catchUpNew = await plan('2026-06-07', 'catch_up');
    const lookback = await plan('2026-10-25', 'lookback');
    const newest = await plan('2026-11-08', 'newest');
    await planWindow(pool, jobOf({ connection: 'another' }));
    const order: number[] = [];
    for (let next = await claimNextSubmit(pool, 'urgent', LEASE); next; next = await claimNextSubmit(pool, 'urgent', LEASE)) {
      order.push(next.id);
      // Of one job only two are on their way at once.
      await startSubmit(pool, next);
      await finishSubmit(pool, next, { remoteExecutionId: 'r', requestId: null, validityMs: 60_000, firstPollMs: 60_000 });
    }
    expect(order).toEqual([newest, lookback, catchUpNew, catchUpOld, backfill]);
  });
});

describe('what the reconciler finds due', () => {
  it('is live, due and not leased: the most urgent submit of each connection, and loads, those near their expiry first', async () => {
    const { pool } = ledger;
    await pool.query("UPDATE searchmill.executions SET due_at = clock_timestamp() + interval '1 hour' WHERE ended_at IS NULL");
    const job = jobOf({ connection: 'due' });
    const window = (start: string) => windowOfWeeks(start, 1);
    await planWindow(pool, job, window('2026-05-03'), 'lookback');
    const newest = await planWindow(pool, job, window('2026-05-10'), 'newest');
    const leased = await submitWindow(pool, job, window('2026-05-17'));
    const later = await claim(pool, await planWindow(pool, job, window('2026-05-24'), 'newest'));
    await postpone(pool, later, { delayMs: 60_000 });
    await loadWindow(pool, job, [], window('2026-05-31'));
    const expiring = await claim(pool, await planWindow(pool, job, window('2026-06-07'), 'backfill'));
    await startSubmit(pool, expiring);
    await finishSubmit(pool, expiring, { remoteExecutionId: 'r', requestId: null, validityMs: 3_600_000, firstPollMs: 0 });
    const running = await submitWindow(pool, job, window('2026-06-14'));
    await release(pool, running);

    const due = async (most = 100) => (await findDue(pool, most)).map(({ id, state, priority }) => ({ id, state, priority }));
    expect(await due()).toEqual([
      { id: newest, state: 'planned', priority: 1 },
      { id: expiring.id, state: 'in_progress', priority: 0 },
      { id: running.id, state: 'in_progress', priority: 1 },
    ]);
    expect(await due(1)).toHaveLength(1);
    await pool.query("UPDATE searchmill.executions SET lease_until = clock_timestamp() - interval '1 ms' WHERE id = $1", [leased.id]);
    expect((await due()).map(({ id }) => id)).toContain(leased.id);
  });
});

describe('a job whose name was used for another account', () => {
  it('is refused once something was loaded under it, and can be corrected before', async () => {
    const { pool } = ledger;
    const job = jobOf();
    await recordJob(pool, { ...job, accountId: job.accountId + 1 }, undefined);
    await recordJob(pool, job, undefined);
    await loadWindow(pool, job, []);
    await expect(recordJob(pool, { ...job, accountId: job.accountId + 1 }, undefined)).rejects.toThrow(
      /another dataset or account.*new name/,
    );
    await recordJob(pool, job, undefined);
    expect(await readSlices(pool, job.name)).toMatchObject([{ latestState: 'published' }]);
  });
});

describe('a job that is no longer configured', () => {
  it('is marked once, loses its live executions and keeps its slices', async () => {
    const { pool } = ledger;
    const [kept, removed] = [jobOf(), jobOf()];
    await planWindow(pool, kept);
    await planWindow(pool, removed);
    const names = (await pool.query<{ name: string }>('SELECT name FROM searchmill.jobs')).rows.map(({ name }) => name);
    const others = names.filter((name) => name !== removed.name);
    expect(await markRemovedJobs(pool, others, 'test')).toEqual([removed.name]);
    expect(await markRemovedJobs(pool, others, 'test')).toEqual([]);
    expect(await abandonRemoved(pool)).toBe(1);
    expect(await abandonRemoved(pool)).toBe(0);
    expect((await readSlices(pool, removed.name)).map(({ latestState }) => latestState)).toEqual(['abandoned']);
    expect((await readSlices(pool, kept.name)).map(({ latestState }) => latestState)).toEqual(['planned']);
  });

  it('keeps the executionId that comes back to a submit already on its way, which counts as spent', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const execution = await claim(pool, await planWindow(pool, job));
    await startSubmit(pool, execution);
    await pool.query('UPDATE searchmill.jobs SET removed_at = now() WHERE name = $1', [job.name]);
    expect(await abandonRemoved(pool)).toBe(1);
    const answer = { remoteExecutionId: 'late', requestId: 'r-late', validityMs: 1000, firstPollMs: 0 };
    expect(await finishSubmit(pool, execution, answer)).toBeUndefined();
    const { rows } = await pool.query('SELECT state, remote_execution_id, remote_request_id FROM searchmill.executions WHERE id = $1', [
      execution.id,
    ]);
    expect(rows).toEqual([{ state: 'abandoned', remote_execution_id: 'late', remote_request_id: 'r-late' }]);
    expect(await countSubmits(pool, execution.id)).toEqual({ spent: 1, unknown: 0 });
  });

  it('leaves its loaded weeks to the job that asks the same question under another name', async () => {
    const { pool } = ledger;
    const old = jobOf({ filtersDigest: 'renamed' });
    await loadWindow(pool, old, []);
    const renamed = jobOf({ accountId: old.accountId, filtersDigest: 'renamed' });
    const rename = () => inTransaction(pool, (client) => renameJobs(client, [renamed], 'test'));
    expect((await rename()).moves).toEqual(new Map([[renamed.name, old.name]]));
    expect((await rename()).moves).toEqual(new Map());
    expect(await readSlices(pool, old.name)).toEqual([]);
    expect((await readSlices(pool, renamed.name)).map(({ start, latestState }) => [start, latestState])).toEqual([
      [WEEK.start, 'published'],
    ]);
  });

  it('is left alone while another running scheduler has it, and so is a job that asks its question under another name', async () => {
    const { pool } = ledger;
    const old = jobOf({ filtersDigest: 'disputed' });
    await loadWindow(pool, old, []);
    const renamed = jobOf({ accountId: old.accountId, filtersDigest: 'disputed' });
    const names = (await pool.query<{ name: string }>('SELECT name FROM searchmill.jobs')).rows.map(({ name }) => name);
    const others = [...names.filter((name) => name !== old.name), renamed.name];
    await reportInstance(pool, { id: 'other', role: 'scheduler', host: 'h', pid: 1, version: '1', jobs: [old.name] });
    expect(await markRemovedJobs(pool, others, 'test')).toEqual([]);
    const rename = () => inTransaction(pool, (client) => renameJobs(client, [renamed], 'test'));
    const found = new Map([[renamed.name, old.name]]);
    expect(await rename()).toEqual({ moves: new Map(), waiting: found });
    expect(await readSlices(pool, old.name)).toHaveLength(1);

    await pool.query(`UPDATE searchmill.instances SET seen_at = seen_at - interval '61 seconds' WHERE id = 'other'`);
    expect(await markRemovedJobs(pool, others, 'test')).toEqual([old.name]);
    expect(await rename()).toEqual({ moves: found, waiting: new Map() });
  });
});
