import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { ConfigurationError } from '../../../src/core/errors.ts';
import { hold } from '../../../src/warehouse/executions.ts';
import { listQuarantine, readQuarantine, replayQuarantine } from '../../../src/warehouse/quarantine.ts';
import { claim, jobOf, loadWindow, publish, publishedRows, stageWindow, useLedger, wireRow } from '../../support/ledger.ts';
import { waitForLock } from '../../support/session.ts';

const ledger = useLedger();
const good = (job: Job, query: string): unknown[] => wireRow(job, { query, title: 'x' });
const bad = (job: Job, query: string): unknown[] => wireRow(job, { query, title: 'x', rank_true: 'not yet' });
const queries = async (job: Job): Promise<unknown[]> =>
  (await publishedRows(ledger.pool, job, ['query', '_occurrence'])).map(({ query, _occurrence }) => `${query} ${_occurrence}`);

/** What a release that understands `not yet` would have found: the row as it is, with a rank. */
async function understand(executionId: number): Promise<void> {
  await ledger.pool.query('UPDATE searchmill.quarantined_rows SET raw = replace(raw, \'"not yet"\', \'"7"\') WHERE execution_id = $1', [
    executionId,
  ]);
}

async function publishWithQuarantine(job: Job): Promise<number> {
  const execution = await stageWindow(ledger.pool, job, [[good(job, 'a'), bad(job, 'a'), bad(job, 'b')]]);
  await publish(ledger.pool, job, execution);
  return execution.id;
}

describe('rows in quarantine', () => {
  it('are listed with their execution and shown raw', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const id = await publishWithQuarantine(job);
    expect(await listQuarantine(pool, job.name)).toMatchObject([
      { executionId: id, job: job.name, rows: 2, rowsReceived: 3, columns: ['rank_true'] },
    ]);
    const [first] = await readQuarantine(pool, id, 10);
    expect(first).toMatchObject({ page: 1, position: 2, column: 'rank_true', raw: JSON.stringify(bad(job, 'a')) });
  });

  it('that still do not decode stay there when they are replayed', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const id = await publishWithQuarantine(job);
    expect(await replayQuarantine(pool, id)).toEqual({ replayed: 0, remaining: 2, state: 'published' });
    expect(await queries(job)).toEqual(['a 1']);
  });

  it('that decode now join the published slice, once, and are not rewritten by the next answer', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const id = await publishWithQuarantine(job);
    await understand(id);
    expect(await replayQuarantine(pool, id)).toEqual({ replayed: 2, remaining: 0, state: 'published' });
    expect(await replayQuarantine(pool, id)).toEqual({ replayed: 0, remaining: 0, state: 'published' });
    expect(await queries(job)).toEqual(['a 1', 'a 2', 'b 1']);
    expect(await listQuarantine(pool, job.name)).toEqual([]);
    const seven = { query: 'a', title: 'x', rank_true: '7' };
    const again = await loadWindow(pool, job, [good(job, 'a'), wireRow(job, seven), wireRow(job, { ...seven, query: 'b' })]);
    expect(again.inserted + again.deleted).toBe(0);
    expect(await queries(job)).toEqual(['a 1', 'a 2', 'b 1']);
  });

  it('of a held execution join its staging, which is then audited again', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const execution = await stageWindow(pool, job, [[good(job, 'a'), bad(job, 'b')]]);
    await hold(pool, execution, [{ rule: 'quarantine', message: 'test' }], 0);
    await understand(execution.id);
    expect(await replayQuarantine(pool, execution.id)).toEqual({ replayed: 1, remaining: 0, state: 'staged' });
    const again = await claim(pool, execution.id);
    expect(again).toMatchObject({ state: 'staged', rowsStaged: 2, rowsQuarantined: 0, isApproved: false });
    expect(await publish(pool, job, again)).toMatchObject({ inserted: 2 });
  });

  it('of an execution that was replaced since, or is still being loaded, are left alone', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const id = await publishWithQuarantine(job);
    await understand(id);
    const running = await stageWindow(pool, job, [[bad(job, 'a')]]);
    await expect(replayQuarantine(pool, running.id)).rejects.toBeInstanceOf(ConfigurationError);
    await publish(pool, job, running);
    await expect(replayQuarantine(pool, id)).rejects.toBeInstanceOf(ConfigurationError);
    expect(await queries(job)).toEqual([]);
  });

  it('are not added to an answer that is replacing theirs at that moment', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const id = await publishWithQuarantine(job);
    await understand(id);
    const next = await stageWindow(pool, job, [[good(job, 'a'), good(job, 'a'), good(job, 'b')]]);
    const blocker = await pool.connect();
    try {
      await blocker.query('BEGIN');
      await blocker.query("SELECT pg_advisory_xact_lock(hashtext('searchmill publish ' || $1), hashtext($2::text))", [
        job.dataset.name,
        job.accountId,
      ]);
      const publishing = publish(pool, job, next);
      await waitForLock(pool, 'SELECT pg_advisory_xact_lock');
      const replaying = replayQuarantine(pool, id).catch((error: unknown) => error);
      await waitForLock(pool, 'SELECT pg_advisory_xact_lock', 2);
      await blocker.query('COMMIT');
      expect(await publishing).toMatchObject({ inserted: 2 });
      expect(await replaying).toBeInstanceOf(ConfigurationError);
    } finally {
      blocker.release();
    }
    expect(await queries(job)).toEqual(['a 1', 'a 2', 'b 1']);
  });

  it('are replayed once by two at the same moment', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const id = await publishWithQuarantine(job);
    await understand(id);
    const replays = await Promise.all([replayQuarantine(pool, id), replayQuarantine(ledger.openPool(2), id)]);
    expect(replays.map(({ replayed }) => replayed).toSorted((a, b) => a - b)).toEqual([0, 2]);
    expect(await queries(job)).toEqual(['a 1', 'a 2', 'b 1']);
  });
});
