// What is set for the database, the role or in the address changes nothing in a session of ours, behind a pooler neither.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { SESSION_SETTINGS } from '../../../src/postgres/session-settings.ts';
import { openPoolerProxy, type PoolerProxy } from '../../support/pooler-proxy.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';

/** Each differs from what is relied on. */
const HOSTILE: Readonly<Record<string, string>> = {
  array_nulls: 'off',
  bytea_output: 'escape',
  client_connection_check_interval: '0',
  DateStyle: 'SQL, DMY',
  default_transaction_deferrable: 'on',
  default_transaction_isolation: 'serializable',
  extra_float_digits: '-15',
  idle_in_transaction_session_timeout: '1s',
  idle_session_timeout: '1s',
  IntervalStyle: 'iso_8601',
  jit: 'on',
  lock_timeout: '1ms',
  quote_all_identifiers: 'on',
  search_path: 'nowhere',
  standard_conforming_strings: 'off',
  statement_timeout: '2s',
  synchronous_commit: 'off',
  tcp_keepalives_idle: '600',
  TimeZone: 'Pacific/Chatham',
};
/** Of Postgres 17 and later. */
const NEWER: Readonly<Record<string, string>> = { transaction_timeout: '2s' };

const JOBS = `
connections: { main: { base_url: "\${SANDBOX_URL}", auth: { token: stack-token } } }
defaults: { account_id: 12345, since: 2026-11-08, connection: main, schedule: { cron: "0 6 * * 1" } }
jobs: [{ name: rankings, dataset: keyword_rankings }]
`;

let stack: TestStack;
let hostile: string;
let pooler: PoolerProxy;
beforeAll(async () => {
  stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS, sandbox: { size: 'tiny' } });
  const name = new URL(stack.databaseUrl).pathname.slice(1);
  const { rows } = await stack.pool.query<{ number: number }>("SELECT current_setting('server_version_num')::int AS number");
  const settings = { ...HOSTILE, ...((rows[0]?.number ?? 0) >= 170_000 ? NEWER : {}) };
  for (const [setting, value] of Object.entries(settings)) {
    const literal = setting === 'search_path' ? value : `'${value}'`;
    await stack.pool.query(`ALTER DATABASE ${name} SET ${setting} = ${literal}`);
  }
  const url = new URL(stack.databaseUrl);
  url.searchParams.set('options', '-c search_path=elsewhere -c statement_timeout=3000 -c work_mem=5MB');
  url.searchParams.set('application_name', 'somebody else');
  hostile = url.href;
  pooler = await openPoolerProxy(Number(url.port));
});
afterAll(async () => {
  await stack.close();
  await pooler.close();
});

async function withPool<T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = createPool(new Secret(url), { applicationName: 'searchmill test', max: 2, settings: { work_mem: '6MB' } });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

const behindPooler = (url: string): string => {
  const address = new URL(url);
  address.host = `127.0.0.1:${pooler.port}`;
  return address.href;
};

describe('a session', () => {
  it.each([
    ['directly', (url: string) => url],
    ['behind a pooler', behindPooler],
  ])('has its own settings, whatever other settings are made, %s', async (_, through) => {
    const names = [...Object.keys(SESSION_SETTINGS), 'synchronous_commit', 'application_name', 'work_mem'];
    const read = `SELECT name, current_setting(name, true) AS value FROM unnest($1::text[]) AS wanted (name)
                   WHERE current_setting(name, true) IS NOT NULL ORDER BY 1`;
    const own = await withPool(through(hostile), async (pool) => (await pool.query(read, [names])).rows);
    const usual = { ...SESSION_SETTINGS, synchronous_commit: 'on', application_name: 'searchmill test', work_mem: '6MB' };
    const wanted = await withPool(hostile, async (pool) => {
      const { rows } = await pool.query(
        `SELECT name, set_config(name, value, false) AS value FROM ROWS FROM (unnest($1::text[]), unnest($2::text[])) AS wanted (name, value)
          WHERE current_setting(name, true) IS NOT NULL ORDER BY 1`,
        [Object.keys(usual), Object.values(usual)],
      );
      return rows;
    });
    expect(own).toEqual(wanted);
  });

  it('keeps other settings of the address, and a stricter synchronous_commit', async () => {
    const url = new URL(stack.databaseUrl);
    url.searchParams.set('options', '-c gin_fuzzy_search_limit=7 -c synchronous_commit=remote_apply');
    const kept = await withPool(url.href, async (pool) => {
      const { rows } = await pool.query(
        "SELECT current_setting('gin_fuzzy_search_limit') AS limit, current_setting('synchronous_commit') AS commits",
      );
      return rows;
    });
    expect(kept).toEqual([{ limit: '7', commits: 'remote_apply' }]);
  });
});

describe('a process', () => {
  it('plans, rings, loads and publishes behind a pooler, whatever is set', async () => {
    const databaseUrl = new Secret(behindPooler(hostile));
    const instance = await stack.start({ databaseUrl });
    await stack.settle();
    await instance.stop();
    const states = await stack.read(
      'SELECT state, count(*) FROM searchmill.slices s JOIN searchmill.executions e ON e.slice_id = s.id GROUP BY 1',
    );
    expect(states).toEqual([{ state: 'published', count: expect.any(Number) }]);
  });
});
