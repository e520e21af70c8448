// What is true of a ledger at every moment, whatever has happened: every slice has a next step with a time, or has ended
// for a stated reason; counts, staging and table agree. Checked after every integration test (see ledger.ts and test-stack.ts).
import type { Dataset } from '../../src/datasets/dataset.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import { sweepStaging } from '../../src/ledger/leftover-staging.ts';
import type { Client, Pool } from '../../src/postgres/pool.ts';
import { rowDigest } from '../../src/tables/published-periods.ts';

/** The longest anything is put off: the service may ask for an hour by Retry-After; a minute for the clock of the test. */
const LONGEST_WAIT = '61 minutes';

/** Each finds what must not be: one line per finding, in words. */
const CHECKS: Readonly<Record<string, string>> = {
  'is live and has no next step': `SELECT id FROM executions WHERE ended_at IS NULL AND state <> 'held' AND due_at IS NULL`,
  'has its next step too late': `SELECT id FROM executions WHERE due_at > clock_timestamp() + interval '${LONGEST_WAIT}'`,
  'has a next step although nobody needs one': `SELECT id FROM executions WHERE due_at IS NOT NULL AND (ended_at IS NOT NULL OR state = 'held')`,
  'is held and does not say why': `SELECT id FROM executions WHERE state = 'held' AND objections IS NULL`,
  'ended badly and does not say why': `SELECT id FROM executions WHERE state IN ('failed', 'abandoned', 'discarded', 'cancelled') AND coalesce(end_reason, '') = ''`,
  'was abandoned, and nothing followed': `
    SELECT e.id FROM executions e JOIN slices s ON s.id = e.slice_id JOIN jobs j ON j.name = s.job
     WHERE e.state = 'abandoned' AND e.end_reason NOT LIKE '%no longer configured%'
       AND NOT EXISTS (SELECT FROM executions x WHERE x.slice_id = e.slice_id AND x.id > e.id)`,
  'is leased although it ended': `SELECT id FROM executions WHERE ended_at IS NOT NULL AND (lease_owner IS NOT NULL OR lease_until IS NOT NULL)`,
  'has an executionId without a time of its submit and its end': `
    SELECT id FROM executions WHERE ended_at IS NULL AND remote_execution_id IS NOT NULL AND (submit_started_at IS NULL OR submitted_at IS NULL OR expires_at IS NULL)`,
  'is being submitted since no time': `SELECT id FROM executions WHERE state = 'submitting' AND submit_started_at IS NULL`,
  'has a cursor and is not loading, or the other way round': `
    SELECT id FROM executions WHERE ended_at IS NULL AND (next_cursor IS NOT NULL) IS DISTINCT FROM (state = 'loading')`,
  'has other rows than decoded and quarantined ones': `SELECT id FROM executions WHERE rows_received <> rows_staged + rows_quarantined`,
  'has other rows in quarantine than it counts': `
    SELECT id FROM executions e
     WHERE rows_quarantined <> (SELECT count(*) FROM quarantined_rows q WHERE q.execution_id = e.id AND q.replayed_at IS NULL)`,
  'is published without a publication, or the other way round': `
    SELECT coalesce(e.id, p.execution_id) AS id FROM executions e FULL JOIN publications p ON p.execution_id = e.id
     WHERE (e.state = 'published') IS DISTINCT FROM (p.id IS NOT NULL)`,
  'is not what its slice says it is published from': `
    SELECT s.published_execution_id AS id FROM slices s
     WHERE s.published_execution_id IS DISTINCT FROM
           (SELECT p.execution_id FROM publications p WHERE p.slice_id = s.id AND (s.expired_at IS NULL OR p.published_at > s.expired_at)
               AND (s.displaced_at IS NULL OR p.published_at > s.displaced_at)
             ORDER BY p.id DESC LIMIT 1)`,
  'has another number of published rows than its publication counts': `
    SELECT e.id FROM slices s JOIN executions e ON e.id = s.published_execution_id JOIN publications p ON p.execution_id = e.id
     WHERE s.published_rows <> p.rows_inserted + p.rows_updated + p.rows_unchanged OR s.published_rows <> e.rows_staged`,
  'is published, and those who follow changed weeks were not told': `
    SELECT s.published_execution_id AS id FROM slices s
     WHERE s.published_execution_id IS NOT NULL
       AND EXISTS (SELECT FROM generate_series(s.window_start::timestamp, s.window_end::timestamp, '7 days') AS day
                    WHERE NOT EXISTS (SELECT FROM week_changes c JOIN slices own ON own.id = c.slice_id AND own.job = s.job
                                       WHERE c.dataset = s.dataset AND c.account_id = s.account_id
                                         AND c.week = search_reports.week_of(day::date) AND c.kind IN ('published', 'revised')))`,
  'is published and says why it ended': `SELECT id FROM executions WHERE state = 'published' AND end_reason IS NOT NULL`,
  'is not as coverage says, or not the latest of its slice': `
    SELECT e.id FROM coverage c JOIN executions e ON e.id = c.execution_id
     WHERE (e.slice_id, e.state, e.due_at, e.rows_received) IS DISTINCT FROM (c.slice_id, c.execution_state, c.due_at, c.rows_received)
        OR EXISTS (SELECT FROM executions n WHERE n.slice_id = e.slice_id AND n.id > e.id)`,
};

