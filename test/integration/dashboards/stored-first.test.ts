// Weeks that a page would compute, panel by panel, are stored before it is read, where the process that serves it may write.
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { silentLogger } from '../../../src/core/log.ts';
import { Secret } from '../../../src/core/secret.ts';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { type OpsServer, startOpsServer } from '../../../src/ops/server.ts';
import type { Instance } from '../../../src/queue/instance.ts';
import { storeWanted } from '../../../src/reports/refresh.ts';
import { serveDashboards } from '../../support/dashboards.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { until } from '../../support/wait.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
/** On a cluster readers leave marked weeks out, so that none is computed. */
const onOneServer = it.skipIf(inject('servers').citusWorkers.length > 0);
const never = new AbortController().signal;
const BEFORE = windowOfWeeks('2026-11-01', 1);
const RANKINGS = ['keyword_rankings'];

async function loadRankings(queries: readonly string[] = ['a']): Promise<Job> {
  const job = jobOf();
  for (const window of [BEFORE, WEEK]) {
    const rows = queries.map((query) => wireRow(job, { query, root_domain: 'acme.example', rank_true: '1' }, window.start));
    await loadWindow(ledger.pool, job, rows, window);
  }
  return job;
}

async function markedWeeks(job: Job): Promise<string[]> {
  const sql = 'SELECT subject, week FROM searchmill.stale_weeks WHERE account_id = $1 ORDER BY subject, week';
  const { rows } = await ledger.pool.query<{ subject: string; week: string }>(sql, [job.accountId]);
  return rows.map(({ subject, week }) => `${subject} ${week}`);
}
/** Facts of prompts are of the answers, and tell for which datasets a prompt was asked. */
const OTHERS = [`answers ${WEEK.start}`, `fan_out ${WEEK.start}`];
const BOTH = [`rankings ${BEFORE.start}`, `rankings ${WEEK.start}`];

let ops: OpsServer;
beforeAll(async () => {
  ops = await startOpsServer({
    host: '127.0.0.1',
    port: 0,
    databaseUrl: new Secret(ledger.url),
    instance: {} as Instance,
    metrics: createMetrics('1.2.3'),
    log: silentLogger,
  });
});
afterAll(() => ops.close());

async function read(from: string, path: string): Promise<string> {
  const response = await fetch(from + path);
  expect(response.status).toBe(200);
  return (await response.text()).replace(/Read [\d: -]+ UTC/, '');
}

onOneServer.each(['rankings', 'rankings/rank-distribution.csv'])(
  '%s: its weeks are stored, and it shows what was computed',
  async (path) => {
    const [job, other] = [await loadRankings(['a', 'b']), await loadRankings()];
    const computing = await serveDashboards(ledger.url);
    try {
      const computed = await read(computing.url, `/boards/${path}?account=${job.accountId}`);
      expect(await markedWeeks(job)).toEqual(BOTH);
      // Other pages lead to more than boards.
      const figuresOf = (text: string): string => text.replace(/<header[\s\S]*?<\/header>|<footer[\s\S]*?<\/footer>|<script[^>]*>/g, '');
      const given = await read(ops.url, `/boards/${path}?account=${job.accountId}`);
      expect(await markedWeeks(job)).toEqual([]);
      expect(await markedWeeks(other)).toEqual(BOTH);
      const valuesOf = (text: string): string[] => [...figuresOf(text).matchAll(/<data value="[^"]*"|^\d.*$/gm)].map(([value]) => value);
      expect(valuesOf(given).length).toBeGreaterThan(0);
      expect(valuesOf(given)).toEqual(valuesOf(computed));
    } finally {
      await computing.close();
    }
  },
);

onOneServer('only weeks of its datasets are stored, of its account or, without one, of all', async () => {
  const [job, other] = [await loadRankings(), await loadRankings()];
  const fanOut = jobOf({ accountId: job.accountId, dataset: datasetNamed('ai_search_fan_out') });
  await loadWindow(ledger.pool, fanOut, [wireRow(fanOut, { prompt: 'a', fan_out_query: 'b' })]);
  await storeWanted(ledger.pool, { accountId: String(job.accountId), datasets: RANKINGS }, never);
  expect(await markedWeeks(job)).toEqual(OTHERS);
  expect(await markedWeeks(other)).toEqual(BOTH);
  await storeWanted(ledger.pool, { accountId: null, datasets: RANKINGS }, never);
  expect(await markedWeeks(other)).toEqual([]);
  expect(await markedWeeks(job)).toEqual(OTHERS);
});

onOneServer('a week that another process is storing is waited for', async () => {
  const job = await loadRankings();
  const another = await ledger.pool.connect();
  await another.query('BEGIN');
  await another.query(`SELECT pg_advisory_xact_lock(hashtext('searchmill report rankings ' || $1), $2::date - date '2000-01-01')`, [
    job.accountId,
    WEEK.start,
  ]);
  let isDone = false;
  const stored = storeWanted(ledger.pool, { accountId: String(job.accountId), datasets: RANKINGS }, never).then(() => {
    isDone = true;
  });
  expect(isDone).toBe(false);
  await another.query('DELETE FROM searchmill.stale_weeks WHERE account_id = $1 AND week = $2', [job.accountId, WEEK.start]);
  await another.query('COMMIT');
  another.release();
  await stored;
  expect(await markedWeeks(job)).toEqual([]);
});

onOneServer('a page is read where its weeks cannot be stored, and a week that failed is left to the sweeps', async () => {
  const job = await loadRankings();
  await ledger.pool.query('ALTER TABLE search_stored.search_facts ADD CONSTRAINT broken CHECK (false) NOT VALID');
  try {
    for (let time = 0; time < 2; time += 1)
      expect(await read(ops.url, `/boards/rankings?account=${job.accountId}&weeks=4&time=${time}`)).toContain('being summarised');
  } finally {
    await ledger.pool.query('ALTER TABLE search_stored.search_facts DROP CONSTRAINT broken');
  }
  const { rows } = await ledger.pool.query('SELECT failures FROM searchmill.stale_weeks WHERE account_id = $1', [job.accountId]);
  expect(rows).toEqual([{ failures: 1 }, { failures: 1 }]);
});

onOneServer('a reader who leaves waits no longer', async () => {
  const job = await loadRankings();
  const blocker = await ledger.pool.connect();
  await blocker.query('BEGIN; LOCK TABLE search_stored.ranking_pages IN ACCESS EXCLUSIVE MODE');
  const leaving = new AbortController();
  const stored = storeWanted(ledger.pool, { accountId: String(job.accountId), datasets: RANKINGS }, leaving.signal);
  await until('a week is being stored', async () => {
    const { rowCount } = await blocker.query(
      `SELECT FROM pg_locks WHERE NOT granted AND relation = 'search_stored.ranking_pages'::regclass`,
    );
    return rowCount === 1;
  });
  leaving.abort(new Error('the reader has gone'));
  await expect(stored).rejects.toThrow('the reader has gone');
  await blocker.query('COMMIT');
  blocker.release();
  expect(await markedWeeks(job)).toEqual(BOTH);
});
