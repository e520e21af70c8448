import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { ConfigurationError } from '../../../src/core/errors.ts';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { readCoverage } from '../../../src/ledger/coverage.ts';
import { hold } from '../../../src/ledger/executions.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import { listQuarantine, readQuarantine, replayQuarantine } from '../../../src/publishing/quarantine.ts';
import { lockRows } from '../../../src/tables/lock-rows.ts';
import { jobOf, publishedRows, useLedger, WEEK } from '../../support/ledger.ts';
import { waitForLock } from '../../support/session.ts';
import { claim, loadWindow, publish, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const good = (job: Job, query: string): unknown[] => wireRow(job, { query, title: 'x' });
const bad = (job: Job, query: string): unknown[] => wireRow(job, { query, title: 'x', rank_true: 'not yet' });
const queries = async (job: Job): Promise<unknown[]> =>
  (await publishedRows(ledger.pool, job, ['query', '_occurrence'])).map(({ query, _occurrence }) => `${query} ${_occurrence}`);

/** What a release that understands `not yet` would have found: the row as it is, with a rank. */
async function understand(executionId: number, which = 'true'): Promise<void> {
  const sql = `UPDATE searchmill.quarantined_rows SET raw = replace(raw, '"not yet"', '"7"') WHERE execution_id = $1 AND (${which})`;
  await ledger.pool.query(sql, [executionId]);
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
    expect(await replayQuarantine(pool, id)).toEqual({ replayed: 0, remaining: 2, replaced: 0, state: 'published' });
    expect(await queries(job)).toEqual(['a 1']);
  });

  it('that are nested deeper than any stack stay there', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const id = await publishWithQuarantine(job);
    await understand(id, 'position = 3');
    for (const raw of [`[${'['.repeat(20_000)}1.0${']'.repeat(20_000)}]`, `[${'{},'.repeat(150_000)}0]`]) {
      await pool.query('UPDATE searchmill.quarantined_rows SET raw = $2 WHERE execution_id = $1 AND position = 2', [id, raw]);
      expect(await replayQuarantine(pool, id)).toMatchObject({ remaining: 1 });
    }
    expect(await queries(job)).toEqual(['a 1', 'b 1']);
  });

  it('that decode now join the published slice, once, and are not rewritten by the next answer', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const id = await publishWithQuarantine(job);
    await understand(id);
    expect(await replayQuarantine(pool, id)).toEqual({ replayed: 2, remaining: 0, replaced: 0, state: 'published' });
    expect(await replayQuarantine(pool, id)).toEqual({ replayed: 0, remaining: 0, replaced: 0, state: 'published' });
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
    expect(await replayQuarantine(pool, execution.id)).toEqual({ replayed: 1, remaining: 0, replaced: 0, state: 'staged' });
    const again = await claim(pool, execution.id);
    expect(again).toMatchObject({ state: 'staged', rowsStaged: 2, rowsQuarantined: 0, isApproved: false });
    expect(await publish(pool, job, again)).toMatchObject({ inserted: 2 });
  });

  it('of a held execution that still do not decode leave it held', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const execution = await stageWindow(pool, job, [[bad(job, 'a')]]);
    await hold(pool, execution, [{ rule: 'quarantine', message: 'test' }], 0);
    expect(await replayQuarantine(pool, execution.id)).toEqual({ replayed: 0, remaining: 1, replaced: 0, state: 'held' });
    expect((await readCoverage(pool, job.name)).map(({ state }) => state)).toEqual(['held']);
  });

  it('are all tried, however many do not decode before those that do', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const execution = await stageWindow(pool, job, [Array.from({ length: 25_000 }, (_, i) => bad(job, `q${i}`))]);
    await publish(pool, job, execution);
    await understand(execution.id, 'position % 5000 = 0 OR position > 12000');
    const replayed = 13_000 + 2;
    expect(await replayQuarantine(pool, execution.id)).toMatchObject({ replayed, remaining: 25_000 - replayed });
    expect(await queries(job)).toHaveLength(replayed);
    expect(await replayQuarantine(pool, execution.id)).toMatchObject({ replayed: 0, remaining: 25_000 - replayed });
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
      await lockRows(blocker, job.dataset, next);
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

  it('are replayed once when two replay them at the same moment', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const id = await publishWithQuarantine(job);
    await understand(id);
    const replays = await Promise.all([replayQuarantine(pool, id), replayQuarantine(ledger.openPool(2), id)]);
    expect(replays.map(({ replayed }) => replayed).toSorted((a, b) => a - b)).toEqual([0, 2]);
    expect(await queries(job)).toEqual(['a 1', 'a 2', 'b 1']);
  });
});

