// The roles that the migrations make: a service that logs in as searchmill_writer has all it needs, a dashboard that logs in
// as searchmill_reader, too; and neither can do more.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Logger } from '../../../src/core/log.ts';
import { silentLogger } from '../../../src/core/log.ts';
import { Secret } from '../../../src/core/secret.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { NO_PROXIES } from '../../../src/egress/route.ts';
import { readCoverage, readDrift, readJobs, readLiveExecutions } from '../../../src/ledger/coverage.ts';
import { approveHeld, discardHeld } from '../../../src/ledger/endings.ts';
import { readHistory } from '../../../src/ledger/history.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { listQuarantine, replayQuarantine } from '../../../src/publishing/quarantine.ts';
import { openQueueBackend } from '../../../src/queue/backend/backend.ts';
import { createDoorbell } from '../../../src/queue/doorbell.ts';
import { type Instance, startInstance } from '../../../src/queue/instance.ts';
import { SUMMARIES } from '../../../src/reports/summaries.ts';
import { createLogin, type Login } from '../../support/database-access.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, sandboxJobs, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const JOBS = sandboxJobs('account_id: 12345, since: 2026-09-06, lookback_weeks: 1, schedule: { cron: "0 6 * * 1", timezone: UTC }', {
  rankings: 'keyword_rankings',
  brands: 'ai_search_brands, max_rejected: 0.5',
});

const isOnCitus = process.env.TEST_CITUS_URL !== undefined;
const clock = createSimulatedClock('2026-09-14T07:00:00Z');
let stack: TestStack;
let writer: Login;
let reader: Login;
let asWriter: Pool;
let asReader: Pool;
let instance: Instance;

beforeAll(async () => {
  // Its queue is in the database as well: the writer needs rights there, too.
  stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS, clock, sandbox: { size: 'tiny' } });
  writer = await createLogin(stack.pool, stack.databaseUrl, 'searchmill_writer');
  reader = await createLogin(stack.pool, stack.databaseUrl, 'searchmill_reader');
  asWriter = createPool(new Secret(writer.url), { applicationName: 'test writer', max: 20 });
  asReader = createPool(new Secret(reader.url), { applicationName: 'test reader', max: 2 });
  stack.sandbox.setFaults({ rules: [{ fault: { kind: 'bad_value', value: 'not_a_boolean' }, on: { operation: 'ai_search_brands' } }] });
  instance = await startInstance({
    proxies: NO_PROXIES,
    role: 'all',
    config: stack.config,
    databaseUrl: new Secret(writer.url),
    redisUrl: undefined,
    pool: asWriter,
    log: silentLogger,
    version: 'test',
    clock,
  });
});
afterAll(async () => {
  await instance?.stop();
  await Promise.all([asWriter?.end(), asReader?.end()]);
  await writer.drop();
  await reader.drop();
  await stack.close();
});

const INSUFFICIENT_PRIVILEGE = '42501';
const itMayNot = (pool: () => Pool, statements: readonly string[]): void =>
  it.each(statements)('may not %s', (sql) => expect(pool().query(sql)).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE }));

describe('searchmill_writer', () => {
  it('plans, submits, loads, makes partitions, publishes, holds, decides and replays', async () => {
    await stack.settle();
    const published = await stack.read<{ execution: number; quarantined: number }>(
      `SELECT e.id AS execution, e.rows_quarantined AS quarantined
         FROM searchmill.slices s JOIN searchmill.executions e ON e.id = s.published_execution_id ORDER BY e.rows_quarantined`,
    );
    expect(published.map(({ quarantined }) => quarantined > 0)).toEqual([false, true]);
    expect(await replayQuarantine(asWriter, published[1]?.execution ?? 0)).toMatchObject({
      replayed: 0,
      remaining: published[1]?.quarantined,
      state: 'published',
    });

    stack.sandbox.setFaults({ rules: [{ fault: { kind: 'empty_answer' } }] });
    clock.set('2026-09-21T07:00:00Z');
    await instance.planNow();
    await stack.settle();
    const held = await stack.read<{ slice: number }>(
      "SELECT slice_id AS slice FROM searchmill.executions WHERE state = 'held' ORDER BY slice_id",
    );
    expect(held).toHaveLength(2);
    expect(await approveHeld(asWriter, held[0]?.slice ?? 0)).toHaveLength(1);
    expect(await discardHeld(asWriter, held[1]?.slice ?? 0)).toHaveLength(1);
    await stack.settle();
    expect((await readCoverage(asWriter)).map(({ job, week, state }) => `${job} ${week} ${state}`)).toEqual([
      'brands 2026-09-06 published',
      'brands 2026-09-13 published',
      'rankings 2026-09-06 published',
      'rankings 2026-09-13 published',
    ]);
    await until('the process to be known', async () => (await stack.read('SELECT id FROM searchmill.instances')).length === 1);
  });

  it('rings every bell on the Postgres queue', async () => {
    const tell: string[] = [];
    const databaseUrl = new Secret(writer.url);
    const backend = await openQueueBackend({ databaseUrl, redisUrl: undefined, ledgerId: 'x', onError: () => undefined });
    const bells = backend.openQueue('other bells');
    try {
      const log = { debug: (...words: unknown[]) => tell.push(JSON.stringify(words)) } as unknown as Logger;
      const ring = createDoorbell({ step: bells, submits: bells }, log);
      await ring({ kind: 'submits', connection: 'main', delayMs: 0 });
      await ring({ kind: 'step', execution: 1, connection: 'main', job: 'a', steps: 1, priority: 1, delayMs: 0 });
      expect(tell).toEqual([]);
      expect(await bells.getJobCounts('prioritized')).toEqual({ prioritized: 2 });
    } finally {
      await bells.close();
      await backend.close();
    }
  });

  itMayNot(
    () => asWriter,
    [
      'CREATE TABLE search.mine (n integer)',
      'CREATE TABLE searchmill.mine (n integer)',
      'ALTER TABLE search.keyword_rankings ADD COLUMN mine integer',
      'DROP TABLE search.keyword_rankings',
      'TRUNCATE search.keyword_rankings',
      'TRUNCATE searchmill.executions CASCADE',
      'DROP SCHEMA searchmill CASCADE',
      'CREATE SCHEMA mine',
      'CREATE ROLE mine',
      'ALTER TABLE search.keyword_rankings DETACH PARTITION search_partitions.keyword_rankings_2026_09',
      'DELETE FROM searchmill.migrations',
      'UPDATE searchmill.ledger SET id = gen_random_uuid()',
    ],
  );
});

