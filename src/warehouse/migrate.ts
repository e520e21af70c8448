// Brings the database to this release's schema. node-pg-migrate applies the plain SQL files of migrations/ in order,
// each in its own transaction, and an advisory lock makes the second of twenty processes wait for the first.
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { SECOND } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import type { Pool } from './pool.ts';
import { asStoreError } from './store-errors.ts';

const MIGRATIONS_TABLE = 'migrations';
const MIGRATIONS_SCHEMA = 'searchmill';
const OLDEST_SERVER = 140_000;

/** The folder of SQL files: beside src/ and dist/ alike. */
const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Names of all migrations of this release, without ending, in order. */
function migrationNames(): string[] {
  return readdirSync(MIGRATIONS_FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .sort();
}

/**
 * Applies what is missing and returns the names of what was applied. Any number of processes may do it at once.
 * Throws ConfigurationError for a server that is too old, StoreError when the database cannot be used.
 */
export async function migrate(url: Secret): Promise<string[]> {
  const client = new pg.Client({
    connectionString: url.reveal(),
    application_name: 'searchmill migrate',
    connectionTimeoutMillis: 10 * SECOND,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await requireServerVersion(client);
    // Only who migrates pays for it.
    const { runner } = await import('node-pg-migrate');
    const applied = await runner({
      dbClient: client,
      dir: MIGRATIONS_FOLDER,
      direction: 'up',
      migrationsTable: MIGRATIONS_TABLE,
      migrationsSchema: MIGRATIONS_SCHEMA,
      createMigrationsSchema: true,
      advisoryLockMode: 'wait',
      logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    return applied.map((migration) => migration.name);
  } catch (error) {
    throw asStoreError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function requireServerVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string }>('SHOW server_version_num');
  const version = Number(rows[0]?.server_version_num);
  if (version < OLDEST_SERVER) {
    throw new ConfigurationError(`the database is PostgreSQL ${Math.floor(version / 10_000)}; Searchmill needs 14 or newer`);
  }
}

/** Migrations of this release that the database does not have yet; all of them when it has never been migrated. */
export async function pendingMigrations(pool: Pool): Promise<string[]> {
  if (!existsSync(MIGRATIONS_FOLDER)) throw new ConfigurationError(`the folder of migrations is missing: ${MIGRATIONS_FOLDER}`);
  try {
    const known = await pool.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
      `${MIGRATIONS_SCHEMA}.${MIGRATIONS_TABLE}`,
    ]);
    if (!known.rows[0]?.found) return migrationNames();
    const { rows } = await pool.query<{ name: string }>(`SELECT name FROM ${MIGRATIONS_SCHEMA}.${MIGRATIONS_TABLE}`);
    const applied = new Set(rows.map((row) => row.name));
    return migrationNames().filter((name) => !applied.has(name));
  } catch (error) {
    throw asStoreError(error);
  }
}
