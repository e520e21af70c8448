// keep_weeks: which partitions go, when, what everything else says of their weeks afterwards, and that no kept row is touched.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { DAY } from '../../../src/core/clock.ts';
import { silentLogger } from '../../../src/core/log.ts';
import { addDays, windowOfWeeks } from '../../../src/core/weeks.ts';
import { readActions } from '../../../src/ledger/actions.ts';
import { markRemovedJobs, readSlices, recordJob } from '../../../src/ledger/jobs.ts';
import { expectBySchedule } from '../../../src/pipeline/expected-weeks.ts';
import { choosePlan } from '../../../src/pipeline/plan.ts';
import { listQuarantine, replayQuarantine } from '../../../src/publishing/quarantine.ts';
import { checkReports } from '../../../src/reports/rebuild.ts';
import { finishReports } from '../../../src/reports/refresh.ts';
import { expirePartitions, findExpired } from '../../../src/tables/expiry.ts';
import { verifyTables } from '../../../src/tables/verification.ts';
import { runCli } from '../../support/command-line.ts';
import { keepingOf, kept, weekly } from '../../support/kept-weeks.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { recordLog } from '../../support/recorded-log.ts';
import { createTestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { loadWindow, planWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';
import { completeJobFile } from '../../unit/config/jobs-file.ts';

const ledger = useLedger();
const stopping = new AbortController().signal;
const { expire, load, rowsFrom, partitionsFrom, stateOf } = keepingOf(ledger);

/** The job in a jobs file, with six weeks to keep. */
const keptJob = (job: Job, since: string): string =>
  `{ name: ${job.name}, dataset: keyword_rankings, account_id: ${job.accountId}, since: ${since}, keep_weeks: 6 }`;

/** Lends what "plan" prints where the jobs file has these jobs. */
async function withPlan(jobs: readonly string[], work: (plan: (...words: string[]) => Promise<string>) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'keep-weeks-'));
  try {
    const path = join(directory, 'jobs.yaml');
    await writeFile(path, `connections: { main: { base_url: "http://127.0.0.1:1", auth: { token: t } } }\njobs: [${jobs.join(', ')}]\n`);
    await work(async (...words) => (await runCli(['plan', ...words], { env: { DATABASE_URL: ledger.url, SEARCHMILL_CONFIG: path } })).out);
  } finally {
    await rm(directory, { recursive: true });
  }
}