describe('searchmill_reader', () => {
  it('reads the warehouse with its views, and all that status, history and quarantine show', async () => {
    expect((await asReader.query('SELECT count(*) AS rows FROM search.ai_search_brands')).rows[0]?.rows).toBeGreaterThan(0);
    expect((await asReader.query('SELECT count(*) AS rows FROM search.ai_search_brands_arrays')).rows[0]?.rows).toBeGreaterThan(0);
    expect(await readCoverage(asReader)).not.toHaveLength(0);
    expect(await readHistory(asReader, 'rankings', { day: undefined, maxRows: 10 })).not.toHaveLength(0);
    expect(await listQuarantine(asReader)).not.toHaveLength(0);
    await Promise.all([readJobs(asReader), readLiveExecutions(asReader), readDrift(asReader)]);
  });

  itMayNot(
    () => asReader,
    [
      'INSERT INTO search.keyword_rankings SELECT * FROM search.keyword_rankings LIMIT 1',
      'UPDATE search.keyword_rankings SET title = title',
      'DELETE FROM search_partitions.keyword_rankings_2026_09',
      'UPDATE searchmill.executions SET approved_at = now()',
      'DELETE FROM searchmill.call_slots',
      "SELECT searchmill.ensure_partition('keyword_rankings', '2030-01-01')",
      'CREATE TABLE searchmill_staging.mine (n integer)',
      'CREATE TABLE search.mine (n integer)',
      'SELECT * FROM searchmill_staging.execution_1',
      'SELECT * FROM bullmq.job',
      'SELECT * FROM search_partitions.keyword_rankings_2026_09',
      // The nodes of a cluster are asked with the reader's own rights.
      ...(isOnCitus ? [] : ['SELECT * FROM search_stored.search_facts', 'SELECT * FROM search_stored.current_search_facts']),
    ],
  );

  it('finds one table a dataset, and neither partitions nor stored summaries among them', async () => {
    const { rows } = await asReader.query(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema LIKE 'search%' AND table_schema <> 'searchmill' AND table_type = 'BASE TABLE'",
    );
    const found = rows.map(({ name }) => name as string);
    const stores = isOnCitus ? Object.values(SUMMARIES).flat() : [];
    expect(new Set(found)).toEqual(new Set([...DATASETS.map(({ name }) => name), ...stores]));
    if (isOnCitus) return;
    const stored =
      "SELECT has_schema_privilege('search_stored', 'USAGE') OR bool_or(has_any_column_privilege(oid, 'SELECT')) AS may FROM pg_class";
    const { rows: rights } = await asReader.query(`${stored} WHERE relnamespace = 'search_stored'::regnamespace AND relkind IN ('r', 'v')`);
    expect(rights).toEqual([{ may: false }]);
  });

  it('reads every summary, with no right to what is stored of it', async () => {
    for (const name of Object.values(SUMMARIES).flat()) await asReader.query(`SELECT FROM search_reports.${name} LIMIT 1`);
  });

  it('sees only what a policy allows of its table, also through the views over it', async ({ skip }) => {
    const { pool } = stack;
    const { rows } = await pool.query("SELECT current_setting('server_version_num')::integer AS version");
    skip((rows[0]?.version as number) < 150_000, 'views know no security_invoker before Postgres 15');
    await pool.query('ALTER TABLE search.ai_search_brands ENABLE ROW LEVEL SECURITY');
    await pool.query('CREATE POLICY nobody ON search.ai_search_brands FOR SELECT TO searchmill_reader USING (false)');
    const client = await asReader.connect();
    try {
      await client.query('SET row_security = on');
      for (const name of ['ai_search_brands', 'ai_search_brands_arrays'])
        expect((await client.query(`SELECT FROM search.${name}`)).rowCount, name).toBe(0);
    } finally {
      client.release(true);
      await pool.query('DROP POLICY nobody ON search.ai_search_brands');
      await pool.query('ALTER TABLE search.ai_search_brands DISABLE ROW LEVEL SECURITY');
    }
  });
});
