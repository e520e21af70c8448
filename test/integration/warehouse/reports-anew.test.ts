// All summaries of a warehouse are made anew while loads go on.
import { afterEach, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { execute } from '../../../src/postgres/statements.ts';
import { beginRebuild, checkReports } from '../../../src/reports/rebuild.ts';
import { refreshWeek, sweepReports } from '../../../src/reports/refresh.ts';
import { jobOf } from '../../support/ledger.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { loadWindow, publish, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';
import { findWrongWeeks } from '../../support/wrong-weeks.ts';

let database: TestDatabase;
const pools: Pool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
  await database.drop();
});

const never = new AbortController().signal;
const WEEKS = ['2026-10-04', '2026-10-25', '2026-11-01', '2026-11-08', '2026-11-15', '2026-11-22'];
const windowFrom = (start: string) => ({ start, end: new Date(Date.parse(start) + 6 * 86_400_000).toISOString().slice(0, 10) });

it('is filled the newest week first, exact at every moment, while loads go on', async () => {
  database = await createTestDatabase();
  const pool = createPool(new Secret(database.url), { applicationName: 'test', max: 10 });
  pools.push(pool);
  const jobs = [jobOf(), jobOf()];
  const accounts = jobs.map((job) => job.accountId);
  const load = async (job: Job, start: string, queries: string): Promise<void> => {
    const rows = [...queries].map((query) => wireRow(job, { query, rank_true: '1', root_domain: 'acme.com' }, start));
    await loadWindow(pool, job, rows, windowFrom(start));
  };
  for (const job of jobs) for (const start of WEEKS.slice(0, 5)) await load(job, start, 'ab');
  const under = await stageWindow(
    pool,
    jobs[0] as Job,
    [[wireRow(jobs[0] as Job, { query: 'staged' }, '2026-11-22')]],
    windowFrom('2026-11-22'),
  );
  expect(await beginRebuild(pool, {}, true)).toEqual({ weeks: 10, isResumed: false });

  const waiting = async (): Promise<string[]> => {
    const sql = 'SELECT DISTINCT week FROM searchmill.stale_weeks WHERE NOT is_live ORDER BY week';
    return (await pool.query<{ week: string }>(sql)).rows.map(({ week }) => week);
  };
  expect(await waiting()).toEqual(WEEKS.slice(0, 5));
  expect(await findWrongWeeks(pool, accounts, WEEKS)).toEqual([]);
  const next = await execute(pool, 'reports/find-stale', { maxWeeks: 3 });
  expect(next.rows.map(({ week }) => week)).toEqual(['2026-11-15', '2026-11-15', '2026-11-08']);
  for (const left of [5, 4]) {
    for (const accountId of accounts.map(String)) await refreshWeek(pool, { subject: 'rankings', accountId, week: WEEKS[left - 1] ?? '' });
    expect(await waiting()).toEqual(WEEKS.slice(0, left - 1));
  }
  let isDone = false;
  const loads = async (): Promise<void> => {
    await publish(pool, jobs[0] as Job, under);
    for (const start of WEEKS) for (const job of jobs) await load(job, start, 'bcd');
    isDone = true;
  };
  const sweeps = async (): Promise<void> => {
    while (!isDone || (await pool.query('SELECT FROM searchmill.stale_weeks')).rowCount) await sweepReports(pool, never);
  };
  const looks = async (): Promise<number> => {
    let looked = 0;
    for (; !isDone; looked += 1) expect(await findWrongWeeks(pool, accounts, [WEEKS[looked % 6] ?? ''])).toEqual([]);
    return looked;
  };
  const [looked] = await Promise.all([looks(), loads(), sweeps()]);
  expect(looked).toBeGreaterThan(3);
  expect(await findWrongWeeks(pool, accounts, WEEKS)).toEqual([]);
  expect(await checkReports(pool, {})).toEqual({ weeks: 12, marked: 0, differences: [] });
});
