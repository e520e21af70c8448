import { describe, expect, it } from 'vitest';
import { cancelLoads } from '../../../src/ledger/cancel.ts';
import { readCoverage, readLiveExecutions } from '../../../src/ledger/coverage.ts';
import { countSubmits, finishSubmit, hold, revertSubmit, startSubmit } from '../../../src/ledger/executions.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import { commitPages } from '../../../src/publishing/checkpoint.ts';
import { stagingTable } from '../../../src/tables/staging.ts';
import { jobOf, LEASE, publishedRows, useLedger, WEEK } from '../../support/ledger.ts';
import { claim, loadWindow, planWindow, stageWindow, submitWindow } from '../../support/window-steps.ts';
import { decodedPages, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const ALL = { from: undefined, to: undefined };
const SUBMITTED = { remoteExecutionId: 'remote', requestId: 'request', validityMs: 3_600_000, firstPollMs: 0 };

async function entry(id: number): Promise<Record<string, unknown>> {
  const { rows } = await ledger.pool.query<Record<string, unknown>>(
    `SELECT state, end_reason, lease_until, due_at, remote_execution_id, submit_started_at, to_regclass($2) IS NOT NULL AS has_staging
       FROM searchmill.executions WHERE id = $1`,
    [id, stagingTable(id)],
  );
  return rows[0] ?? {};
}

describe('a load that is cancelled', () => {
  it('leaves nothing behind, and its worker writes nothing more', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const execution = await submitWindow(pool, job);
    const [first, second] = decodedPages(job.dataset, [[wireRow(job, { query: 'a' })], [wireRow(job, { query: 'b' })]]);
    if (!first || !second) throw new Error('two pages were made');
    await commitPages(pool, job.dataset, execution, { ...LEASE, pages: [first] });
    expect(await cancelLoads(pool, job.name, ALL)).toMatchObject([{ id: execution.id, state: 'loading' }]);
    expect(await entry(execution.id)).toMatchObject({
      state: 'cancelled',
      end_reason: 'cancelled by hand',
      lease_until: null,
      due_at: null,
      has_staging: false,
    });
    await expect(commitPages(pool, job.dataset, execution, { ...LEASE, pages: [second] })).rejects.toMatchObject({
      code: expect.stringMatching(/lost_lease|store/) as string,
    });
    expect(await entry(execution.id)).toMatchObject({ state: 'cancelled', has_staging: false });
    expect(await cancelLoads(pool, job.name, ALL)).toEqual([]);
  });

  it('makes its week missing by hand, and leaves one that was published before as it is', async () => {
    const { pool } = ledger;
    const job = jobOf();
    await planWindow(pool, job);
    await recordJob(pool, job, WEEK.start);
    await cancelLoads(pool, job.name, ALL);
    const weekOf = async (name: string) => (await readCoverage(pool, name)).find(({ week }) => week === WEEK.start);
    expect(await weekOf(job.name)).toMatchObject({
      state: 'missing',
      isExpected: true,
      executionState: 'cancelled',
      detail: 'cancelled by hand',
    });

    const published = jobOf();
    await loadWindow(pool, published, [wireRow(published, { query: 'kept' })]);
    await stageWindow(pool, published, [[wireRow(published, { query: 'other' })]]);
    await cancelLoads(pool, published.name, ALL);
    expect(await weekOf(published.name)).toMatchObject({ state: 'published', publishedAt: expect.any(Date) as Date });
    expect(await publishedRows(pool, published, ['query'])).toEqual([{ query: 'kept' }]);
  });

  it('keeps the executionId that comes back to a submit already on its way, which counts as spent', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const execution = await claim(pool, await planWindow(pool, job));
    await startSubmit(pool, execution);
    expect(await cancelLoads(pool, job.name, ALL)).toMatchObject([{ id: execution.id, state: 'submitting' }]);
    expect(await finishSubmit(pool, execution, SUBMITTED)).toBeUndefined();
    expect(await entry(execution.id)).toMatchObject({ state: 'cancelled', remote_execution_id: 'remote', lease_until: null });
    expect(await countSubmits(pool, execution.id)).toEqual({ spent: 1, unknown: 0 });
  });

  it('counts as not submitted when its request never left', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const execution = await claim(pool, await planWindow(pool, job));
    await startSubmit(pool, execution);
    await cancelLoads(pool, job.name, ALL);
    await revertSubmit(pool, execution);
    expect(await entry(execution.id)).toMatchObject({ state: 'cancelled', submit_started_at: null });
    expect(await countSubmits(pool, execution.id)).toEqual({ spent: 0, unknown: 0 });
  });

  it('lies in the given span', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const windows = ['2026-10-25', '2026-11-01', '2026-11-08'].map((start, i) => ({
      start,
      end: ['2026-10-31', '2026-11-07', '2026-11-14'][i] ?? '',
    }));
    for (const window of windows) await planWindow(pool, job, window);
    expect(await cancelLoads(pool, job.name, { from: '2026-11-03', to: '2026-11-03' })).toHaveLength(1);
    expect((await readLiveExecutions(pool, job.name)).map(({ windowStart }) => windowStart)).toEqual(['2026-11-08', '2026-10-25']);
  });

  it('is neither a held one nor one that is being published', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const held = await stageWindow(pool, job, [[]]);
    await hold(pool, held, [{ rule: 'shrink', message: 'too few' }], 1);
    const publishing = await stageWindow(pool, job, [[]], { start: '2026-11-01', end: '2026-11-07' });
    const publisher = await pool.connect();
    try {
      await publisher.query('BEGIN');
      await publisher.query('SELECT FROM searchmill.executions WHERE id = $1 FOR UPDATE', [publishing.id]);
      expect(await cancelLoads(pool, job.name, ALL)).toEqual([]);
    } finally {
      await publisher.query('ROLLBACK');
      publisher.release();
    }
    expect((await readLiveExecutions(pool, job.name)).map(({ state }) => state)).toEqual(['held', 'staged']);
  });

  it('is cancelled while pages of it are committed, whichever comes first', async () => {
    const { pool } = ledger;
    for (let round = 0; round < 8; round += 1) {
      const job = jobOf();
      const execution = await submitWindow(pool, job);
      const pages = decodedPages(
        job.dataset,
        Array.from({ length: 12 }, (_, i) => [wireRow(job, { query: `q${i}` })]),
      );
      const loading = (async () => {
        for (const page of pages) await commitPages(pool, job.dataset, execution, { ...LEASE, pages: [page] });
      })().catch((error: unknown) => error);
      expect(await cancelLoads(pool, job.name, ALL)).toMatchObject([{ id: execution.id }]);
      expect(await loading).toMatchObject({ code: expect.stringMatching(/lost_lease|store/) as string });
      expect(await entry(execution.id)).toMatchObject({ state: 'cancelled', has_staging: false });
    }
  });
});