describe('partitions', () => {
  it('are removed a day after they were noted, with notes on their weeks, and are reported before and afterwards', async () => {
    const { pool } = ledger;
    const job = jobOf({ since: '1990-01-07', keepWeeks: 6 });
    const windows = weekly('1990-01-07', 12);
    const newest = windows.at(-1)?.start ?? '';
    await load(job, windows);
    await recordJob(pool, job, newest);
    await pool.query(
      `INSERT INTO searchmill.quarantined_rows (execution_id, page, position, reason, schema_names, raw)
       SELECT published_execution_id, 1, 3, 'no', '{}', '[]' FROM searchmill.slices WHERE job = $1 AND window_start = '1990-01-14'`,
      [job.name],
    );
    await pool.query(
      `UPDATE searchmill.executions e SET rows_quarantined = 1, rows_received = rows_received + 1
         FROM searchmill.quarantined_rows q WHERE q.execution_id = e.id`,
    );
    await finishReports(pool, stopping, () => undefined);
    const [quarantined] = await listQuarantine(pool, job.name);
    expect(await findExpired(pool, kept([job], newest))).toMatchObject([
      { partition: 'keyword_rankings_1990_01', jobs: [job.name], weeks: 4, firstWeek: '1990-01-07', rows: 8, notedAt: null },
    ]);
    const lines: Record<string, unknown>[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
    expect(await expire([job], newest, { log, graceMs: DAY })).toEqual([]);
    expect(await expire([job], newest, { log, graceMs: DAY })).toEqual([]);
    expect(lines).toMatchObject([{ msg: 'keep_weeks will remove a partition', partition: 'search_partitions.keyword_rankings_1990_01' }]);
    await pool.query(`UPDATE searchmill.expiring_partitions SET noted_at = noted_at - interval '1 day'`);
    expect(await expire([job], newest, { log, graceMs: DAY })).toEqual(['keyword_rankings_1990_01']);
    expect(lines.slice(1)).toMatchObject([
      { msg: 'keep_weeks removed a partition', window: '1990-01-07..1990-02-03', weeks: 4, rows: 8, jobs: [job.name] },
    ]);
    // The last week ends in February: none of its rows is left there.
    expect((await rowsFrom('1990-01-01', '1991-01-01')).map(({ day }) => day)[0]).toBe('1990-02-04');
    expect(await partitionsFrom('1990-01-01', '1991-01-01')).toEqual(['keyword_rankings_1990_02', 'keyword_rankings_1990_03']);
    expect([await stateOf(job, '1990-01-14'), await stateOf(job, '1990-02-04'), await stateOf(job, newest)]).toEqual([
      'expired, not expected',
      'published, not expected',
      'published',
    ]);
    expect(await listQuarantine(pool, job.name)).toEqual([]);
    await expect(replayQuarantine(pool, quarantined?.executionId ?? 0)).rejects.toThrow('neither held nor published');
    const actions = await readActions(pool, job.name, { maxRows: 100 });
    expect(actions.map(({ actor, action, windowStart }) => [actor, action, windowStart])).toContainEqual([
      'retention',
      'expire',
      '1990-01-14',
    ]);
    expect(actions).toHaveLength(4);
    const shown = `SELECT count(*) AS weeks FROM search_reports.weeks WHERE account_id = $1`;
    expect((await pool.query(shown, [job.accountId])).rows).toEqual([{ weeks: 8 }]);
    const stored = `SELECT count(DISTINCT week) AS weeks FROM search_stored.search_facts WHERE account_id = $1`;
    await finishReports(pool, stopping, () => undefined);
    expect((await pool.query(stored, [job.accountId])).rows).toEqual([{ weeks: 8 }]);
    expect(await checkReports(pool, {})).toMatchObject({ marked: 0, differences: [] });
    expect(await expire([job], newest, { log })).toEqual([]);
    await pool.query('DELETE FROM searchmill.quarantined_rows');
    await pool.query('UPDATE searchmill.executions SET rows_received = rows_staged, rows_quarantined = 0');
  });

  it('are planned again when keep_weeks is raised, and their weeks are loaded again', async () => {
    const { pool } = ledger;
    const job = jobOf({ since: '1992-01-05', keepWeeks: 6, schedule: { cron: '0 6 * * 1', timezone: 'UTC' } });
    const newest = '1992-03-22';
    await load(job, weekly('1992-01-05', 12));
    await recordJob(pool, job, newest);
    expect(await expire([job], newest)).toEqual(['keyword_rankings_1992_01']);
    const at = new Date('1992-03-30T12:00:00Z');
    const planOf = async (changed: Job) => {
      const expectation = expectBySchedule(changed, at);
      return expectation ? choosePlan(changed, expectation, await readSlices(pool, job.name)).map(({ window }) => window.start) : [];
    };
    expect(await planOf(job)).toEqual([]);
    const raised = { ...job, keepWeeks: 11 };
    expect(await planOf(raised)).toEqual(['1992-01-26', '1992-01-19', '1992-01-12']);
    await load(raised, weekly('1992-01-19', 1));
    await recordJob(pool, raised, newest);
    expect([await stateOf(job, '1992-01-19'), await stateOf(job, '1992-01-05')]).toEqual(['published', 'expired, not expected']);
    expect(await expire([raised], newest)).toEqual([]);
    expect(await expire([job], newest)).toEqual(['keyword_rankings_1992_01']);
  });

  it('stay while a load of their weeks is under way, and while the job is switched off, gone or loads into them without keep_weeks', async () => {
    const { pool } = ledger;
    const job = jobOf({ since: '1994-01-02', keepWeeks: 6 });
    const newest = '1994-03-20';
    await load(job, weekly('1994-01-02', 12));
    const found = async (jobs: readonly Job[]) => (await findExpired(pool, kept(jobs, newest))).map(({ partition }) => partition);
    expect(await found([job])).toEqual(['keyword_rankings_1994_01']);
    expect(await found([])).toEqual([]);
    expect(await found([{ ...job, isEnabled: false }])).toEqual([]);
    expect(await found([{ ...job, keepWeeks: undefined }])).toEqual([]);
    // The job has published nothing yet.
    expect(await found([job, jobOf({ since: '1994-01-30' })])).toEqual([]);
    expect(await found([job, jobOf({ since: '1994-02-06' })])).toEqual(['keyword_rankings_1994_01']);
    const removed = jobOf();
    await load(removed, weekly('1994-01-23', 1));
    await recordJob(pool, removed, '1994-01-23');
    await markRemovedJobs(pool, [job.name], 'test');
    expect(await found([job])).toEqual([]);
    await pool.query(`UPDATE searchmill.slices SET published_execution_id = NULL, expired_at = now() WHERE job = $1`, [removed.name]);
    expect(await found([job])).toEqual(['keyword_rankings_1994_01']);
    const live = await planWindow(pool, job, windowOfWeeks('1994-01-30', 1), 'backfill');
    expect(await found([job])).toEqual([]);
    await pool.query(
      `UPDATE searchmill.executions SET state = 'cancelled', ended_at = now(), due_at = NULL, end_reason = 'no' WHERE id = $1`,
      [live],
    );
    expect(await found([job])).toEqual(['keyword_rankings_1994_01']);
    // Its newest weeks stay away.
    expect((await findExpired(pool, kept([job], '2026-11-08'))).map(({ partition }) => partition)).toEqual(['keyword_rankings_1994_01']);
  });

  it('are shown by plan, with the time of their removal, as soon as the file has keep_weeks', async () => {
    const { pool } = ledger;
    const job = jobOf({ since: '2000-01-02' });
    await load(job, weekly('2000-01-02', 12));
    const other = '{ name: other, dataset: ai_search_brands, account_id: 1, since: 2026-01-04 }';
    await withPlan([keptJob(job, '2000-01-02'), other], async (plan) => {
      const shown = /^search_partitions\.keyword_rankings_2000_01 +5 +2000-01-02\.\.2000-02-05 +10 +job-\d+ +(.*)$/m;
      expect(shown.exec(await plan())?.[1]).toBe('a day after the service sees it');
      expect(await plan('other')).not.toMatch(shown);
      await expire([{ ...job, keepWeeks: 6 }], '2000-03-19', { graceMs: DAY });
      expect(shown.exec(await plan())?.[1]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
      const { removals } = JSON.parse(await plan('--json')) as { removals: unknown[] };
      expect(removals).toEqual([
        {
          partition: 'search_partitions.keyword_rankings_2000_01',
          dataset: 'keyword_rankings',
          month: '2000-01-01',
          jobs: [job.name],
          weeks: 5,
          firstWeek: '2000-01-02',
          lastWeek: '2000-01-30',
          rows: 10,
          goesAt: expect.stringMatching(/Z$/) as string,
        },
      ]);
      // keep_weeks is taken back: a later one is noted anew.
      await expire([job], '2000-03-19', { graceMs: DAY });
      expect((await pool.query('SELECT FROM searchmill.expiring_partitions')).rows).toHaveLength(0);
    });
  });

  it('are noted by a scheduler, and removed by the next one a day later', async () => {
    const stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: completeJobFile('keep_weeks: 1') });
    try {
      const lines: Record<string, unknown>[] = [];
      const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
      const told = (text: string) => lines.filter(({ msg }) => msg === text);
      await (await stack.start({ role: 'scheduler', log })).stop();
      await stack.read(`SELECT searchmill.ensure_partition('keyword_rankings', '2020-01-01')`);
      await stack.read(
        `INSERT INTO searchmill.slices (job, dataset, account_id, window_start, window_end, published_execution_id)
         VALUES ('acme', 'keyword_rankings', 1, '2020-01-05', '2020-01-11', 0), ('acme', 'keyword_rankings', 1, '2020-03-01', '2020-03-07', 0)`,
      );
      const first = await stack.start({ role: 'scheduler', log });
      await until('it is noted', () => told('keep_weeks will remove a partition').length > 0);
      await first.stop();
      await stack.read(`UPDATE searchmill.expiring_partitions SET noted_at = noted_at - interval '1 day'`);
      await stack.start({ role: 'scheduler', log });
      await until('it is removed', () => told('keep_weeks removed a partition').length > 0);
      expect(told('keep_weeks removed a partition')).toMatchObject([
        { partition: 'search_partitions.keyword_rankings_2020_01', jobs: ['acme'] },
      ]);
      expect(await stack.read(`SELECT to_regclass('search_partitions.keyword_rankings_2020_01') AS name`)).toEqual([{ name: null }]);
      await stack.read(`DELETE FROM searchmill.slices WHERE window_end < '2021-01-01'`);
    } finally {
      await stack.close();
    }
  });

  it('stay when the configuration changes between two schedulers', async () => {
    const job = jobOf({ since: '2002-01-06', keepWeeks: 1 });
    await load(job, weekly('2002-01-06', 12));
    let looks = 0;
    // The first look finds both, the second removes one.
    const readJobs = () => {
      looks += 1;
      return kept([{ ...job, keepWeeks: looks > 2 ? 12 : 1 }], '2002-03-24');
    };
    expect(await findExpired(ledger.pool, kept([job], '2002-03-24'))).toHaveLength(2);
    expect(await expirePartitions(ledger.pool, readJobs, { log: silentLogger, stopping, graceMs: 0 })).toEqual([
      'keyword_rankings_2002_01',
    ]);
  });

  it('stay while they have rows of loads that are to be kept, whatever windows those loads have', async () => {
    const { pool } = ledger;
    const job = jobOf({ since: '1996-01-07', keepWeeks: 6 });
    await load(job, weekly('1996-01-07', 12));
    const stray = jobOf({ since: '1996-03-03' });
    await loadWindow(pool, stray, [wireRow(stray, { time_period_start: '1996-01-10' })], windowOfWeeks('1996-03-03', 1));
    const before = await rowsFrom('1996-01-01', '1997-01-01');
    expect(await findExpired(pool, kept([job, stray], '1996-03-24'))).toHaveLength(1);
    expect(await expire([job, stray], '1996-03-24')).toEqual([]);
    expect(await rowsFrom('1996-01-01', '1997-01-01')).toEqual(before);
    await pool.query('DELETE FROM search.keyword_rankings WHERE account_id = $1', [stray.accountId]);
    expect(await expire([job, stray], '1996-03-24')).toEqual(['keyword_rankings_1996_01']);
  });

  it('are removed later while somebody reads the table or publishes into it', async () => {
    const { pool } = ledger;
    const job = jobOf({ since: '1998-01-04', keepWeeks: 6 });
    await load(job, weekly('1998-01-04', 12));
    const before = await rowsFrom('1998-01-01', '1999-01-01');
    const other = await pool.connect();
    try {
      for (const inUse of [
        'SELECT count(*) FROM search.keyword_rankings',
        `SELECT pg_advisory_xact_lock_shared(hashtext('searchmill publish keyword_rankings'), 0)`,
      ]) {
        await other.query('BEGIN');
        await other.query(inUse);
        expect(await expire([job], '1998-03-22', { lockTimeoutMs: 20 })).toEqual([]);
        // Other partitions are not held up.
        expect(await rowsFrom('1998-01-01', '1999-01-01')).toEqual(before);
        expect(await stateOf(job, '1998-01-11')).toBe('published, not expected');
        await other.query('COMMIT');
      }
    } finally {
      other.release();
    }
    const both = await Promise.all([expire([job], '1998-03-22'), expire([job], '1998-03-22')]);
    expect(both.flat()).toEqual(['keyword_rankings_1998_01']);
  });

  it.each([
    [
      'a year',
      '2004-01-04',
      `CREATE TABLE public.kr_2004 PARTITION OF search.keyword_rankings FOR VALUES FROM ('2003-02-01') TO ('2004-02-01')`,
      'public.kr_2004',
    ],
    [
      'a month, under another name',
      '2008-01-06',
      `CREATE TABLE search.kr_january PARTITION OF search.keyword_rankings FOR VALUES FROM ('2008-01-01') TO ('2008-02-01')`,
      'search.kr_january',
    ],
  ])('of somebody else that take %s are named and left alone, and forgotten once they are gone', async (_, first, attach, name) => {
    const { pool } = ledger;
    const job = jobOf({ since: first, keepWeeks: 6 });
    await pool.query(attach);
    const windows = weekly(first, 12);
    const newest = windows.at(-1)?.start ?? '';
    await load(job, windows);
    await recordJob(pool, job, newest);
    const before = await rowsFrom(first, addDays(first, 350));
    const { log, lines } = recordLog();
    const statement = `ALTER TABLE search."keyword_rankings" DETACH PARTITION ${name}`;
    expect(await expire([job], newest, { log })).toEqual([]);
    expect(await rowsFrom(first, addDays(first, 350))).toEqual(before);
    const told = lines.filter((line) => line.includes('keep_weeks leaves a partition that Searchmill did not create'));
    expect(told.length).toBeGreaterThan(0);
    expect(told.map((line) => JSON.parse(line) as unknown)).toEqual(
      told.map(() => expect.objectContaining({ partition: name, statement, jobs: [job.name] }) as unknown),
    );
    await withPlan([keptJob(job, first)], async (plan) => {
      const shown = await plan();
      expect(shown).toContain('keep_weeks leaves partitions that Searchmill did not create');
      expect(shown.split(`${statement};`)).toHaveLength(2);
      const { removals, leaves } = JSON.parse(await plan('--json')) as { removals: unknown[]; leaves: unknown[] };
      expect(removals).toEqual([]);
      expect(leaves[0]).toMatchObject({ partition: name, month: `${first.slice(0, 7)}-01`, jobs: [job.name] });
      await pool.query(statement);
      expect(await plan()).not.toContain('keep_weeks leaves');
    });
    expect(await expire([job], newest, { log })).toEqual([]);
    expect(await stateOf(job, first)).toBe('expired, not expected');
    expect(lines.some((line) => line.includes('keep_weeks forgot weeks whose rows are gone'))).toBe(true);
    const { differences } = await verifyTables(
      pool,
      { job: job.name, to: addDays(first, 13) },
      { isDeep: false, signal: stopping, onPlace: () => undefined },
    );
    expect(differences).toEqual([]);
    expect(await expire([job], newest, { log })).toEqual([]);
    await pool.query(`DROP TABLE ${name}`);
  });
});
