// A database of its own for a test file, in a few milliseconds: a copy of a template that was migrated once.
import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { inject } from 'vitest';
import { SECOND, systemClock } from '../../src/core/clock.ts';
import { Secret } from '../../src/core/secret.ts';
import { migrate } from '../../src/warehouse/migrate.ts';

export type TestDatabase = Readonly<{
  url: string;
  /** Removes the database, or with TEST_KEEP_DATABASES prints its address. Throws when connections to it were left open: a pool that a test forgot to end. */
  drop(): Promise<void>;
}>;

const TEMPLATE_LOCK = 0x5ea2c4;
const LEAVING_MS = 10 * SECOND;

/**
 * Makes a database with the current schema. The first caller of a run migrates the template, the others wait for it and
 * copy it. Throws when there is no Postgres.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { server, prefix } = placeForDatabases();
  const template = `${prefix}template`;
  await withClient(server, (client) => ensureTemplate(client, template, addressOf(server, template)));
  return createDatabase(`template ${template}`);
}

/** Makes an empty database, for tests of the migrations themselves. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('');
}

const MIGRATIONS = new URL('../../migrations/', import.meta.url).pathname;
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Makes a database as a release left it that had no migration from `name` on. */
export async function createDatabaseBefore(name: string): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  const dir = await mkdtemp(join(tmpdir(), 'searchmill-migrations-'));
  for (const file of await readdir(MIGRATIONS)) if (file < name) await copyFile(join(MIGRATIONS, file), join(dir, file));
  await withClient(database.url, async (dbClient) => {
    const place = { migrationsTable: 'migrations', migrationsSchema: 'searchmill', createMigrationsSchema: true };
    await runner({ dbClient, dir, direction: 'up', ...place, logger: silent });
  });
  await rm(dir, { recursive: true });
  return database;
}

async function createDatabase(from: string): Promise<TestDatabase> {
  const { server, prefix } = placeForDatabases();
  const name = `${prefix}${randomBytes(6).toString('hex')}`;
  await withClient(server, (client) => client.query(`create database ${name} ${from}`));
  return { url: addressOf(server, name), drop: () => dropDatabase(server, name) };
}

function placeForDatabases(): { server: string; prefix: string } {
  const { database, databasePrefix } = inject('servers');
  if (database.url === undefined) throw new Error(`no Postgres for the tests: ${database.missingBecause}`);
  return { server: database.url, prefix: databasePrefix };
}

async function ensureTemplate(client: pg.Client, template: string, address: string): Promise<void> {
  const isThere = async () => ((await client.query('select from pg_database where datname = $1', [template])).rowCount ?? 0) > 0;
  await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    if (await isThere()) return;
    await client.query(`create database ${template}`);
    try {
      await migrate(new Secret(address));
    } catch (error) {
      await client.query(`drop database ${template} with (force)`);
      throw error;
    }
  } finally {
    await client.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
}

async function dropDatabase(server: string, name: string): Promise<void> {
  await withClient(server, async (client) => {
    const open = () => client.query<{ who: string }>(OPEN_CONNECTIONS, [name]);
    let left = await open();
    for (const giveUpAt = Date.now() + LEAVING_MS; left.rows.length > 0 && Date.now() < giveUpAt; left = await open()) {
      await systemClock.sleep(20);
    }
    if (process.env.TEST_KEEP_DATABASES) console.log(`kept ${addressOf(server, name)}`);
    else await client.query(`drop database ${name} with (force)`);
    if (left.rows.length > 0) throw new Error(`connections were left open: ${left.rows.map(({ who }) => who).join('; ')}`);
  });
}

const OPEN_CONNECTIONS = `
  select application_name || ' (' || state || '): ' || left(query, 100) as who
  from pg_stat_activity where datname = $1 and backend_type = 'client backend'`;

function addressOf(server: string, name: string): string {
  const address = new URL(server);
  address.pathname = `/${name}`;
  return address.href;
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
