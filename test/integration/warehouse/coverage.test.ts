import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { addDays, type IsoDate, windowOfWeeks } from '../../../src/core/weeks.ts';
import { type CoveredWeek, readCoverage, readLiveExecutions, readWeekGroups, type WeekGroup } from '../../../src/ledger/coverage.ts';
import { endExecution } from '../../../src/ledger/endings.ts';
import { hold, postpone } from '../../../src/ledger/executions.ts';
import { markRemovedJobs, recordJob } from '../../../src/ledger/jobs.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { loadWindow, planWindow, stageWindow, submitWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

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

  it('has no line for a job without expected weeks', async () => {
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

  it('knows the rows of each week, of those that were loaded together, too', async () => {
    const job = await expecting(3);
    const rows = [week(0), week(0), week(1)].map((start, index) => wireRow(job, { query: `search ${index}` }, start));
    await loadWindow(ledger.pool, job, rows, window(0, 2));
    expect((await readCoverage(ledger.pool, job.name)).map(({ sliceRows, weekRows }) => [sliceRows, weekRows])).toEqual([
      [3, 2],
      [3, 1],
      [null, null],
    ]);
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

  it('counts the published rows while another slice of the week is held', async () => {
    const { pool } = ledger;
    const job = await expecting(2);
    await loadWindow(pool, job, [wireRow(job, { query: 'a' }, week(0))], window(0));
    await loadWindow(
      pool,
      job,
      ['b', 'c'].map((query) => wireRow(job, { query }, week(1))),
      window(1),
    );
    await hold(pool, await stageWindow(pool, job, [[]], window(0, 2)), [], 0);
    expect(await only(job)).toMatchObject({ state: 'held', weekRows: 1 });
    expect(await only(job, 1)).toMatchObject({ state: 'held', weekRows: 2 });
  });

  it('calls a week published that could not be read again, and says why', async () => {
    const { pool } = ledger;
    const job = await expecting(1);
    await loadWindow(pool, job, [], window(0));
    await endExecution(pool, await submitWindow(pool, job, window(0)), failed);
    expect(await only(job)).toMatchObject({ state: 'published', executionState: 'failed', detail: 'the query failed' });
  });

  it('joins slices of one and of several weeks: one line per week, with the best state known of it', async () => {
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

  it('shows a week as missing, however many slices the other weeks have', async () => {
    const { pool } = ledger;
    const job = await expecting(3);
    const otherWeekday = windowOfWeeks(addDays(week(0), 1), 1);
    for (const loaded of [window(0), window(0, 2), window(1), otherWeekday]) await loadWindow(pool, job, [], loaded);
    expect(await states(job)).toEqual([
      `${week(0)} published`,
      `${addDays(week(0), 1)} published (not expected)`,
      `${week(1)} published`,
      `${week(2)} missing`,
    ]);
  });

  it('keeps the newest expected week when a later record of the job names none', async () => {
    const job = await expecting(3);
    await recordJob(ledger.pool, job, week(0));
    await recordJob(ledger.pool, job, undefined);
    expect(await states(job)).toHaveLength(3);
  });
});

describe('live executions', () => {
  it('have the calls and the time since their submit, and what each stage has taken', async () => {
    const { pool } = ledger;
    const job = await expecting(2);
    await planWindow(pool, job, window(0));
    const { id } = await submitWindow(pool, job, window(1));
    await pool.query(
      `UPDATE searchmill.executions SET poll_calls = 3, page_calls = 4, wait_ms = 11, network_ms = 12, decode_ms = 13, copy_ms = 14,
              publish_ms = 15, submit_started_at = clock_timestamp() - interval '1 hour' WHERE id = $1`,
      [id],
    );
    const [submitted, planned] = await readLiveExecutions(pool, job.name);
    const nothing = { waitMs: 0, networkMs: 0, decodeMs: 0, copyMs: 0, publishMs: 0 };
    expect(planned).toMatchObject({ state: 'planned', calls: 0, durationMs: null, timings: nothing });
    expect(submitted).toMatchObject({
      calls: 8,
      timings: { waitMs: 11, networkMs: 12, decodeMs: 13, copyMs: 14, publishMs: 15 },
    });
    expect(submitted?.durationMs).toBeGreaterThanOrEqual(3_600_000);
  });
});

/** Slices of one week and of several, of every state, overlapping and on any weekday, by chance. */
const ANY_SLICES = `
  SELECT setseed(0.4);
  INSERT INTO searchmill.jobs (name, dataset, connection, account_id, filters, filters_digest, cron, timezone, since, expected_through,
                               lookback_weeks, removed_at)
  SELECT 'any-' || j, 'keyword_rankings', 'main', j, '{}', 'd', '0 6 * * 1', 'UTC', '2026-01-04',
         CASE WHEN j % 7 > 0 THEN date '2026-01-04' + 7 * (j % 12) END, 1, CASE WHEN j % 5 = 0 THEN now() END
    FROM generate_series(1, 40) j;
  INSERT INTO searchmill.slices (job, dataset, account_id, window_start, window_end)
  SELECT 'any-' || j, 'keyword_rankings', 1, first, first + 7 * CASE WHEN j % 2 = 0 THEN 1 ELSE weeks END - 1
    FROM (SELECT ceil(random() * 40)::integer AS j, date '2026-01-04' + 7 * floor(random() * 12)::integer + (random() < 0.1)::integer AS first,
                 CASE WHEN random() < 0.7 THEN 1 ELSE 1 + floor(random() * 5)::integer END AS weeks FROM generate_series(1, 500)) s
      ON CONFLICT DO NOTHING;
  INSERT INTO searchmill.executions (slice_id, connection, reason, priority, filters_digest, request, page_size, max_rejected_share, min_keep_share,
                                     max_wait, max_submits, state, ended_at, due_at, end_reason)
  SELECT s.id, 'main', 'catch_up', 3, 'd', '{}', 1000, 0, 0.5, '1 hour', 10,
         (ARRAY['published', 'published', 'failed', 'abandoned', 'discarded'])[ceil(random() * 5)], now(), NULL, 'ended ' || random()
    FROM searchmill.slices s, generate_series(1, 3) WHERE s.job LIKE 'any-%' AND random() < 0.5;
  UPDATE searchmill.executions SET end_reason = NULL WHERE state = 'published' AND end_reason LIKE 'ended %';
  UPDATE searchmill.slices s SET published_execution_id = e.id, published_at = now() - random() * interval '9 days', published_rows = e.id
    FROM (SELECT slice_id, max(id) AS id FROM searchmill.executions WHERE state = 'published' GROUP BY slice_id) e
   WHERE e.slice_id = s.id AND s.job LIKE 'any-%';
  UPDATE searchmill.executions e SET state_since = s.published_at FROM searchmill.slices s WHERE s.published_execution_id = e.id AND s.job LIKE 'any-%';
  INSERT INTO searchmill.executions (slice_id, connection, reason, priority, filters_digest, request, page_size, max_rejected_share, min_keep_share,
                                     max_wait, max_submits, state, remote_execution_id, waiting_for, last_error, errors_in_row)
  SELECT s.id, 'main', 'catch_up', 3, 'd', '{}', 1000, 0, 0.5, '1 hour', 10,
         (ARRAY['planned', 'loading', 'held'])[ceil(random() * 3)], 'x', CASE WHEN random() < 0.5 THEN 'a call' END, 'an error', floor(random() * 2)
    FROM searchmill.slices s WHERE s.job LIKE 'any-%' AND random() < 0.4`;

describe('coverage of slices that overlap in any way', () => {
  it('agrees with a plain view that compares all slices with each other', async () => {
    const { pool } = ledger;
    await pool.query(ANY_SLICES);
    await pool.query(readFileSync('test/support/plain-coverage.sql', 'utf8'));
    const weeksOf = async (view: string): Promise<unknown[]> =>
      (await pool.query(`SELECT * FROM ${view} WHERE job LIKE 'any-%' ORDER BY job, week`)).rows;
    const weeks = await weeksOf('searchmill.coverage');
    expect(new Set(weeks.map((covered) => (covered as CoveredWeek).state)).size).toBe(5);
    expect(weeks).toEqual(await weeksOf('(SELECT *, NULL::timestamptz AS paused_since FROM public.plain_coverage) AS plain'));
    expect(await weeksOf("(SELECT * FROM searchmill.coverage WHERE job = 'any-3') AS one")).toEqual(
      weeks.filter((covered) => (covered as CoveredWeek).job === 'any-3'),
    );
    await pool.query('DROP VIEW public.plain_coverage');
  });

  it('joins weeks with the same findings, and loses none', async () => {
    const { pool } = ledger;
    const alikes = await readWeekGroups(pool);
    const key = (of: WeekGroup): string => JSON.stringify([of.job, of.state, of.isExpected, of.isPublished, of.failure, of.filtersDigest]);
    const joined = new Map<string, CoveredWeek[]>();
    for (const covered of await readCoverage(pool)) {
      const failure = covered.executionState === 'failed' && ['failed', 'published'].includes(covered.state) ? covered.detail : null;
      const { job, state, isExpected, publishedAt, publishedFiltersDigest, detail } = covered;
      const why = state === 'failed' ? detail : failure;
      const of = JSON.stringify([job, state, isExpected, publishedAt !== null, why, publishedFiltersDigest]);
      joined.set(of, [...(joined.get(of) ?? []), covered]);
    }
    expect(alikes).toHaveLength(joined.size);
    expect(new Set(alikes.map(key))).toEqual(new Set(joined.keys()));
    for (const alike of alikes) {
      const weeks = joined.get(key(alike)) ?? [];
      const times = (at: (covered: CoveredWeek) => Date | null): number[] => weeks.flatMap((covered) => at(covered)?.getTime() ?? []);
      expect([alike.weeks, alike.first, alike.last]).toEqual([weeks.length, weeks[0]?.week, weeks.at(-1)?.week]);
      expect(alike.publishedAt?.getTime() ?? -Infinity).toBe(Math.max(...times((covered) => covered.publishedAt)));
      expect(alike.stateSince?.getTime() ?? Infinity).toBe(Math.min(...times((covered) => covered.stateSince)));
    }
  });
});

describe('coverage of a hundred jobs over five years', () => {
  it('has each of their 26,000 weeks once, for all and for one of them', async () => {
    const { pool } = ledger;
    // Weeks are written once for all, which takes seconds; by each of 130,000 changes it would take minutes.
    await pool.query(`
      ALTER TABLE searchmill.slices DISABLE TRIGGER USER;
      ALTER TABLE searchmill.executions DISABLE TRIGGER USER;
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
      ALTER TABLE searchmill.slices ENABLE TRIGGER USER;
      ALTER TABLE searchmill.executions ENABLE TRIGGER USER;
      ANALYZE searchmill.slices, searchmill.executions;
      SELECT searchmill.write_weeks(job, array_agg(week)) FROM searchmill.weeks WHERE job LIKE 'many-%' GROUP BY job;
      ANALYZE searchmill.weeks;
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
