// Rows as releases before version 2 of the row key left them, made by the rule of then.
import { createHash } from 'node:crypto';
import { createDecoder } from '../../src/codec/decode.ts';
import type { Job } from '../../src/config/settings.ts';
import { type Dataset, identityColumns } from '../../src/datasets/dataset.ts';
import type { Client, Pool } from '../../src/warehouse/pool.ts';
import { copyRows, createStaging, dropStaging, stagingTable } from '../../src/warehouse/staging.ts';
import { decodePage } from './decode-page.ts';
import { schemaOf, WEEK } from './ledger.ts';

/** Identified rows by version 1, and not any more. */
const VALUES_SINCE: ReadonlySet<string> = new Set(['collection_date', 'intent']);
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** The key of a row of strings by version 1: lengths in UTF-16 units, of values with the escapes of COPY text. */
export function versionOneKey(dataset: Dataset, row: readonly unknown[]): string {
  const identity = new Set(identityColumns(dataset).map(({ name }) => name));
  const parts = dataset.columns.flatMap(({ name }, i) => {
    if (!identity.has(name) && !VALUES_SINCE.has(name)) return [];
    const value = row[i] ?? null;
    if (value === null) return ['-'];
    const text = String(value).replaceAll(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character);
    return [`${text.length}:${text}`];
  });
  return createHash('sha256').update(parts.join('')).digest('hex').slice(0, 32);
}

/** An execution of a job's week in `state`; a published one is what its slice is published from. */
export async function insertOldExecution(
  client: Client,
  job: Job,
  state: 'published' | 'loading' | 'held',
  rows: number,
): Promise<{ id: number; sliceId: number }> {
  await client.query(
    `INSERT INTO searchmill.jobs (name, dataset, connection, account_id, filters, filters_digest, cron, timezone, since, lookback_weeks)
     VALUES ($1, $2, $3, $4, '{}', 'digest', '0 6 * * 1', 'UTC', '2026-01-04', 1)`,
    [job.name, job.dataset.name, job.connection, job.accountId],
  );
  const { rows: made } = await client.query<{ id: number; sliceId: number }>(
    `WITH slice AS (INSERT INTO searchmill.slices (job, dataset, account_id, window_start, window_end) VALUES ($1, $2, $3, $4, $5) RETURNING id)
     INSERT INTO searchmill.executions (slice_id, connection, reason, priority, filters_digest, request, page_size, max_rejected_share,
       min_keep_share, max_wait, max_submits, state, remote_execution_id, submit_started_at, submitted_at, expires_at, pages, next_cursor,
       rows_received, rows_staged, ended_at, due_at, objections)
     SELECT id, $6, 'newest', 1, 'digest', '{}', 1000, 0, 0.5, interval '1 hour', 10, $7, 'r1', now(), now(), now() + interval '7 days', 1,
            CASE WHEN $7 = 'loading' THEN 'r1/2' END, $8, $8, CASE WHEN $7 = 'published' THEN now() END,
            CASE WHEN $7 = 'loading' THEN now() END, CASE WHEN $7 = 'held' THEN '[{"rule":"shrink","message":"few"}]'::jsonb END
       FROM slice RETURNING id, slice_id AS "sliceId"`,
    [job.name, job.dataset.name, job.accountId, WEEK.start, WEEK.end, job.connection, state, rows],
  );
  const execution = made[0];
  if (!execution) throw new Error('nothing was inserted');
  if (state === 'published') {
    await client.query(
      `WITH publication AS (INSERT INTO searchmill.publications (slice_id, execution_id, rows_inserted, rows_updated, rows_unchanged, rows_deleted)
                            VALUES ($1, $2, $3, 0, 0, 0))
       UPDATE searchmill.slices SET published_execution_id = $2, published_at = now(), published_rows = $3, published_filters_digest = 'digest'
        WHERE id = $1`,
      [execution.sliceId, execution.id, rows],
    );
  }
  return execution;
}

/** Stages rows as one page with keys of version 1. */
export async function stageOldRows(client: Client, dataset: Dataset, id: number, rows: readonly unknown[][]): Promise<void> {
  const { copyData, staged } = decodePage(createDecoder(dataset, schemaOf(dataset)), rows, 1);
  if (staged !== rows.length) throw new Error('not all rows decoded');
  await createStaging(client, dataset, id);
  await copyRows(client, dataset, id, [copyData]);
  await client.query(
    `UPDATE ${stagingTable(id)} SET _key = k.key::uuid FROM unnest($1::text[]) WITH ORDINALITY AS k (key, position) WHERE _position = k.position`,
    [rows.map((row) => versionOneKey(dataset, row))],
  );
}

/** Puts rows into the table as a slice that was published long ago. */
export async function insertOldRows(client: Client, pool: Pool, job: Job, rows: readonly unknown[][]): Promise<void> {
  const { dataset } = job;
  const { id, sliceId } = await insertOldExecution(client, job, 'published', rows.length);
  await pool.query('SELECT searchmill.ensure_partition($1, $2)', [dataset.name, `${WEEK.start.slice(0, 7)}-01`]);
  await stageOldRows(client, dataset, id, rows);
  const columns = dataset.columns.map(({ name }) => `"${name}"`).join(', ');
  const measures = dataset.columns
    .filter(({ isIdentity }) => !isIdentity)
    .map(({ name, pg }) => `"${name}"${pg === 'text' ? ' COLLATE "C"' : ''}`);
  await client.query(
    `INSERT INTO search."${dataset.name}" (${columns}, _extra, _key, _occurrence, _slice, _loaded_at, _changed_at)
     SELECT ${columns}, _extra, _key, row_number() OVER (PARTITION BY _key ORDER BY ${measures.join(', ')}), $1, '2026-11-16', '2026-11-17'
       FROM ${stagingTable(id)}`,
    [sliceId],
  );
  await dropStaging(client, id);
}
