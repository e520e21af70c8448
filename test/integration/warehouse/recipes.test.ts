// The recipes of docs/events.md, as they stand in docs/recipes: a second Postgres that follows by logical replication, and what the others ask.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { migrate } from '../../../src/postgres/schema/migrate.ts';
import { findInstalledPostgres, initCluster, makeServerFolder, startCluster } from '../../support/installed-postgres.ts';
import { keepingOf, weekly } from '../../support/kept-weeks.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { until } from '../../support/wait.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const RECIPES = fileURLToPath(new URL('../../../docs/recipes/', import.meta.url));
const recipe = (name: string): string => readFileSync(join(RECIPES, name), 'utf8');
const ledger = useLedger();

const found = await findInstalledPostgres();
if ('missingBecause' in found) console.log(`logical replication is not tested: ${found.missingBecause}`);
const programs = 'programs' in found ? found.programs : '';
const python = await promisify(execFile)('python3', ['--version']).then(
  () => 'python3',
  () => undefined,
);

const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

/** A server with a migrated database. */
async function startServer(): Promise<{ url: string; pool: Pool }> {
  const folder = await makeServerFolder();
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const cluster = join(folder, 'cluster');
  await initCluster(programs, cluster, ['wal_level = logical']);
  const server = await startCluster(programs, cluster);
  closers.push(() => server.stop());
  const pool = createPool(new Secret(server.url), { applicationName: 'test', max: 10 });
  closers.push(() => pool.end());
  await migrate(new Secret(server.url));
  return { url: server.url, pool };
}

it.skipIf(programs === '')('a second Postgres gets what the tables have by logical replication, deletions included', async () => {
  const [first, second] = [await startServer(), await startServer()];
  const { load, expire } = keepingOf({ ...ledger, pool: first.pool });
  const job = jobOf({ since: '1993-01-03', keepWeeks: 6 });
  const row = (query: string): unknown[] => wireRow(job, { query });
  const old = weekly('1993-01-03', 12);
  // Some rows are there before, some come afterwards.
  await load(job, old);
  await first.pool.query(recipe('publisher.sql'));
  for (const statement of recipe('subscriber.sql').split(/;$/m).slice(0, -1)) {
    await second.pool.query(statement.replace(":'publisher'", pg.escapeLiteral(first.url)));
  }
  await loadWindow(first.pool, job, [row('a'), row('b')]);
  await loadWindow(first.pool, job, [row('b'), row('c')]);
  const newest = old.at(-1)?.start ?? '';
  await recordJob(first.pool, job, newest);
  await expire([job], newest);
  expect((await expire([job], newest)).length + (await weeksOf(first.pool, 'publication IS NULL'))).toBeGreaterThan(0);

  const sent = (await first.pool.query<{ lsn: string }>('SELECT pg_current_wal_lsn()::text AS lsn')).rows[0]?.lsn;
  await until('the second server', async () => {
    const { rows } = await first.pool.query<{ ready: boolean }>(
      `SELECT bool_and(state = 'streaming' AND replay_lsn >= $1::pg_lsn) AS ready FROM pg_stat_replication`,
      [sent],
    );
    const { rows: tables } = await second.pool.query<{ ready: boolean }>(
      `SELECT bool_and(srsubstate = 'r') AS ready FROM pg_subscription_rel`,
    );
    return rows[0]?.ready === true && tables[0]?.ready === true;
  });
  await second.pool.query(recipe('subscriber-removals.sql'));
  const all = `SELECT account_id, time_period_start::text, query, _key, _occurrence FROM search.keyword_rankings ORDER BY 2, 3`;
  const { rows: expected } = await first.pool.query(all);
  expect(expected.map(({ query }) => query)).toEqual(expect.arrayContaining(['b', 'c', job.name]));
  expect((await second.pool.query(all)).rows).toEqual(expected);
  const changed = 'SELECT account_id, dataset, week, publication, cursor, changed_at FROM search_reports.changed_weeks ORDER BY cursor';
  expect((await second.pool.query(changed)).rows).toEqual((await first.pool.query(changed)).rows);
  await second.pool.query('DROP SUBSCRIPTION searchmill');
});

async function weeksOf(pool: Pool, condition: string): Promise<number> {
  return (await pool.query(`SELECT FROM search_reports.changed_weeks WHERE ${condition}`)).rows.length;
}

it('every table is published, and has a place at the second Postgres', () => {
  for (const { name } of DATASETS) {
    expect(recipe('publisher.sql')).toContain(`search.${name}`);
    expect(recipe('subscriber.sql')).toContain(`PARTITION OF search.${name} DEFAULT`);
  }
});

const PYTHON = readdirSync(RECIPES).filter((name) => name.endsWith('.py'));

