// Servers on which the owner of the tables may not do all that a fresh installation does: each obstacle is told before anything is changed, with the
// statements that clear the way; after them everything works.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { findIdleMemberships } from '../../../src/postgres/database-facts.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { migrate } from '../../../src/postgres/schema/migrate.ts';
import { findLackingGrants } from '../../../src/postgres/schema/rights.ts';
import { asLogin } from '../../support/database-access.ts';
import { jobOf, publishedRows } from '../../support/ledger.ts';
import { startTlsPostgres, type TlsPostgres } from '../../support/tls-postgres.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

let server: TlsPostgres;
let administrator: Pool;
let number = 0;
let name: string;
let url: string;
const pools: Pool[] = [];

const openPool = (address: string): Pool => {
  const pool = createPool(new Secret(address), { applicationName: 'test', max: 2 });
  pools.push(pool);
  return pool;
};
const at = (login: string): string => {
  const address = new URL(asLogin(server.url, login));
  address.pathname = `/${name}`;
  return address.href;
};

beforeAll(async () => {
  server = await startTlsPostgres([], ['--locale=C'], 'host all all 127.0.0.1/32 trust');
  administrator = createPool(new Secret(server.url), { applicationName: 'test', max: 1 });
});
beforeEach(async () => {
  number += 1;
  name = `mill_${number}`;
  for (const role of ['writer', 'reader', 'analyst', 'account']) await administrator.query(`DROP ROLE IF EXISTS searchmill_${role}`);
  await administrator.query(`CREATE ROLE owner_${number} LOGIN`);
  await administrator.query(`CREATE DATABASE ${name} OWNER owner_${number}`);
  url = at(`owner_${number}`);
});
// So that the roles can be dropped.
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
  await administrator.query(`DROP DATABASE ${name} WITH (FORCE)`);
  for (const role of [`mill_login_${number}`, `read_login_${number}`, `owner_${number}`])
    await administrator.query(`DROP ROLE IF EXISTS ${role}`);
});
afterAll(async () => {
  await administrator.end();
  await server.stop();
});

/** Runs what a message tells an administrator to run: its indented lines. */
async function obey(message: string, as = at('searchmill')): Promise<string[]> {
  const statements = [...message.matchAll(/^ {2}(\S.*);$/gm)].map(([, statement = '']) => statement);
  expect(statements).not.toEqual([]);
  const pool = openPool(as);
  for (const statement of statements) await pool.query(statement);
  return statements;
}

const refusalOf = async (options = {}): Promise<string> =>
  migrate(new Secret(url), options).then(
    () => 'nothing was refused',
    (error: Error) => error.message,
  );
async function countSchemas(): Promise<number> {
  const { rows } = await openPool(url).query("SELECT FROM pg_namespace WHERE nspname LIKE 'search%'");
  return rows.length;
}

/** Loads as a login with the role of the service, and reads as one with that of readers. */
async function expectLoads(): Promise<void> {
  const owner = openPool(at('searchmill'));
  await owner.query(
    `CREATE ROLE mill_login_${number} LOGIN IN ROLE searchmill_writer; CREATE ROLE read_login_${number} LOGIN IN ROLE searchmill_reader`,
  );
  const job = jobOf();
  await loadWindow(openPool(at(`mill_login_${number}`)), job, [wireRow(job, { query: 'a' })]);
  expect(await publishedRows(openPool(at(`read_login_${number}`)), job, ['query'])).toEqual([{ query: 'a' }]);
}

describe('an owner who may create no roles', () => {
  it('is refused before anything is changed, and goes on once an administrator has made them', async () => {
    const message = await refusalOf();
    expect(message).toMatch(/^nothing was changed: this role may not create the roles .* or, .* add --without-roles:/);
    expect(await countSchemas()).toBe(0);
    expect(await obey(message)).toHaveLength(4);
    expect(await migrate(new Secret(url))).not.toEqual([]);
    await expectLoads();
  });

  it('may do without them; roles that are made later get their rights with the next migration, and until then it says so', async () => {
    await migrate(new Secret(url), { withoutRoles: true });
    const told: string[] = [];
    expect(await migrate(new Secret(url), { tell: (line) => told.push(line) })).toEqual([]);
    expect(told).toEqual([expect.stringMatching(/^roles are missing, so that only the owner of the tables can use the database\./)]);
    await obey(told[0] ?? '');
    await migrate(new Secret(url));
    expect(await findLackingGrants(openPool(url))).toEqual([]);
    await expectLoads();
  });
});

