import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { addDays, type IsoDate, windowOfWeeks } from '../../../src/core/weeks.ts';
import { type CoveredWeek, readCoverage } from '../../../src/warehouse/coverage.ts';
import { endExecution } from '../../../src/warehouse/endings.ts';
import { hold, postpone } from '../../../src/warehouse/executions.ts';
import { markRemovedJobs, recordJob } from '../../../src/warehouse/jobs.ts';
import { jobOf, loadWindow, planWindow, stageWindow, submitWindow, useLedger, wireRow } from '../../support/ledger.ts';

// Writes rows of its own into the ledger, or takes some away.
const ledger = useLedger({ keepsInvariants: false });
const SINCE = '2026-09-06';
const week = (index: number): IsoDate => addDays(SINCE, index * 7);
const window = (index: number, weeks = 1) => windowOfWeeks(week(index), weeks);
const failed = { state: 'failed', reason: 'the query failed' } as const;

const states = async (job: Job): Promise<string[]> =>
  (await readCoverage(ledger.pool, job.name)).map(
    ({ week: day, state, isExpected }) => `${day} ${state}${isExpected ? '' : ' (not expected)'}`,
  );
const only = async (job: Job, index = 0): Promise<CoveredWeek | undefined> =>
  (await readCoverage(ledger.pool, job.name)).find((covered) => covered.week === week(index));

/** A job of which `weeks` weeks are expected. */
async function expecting(weeks: number): Promise<Job> {
  const job = jobOf({ since: SINCE });
  await recordJob(ledger.pool, job, week(weeks - 1));
  return job;
}

describe('coverage', () => {
  it('has a line for every expected week, missing until something is known of it', async () => {
    const job = await expecting(4);
    expect(await states(job)).toEqual([0, 1, 2, 3].map((index) => `${week(index)} missing`));
    expect(await only(job)).toMatchObject({ sliceId: null, executionState: null, detail: null, publishedAt: null });
  });

  it('has no line for a job of which nothing is expected yet', async () => {
    const job = jobOf({ since: SINCE });
    await recordJob(ledger.pool, job, undefined);
    expect(await states(job)).toEqual([]);
  });

  it('shows what becomes of a week: planned, submitted, loading, staged, held, published, failed', async () => {
    const { pool } = ledger;
    const job = await expecting(7);
    await planWindow(pool, job, window(0));
    await submitWindow(pool, job, window(1));
    await stageWindow(pool, job, [[]], window(2));
    await hold(pool, await stageWindow(pool, job, [[]], window(3)), [], 0);
    await loadWindow(pool, job, [wireRow(job, { query: 'a' }, week(4))], window(4));
    await endExecution(pool, await submitWindow(pool, job, window(5)), failed);
    expect(await states(job)).toEqual(
      ['running', 'running', 'running', 'held', 'published', 'failed', 'missing'].map((state, i) => `${week(i)} ${state}`),
    );
    expect(await only(job, 4)).toMatchObject({ executionState: 'published', sliceRows: 1, publishedFiltersDigest: 'digest' });
    expect(await only(job, 5)).toMatchObject({ executionState: 'failed', detail: 'the query failed' });
  });

  it('says what a running week waits for, and what went wrong last', async () => {
    const { pool } = ledger;
    const job = await expecting(1);
    const execution = await submitWindow(pool, job, window(0));
    const error = { code: 'service_unavailable', message: 'the service answered 503', isCounted: true } as const;
    await postpone(pool, execution, { delayMs: 60_000, waitingFor: 'a free call', error });
    expect(await only(job)).toMatchObject({
      state: 'running',
      detail: 'a free call; the service answered 503',
      dueAt: expect.any(Date) as Date,
    });
  });

  it('calls a week published that is read again, until the new answer is held', async () => {
    const { pool } = ledger;
    const job = await expecting(1);
    await loadWindow(pool, job, [wireRow(job, { query: 'a' }, week(0))], window(0));
    const again = await stageWindow(pool, job, [[]], window(0));
    expect(await only(job)).toMatchObject({ state: 'published', executionState: 'staged' });
    await hold(pool, again, [], 0);
    expect(await only(job)).toMatchObject({ state: 'held', publishedAt: expect.any(Date) as Date, sliceRows: 1 });
  });

  it('calls a week published that could not be read again, and says why', async () => {
    const { pool } = ledger;
    const job = await expecting(1);
    await loadWindow(pool, job, [], window(0));
    await endExecution(pool, await submitWindow(pool, job, window(0)), failed);
    expect(await only(job)).toMatchObject({ state: 'published', executionState: 'failed', detail: 'the query failed' });
  });

  it('joins slices of one and of several weeks: one line per week, by the best that is known of it', async () => {
    const { pool } = ledger;
    const job = await expecting(5);
    await endExecution(pool, await submitWindow(pool, job, window(0, 4)), failed);
    await loadWindow(pool, job, [], window(1));
    await submitWindow(pool, job, window(2));
    expect(await states(job)).toEqual(['failed', 'published', 'running', 'failed', 'missing'].map((state, i) => `${week(i)} ${state}`));
    expect(await only(job, 2)).toMatchObject({ executionState: 'in_progress' });
  });

  it('shows the execution that runs, not an older slice\u2019s that failed later', async () => {
    const { pool } = ledger;
    const job = await expecting(1);
    const running = await planWindow(pool, job, window(0));
    await endExecution(pool, await submitWindow(pool, job, window(0, 2)), failed);
    expect(await only(job)).toMatchObject({ state: 'running', executionId: running, detail: null });
  });

  it('keeps what was published of a job that is gone, as not expected', async () => {
    const { pool } = ledger;
    const job = await expecting(2);
    await loadWindow(pool, job, [], window(0));
    const { rows } = await pool.query<{ name: string }>('SELECT name FROM searchmill.jobs');
    await markRemovedJobs(
      pool,
      rows.map(({ name }) => name).filter((name) => name !== job.name),
      'test',
    );
    expect(await states(job)).toEqual([`${week(0)} published (not expected)`]);
  });

  it('keeps weeks outside what is expected: loaded by hand, or on another weekday', async () => {
    const { pool } = ledger;
    const job = await expecting(1);
    await loadWindow(pool, job, [], window(-3));
    await loadWindow(pool, job, [], windowOfWeeks(addDays(week(0), 1), 1));
    expect(await states(job)).toEqual([
      `${week(-3)} published (not expected)`,
      `${week(0)} missing`,
      `${addDays(week(0), 1)} published (not expected)`,
    ]);
  });

  it('never expects less than it did', async () => {
    const job = await expecting(3);
    await recordJob(ledger.pool, job, week(0));
    await recordJob(ledger.pool, job, undefined);
    expect(await states(job)).toHaveLength(3);
  });
});

