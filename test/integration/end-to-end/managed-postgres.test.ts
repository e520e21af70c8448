// A Postgres as managed services give it: TLS with a CA and client certificates, a locale with rules of its own, an owner who is no superuser
// and may create no roles, and settings of role and database that differ from all that is relied on. What is published is the same.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { createPool } from '../../../src/postgres/pool.ts';
import { migrate } from '../../../src/postgres/schema/migrate.ts';
import { expectServedAsLoaded } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { startTlsPostgres, type TlsPostgres, WITH_CERTIFICATE } from '../../support/tls-postgres.ts';

/** Each differs from its default in a way that could change a value, an order or a transaction. */
const HOSTILE: Readonly<Record<string, string>> = {
  array_nulls: 'off',
  backslash_quote: 'off',
  bytea_output: 'escape',
  check_function_bodies: 'off',
  client_encoding: 'LATIN1',
  client_min_messages: 'debug5',
  DateStyle: 'SQL, DMY',
  default_transaction_deferrable: 'on',
  default_transaction_isolation: 'serializable',
  enable_hashjoin: 'off',
  extra_float_digits: '-15',
  idle_in_transaction_session_timeout: '1s',
  idle_session_timeout: '1s',
  IntervalStyle: 'iso_8601',
  join_collapse_limit: '1',
  lock_timeout: '1ms',
  plan_cache_mode: 'force_generic_plan',
  'plpgsql.variable_conflict': 'use_column',
  quote_all_identifiers: 'on',
  row_security: 'off',
  search_path: 'nowhere',
  standard_conforming_strings: 'off',
  statement_timeout: '500ms',
  synchronous_commit: 'off',
  TimeZone: 'Pacific/Chatham',
  transform_null_equals: 'on',
  work_mem: '64kB',
};

const DATASETS = ['keyword_rankings', 'ai_search_citations'] as const;
const JOBS = `
connections: { main: { base_url: "\${SANDBOX_URL}", auth: { token: stack-token }, limits: hard } }
defaults: { account_id: 12345, since: 2026-09-06, page_size: 200, connection: main, lookback_weeks: 1, schedule: { cron: "0 6 * * 1" } }
jobs: [${DATASETS.map((dataset) => `{ name: ${dataset}, dataset: ${dataset} }`).join(', ')}]
`;

describe.each([
  ['Turkish', ['--locale=C', '--locale-provider=icu', '--icu-locale=tr-TR']],
  ['German', ['--locale=C', '--locale-provider=icu', '--icu-locale=de-DE-u-kn-ks-level1', '--lc-collate=C']],
])('a managed Postgres, in %s', (_, locale) => {
  const clock = createSimulatedClock('2026-09-14T07:00:00Z');
  let server: TlsPostgres;
  let stack: TestStack;
  beforeAll(async () => {
    server = await startTlsPostgres([], locale);
    const files = await server.write('client', server.sign(WITH_CERTIFICATE));
    const tls = `sslmode=verify-full&sslrootcert=${server.caFile}&sslcert=${files.cert}&sslkey=${files.key}`;
    const url = `postgres://${WITH_CERTIFICATE}@127.0.0.1:${server.port}/mill?${tls}`;
    await asSuperuser(`CREATE ROLE ${WITH_CERTIFICATE} LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB`);
    await asSuperuser(`CREATE DATABASE mill OWNER ${WITH_CERTIFICATE}`);
    for (const [name, value] of Object.entries(HOSTILE)) {
      const literal = name === 'search_path' ? value : `'${value}'`;
      await asSuperuser(`ALTER ROLE ${WITH_CERTIFICATE} SET ${name} = ${literal}`);
      await asSuperuser(`ALTER DATABASE mill SET ${name} = ${literal}`);
    }
    const openDatabase = async () => {
      await migrate(new Secret(url), { withoutRoles: true });
      return { url, drop: async () => undefined };
    };
    stack = await createTestStack({
      queue: { kind: 'postgres', redisUrl: undefined },
      jobs: JOBS,
      clock,
      openDatabase,
      sandbox: { duplicates: 0.05 },
    });
  });
  afterAll(async () => {
    await stack.close();
    await server.stop();
  });

  async function asSuperuser(sql: string): Promise<void> {
    await using pool = createPool(new Secret(server.url), { applicationName: 'test', max: 1 });
    await pool.query(sql);
  }

  async function loadAll(slices: number): Promise<void> {
    const instance = await stack.start();
    await stack.settle();
    await instance.stop();
    expect(await expectServedAsLoaded(stack)).toHaveLength(slices);
  }

  it('publishes what was served, and keeps what did not decode', async () => {
    stack.sandbox.setFaults({
      rules: [{ fault: { kind: 'bad_value', value: 'not_a_number', rows: 2 }, on: { operation: 'keyword_rankings' } }],
    });
    await loadAll(DATASETS.length);
    const [kept] = await stack.read<{ rows: number }>('SELECT count(*) AS rows FROM searchmill.quarantined_rows');
    expect(kept?.rows).toBeGreaterThan(0);
    const [role] = await stack.read('SELECT rolsuper OR rolcreaterole AS "mayAll" FROM pg_roles WHERE rolname = current_user');
    expect(role).toEqual({ mayAll: false });
  });

  it('publishes what was restated since, and writes nothing for what was not', async () => {
    for (const operation of DATASETS) stack.sandbox.restate({ operation, share: 0.3, vanish: 0.1, appear: 0.1 });
    clock.set('2026-09-21T07:00:00Z');
    await loadAll(2 * DATASETS.length);
    const totals = await stack.read(`
      SELECT bool_and(rows_updated > 0 AND rows_deleted > 0 AND rows_inserted > 0 AND rows_unchanged > 0) AS "isRestated"
        FROM searchmill.publications p WHERE EXISTS (SELECT FROM searchmill.publications b WHERE b.slice_id = p.slice_id AND b.id < p.id)`);
    expect(totals).toEqual([{ isRestated: true }]);
  });

  it('is refused where a setting of the role turns triggers off', async () => {
    await asSuperuser(`ALTER ROLE ${WITH_CERTIFICATE} SET session_replication_role = replica`);
    try {
      await using pool = createPool(new Secret(stack.databaseUrl), { applicationName: 'test' });
      await expect(pool.query('SELECT 1')).rejects.toThrow(/session_replication_role is not origin .*; take it back by ALTER ROLE/);
    } finally {
      await asSuperuser(`ALTER ROLE ${WITH_CERTIFICATE} RESET session_replication_role`);
    }
  });
});