describe('rows in quarantine that another job has, too', () => {
  const two = (): [Job, Job] => {
    const one = jobOf();
    return [one, jobOf({ accountId: one.accountId, filtersDigest: 'other' })];
  };
  const ranked = (job: Job, query: string, rank: string): unknown[] => wireRow(job, { query, title: 'x', rank_true: rank });
  const rows = async (job: Job): Promise<unknown[]> =>
    (await publishedRows(ledger.pool, job, ['query', '_occurrence', 'rank_true'])).map((row) => Object.values(row).join(' '));
  const counts = async (id: number): Promise<unknown> =>
    (
      await ledger.pool.query(
        `SELECT p.rows_inserted AS inserted, p.rows_updated AS updated, p.rows_unchanged AS unchanged, s.published_rows AS published
           FROM searchmill.publications p JOIN searchmill.slices s ON s.id = p.slice_id WHERE p.execution_id = $1`,
        [id],
      )
    ).rows[0];

  it('are not doubled: equal rows are left to that job, different ones are rewritten, and missing ones are added', async () => {
    const { pool } = ledger;
    const [one, other] = two();
    const id = await stageWindow(pool, one, [[good(one, 'mine'), bad(one, 'a'), bad(one, 'b'), bad(one, 'c')]]).then(async (execution) => {
      await publish(pool, one, execution);
      return execution.id;
    });
    await loadWindow(pool, other, [ranked(other, 'a', '7'), ranked(other, 'b', '8'), ranked(other, 'd', '9')]);
    await understand(id);
    expect(await replayQuarantine(pool, id)).toMatchObject({ replayed: 3, remaining: 0 });
    expect(await rows(one)).toEqual(['a 1 7', 'b 1 7', 'c 1 7', 'd 1 9', 'mine 1 ']);
    expect(await counts(id)).toEqual({ inserted: 2, updated: 1, unchanged: 1, published: 4 });
    // The other job has lost rows, so its week is missing, as after a publication.
    const { rows: displaced } = await pool.query(
      'SELECT published_at IS NULL AS missing, displaced_reason AS reason FROM searchmill.slices WHERE job = $1',
      [other.name],
    );
    expect(displaced).toEqual([{ missing: true, reason: `a load of job ${one.name} took 2 of its 3 rows` }]);
    // The other job asks again, and finds its rows as before.
    const again = await loadWindow(pool, other, [ranked(other, 'a', '7'), ranked(other, 'b', '7'), ranked(other, 'd', '9')]);
    expect(again).toEqual({ inserted: 0, updated: 0, unchanged: 3, deleted: 0 });
  });

  it('are left alone when it is no longer known which rows are the same', async () => {
    const { pool } = ledger;
    const [one, other] = two();
    const execution = await stageWindow(pool, one, [[ranked(one, 'a', '7'), bad(one, 'a'), bad(one, 'b')]]);
    await publish(pool, one, execution);
    // The other job now has one of the two rows `a` of this answer. A week that answers an earlier question of its job stays published.
    await recordJob(pool, { ...one, filtersDigest: 'asks something else' }, undefined);
    await loadWindow(pool, other, [ranked(other, 'a', '7')]);
    await understand(execution.id);
    await expect(replayQuarantine(pool, execution.id)).rejects.toThrow(`searchmill run ${one.name} --from ${WEEK.start}`);
    expect(await rows(one)).toEqual(['a 1 7']);
    expect((await readQuarantine(pool, execution.id, 10)).map(({ position }) => position)).toEqual([2, 3]);
    // Loaded again, the rows are all there.
    await loadWindow(
      pool,
      one,
      ['a', 'a', 'b'].map((query) => ranked(one, query, '7')),
    );
    expect(await rows(one)).toEqual(['a 1 7', 'a 2 7', 'b 1 7']);
  });
});

describe('rows in quarantine of weeks that their job has published again in another window', () => {
  it.each(['right', 'set back in between'])(
    'are left alone, and those of the other weeks join the table; the clock was %s',
    async (clock) => {
      const { pool } = ledger;
      const job = jobOf({ weeksPerQuery: 2 });
      const [first, second] = [WEEK, windowOfWeeks('2026-11-15', 1)];
      const both = windowOfWeeks(first.start, 2);
      const dated = (query: string, start: string, rank: string): unknown[] => wireRow(job, { query, title: 'x', rank_true: rank }, start);
      const execution = await stageWindow(pool, job, [[dated('a', first.start, 'not yet'), dated('b', second.start, 'not yet')]], both);
      await publish(pool, job, execution);
      if (clock !== 'right') {
        await pool.query("UPDATE searchmill.slices SET published_at = published_at + interval '1 hour' WHERE id = $1", [execution.sliceId]);
      }
      await loadWindow(pool, job, [dated('b', second.start, '9')], second);
      await understand(execution.id);
      expect(await replayQuarantine(pool, execution.id)).toEqual({ replayed: 1, remaining: 0, replaced: 1, state: 'published' });
      expect(await publishedRows(pool, job, ['query', '_occurrence', 'rank_true'])).toEqual([
        { query: 'a', _occurrence: 1, rank_true: 7 },
        { query: 'b', _occurrence: 1, rank_true: 9 },
      ]);
      expect((await readQuarantine(pool, execution.id, 10)).map(({ position }) => position)).toEqual([2]);
    },
  );
});
