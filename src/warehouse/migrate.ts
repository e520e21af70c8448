// Brings the database to this release's schema. node-pg-migrate applies the plain SQL files of migrations/ in order,
// each in its own transaction, and an advisory lock makes the second of twenty processes wait for the first. Nobody waits
// behind a migration for long (lock-retries.ts).
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { ConfigurationError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import { requireFitDatabase } from './database-needs.ts';
import { type LockRetryOptions, retryWhileLocked } from './lock-retries.ts';
import { createPool, type Pool } from './pool.ts';
import { asStoreError } from './store-errors.ts';

const MIGRATIONS_TABLE = 'migrations';
const MIGRATIONS_SCHEMA = 'searchmill';

/** The folder of SQL files: beside src/ and dist/ alike. */
const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Names of all migrations of this release, without ending, in order. */
function migrationNames(): string[] {
  return readdirSync(MIGRATIONS_FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .sort();
}

/** The lock of node-pg-migrate: earlier releases that migrate at the same time wait for it, too. */
const MIGRATION_LOCK = '7241865325823964';

export type MigrateOptions = Partial<Omit<LockRetryOptions, 'describe'>>;

/**
 * Applies what is missing and returns the names of what was applied. Any number of processes may do it at once.
 * Throws ConfigurationError for a database that is not fit, StoreError when it cannot be used, or when somebody keeps what
 * must be locked; each migration is applied wholly or not at all, and the next call goes on behind the last.
 */
export async function migrate(url: Secret, patience: MigrateOptions = {}): Promise<string[]> {
  let before: readonly string[] | undefined;
  return retryWhileLocked(url, { ...patience, describe: () => describeNext(url) }, async (client) => {
    await requireFitDatabase(client);
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    before ??= await appliedMigrations(client);
    await applyAll(client);
    return (await appliedMigrations(client)).filter((name) => !before?.includes(name));
  });
}

async function applyAll(client: pg.Client): Promise<void> {
  // Loaded only by processes that migrate.
  const { runner } = await import('node-pg-migrate');
  await runner({
    dbClient: client,
    dir: MIGRATIONS_FOLDER,
    direction: 'up',
    migrationsTable: MIGRATIONS_TABLE,
    migrationsSchema: MIGRATIONS_SCHEMA,
    createMigrationsSchema: true,
    noLock: true,
    logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  });
}

/** `migration 0016_control`. */
async function describeNext(url: Secret): Promise<string> {
  await using pool = createPool(url, { applicationName: 'searchmill migrate', max: 1 });
  return `migration ${(await pendingMigrations(pool))[0] ?? 'of what is there already'}`;
}

/** Migrations of this release that the database does not have yet; all of them when it has never been migrated. */
export async function pendingMigrations(pool: Pool): Promise<string[]> {
  if (!existsSync(MIGRATIONS_FOLDER)) throw new ConfigurationError(`the folder of migrations is missing: ${MIGRATIONS_FOLDER}`);
  try {
    const applied = await appliedMigrations(pool);
    return migrationNames().filter((name) => !applied.includes(name));
  } catch (error) {
    throw asStoreError(error);
  }
}

async function appliedMigrations(db: Pool | pg.Client): Promise<string[]> {
  const known = await db.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
    `${MIGRATIONS_SCHEMA}.${MIGRATIONS_TABLE}`,
  ]);
  if (!known.rows[0]?.found) return [];
  const { rows } = await db.query<{ name: string }>(`SELECT name FROM ${MIGRATIONS_SCHEMA}.${MIGRATIONS_TABLE} ORDER BY id`);
  return rows.map(({ name }) => name);
}
