import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { stagingTable } from '../../../src/tables/staging.ts';
import { jobOf, publishedRows, useLedger } from '../../support/ledger.ts';
import { loadWindow, publish, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const ranked = (job: Job, query: string, rank: number | null, more: Record<string, unknown> = {}): unknown[] =>
  wireRow(job, { query, rank_standard: rank === null ? null : String(rank), ...more });

/** Every version of a job's rows: a row that was written again has another transaction, or another place. */
async function versions(job: Job): Promise<unknown[]> {
  const { rows } = await ledger.pool.query(
    `SELECT tableoid::regclass::text, ctid::text, xmin::text, xmax::text, _key, _occurrence, _slice, _loaded_at, _changed_at
       FROM search.${job.dataset.name} WHERE account_id = $1 ORDER BY _key, _occurrence`,
    [job.accountId],
  );
  return rows;
}

describe('publishing', () => {
  it('counts what it inserted, updated, left alone and deleted', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const first = [ranked(job, 'same', 1), ranked(job, 'moved', 2), ranked(job, 'gone', 3)];
    expect(await loadWindow(pool, job, first)).toEqual({ inserted: 3, updated: 0, unchanged: 0, deleted: 0 });
    const second = [ranked(job, 'same', 1), ranked(job, 'moved', 5), ranked(job, 'new', 9), ranked(job, 'newer', 10)];
    expect(await loadWindow(pool, job, second)).toEqual({ inserted: 2, updated: 1, unchanged: 1, deleted: 1 });
    expect(await publishedRows(pool, job, ['query', 'rank_standard'])).toEqual([
      { query: 'moved', rank_standard: 5 },
      { query: 'new', rank_standard: 9 },
      { query: 'newer', rank_standard: 10 },
      { query: 'same', rank_standard: 1 },
    ]);
  });

  it('writes the counts, the time and the rows to the ledger, and leaves no staging table', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const execution = await stageWindow(pool, job, [[ranked(job, 'a', 1)], [ranked(job, 'b', 2)]]);
    await publish(pool, job, execution);
    const { rows } = await pool.query(
      `SELECT e.state, e.ended_at IS NOT NULL AS ended, e.lease_until, s.published_execution_id, s.published_rows, s.published_filters_digest,
              p.rows_inserted, p.rows_updated, p.rows_unchanged, p.rows_deleted, to_regclass($2) AS staging
         FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id JOIN searchmill.publications p ON p.execution_id = e.id
        WHERE e.id = $1`,
      [execution.id, stagingTable(execution.id)],
    );
    expect(rows).toEqual([
      {
        state: 'published',
        ended: true,
        lease_until: null,
        published_execution_id: execution.id,
        published_rows: 2,
        published_filters_digest: 'digest',
        rows_inserted: 2,
        rows_updated: 0,
        rows_unchanged: 0,
        rows_deleted: 0,
        staging: null,
      },
    ]);
  });

  it('of the same answer again writes no row version, whatever order and pages it comes in', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const rows = Array.from({ length: 300 }, (_, i) => ranked(job, `q${i % 120}`, i % 7, { title: `t${i % 3}\n` }));
    await loadWindow(pool, job, rows);
    const before = await versions(job);
    expect(before).toHaveLength(300);
    const shuffled = rows.map((_, i) => rows[(i * 77) % 300] ?? []);
    const again = await publish(pool, job, await stageWindow(pool, job, [shuffled.slice(0, 13), [], shuffled.slice(13)]));
    expect(again).toEqual({ inserted: 0, updated: 0, unchanged: 300, deleted: 0 });
    expect(await versions(job)).toEqual(before);
  });

  it('rewrites only the rows that differ, and keeps when they were first loaded', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const answer = (rank: number) => [ranked(job, 'a', rank), ...Array.from({ length: 50 }, (_, i) => ranked(job, `b${i}`, 1))];
    await loadWindow(pool, job, answer(1));
    const before = await versions(job);
    expect(await loadWindow(pool, job, answer(2))).toEqual({ inserted: 0, updated: 1, unchanged: 50, deleted: 0 });
    const after = await versions(job);
    const changed = after.filter((version) => !before.some((old) => JSON.stringify(old) === JSON.stringify(version)));
    expect(changed).toHaveLength(1);
    const { rows } = await pool.query(
      'SELECT _changed_at > _loaded_at AS changed FROM search.keyword_rankings WHERE account_id = $1 AND query = $2',
      [job.accountId, 'a'],
    );
    expect(rows).toEqual([{ changed: true }]);
  });

  it.each([
    ['a value that becomes NULL', { title: 'x' }, { title: null }],
    ['NULL that becomes a value', { title: null }, { title: 'x' }],
    ['NULL that becomes an empty text', { title: null }, { title: '' }],
    ['a float that changes in its last bit', { cpc: '0.1' }, { cpc: '0.10000000000000002' }],
    ['an int64 that changes by one', { average_search_volume: '9223372036854775806' }, { average_search_volume: '9223372036854775807' }],
    ['a text that changes in case', { title: 'Straße' }, { title: 'STRASSE' }],
    ['a text that changes in its composition', { title: 'é' }, { title: 'e\u0301' }],
  ])('sees %s as a difference', async (_, one, other) => {
    const { pool } = ledger;
    const job = jobOf();
    await loadWindow(pool, job, [ranked(job, 'a', 1, one)]);
    expect(await loadWindow(pool, job, [ranked(job, 'a', 1, other)])).toEqual({ inserted: 0, updated: 1, unchanged: 0, deleted: 0 });
    expect(await loadWindow(pool, job, [ranked(job, 'a', 1, other)])).toEqual({ inserted: 0, updated: 0, unchanged: 1, deleted: 0 });
  });

  it('of an empty answer empties the window, and only that', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const next = windowOfWeeks('2026-11-15', 1);
    await loadWindow(pool, job, [ranked(job, 'a', 1)]);
    await loadWindow(pool, job, [wireRow(job, { query: 'b' }, next.start)], next);
    expect(await loadWindow(pool, job, [])).toEqual({ inserted: 0, updated: 0, unchanged: 0, deleted: 1 });
    expect(await publishedRows(pool, job, ['query'])).toEqual([{ query: 'b' }]);
    expect(await loadWindow(pool, job, [])).toEqual({ inserted: 0, updated: 0, unchanged: 0, deleted: 0 });
  });

  it('twice by the same holder publishes once', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const execution = await stageWindow(pool, job, [[ranked(job, 'a', 1), ranked(job, 'a', 1)]]);
    const ends = await Promise.allSettled([publish(pool, job, execution), publish(pool, job, execution)]);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await publishedRows(pool, job, ['query'])).toHaveLength(2);
  });
});
