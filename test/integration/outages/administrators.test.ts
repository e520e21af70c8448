// What an administrator does to the tables while loads run: everything goes on, and what is published is exact.
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { HOUR } from '../../../src/core/clock.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { expectServedAsLoaded } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { sandboxJobs } from '../../support/test-stack.ts';
import { useStack } from '../../support/use-stack.ts';
import { until } from '../../support/wait.ts';

const DATASETS = ['keyword_rankings', 'ai_search_citations'] as const;
const JOBS = sandboxJobs('account_id: 12345, since: 2026-08-23, page_size: 200, lookback_weeks: 6, schedule: { cron: "0 6 * * 1" }', {
  rankings: 'keyword_rankings',
  citations: 'ai_search_citations',
});
const PARTITION = `SELECT c.oid::regclass::text AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                    WHERE i.inhparent = 'search.keyword_rankings'::regclass ORDER BY 1 DESC LIMIT 1`;
/** The account's rows of all tables go to the other node of a Citus cluster. */
const MOVE = `SELECT citus_move_shard_placement(p.shardid, p.nodename, p.nodeport, n.nodename, n.nodeport, 'MODE')
                FROM pg_dist_shard_placement p JOIN pg_dist_node n ON n.shouldhaveshards AND (n.nodename, n.nodeport) <> (p.nodename, p.nodeport)
               WHERE p.shardid = get_shard_id_for_distribution_column('search.keyword_rankings', 12345)`;

const clock = createSimulatedClock('2026-09-14T07:00:00Z');
const stack = useStack({ jobs: JOBS, clock, sandbox: { pageMs: 20, queryMs: 300, duplicates: 0.05 } });
let administrator: Pool;
beforeAll(() => {
  administrator = createPool(new Secret(stack.databaseUrl), { applicationName: 'administrator', max: 3 });
});
afterAll(() => administrator.end());

/** Does `work` one after the other, again and again, until all loads have ended. Returns how often. */
async function during(work: readonly string[]): Promise<number> {
  const instance = await stack.start();
  let isSettled = false;
  const settled = stack.settle().finally(() => {
    isSettled = true;
  });
  let rounds = 0;
  try {
    for (; !isSettled; rounds += 1) {
      const [partition] = await stack.read<{ name: string }>(PARTITION);
      for (const statement of work) {
        if (statement.includes('PARTITION') && !partition) continue;
        // Where this statement and a load wait for each other, Postgres may cancel this one; it is then tried again.
        await administrator.query(statement.replaceAll('PARTITION', partition?.name ?? '')).catch((error: { code?: unknown }) => {
          if (error.code !== '40P01') throw error;
        });
      }
    }
    await settled;
  } finally {
    await instance.stop();
  }
  return rounds;
}

/** Loads have gone on for so many weeks, at first three. */
let weeks = 3;

/** The loads of another week, with restated ones before. */
function nextWeek(): void {
  for (const operation of DATASETS) stack.sandbox.restate({ operation, share: 0.3, vanish: 0.1, appear: 0.1 });
  weeks += 1;
  clock.set(new Date(Date.parse('2026-08-24T07:00:00Z') + weeks * 7 * 24 * HOUR).toISOString());
}

/** Does `work` `times` times at least while loads run. Further weeks come as long as they ended too soon for that, but not for ever. */
async function duringLoads(work: readonly string[], times: number): Promise<void> {
  let rounds = await during(work);
  for (let more = 0; more < 5 && rounds < times; more += 1) {
    nextWeek();
    rounds += await during(work);
  }
  expect(rounds).toBeGreaterThanOrEqual(times);
  expect(await expectServedAsLoaded(stack)).toHaveLength(2 * weeks);
}

it('VACUUM FULL, new columns, storage parameters and statistics do no harm', async () => {
  await duringLoads(
    [
      'VACUUM FULL search.keyword_rankings',
      'ALTER TABLE search.keyword_rankings ADD COLUMN IF NOT EXISTS note text',
      'ALTER TABLE PARTITION SET (fillfactor = 70)',
      'VACUUM FULL searchmill.executions',
      'VACUUM FULL searchmill.call_slots',
      'ANALYZE',
    ],
    3,
  );
  const left = await stack.read(`SELECT state, end_reason FROM searchmill.executions WHERE state <> 'published'`);
  expect(left).toEqual([]);
});

it('indexes that are built and rebuilt meanwhile do no harm, not for restated weeks either', async () => {
  nextWeek();
  await duringLoads(
    [
      'DROP INDEX CONCURRENTLY IF EXISTS search_partitions.of_administrator',
      'CREATE INDEX CONCURRENTLY of_administrator ON PARTITION (query)',
      'REINDEX TABLE CONCURRENTLY PARTITION',
      'REINDEX TABLE CONCURRENTLY searchmill.executions',
    ],
    2,
  );
});

it('a reader that holds a snapshot of all tables, as pg_dump does, keeps it, and no load waits for the reader', async () => {
  const reader = await administrator.connect();
  try {
    const read = async (): Promise<unknown> =>
      (await reader.query(`SELECT count(*), sum(hashtext(k::text)) AS digest FROM search.keyword_rankings k`)).rows;
    // As pg_dump does; our own pool ends who waits long in a transaction.
    await reader.query('SET idle_in_transaction_session_timeout = 0');
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const { rows } = await reader.query<{ name: string }>(
      `SELECT oid::regclass::text AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace::regnamespace::text IN ('search', 'searchmill', 'search_reports', 'bullmq')`,
    );
    await reader.query(`LOCK TABLE ${rows.map(({ name }) => name).join(', ')} IN ACCESS SHARE MODE`);
    const before = await read();
    nextWeek();
    await during(['SELECT 1']);
    expect(await read()).toEqual(before);
  } finally {
    await reader.query('ROLLBACK').finally(() => reader.release(true));
  }
  expect(await expectServedAsLoaded(stack)).toHaveLength(2 * weeks);
  await until('no staging to be left', async () => {
    const left = await stack.read(`SELECT FROM pg_tables WHERE schemaname = 'searchmill_staging'`);
    return left.length === 0;
  });
});

it.skipIf(inject('servers').citusWorkers.length === 0)('rows that move to another node of a Citus cluster do no harm', async () => {
  nextWeek();
  // With pauses, since Citus makes no partitions meanwhile: a load that needs one is tried again after some seconds.
  const [pause, clean] = ['SELECT pg_sleep(6)', 'CALL citus_cleanup_orphaned_resources()'];
  await duringLoads([MOVE.replace('MODE', 'force_logical'), clean, pause, MOVE.replace('MODE', 'block_writes'), clean, pause], 1);
});