it.skipIf(python === undefined)('the recipes in Python are valid Python', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'searchmill-recipes-'));
  try {
    for (const name of PYTHON) {
      const compile = `import py_compile, sys; py_compile.compile(sys.argv[1], cfile=sys.argv[2], doraise=True)`;
      await promisify(execFile)('python3', ['-c', compile, join(RECIPES, name), join(folder, `${name}c`)]);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

it.each(PYTHON)('%s asks for what has changed behind a cursor, each week once', async (name) => {
  const [, statement = ''] = /^CHANGED_WEEKS = """([^"]+)"""/m.exec(recipe(name)) ?? [];
  const asked = statement.replace('%(ledger)s', '$1').replace('%(cursor)s', '$2::bigint');
  const { rows: marks } = await ledger.pool.query<{ mark: string }>(
    'SELECT search_reports.ledger_mark(id, tableoid) AS mark FROM searchmill.ledger',
  );
  const ask = async (cursor: number, mark = marks[0]?.mark) =>
    (await ledger.pool.query<{ account_id: number; week: string; cursor: number }>(asked, [mark, cursor])).rows;
  const before = (await ask(0)).at(-1)?.cursor ?? 0;
  const job = jobOf();
  for (const query of ['a', 'b']) await loadWindow(ledger.pool, job, [wireRow(job, { query })]);
  const [changed, ...others] = await ask(before);
  expect(changed).toMatchObject({ account_id: job.accountId, week: WEEK.start, dataset: 'keyword_rankings' });
  expect(others).toEqual([]);
  expect(await ask(changed?.cursor ?? 0)).toEqual([]);
  // Of another ledger: every week again.
  expect(await ask(changed?.cursor ?? 0, 'another')).toEqual(await ask(0));
});

it('the dbt model replaces the weeks that have changed since its last run', async () => {
  // As dbt fills it in; delete+insert is what its strategy does.
  const model = recipe('dbt_top_places.sql').replace(/^\{\{ config.*\n/m, '');
  const filled = (isIncremental: boolean): string =>
    model
      .replaceAll(/\{\{ source\('(\w+)', '(\w+)'\) \}\}/g, '$1.$2')
      .replaceAll('{{ this }}', 'top_places')
      .replace(/\{% if is_incremental\(\) %\}([\s\S]*?)\{% endif %\}/, isIncremental ? '$1' : '');
  const job = jobOf();
  const later = windowOfWeeks('2026-11-15', 1);
  const row = (site: string, start = WEEK.start): unknown[] => wireRow(job, { query: site, root_domain: site, rank_standard: '2' }, start);
  const client = await ledger.pool.connect();
  try {
    await loadWindow(ledger.pool, job, [row('a.example'), row('b.example')]);
    await loadWindow(ledger.pool, job, [row('a.example', later.start)], later);
    const older = windowOfWeeks('2026-08-30', 1);
    await loadWindow(ledger.pool, jobOf({ since: older.start }), [row('d.example', older.start)], older);
    await client.query(`CREATE TEMP TABLE top_places AS ${filled(false)}`);
    await loadWindow(ledger.pool, job, [row('c.example')]);
    await loadWindow(ledger.pool, job, [], later);
    // It reads the partitions of November, not that of an older month.
    const { rows: plan } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${filled(true)}`);
    const scans = plan.map((line) => line['QUERY PLAN']).filter((line) => / on keyword_rankings_/.test(line));
    expect(scans.filter((line) => !line.includes('never executed'))).toHaveLength(1);
    await client.query(`CREATE TEMP TABLE changes AS ${filled(true)}`);
    await client.query('DELETE FROM top_places t USING changes c WHERE (t.account_id, t.week) = (c.account_id, c.week)');
    await client.query('INSERT INTO top_places SELECT * FROM changes');
    const { rows } = await client.query('SELECT week::text, site, results FROM top_places WHERE account_id = $1 ORDER BY week', [
      job.accountId,
    ]);
    expect(rows).toEqual([
      { week: WEEK.start, site: 'c.example', results: 1 },
      { week: later.start, site: null, results: 0 },
    ]);
    // Nothing has changed since; of another ledger, as after a restore, every week is new.
    expect((await client.query(filled(true))).rows).toEqual([]);
    await client.query("UPDATE top_places SET ledger = 'another'");
    const everything = (await client.query(filled(false))).rows.length;
    expect((await client.query(filled(true))).rows).toHaveLength(everything);
  } finally {
    client.release(true);
  }
});

it('DuckDB is told to read only tables and columns that exist', async () => {
  const statements = recipe('duckdb.sql').match(/SELECT[\s\S]*?(?=;|\)\n)/g) ?? [];
  expect(statements).toHaveLength(2);
  for (const statement of statements) await ledger.pool.query(statement.replace('warehouse.search.', 'search.'));
});
