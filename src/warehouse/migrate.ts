// Brings the database to this release's schema. node-pg-migrate applies the plain SQL files of migrations/ in order,
// each in its own transaction, and an advisory lock makes the second of twenty processes wait for the first. Nobody waits
// behind a migration for long (lock-retries.ts).
import type pg from 'pg';
import type { Secret } from '../core/secret.ts';
import { requireFitDatabase } from './database-needs.ts';
import { type LockRetryOptions, retryWhileLocked } from './lock-retries.ts';
import { MIGRATIONS_FOLDER, migrationNames } from './migration-files.ts';
import { requireOldProcessesStopped } from './old-processes.ts';
import { createPool, type Pool } from './pool.ts';
import { asStoreError } from './store-errors.ts';

const MIGRATIONS_TABLE = 'migrations';
const MIGRATIONS_SCHEMA = 'searchmill';

/** The lock of node-pg-migrate: earlier releases that migrate at the same time wait for it, too. */
const MIGRATION_LOCK = '7241865325823964';

export type MigrateOptions = Partial<Omit<LockRetryOptions, 'describe' | 'verb'>> &
  Readonly<{
    /** Applies also what processes of older releases must be stopped for, while they run. */
    isWhileRunning?: boolean | undefined;
  }>;

/**
 * Applies what is missing and returns the names of what was applied. Any number of processes may do it at once.
 * Throws ConfigurationError for a database that is not fit, or while processes run that must be stopped first; StoreError when it cannot be used, or when somebody keeps what
 * must be locked; each migration is applied wholly or not at all, and the next call goes on behind the last.
 */
export async function migrate(url: Secret, { isWhileRunning = false, ...patience }: MigrateOptions = {}): Promise<string[]> {
  let before: readonly string[] | undefined;
  return retryWhileLocked(url, { ...patience, describe: () => describeNext(url) }, async (client) => {
    await requireFitDatabase(client);
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await appliedMigrations(client);
    before ??= applied;
    if (applied.length > 0 && !isWhileRunning) await requireOldProcessesStopped(client, lacking(applied));
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
  try {
    return lacking(await appliedMigrations(pool));
  } catch (error) {
    throw asStoreError(error);
  }
}

function lacking(applied: readonly string[]): string[] {
  return migrationNames().filter((name) => !applied.includes(name));
}

async function appliedMigrations(db: Pool | pg.Client): Promise<string[]> {
  const known = await db.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
    `${MIGRATIONS_SCHEMA}.${MIGRATIONS_TABLE}`,
  ]);
  if (!known.rows[0]?.found) return [];
  const { rows } = await db.query<{ name: string }>(`SELECT name FROM ${MIGRATIONS_SCHEMA}.${MIGRATIONS_TABLE} ORDER BY id`);
  return rows.map(({ name }) => name);
}
