import { describe, expect, it } from 'vitest';
import { createDecoder, type DecodedRows } from '../../../src/codec/decode.ts';
import { LostLeaseError, StoreError } from '../../../src/core/errors.ts';
import { claimExecution, type Execution, readExecution } from '../../../src/ledger/executions.ts';
import type { Pool } from '../../../src/postgres/pool.ts';
import { commitPages, readMissingColumns } from '../../../src/publishing/checkpoint.ts';
import { stagingTable } from '../../../src/tables/staging.ts';
import { decodePage } from '../../support/decode-page.ts';
import { jobOf, LEASE, useLedger } from '../../support/ledger.ts';
import { waitForLock } from '../../support/session.ts';
import { submitWindow } from '../../support/window-steps.ts';
import { decodedPage, decodedPages, schemaOf, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const job = jobOf();
const row = (query: string): unknown[] => wireRow(job, { query });
const pages = decodedPages(job.dataset, [[row('a'), row('b')], [row('c')], [row('d')]]);

const commit = (pool: Pool, execution: Execution, numbers: readonly number[], signal?: AbortSignal): Promise<{ isOutranked: boolean }> =>
  commitPages(pool, job.dataset, execution, { ...LEASE, pages: numbers.flatMap((number) => pages[number - 1] ?? []), signal });

/** The queries that are staged, in order; undefined without a staging table. */
async function staged(pool: Pool, { id }: Execution): Promise<string[] | undefined> {
  const there = await pool.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [stagingTable(id)]);
  if (!there.rows[0]?.found) return undefined;
  const { rows } = await pool.query<{ query: string }>(`SELECT query FROM ${stagingTable(id)} ORDER BY _page, _position`);
  return rows.map(({ query }) => query);
}

describe('a checkpoint', () => {
  it('moves the cursor, the counts and the state with the rows', async () => {
    const { pool } = ledger;
    const execution = await submitWindow(pool, jobOf());
    await commit(pool, execution, [1]);
    expect(await readExecution(pool, execution)).toMatchObject({
      state: 'loading',
      nextCursor: 'cursor-2',
      pages: 1,
      rowsReceived: 2,
      rowsStaged: 2,
    });
    await commit(pool, execution, [2, 3]);
    expect(await readExecution(pool, execution)).toMatchObject({
      state: 'staged',
      nextCursor: null,
      pages: 3,
      rowsReceived: 4,
      rowsStaged: 4,
    });
    expect(await staged(pool, execution)).toEqual(['a', 'b', 'c', 'd']);
  });

  it.each([
    ['a page again', [1], [1]],
    ['pages again with a new one', [1, 2], [2, 3]],
    ['a page too far on', [1], [3]],
    ['a further page as the first', [], [2]],
    ['a first page as a further one', [1, 2], [1]],
    ['anything after the last', [1, 2, 3], [3]],
  ])('refuses %s, and its rows are gone', async (_, before, wrong) => {
    const { pool } = ledger;
    const execution = await submitWindow(pool, jobOf());
    if (before.length > 0) await commit(pool, execution, before);
    const then = [{ ...(await readExecution(pool, execution)), expiresInMs: 0 }, await staged(pool, execution)];
    await expect(commit(pool, execution, wrong)).rejects.toSatisfy(
      (error) => error instanceof LostLeaseError || error instanceof StoreError,
    );
    expect([{ ...(await readExecution(pool, execution)), expiresInMs: 0 }, await staged(pool, execution)]).toEqual(then);
  });

  it('of the same page by several processes at once is made by one', async () => {
    const { pool } = ledger;
    const execution = await submitWindow(pool, jobOf());
    await commit(pool, execution, [1]);
    const ends = await Promise.allSettled(Array.from({ length: 6 }, () => commit(pool, execution, [2])));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await staged(pool, execution)).toEqual(['a', 'b', 'c']);
  });

  it('renews the lease', async () => {
    const { pool } = ledger;
    const execution = await submitWindow(pool, jobOf());
    await pool.query('UPDATE searchmill.executions SET lease_until = clock_timestamp() WHERE id = $1', [execution.id]);
    await commit(pool, execution, [1]);
    expect(await claimExecution(pool, execution.id, LEASE)).toBeUndefined();
  });

  it('keeps what is rejected of a page that is decoded while it is copied, also when it is too much for memory', async () => {
    const { pool } = ledger;
    const execution = await submitWindow(pool, jobOf());
    const decoder = createDecoder(job.dataset, schemaOf(job.dataset));
    const large = 'x'.repeat(1_000_000);
    const counts = { staged: 0, rejected: [], rejectedMeanwhile: 0 };
    let inQuarantine = 0;
    async function* copyData(): AsyncGenerator<DecodedRows> {
      for (let before = 0; before < 30; before += 3) {
        const decoded = decodePage(decoder, [row(`q${before}`), [large], row('q')], 1, before + 1);
        counts.staged += decoded.staged;
        counts.rejectedMeanwhile += decoded.rejected.length;
        yield decoded;
        // Rows copied so far are visible to nobody else before the page is complete, but take room.
        const { rows } = await pool.query<{ bytes: string }>("SELECT pg_relation_size('searchmill.quarantined_rows') AS bytes");
        inQuarantine = Math.max(inQuarantine, Number(rows[0]?.bytes));
      }
    }
    const [page] = decodedPages(job.dataset, [[]]);
    if (!page) throw new Error('there is no page');
    await commitPages(pool, job.dataset, execution, {
      ...LEASE,
      pages: [Object.assign(counts, { ...page, ...counts, received: 30, copyData })],
    });
    expect(inQuarantine).toBeGreaterThan(0);
    expect(await readExecution(pool, execution)).toMatchObject({ state: 'staged', rowsReceived: 30, rowsStaged: 20, rowsQuarantined: 10 });
    expect(await staged(pool, execution)).toHaveLength(20);
    const quarantined = await pool.query<{ position: number; raw: string }>(
      'SELECT position, raw FROM searchmill.quarantined_rows WHERE execution_id = $1 ORDER BY position',
      [execution.id],
    );
    expect(quarantined.rows.map(({ position }) => position)).toEqual(Array.from({ length: 10 }, (_, part) => 3 * part + 2));
    expect(new Set(quarantined.rows.map(({ raw }) => raw))).toEqual(new Set([JSON.stringify([large])]));
  });

  it('keeps quarantine and drift with the page they came with', async () => {
    const { pool } = ledger;
    const execution = await submitWindow(pool, jobOf());
    const schema = [...schemaOf(job.dataset).filter(({ name }) => name !== 'query'), { name: 'mo\0od', type: 'string' }];
    const values = schemaOf(job.dataset).flatMap(({ name }, i) => (name === 'query' ? [] : [wireRow(job, {})[i]]));
    const page = decodedPage(job.dataset, 1, [[...values, 'merry'], [...values, 'NUL \0'], 'no row'], { schema });
    await commitPages(pool, job.dataset, execution, { ...LEASE, pages: [page] });
    const quarantined = await pool.query(
      'SELECT page, position, column_name, schema_names, raw FROM searchmill.quarantined_rows WHERE execution_id = $1 ORDER BY position',
      [execution.id],
    );
    const schema_names = page.columnNames;
    expect(quarantined.rows).toEqual([
      { page: 1, position: 2, column_name: 'mo\ufffdod', schema_names, raw: JSON.stringify([...values, 'NUL \0']) },
      { page: 1, position: 3, column_name: null, schema_names, raw: '"no row"' },
    ]);
    const drift = await pool.query('SELECT kind, column_name, page FROM searchmill.drift_events WHERE execution_id = $1 ORDER BY kind', [
      execution.id,
    ]);
    expect(drift.rows).toEqual([
      { kind: 'missing_column', column_name: 'query', page: 1 },
      { kind: 'new_column', column_name: 'mo\ufffdod', page: 1 },
    ]);
    expect(await readMissingColumns(pool, execution.id)).toEqual(['query']);
    expect(await readExecution(pool, execution)).toMatchObject({ rowsReceived: 3, rowsStaged: 1, rowsQuarantined: 2 });
  });
});

