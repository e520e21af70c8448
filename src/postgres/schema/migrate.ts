// Brings the database to this release's schema. node-pg-migrate applies the SQL files of migrations/ in order, each in its own transaction;
// then all views and functions of migrations/repeatable are applied in one. An advisory lock makes concurrent processes wait for the first.
// Others never wait long behind a migration (lock-retries.ts).
import type pg from 'pg';
import type { Secret } from '../../core/secret.ts';
import { type LockRetryOptions, retryWhileLocked } from '../lock-retries.ts';
import { createPool, type Pool } from '../pool.ts';
import { asStoreError, codeOf } from '../store-errors.ts';
import { inOwnSession, inSavepoint } from '../transaction.ts';
import { adoptPromotions } from './adopted-columns.ts';
import {
  lacking,
  MIGRATIONS_SCHEMA,
  MIGRATIONS_TABLE,
  type ReleaseSchema,
  readApplied,
  releaseSchema,
  requireSameBuild,
  VIEWS_AND_FUNCTIONS,
} from './applied-schema.ts';
import { requireFitDatabase } from './database-needs.ts';
import { MIGRATIONS_FOLDER } from './migration-files.ts';
import { requireOldProcessesStopped } from './old-processes.ts';
import { describeMissingRoles, grantRights, requireClearWay } from './rights.ts';

/** The advisory lock of node-pg-migrate, so that its own command waits, too. */
const MIGRATION_LOCK = '7241865325823964';

export type MigrateOptions = Partial<Omit<LockRetryOptions, 'describe' | 'verb'>> &
  Readonly<{
    /** Also applies migrations that require processes of older releases to be stopped, while they run. */
    isWhileRunning?: boolean | undefined;
    /** Roles need not be there: only the owner of the tables uses the database. */
    withoutRoles?: boolean | undefined;
    /** Folder of the files; default: those of this release. */
    folder?: string;
  }>;

/**
 * Applies what is missing and returns the names of what was applied. Any number of processes may run it at once. Each migration is applied
 * entirely or not at all, and the next call continues after the last one.
 * Throws ConfigurationError for a database that is unfit or was made by another build, while processes run that must be stopped first, or for rights
 * that this role may not give;
 * StoreError when the database cannot be used, or when another session keeps a required lock.
 */
export async function migrate(
  url: Secret,
  { isWhileRunning = false, withoutRoles = false, folder = MIGRATIONS_FOLDER, ...patience }: MigrateOptions = {},
): Promise<string[]> {
  const release = releaseSchema(folder);
  let pending: readonly string[] | undefined;
  return retryWhileLocked(url, { ...patience, describe: () => describeNext(url, folder) }, async (client) => {
    await requireFitDatabase(client);
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await readApplied(client);
    requireSameBuild(release, applied);
    const left = lacking(release, applied);
    pending ??= left;
    if (applied.migrations.length === 0) await requireClearWay(client, { withoutRoles });
    else if (!isWhileRunning) {
      await requireOldProcessesStopped(
        client,
        release.migrations.filter(({ name }) => left.includes(name)),
      );
    }
    if (left.length > 0) {
      await applyMigrations(client, folder);
      await applyRepeatable(client, release);
      await adoptPromotions(client);
    }
    const missing = await grantRights(client);
    if (missing.length > 0 && !withoutRoles) patience.tell?.(describeMissingRoles(missing));
    return [...pending];
  });
}

async function applyMigrations(client: pg.Client, folder: string): Promise<void> {
  // Imported only by processes that migrate.
  const { runner } = await import('node-pg-migrate');
  await runner({
    dbClient: client,
    dir: folder,
    direction: 'up',
    migrationsTable: MIGRATIONS_TABLE,
    migrationsSchema: MIGRATIONS_SCHEMA,
    createMigrationsSchema: true,
    noLock: true,
    logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  });
}

/** Applies all repeatable files, in order, entirely or not at all; then records what was applied. */
async function applyRepeatable(client: pg.Client, { repeatable, digests }: ReleaseSchema): Promise<void> {
  await inOwnSession(client, async () => {
    await dropUnused(client, FIND_FUNCTIONS);
    for (const { text } of repeatable) await client.query(text);
    await dropUnused(client, FIND_LEFTOVERS);
    for (const entry of digests) {
      await client.query('INSERT INTO searchmill.schema_digests (name, digest) VALUES ($1, $2) ON CONFLICT DO NOTHING', entry);
    }
  });
}

/**
 * Drops views and functions of search_reports. One that something else depends on stays: a view of ours, which is defined anew with it, or one of the users.
 * Functions are dropped before they are defined, since Postgres does not replace one whose columns have changed.
 */
async function dropUnused(client: pg.Client, find: string): Promise<void> {
  const { rows } = await client.query<{ drop: string }>(find);
  // What depends on another leftover goes first, in one of the rounds.
  for (let left = rows, before = -1; left.length > 0 && left.length !== before; ) {
    before = left.length;
    const kept: typeof rows = [];
    for (const each of left) {
      const isNeeded = (error: unknown): boolean => codeOf(error) === DEPENDENT_OBJECTS;
      if (!(await inSavepoint(client, () => client.query(each.drop), isNeeded))) kept.push(each);
    }
    left = kept;
  }
}

const DEPENDENT_OBJECTS = '2BP01';
/** Functions that no extension brought. */
const FIND_FUNCTIONS = `
  SELECT format('DROP %s %s', CASE WHEN p.prokind = 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END, p.oid::regprocedure) AS drop
    FROM pg_catalog.pg_proc p
   WHERE p.pronamespace = to_regnamespace('search_reports') AND pg_has_role(p.proowner, 'USAGE')
     AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')`;
/** What this transaction has not written, so that this release does not define it any more. */
const FIND_LEFTOVERS = `
  ${FIND_FUNCTIONS} AND age(p.xmin) > age(pg_current_xact_id()::xid)
  UNION ALL
  SELECT format('DROP VIEW %s', c.oid::regclass)
    FROM pg_catalog.pg_class c
   WHERE c.relnamespace = to_regnamespace('search_reports') AND c.relkind = 'v' AND pg_has_role(c.relowner, 'USAGE')
     AND age(c.xmin) > age(pg_current_xact_id()::xid)`;

/** For example `migration 0001_schemas`. */
async function describeNext(url: Secret, folder: string): Promise<string> {
  await using pool = createPool(url, { applicationName: 'searchmill migrate', max: 1 });
  return `migration ${(await pendingMigrations(pool, folder))[0] ?? VIEWS_AND_FUNCTIONS}`;
}

/**
 * What the database lacks of this release; everything when it has never been migrated. Throws ConfigurationError for a database of another
 * build; StoreError.
 */
export async function pendingMigrations(pool: Pool, folder: string = MIGRATIONS_FOLDER): Promise<string[]> {
  const release = releaseSchema(folder);
  try {
    const applied = await readApplied(pool);
    requireSameBuild(release, applied);
    return lacking(release, applied);
  } catch (error) {
    throw asStoreError(error);
  }
}