it('rights that the owner may not give are statements for an administrator, and the next migration ends', async () => {
  for (const role of ['writer', 'reader', 'analyst', 'account']) await administrator.query(`CREATE ROLE searchmill_${role}`);
  await administrator.query(`ALTER DATABASE ${name} OWNER TO searchmill`);
  await administrator.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC; GRANT CONNECT ON DATABASE ${name} TO owner_${number}`);
  const first = await refusalOf();
  expect(first).toContain('nothing was changed: this role may not create schemas in the database');
  expect(await obey(first)).toEqual([`GRANT CREATE ON DATABASE ${name} TO owner_${number}`]);
  const second = await refusalOf();
  expect(second).toContain('but this role may not give others the rights that they need');
  expect(await obey(second)).toContain(`GRANT TEMPORARY ON DATABASE ${name} TO searchmill_writer`);
  expect(await migrate(new Secret(url))).toEqual([]);
  await expectLoads();
});

it('a schema of others with one of our names is told before anything is changed', async () => {
  await openPool(url).query('CREATE SCHEMA search; CREATE TABLE search.documents (n integer)');
  const message = await refusalOf({ withoutRoles: true });
  expect(message).toMatch(
    /^nothing was changed: schemas with names that Searchmill needs are there already; set DATABASE_URL to another database, or rename/,
  );
  expect(await countSchemas()).toBe(1);
  await obey(message);
  await migrate(new Secret(url), { withoutRoles: true });
});

describe('an event trigger that gives new tables to one role', () => {
  const install = (): Promise<unknown> =>
    openPool(at('searchmill')).query(`
      CREATE ROLE keeper_${number};
      CREATE FUNCTION public.keep() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
      DECLARE made record;
      BEGIN
        FOR made IN SELECT * FROM pg_event_trigger_ddl_commands() WHERE command_tag = 'CREATE TABLE' LOOP
          EXECUTE format('ALTER TABLE %s OWNER TO keeper_${number}', made.object_identity);
        END LOOP;
      END $$;
      CREATE EVENT TRIGGER keep_tables ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION public.keep()`);
  const cause = (): RegExp =>
    new RegExp(`an event trigger of the database, of keep_tables \\(public\\.keep\\(\\)\\), gives new tables to the role keeper_${number}`);

  it('is named before anything is changed', async () => {
    await install();
    expect(await refusalOf({ withoutRoles: true })).toMatch(cause());
    expect(await countSchemas()).toBe(0);
  });

  it('is named by the load that it stops, which goes on without it', async () => {
    for (const role of ['writer', 'reader', 'analyst', 'account']) await administrator.query(`CREATE ROLE searchmill_${role}`);
    await migrate(new Secret(url));
    await install();
    await openPool(at('searchmill')).query(`CREATE ROLE mill_login_${number} LOGIN IN ROLE searchmill_writer`);
    const load = () => {
      const job = jobOf();
      return loadWindow(openPool(at(`mill_login_${number}`)), job, [wireRow(job, { query: 'a' })]);
    };
    await expect(load()).rejects.toThrow(cause());
    await openPool(at('searchmill')).query('DROP EVENT TRIGGER keep_tables');
    expect(await load()).toMatchObject({ inserted: 1 });
  });
});

it('a membership that inherits nothing is found, with the statement that changes it; one whose login sets the role is not', async () => {
  for (const role of ['writer', 'reader', 'analyst', 'account']) await administrator.query(`CREATE ROLE searchmill_${role}`);
  await migrate(new Secret(url));
  const pool = openPool(at('searchmill'));
  await pool.query(`CREATE ROLE mill_login_${number} LOGIN NOINHERIT IN ROLE searchmill_writer;
                    CREATE ROLE read_login_${number} LOGIN NOINHERIT IN ROLE searchmill_reader; ALTER ROLE read_login_${number} SET role = searchmill_reader`);
  const [idle, ...others] = await findIdleMemberships(openPool(url));
  expect(others).toEqual([]);
  expect(idle).toMatchObject({ login: `mill_login_${number}`, role: 'searchmill_writer' });
  await pool.query(idle?.statement ?? '');
  expect(await findIdleMemberships(openPool(url))).toEqual([]);
  const job = jobOf();
  await loadWindow(openPool(at(`mill_login_${number}`)), job, [wireRow(job, { query: 'a' })]);
  expect(await publishedRows(openPool(at(`read_login_${number}`)), job, ['query'])).toEqual([{ query: 'a' }]);
});
