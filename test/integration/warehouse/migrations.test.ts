import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationError, StoreError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { migrate, pendingMigrations } from '../../../src/postgres/schema/migrate.ts';
import { migrateQueue } from '../../../src/queue/backend/queue-tables.ts';
import { runCli } from '../../support/command-line.ts';
import { NEXT_MIGRATION, nextMigrations, removeNextReleases } from '../../support/next-release.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../support/test-database.ts';

let database: TestDatabase;
let url: Secret;
let pool: Pool;
beforeAll(async () => {
  database = await createEmptyDatabase();
  url = new Secret(database.url);
  pool = createPool(url, { applicationName: 'test' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Everything the database has, by name and version. */
async function inventory(): Promise<unknown[]> {
  const { rows } = await pool.query(
    `SELECT n.nspname, c.relname, c.relkind, c.xmin::text AS version
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname LIKE 'search%' ORDER BY 1, 2`,
  );
  return rows;
}

describe('migrating', () => {
  it('has everything pending on an empty database, and asking changes nothing', async () => {
    expect(await pendingMigrations(pool)).toEqual(expect.arrayContaining(['0001_schemas', '0006_warehouse', 'views_and_functions']));
    expect(await inventory()).toEqual([]);
  });

  it('by twenty processes at once is done once, and all of them find it done', async () => {
    const pending = await pendingMigrations(pool);
    const applied = await Promise.all(Array.from({ length: 20 }, () => migrate(url)));
    expect(applied.flat().sort()).toEqual(pending);
    expect(await pendingMigrations(pool)).toEqual([]);
    const { rows } = await pool.query('SELECT name FROM searchmill.migrations ORDER BY name');
    expect([...rows.map(({ name }) => name as unknown), 'views_and_functions']).toEqual(pending);
  });

  it('again does nothing', async () => {
    const before = await inventory();
    expect(await migrate(url)).toEqual([]);
    expect(await inventory()).toEqual(before);
  });

  it('of the queue by twenty processes at once is done once, and doing it again adds nothing', async () => {
    const queueTables = async (): Promise<unknown[]> =>
      (await pool.query("SELECT relname, oid FROM pg_class WHERE relnamespace = 'bullmq'::regnamespace ORDER BY 1")).rows;
    await Promise.all(Array.from({ length: 20 }, () => migrateQueue(url)));
    const before = await queueTables();
    expect(before).not.toEqual([]);
    await migrateQueue(url);
    expect(await queueTables()).toEqual(before);
  });

  it('leaves nothing in schema public', async () => {
    const { rows } = await pool.query(
      `SELECT relname FROM pg_class c WHERE relnamespace = 'public'::regnamespace
          AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')`,
    );
    expect(rows).toEqual([]);
  });

  it('that fails says so as a store error, without the password', async () => {
    const address = new URL(database.url);
    address.password = 'a-password-nobody-has';
    address.pathname = '/there-is-no-such-database';
    const error = await migrate(new Secret(address.href)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).not.toBeInstanceOf(ConfigurationError);
    expect(String(error)).not.toContain('a-password-nobody-has');
  });
});

describe('views and functions', () => {
  const databases: TestDatabase[] = [];
  const pools: Pool[] = [];
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((each) => each.end()));
    await Promise.all(databases.splice(0).map((each) => each.drop()));
    await removeNextReleases();
  });

  async function open(create = createTestDatabase): Promise<Readonly<{ url: Secret; pool: Pool }>> {
    const made = await create();
    databases.push(made);
    const opened = { url: new Secret(made.url), pool: createPool(new Secret(made.url), { applicationName: 'test' }) };
    pools.push(opened.pool);
    return opened;
  }
  const commentOn = async (on: Pool): Promise<string | undefined> =>
    (await on.query<{ comment: string }>("SELECT obj_description('search_reports.weeks'::regclass) AS comment")).rows[0]?.comment;

  it('are applied without a migration when one of them has changed, and are then no longer pending', async () => {
    const { url, pool } = await open();
    const folder = await nextMigrations({ statements: '' });
    expect(await pendingMigrations(pool, folder)).toEqual(['views_and_functions']);
    expect(await migrate(url, { folder })).toEqual(['views_and_functions']);
    expect(await commentOn(pool)).toBe('Of the next release.');
    expect(await pendingMigrations(pool, folder)).toEqual([]);
    expect(await migrate(url, { folder })).toEqual([]);
  });

  it('are applied after each migration: one may drop a view whose columns change', async () => {
    const { url, pool } = await open();
    const folder = await nextMigrations({ statements: 'DROP VIEW search_reports.weeks;', definitions: '' });
    expect(await migrate(url, { folder })).toEqual([NEXT_MIGRATION, 'views_and_functions']);
    expect((await pool.query('SELECT FROM search_reports.weeks')).rowCount).toBe(0);
  });

  it('are left as they are by an older release than the one that made them', async () => {
    const { url, pool } = await open();
    await migrate(url, { folder: await nextMigrations() });
    expect(await pendingMigrations(pool)).toEqual([]);
    expect(await migrate(url)).toEqual([]);
    expect(await commentOn(pool)).toBe('Of the next release.');
  });

  it('are all as they were when one cannot be applied, and the next call goes on after the migration', async () => {
    const { url, pool } = await open();
    const before = await commentOn(pool);
    const broken = await nextMigrations({
      definitions: "COMMENT ON VIEW search_reports.weeks IS 'half'; DROP FUNCTION search_reports.week_of; SELECT 1 / 0;",
    });
    await expect(migrate(url, { folder: broken })).rejects.toThrow(StoreError);
    expect(await commentOn(pool)).toBe(before);
    expect(await pendingMigrations(pool, broken)).toEqual(['views_and_functions']);
    expect(await migrate(url, { folder: await nextMigrations() })).toEqual(['views_and_functions']);
  });

  it('are recorded with the tables by the files that made them, so that another build of the same tables is refused', async () => {
    const { url, pool } = await open();
    await migrate(url, { folder: await nextMigrations() });
    const other = await nextMigrations({ statements: 'ALTER TABLE searchmill.jobs ADD COLUMN shape text;' });
    for (const ask of [() => pendingMigrations(pool, other), () => migrate(url, { folder: other })]) {
      await expect(ask()).rejects.toThrow(/made by an earlier build of Searchmill \(its 0900_next is not that of this one\).*Begin anew/);
    }
  });

  it('of a build before the first release is refused by every verb, which says how to start over, and is not touched', async () => {
    const { pool } = await open(createEmptyDatabase);
    await pool.query(`CREATE SCHEMA searchmill;
      CREATE TABLE searchmill.migrations (id serial PRIMARY KEY, name text NOT NULL, run_on timestamp NOT NULL);
      INSERT INTO searchmill.migrations (name, run_on) VALUES ('0001_ledger', now()), ('0002_warehouse', now());
      CREATE TABLE searchmill.jobs (name text PRIMARY KEY)`);
    const all = async (): Promise<unknown[]> =>
      (
        await pool.query(
          "SELECT n.nspname, c.relname, c.xmin::text FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE n.nspname NOT IN ('pg_catalog', 'pg_toast', 'information_schema') ORDER BY 1, 2",
        )
      ).rows;
    const before = await all();
    const env = { DATABASE_URL: databases[0]?.url ?? '', SEARCH_API_URL: 'https://api.example.com', SEARCH_API_TOKEN: 'token' };
    for (const args of [['migrate'], ['status'], ['start', '--migrate']]) {
      const { code, err } = await runCli(args, { env });
      expect({ args, code, err }).toEqual({
        args,
        code: 2,
        err: expect.stringMatching(
          /earlier build of Searchmill \(its 0001_ledger is not that of this one\).*nothing of it was touched.*DROP SCHEMA IF EXISTS search,.*"searchmill migrate"/,
        ) as string,
      });
    }
    expect(await all()).toEqual(before);
    // The commands that the message names.
    await pool.query('DROP SCHEMA IF EXISTS search, search_reports, searchmill, searchmill_staging, bullmq CASCADE');
    expect(await runCli(['migrate'], { env })).toMatchObject({ code: 0, err: '' });
  });
});
