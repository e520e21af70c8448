// A ledger that has been used for years, written by SQL: every week of every job was published, and read again once.
import type { Job } from '../../src/config/settings.ts';
import { addDays, lastCompleteWeek } from '../../src/core/weeks.ts';
import { recordJob } from '../../src/ledger/jobs.ts';
import { expectNow } from '../../src/pipeline/expected-weeks.ts';
import type { Bench } from './bench.ts';
import type { Database } from './database.ts';
import { type Jobs, writeJobs } from './jobs.ts';

/** Creates jobs that began `weeks` ago, with everything expected now published. Returns them and the number of weeks over all jobs. */
export async function writeHistory(
  bench: Bench,
  database: Database,
  {
    jobs: count,
    weeks,
    dataset = 'keyword_rankings',
    webhook = '',
  }: Readonly<{ jobs: number; weeks: number; dataset?: string; webhook?: string }>,
): Promise<{ jobs: Jobs; weeks: number }> {
  const since = addDays(lastCompleteWeek(new Date(), 'UTC', 'sunday'), -7 * (weeks - 1));
  const accounts = Array.from({ length: count }, (_, index) => 10_000 + index);
  // No call is made, because everything is published.
  const jobs = writeJobs(bench, { baseUrl: 'http://127.0.0.1:9', accounts, since, dataset, prefix: dataset, webhook });
  let published = 0;
  for (const job of jobs.config.jobs) published += await writeHistoryOf(database, job);
  // As if all summaries had been made and autovacuum had run over the years.
  await database.pool.query('DELETE FROM searchmill.stale_weeks');
  await database.pool.query('VACUUM (ANALYZE)');
  return { jobs, weeks: published };
}

async function writeHistoryOf({ pool }: Database, job: Job): Promise<number> {
  const { weeks } = expectNow(job, new Date());
  const newest = weeks.at(-1);
  await recordJob(pool, job, newest);
  const { rowCount } = await pool.query(
    `INSERT INTO searchmill.slices (job, dataset, account_id, window_start, window_end)
     SELECT $1, $2, $3, week::date, week::date + 6 FROM generate_series($4::timestamp, $5::timestamp, interval '7 days') AS week`,
    [job.name, job.dataset.name, job.accountId, job.since, newest],
  );
  for (const reason of ['newest', 'lookback']) {
    await pool.query(
      `WITH ended AS (
         INSERT INTO searchmill.executions (slice_id, connection, reason, priority, filters_digest, request, page_size, max_rejected_share,
           min_keep_share, max_wait, max_submits, state, due_at, planned_at, submit_started_at, submitted_at, load_started_at, staged_at,
           ended_at, remote_execution_id, pages, rows_received, rows_staged, bytes_received, total_row_count, poll_calls, page_calls)
         SELECT id, $2, $3, 1, $4, '{}', 1000, 0.001, 0.5, interval '6 hours', 3, 'published', NULL, now(), now(), now(), now(), now(),
                now(), gen_random_uuid()::text, 50, 50000, 50000, 23000000, 50000, 3, 49
           FROM searchmill.slices WHERE job = $1
         RETURNING id, slice_id
       ), published AS (
         INSERT INTO searchmill.publications (slice_id, execution_id, rows_inserted, rows_updated, rows_unchanged, rows_deleted)
         SELECT slice_id, id, 50000, 0, 0, 0 FROM ended
       )
       UPDATE searchmill.slices s
          SET published_execution_id = ended.id, published_at = now(), published_rows = 50000, published_filters_digest = $4
         FROM ended WHERE s.id = ended.slice_id`,
      [job.name, job.connection, reason, job.filtersDigest],
    );
  }
  return rowCount ?? 0;
}