type Staged = { id: number; rows_staged: number; hasTable: boolean };

/** Sentences about what does not hold; none when all does. Nobody may be writing meanwhile. */
export async function findBrokenInvariants(pool: Pool): Promise<string[]> {
  const broken: string[] = [];
  // What a process that died between an end and this has left to the others.
  await sweepStaging(pool);
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL search_path = searchmill, pg_catalog');
    for (const [what, sql] of Object.entries(CHECKS)) {
      const { rows } = await client.query<{ id: number }>(sql);
      for (const { id } of rows) broken.push(`execution ${id} ${what}`);
    }
    const { rows: leftOver } = await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
        WHERE relnamespace = 'searchmill_staging'::regnamespace AND relkind = 'r'
          AND relname NOT IN (SELECT 'execution_' || id FROM executions WHERE ended_at IS NULL)`,
    );
    for (const { name } of leftOver) broken.push(`staging table ${name} is left over`);
    const { rows: staged } = await client.query<Staged>(
      `SELECT id, rows_staged, to_regclass('searchmill_staging.execution_' || id) IS NOT NULL AS "hasTable"
         FROM executions WHERE state IN ('loading', 'staged', 'held')`,
    );
    for (const { id, rows_staged, hasTable } of staged) {
      const { rows } = hasTable
        ? await client.query<{ rows: number }>(`SELECT count(*) AS rows FROM searchmill_staging.execution_${id}`)
        : { rows: [] };
      if (rows[0]?.rows !== rows_staged) broken.push(`execution ${id} counts ${rows_staged} staged rows, and ${rows[0]?.rows} are staged`);
    }
    for (const dataset of DATASETS) broken.push(...(await findUnlikePublished(client, dataset)));
    await client.query('COMMIT');
  } finally {
    client.release();
  }
  return broken;
}

/** Where a table has other rows of a slice, or other content, than publishing wrote down. */
async function findUnlikePublished(client: Client, dataset: Dataset): Promise<string[]> {
  const { rows } = await client.query<{ slice: number; period: string; expected: number; found: number }>(
    `SELECT coalesce(p.slice_id, t.slice_id) AS slice, coalesce(p.period_start, t.period_start)::text AS period, coalesce(p.rows, 0) AS expected, coalesce(t.rows, 0) AS found
       FROM (SELECT p.* FROM published_periods p JOIN slices s ON s.id = p.slice_id AND s.dataset = $1) p
       FULL JOIN (SELECT _slice AS slice_id, account_id, time_period_start AS period_start, count(*) AS rows, sum(${rowDigest(dataset, 't')}) AS digest
                    FROM search.${dataset.name} t GROUP BY 1, 2, 3) t USING (slice_id, account_id, period_start)
      WHERE coalesce(p.rows, 0) <> coalesce(t.rows, 0) OR coalesce(p.digest, 0) <> coalesce(t.digest, 0)`,
    [dataset.name],
  );
  return rows.map(
    ({ slice, period, expected, found }) =>
      `${dataset.name} has ${found} rows of slice ${slice} at ${period} where ${expected} were published, or other content`,
  );
}

/**
 * Publications that replaced rows by none, or by fewer than half of those before, although nobody approved it. For jobs
 * whose `min_keep` is half or more, and whose windows do not overlap.
 */
export async function findUnaskedErasures(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: number; before: number; after: number }>(
    `SELECT p.execution_id AS id, p.rows_unchanged + p.rows_updated + p.rows_deleted AS before,
            p.rows_unchanged + p.rows_updated + p.rows_inserted AS after
       FROM searchmill.publications p JOIN searchmill.executions e ON e.id = p.execution_id
      WHERE e.approved_at IS NULL AND p.rows_deleted > 0
        AND 2 * (p.rows_unchanged + p.rows_updated + p.rows_inserted) < p.rows_unchanged + p.rows_updated + p.rows_deleted`,
  );
  return rows.map(({ id, before, after }) => `execution ${id} replaced ${before} rows by ${after}, and nobody approved it`);
}
