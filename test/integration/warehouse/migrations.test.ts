import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationError, StoreError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { migrateQueue } from '../../../src/queue/backend/queue-tables.ts';
import { migrate, pendingMigrations } from '../../../src/warehouse/migrate.ts';
import { createPool, type Pool } from '../../../src/warehouse/pool.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/test-database.ts';

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
  it('is all pending on an empty database, and asking changes nothing', async () => {
    expect(await pendingMigrations(pool)).toEqual(expect.arrayContaining(['0001_ledger', '0002_warehouse']));
    expect(await inventory()).toEqual([]);
  });

  it('by twenty at once is done once, and all of them find it done', async () => {
    const pending = await pendingMigrations(pool);
    const applied = await Promise.all(Array.from({ length: 20 }, () => migrate(url)));
    expect(applied.flat().sort()).toEqual(pending);
    expect(await pendingMigrations(pool)).toEqual([]);
    const { rows } = await pool.query('SELECT name FROM searchmill.migrations ORDER BY name');
    expect(rows.map(({ name }) => name as unknown)).toEqual(pending);
  });

  it('again does nothing', async () => {
    const before = await inventory();
    expect(await migrate(url)).toEqual([]);
    expect(await inventory()).toEqual(before);
  });

  it('of the queue by twenty at once is done once, and again adds nothing', async () => {
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