describe('a checkpoint that is cut in the middle', () => {
  // The rows are copied by then, and the checkpoint waits for the execution's row, which another session holds.
  async function cutWhileWaiting(
    execution: Execution,
    numbers: readonly number[],
    cut: (backend: number) => Promise<unknown>,
    signal?: AbortSignal,
  ) {
    const { pool } = ledger;
    const blocker = await pool.connect();
    try {
      await blocker.query('BEGIN');
      await blocker.query('SELECT FROM searchmill.executions WHERE id = $1 FOR UPDATE', [execution.id]);
      const committing = commit(pool, execution, numbers, signal).catch((error: unknown) => error);
      await cut(await waitForLock(pool, 'UPDATE searchmill.executions'));
      return await committing;
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
  }

  it.each([
    ['first', [], [1], undefined],
    ['second', [1], [2], ['a', 'b']],
    ['last two', [1], [2, 3], ['a', 'b']],
  ])('because its session was killed leaves nothing of the %s, and can be made again', async (_, before, numbers, left) => {
    const { pool } = ledger;
    const execution = await submitWindow(pool, jobOf());
    if (before.length > 0) await commit(pool, execution, before);
    const error = await cutWhileWaiting(execution, numbers, (backend) => pool.query('SELECT pg_terminate_backend($1::integer)', [backend]));
    expect(error).toMatchObject({ code: 'store', retryable: true });
    expect(await staged(pool, execution)).toEqual(left);
    expect(await readExecution(pool, execution)).toMatchObject({ pages: before.length, rowsStaged: left?.length ?? 0 });
    await commit(pool, execution, numbers);
    expect(await staged(pool, execution)).toEqual(
      ['a', 'b', 'c', 'd'].slice(
        0,
        pages.slice(0, numbers.at(-1)).reduce((n, page) => n + page.staged, 0),
      ),
    );
  });

  it('because the lease was lost says so and leaves nothing', async () => {
    const { pool } = ledger;
    const execution = await submitWindow(pool, jobOf());
    const lost = new AbortController();
    const reason = new LostLeaseError('taken over');
    const error = await cutWhileWaiting(execution, [1], async () => lost.abort(reason), lost.signal);
    expect(error).toBe(reason);
    expect(await staged(pool, execution)).toBeUndefined();
  });
});
