import { describe, expect, it } from 'vitest';
import { readCoverage, readJobs, readLiveExecutions } from '../../../src/ledger/coverage.ts';
import { claimExecution, claimNextSubmit, findDue, renewLease } from '../../../src/ledger/executions.ts';
import { planChosen, recordJob } from '../../../src/ledger/jobs.ts';
import { type PauseKind, pause, readPausables, resume } from '../../../src/ledger/pauses.ts';
import { renameJobs } from '../../../src/ledger/renames.ts';
import { inTransaction } from '../../../src/postgres/transaction.ts';
import { jobOf, LEASE, useLedger, WEEK } from '../../support/ledger.ts';
import { planWindow, release, stageWindow, submitWindow } from '../../support/window-steps.ts';

const ledger = useLedger();

const dueIds = async (): Promise<number[]> => (await findDue(ledger.pool, 500)).map(({ id }) => id);

describe.each(['job', 'connection'] as const)('a paused %s', (kind: PauseKind) => {
  const setUp = () => {
    const job = jobOf({ connection: `${kind}-${Math.random().toString(36).slice(2)}` });
    return { job, name: kind === 'job' ? job.name : job.connection };
  };

  it('is neither submitted nor polled nor rung for, until it is resumed', async () => {
    const { pool } = ledger;
    const { job, name } = setUp();
    const planned = await planWindow(pool, job);
    const running = await submitWindow(pool, job, { start: '2026-11-01', end: '2026-11-07' });
    await release(pool, running);
    expect(await dueIds()).toEqual(expect.arrayContaining([planned, running.id]));
    await pause(pool, kind, name);
    expect(await dueIds()).not.toEqual(expect.arrayContaining([planned]));
    expect(await dueIds()).not.toEqual(expect.arrayContaining([running.id]));
    expect(await claimNextSubmit(pool, job.connection, LEASE)).toBeUndefined();
    expect(await claimExecution(pool, planned, LEASE)).toBeUndefined();
    expect(await claimExecution(pool, running.id, LEASE)).toBeUndefined();
    await resume(pool, kind, name);
    expect(await dueIds()).toEqual(expect.arrayContaining([planned, running.id]));
    expect(await claimExecution(pool, running.id, LEASE)).toMatchObject({ state: 'in_progress' });
    expect(await claimNextSubmit(pool, job.connection, LEASE)).toMatchObject({ id: planned });
  });

  it('still publishes what is staged', async () => {
    const { pool } = ledger;
    const { job, name } = setUp();
    const staged = await stageWindow(pool, job, [[]]);
    await release(pool, staged);
    await pause(pool, kind, name);
    expect(await dueIds()).toContain(staged.id);
    expect(await claimExecution(pool, staged.id, LEASE)).toMatchObject({ state: 'staged' });
  });

  it('is noticed by the process that works on it, when the lease is next renewed', async () => {
    const { pool } = ledger;
    const { job, name } = setUp();
    const running = await submitWindow(pool, job);
    expect(await renewLease(pool, running, LEASE.leaseMs)).toEqual({ isPaused: false });
    await pause(pool, kind, name);
    expect(await renewLease(pool, running, LEASE.leaseMs)).toEqual({ isPaused: true });
  });

  it('is not planned, and the weeks expected since its pause are missing', async () => {
    const { pool } = ledger;
    const { job, name } = setUp();
    const plan = () =>
      planChosen(
        pool,
        { ...job, since: WEEK.start },
        {
          configured: [job],
          instanceId: 'test',
          expectedThrough: WEEK.start,
          plannedAt: new Date(),
          choose: () => [{ window: WEEK, reason: 'newest' }],
        },
      );
    const { pausedAt } = await pause(pool, kind, name, { name: 'ann@desk', reason: 'moving' });
    expect(await plan()).toEqual([]);
    expect(await readCoverage(pool, job.name)).toMatchObject([{ week: WEEK.start, state: 'missing', pausedSince: pausedAt }]);
    await resume(pool, kind, name);
    expect(await plan()).toHaveLength(1);
    expect(await readCoverage(pool, job.name)).toMatchObject([{ state: 'running', pausedSince: null }]);
  });

  it('waits for its queries longer by the time it was paused', async () => {
    const { pool } = ledger;
    const { job, name } = setUp();
    const running = await submitWindow(pool, { ...job, maxWaitMs: 60_000 });
    await release(pool, running);
    await pause(pool, kind, name);
    await pool.query(`UPDATE searchmill.executions SET submitted_at = submitted_at - interval '2 hours' WHERE id = $1`, [running.id]);
    await pool.query(`UPDATE searchmill.pauses SET paused_at = paused_at - interval '2 hours' WHERE name = $1`, [name]);
    await resume(pool, kind, name);
    expect(await claimExecution(pool, running.id, LEASE)).toMatchObject({ isOverdue: false });
  });
});

describe('a pause', () => {
  it('keeps its time and its reason when it is repeated', async () => {
    const { pool } = ledger;
    const first = await pause(pool, 'job', 'twice', { name: 'ann@desk', reason: 'why' });
    expect(first).toMatchObject({ reason: 'why', isNew: true });
    expect(await pause(pool, 'job', 'twice')).toEqual({ pausedAt: first.pausedAt, reason: 'why', isNew: false });
    expect(await pause(pool, 'job', 'twice', { name: 'ann@desk', reason: 'new' })).toMatchObject({ reason: 'new' });
    expect(await readPausables(pool)).toContainEqual({ kind: 'job', name: 'twice', pausedAt: first.pausedAt, reason: 'new' });
    expect(await resume(pool, 'job', 'twice')).toEqual(first.pausedAt);
    expect(await resume(pool, 'job', 'twice')).toBeUndefined();
  });

  it('goes with a job that is renamed', async () => {
    const { pool } = ledger;
    const old = jobOf();
    await planWindow(pool, old);
    await pause(pool, 'job', old.name, { name: 'ann@desk', reason: 'moving' });
    const renamed = { ...old, name: `${old.name}-renamed` };
    await recordJob(pool, renamed, undefined);
    await inTransaction(pool, (client) => renameJobs(client, [renamed], 'test'));
    expect(await readJobs(pool, renamed.name)).toMatchObject([{ pauseReason: 'moving' }]);
    expect(await readLiveExecutions(pool, renamed.name)).toMatchObject([{ isPaused: true }]);
  });
});
