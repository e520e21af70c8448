// A real PgBouncer between Searchmill and Postgres: in session mode loads are exact, whatever happens to it; in the others every verb
// refuses it by name before anything is done.
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import { createPool } from '../../src/postgres/pool.ts';
import { runCli } from '../support/command-line.ts';
import { PGBOUNCER, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { expectExactlyServed } from '../support/served-rows.ts';
import { createSimulatedClock } from '../support/simulated-clock.ts';
import { createEmptyDatabase } from '../support/test-database.ts';
import { createTestStack, sandboxJobs, type TestStack } from '../support/test-stack.ts';
import { until } from '../support/wait.ts';

const JOBS = sandboxJobs('account_id: 12345, since: 2026-09-06, page_size: 100, lookback_weeks: 1, schedule: { cron: "0 6 * * 1" }', {
  rankings: 'keyword_rankings',
  citations: 'ai_search_citations',
});
const VERBS = [
  ['migrate'],
  ['check'],
  ['status'],
  ['plan'],
  ['run'],
  ['start'],
  ['dashboards'],
  ['history', 'rankings'],
  ['quarantine', 'list'],
];

if (PGBOUNCER === undefined) console.log("skipped: PgBouncer is not here; install Debian's package pgbouncer");

describe.skipIf(PGBOUNCER === undefined)('behind PgBouncer', () => {
  const clock = createSimulatedClock('2026-09-14T07:00:00Z');
  const poolers: PgBouncer[] = [];
  let stack: TestStack;
  const openPooler = async (options: Parameters<typeof startPgBouncer>[1]): Promise<PgBouncer> => {
    const pooler = await startPgBouncer(stack.databaseUrl, options);
    poolers.push(pooler);
    return pooler;
  };
  beforeAll(async () => {
    stack = await createTestStack({
      queue: { kind: 'postgres', redisUrl: undefined },
      jobs: JOBS,
      clock,
      sandbox: { pageMs: 30, queryMs: 500, duplicates: 0.05 },
    });
  });
  afterEach(async () => {
    await Promise.all(poolers.splice(0).map((pooler) => pooler.stop()));
  });
  afterAll(() => stack.close());

  it.each(['transaction', 'statement'] as const)('in %s mode every verb refuses, by its name and with what to do', async (mode) => {
    const pooler = await openPooler({ mode });
    const env = { ...stack.env, DATABASE_URL: pooler.through(stack.databaseUrl) };
    for (const args of VERBS) {
      const { code, out, err } = await runCli(args, { env });
      expect(`${out}${err}`.replaceAll(/\s+/g, ' '), args.join(' ')).toMatch(
        /127\.0\.0\.1:\d+ is a pooler in transaction mode, as PgBouncer .*; set pool_mode = session/,
      );
      expect(code, args.join(' ')).not.toBe(0);
    }
  });

  it.each([
    ['lends what was given back last', []],
    ['lends what was given back first', ['server_round_robin = 1']],
  ])('in transaction mode is detected while others use it, where it %s', async (_, settings) => {
    const pooler = await openPooler({ mode: 'transaction', settings });
    const others = createOthers(pooler.through(stack.databaseUrl));
    try {
      for (let round = 0; round < 10; round += 1) {
        await using pool = createPool(new Secret(pooler.through(stack.databaseUrl)), { applicationName: 'test', max: 2 });
        await expect(pool.query('SELECT 1')).rejects.toThrow(/is a pooler in transaction mode/);
      }
    } finally {
      await others.end();
    }
    // Nothing of ours stays on sessions that others get next; the pooler may still be ending what the others left.
    await until('no open transaction', async () => {
      const open = await stack.read(`SELECT FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'`);
      return open.length === 0;
    });
  });

  it('in session mode a new database is migrated, and everything is fit', async () => {
    const pooler = await openPooler({ mode: 'session' });
    const database = await createEmptyDatabase();
    try {
      const env = { ...stack.env, DATABASE_URL: pooler.through(database.url) };
      expect(await runCli(['migrate'], { env })).toMatchObject({ code: 0, err: '' });
      const checked = await runCli(['check'], { env });
      expect(checked.out).not.toContain('FAIL');
      expect(checked.code).toBe(0);
    } finally {
      await pooler.stop();
      await database.drop();
    }
  });

  it('in session mode loads and restated weeks are exact, while its server connections are cut and it is killed', async () => {
    const pooler = await openPooler({ mode: 'session' });
    const databaseUrl = new Secret(pooler.through(stack.databaseUrl));
    const instance = await stack.start({ databaseUrl, leaseMs: 6_000 });
    const midst = (pages: number): Promise<boolean> =>
      until(
        'the middle of a load',
        async () => (await stack.read(`SELECT FROM searchmill.executions WHERE pages >= ${pages} AND ended_at IS NULL`)).length > 0,
      );
    await midst(2);
    await stack.read(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                         AND application_name <> 'test'`);
    await midst(4);
    await pooler.restart();
    await stack.settle();
    await expectExactlyServed(stack);

    // The service restates what it has, and a new week begins.
    for (const operation of ['keyword_rankings', 'ai_search_citations'] as const)
      stack.sandbox.restate({ operation, share: 0.3, vanish: 0.1, appear: 0.1 });
    clock.set('2026-09-21T07:00:00Z');
    await instance.stop();
    const next = await stack.start({ databaseUrl, leaseMs: 6_000 });
    await midst(2);
    await pooler.command('RECONNECT');
    await until(
      'the new weeks',
      async () => (await stack.read('SELECT FROM searchmill.slices WHERE published_at IS NOT NULL')).length === 4,
    );
    await stack.settle();
    await next.stop();
    const slices = await expectExactlyServed(stack);
    expect(slices).toHaveLength(4);
    expect(await stack.read(`SELECT id FROM searchmill.executions WHERE state NOT IN ('published', 'superseded')`)).toEqual([]);
    expect(await stack.read('SELECT FROM searchmill.publications WHERE rows_updated > 0')).not.toEqual([]);
  });

  it('with too few sessions is reported as the cause, with what to do', async () => {
    const pooler = await openPooler({ mode: 'session', poolSize: 1 });
    await using pool = createPool(new Secret(pooler.through(stack.databaseUrl)), { applicationName: 'test', max: 1 });
    await expect(pool.query('SELECT 1')).rejects.toThrow(
      /the pooler at 127\.0\.0\.1:\d+ had no second session to give within 3 s; raise its pool_size/,
    );
  });

  it('a start-up option that it does not let through is named, with what to do', async () => {
    const pooler = await openPooler({ mode: 'session' });
    const url = new URL(pooler.through(stack.databaseUrl));
    url.searchParams.set('options', '-c work_mem=64MB');
    const { code, err } = await runCli(['status'], { env: { ...stack.env, DATABASE_URL: url.href } });
    expect(code).toBe(1);
    expect(err).toMatch(
      /the pooler \(PgBouncer\) refused: unsupported startup parameter: options; what helps: remove the parameter from DATABASE_URL, or/,
    );
  });

  it('a database that the server does not know is reported', async () => {
    const pooler = await openPooler({ mode: 'session' });
    const url = new URL(pooler.through(stack.databaseUrl));
    url.pathname = '/nowhere';
    const { err } = await runCli(['status'], { env: { ...stack.env, DATABASE_URL: url.href } });
    expect(err).toMatch(
      /the pooler \(PgBouncer\) refused: .*nowhere.*; what helps: correct DATABASE_URL, or databases and users of the pooler/,
    );
  });
});

/** Others that use a pooler all the time. */
function createOthers(url: string): { end(): Promise<void> } {
  let isEnded = false;
  const work = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    while (!isEnded) await client.query('BEGIN; SELECT 1; COMMIT');
    await client.end();
  };
  const running = Promise.all([work(), work(), work()]);
  return {
    async end() {
      isEnded = true;
      await running;
    },
  };
}