describe('coverage of a hundred jobs over five years', () => {
  it('has each of their 26,000 weeks once, for all and for one of them', async () => {
    const { pool } = ledger;
    await pool.query(`
      INSERT INTO searchmill.jobs (name, dataset, connection, account_id, filters, filters_digest, cron, timezone, since, expected_through, lookback_weeks)
      SELECT 'many-' || j, 'keyword_rankings', 'main', j, '{}', 'd', '0 6 * * 1', 'UTC', '2021-11-14', '2026-11-01', 1 FROM generate_series(1, 100) j;
      INSERT INTO searchmill.slices (job, dataset, account_id, window_start, window_end)
      SELECT name, dataset, account_id, w::date, w::date + 6 FROM searchmill.jobs, generate_series(since::timestamp, '2026-10-25', '7 days') w WHERE name LIKE 'many-%';
      INSERT INTO searchmill.executions (slice_id, connection, reason, priority, filters_digest, request, page_size, max_rejected_share, min_keep_share,
                                         max_wait, max_submits, state, ended_at, due_at, end_reason)
      SELECT s.id, 'main', 'catch_up', 3, 'd', '{}', 1000, 0, 0.5, '1 hour', 10,
             CASE WHEN a = 1 OR s.id % 50 = 0 THEN 'failed' ELSE 'published' END, now(), NULL, 'test'
        FROM searchmill.slices s, generate_series(1, 2) a WHERE s.job LIKE 'many-%' ORDER BY a;
      UPDATE searchmill.slices s SET published_execution_id = e.id, published_at = now(), published_rows = 5, published_filters_digest = 'd'
        FROM searchmill.executions e WHERE e.slice_id = s.id AND e.state = 'published' AND s.job LIKE 'many-%';
      ANALYZE searchmill.jobs, searchmill.slices, searchmill.executions`);
    const started = performance.now();
    const all = (await readCoverage(pool)).filter(({ job }) => job.startsWith('many-'));
    const allMs = performance.now() - started;
    const one = await readCoverage(pool, 'many-77');
    const oneMs = performance.now() - started - allMs;
    if (process.env.SHOW_TIMES) console.log(`all ${allMs.toFixed(0)} ms, one ${oneMs.toFixed(0)} ms`);
    expect(all).toHaveLength(26_000);
    expect(new Set(all.map(({ job, week: day }) => `${job} ${day}`)).size).toBe(26_000);
    const count = (weeks: readonly CoveredWeek[], state: string): number => weeks.filter((covered) => covered.state === state).length;
    const { rows } = await pool.query<{ failed: number }>(
      "SELECT count(*)::integer AS failed FROM searchmill.slices WHERE job LIKE 'many-%' AND published_at IS NULL",
    );
    expect([count(all, 'missing'), count(all, 'failed'), count(all, 'published')]).toEqual([
      100,
      rows[0]?.failed,
      25_900 - (rows[0]?.failed ?? 0),
    ]);
    expect(one).toHaveLength(260);
    expect(one).toEqual(all.filter(({ job }) => job === 'many-77'));
  });
});
