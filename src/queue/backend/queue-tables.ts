// The tables of BullMQ's Postgres backend, in the warehouse's database: made by "searchmill migrate", and asked for by name.
import { LATEST_SCHEMA_VERSION, runMigrations } from 'bullmq';
import type pg from 'pg';
import { ConfigurationError } from '../../core/errors.ts';
import type { Secret } from '../../core/secret.ts';
import { requireFitDatabase } from '../../warehouse/database-needs.ts';
import { type LockRetryOptions, retryWhileLocked } from '../../warehouse/lock-retries.ts';
import { asStoreError } from '../../warehouse/store-errors.ts';

/** BullMQ's schema, when there is no Redis. Its statements name no schema: the sessions' search_path is this. */
export const QUEUE_SCHEMA = 'bullmq';

const MAKE_THEM = 'run "searchmill migrate" without REDIS_URL, or set REDIS_URL';

/** Codes of Postgres for what is not there: a table, a schema, a column, a function. */
const ABSENT: ReadonlySet<unknown> = new Set(['42P01', '3F000', '42703', '42883']);

/**
 * Resolves when the queue's own tables answer on a connection of the queue. Throws ConfigurationError when they are missing,
 * of an older release, or not to be used; StoreError when the database does not answer.
 */
export async function askQueueTables(pool: pg.Pool): Promise<void> {
  try {
    const { rows } = await pool.query<{ version: number | null }>(
      'SELECT max(version) AS version, EXISTS (SELECT FROM job) AS "hasJobs" FROM migration',
    );
    if ((rows[0]?.version ?? 0) < LATEST_SCHEMA_VERSION) {
      throw new ConfigurationError(`the tables of the queue in schema ${QUEUE_SCHEMA} are those of an older release; ${MAKE_THEM}`);
    }
  } catch (error) {
    throw asStoreError(explainQueueError(error));
  }
}

/** The same error with advice: a ConfigurationError where the queue's tables are missing or cannot be used. */
export function explainQueueError(error: unknown): unknown {
  const { code } = (error ?? {}) as { code?: unknown };
  if (ABSENT.has(code)) {
    return new ConfigurationError(`the tables of the queue are missing in schema ${QUEUE_SCHEMA} of the database; ${MAKE_THEM}`, {
      cause: error,
    });
  }
  if (code !== '42501') return error;
  return new ConfigurationError(
    `the role of DATABASE_URL may not use the tables of the queue in schema ${QUEUE_SCHEMA}; run "searchmill migrate" without REDIS_URL as their owner, which grants that to searchmill_writer`,
    { cause: error },
  );
}

// The role that runs the service (migrations/0001_schemas.sql) uses the queue; it is missing where roles could not be created.
// One process at a time: Postgres refuses grants on the same table by two at once.
const GRANT_TO_WRITER = `DO $$ BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('searchmill queue grants'));
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_writer') THEN
    GRANT USAGE ON SCHEMA ${QUEUE_SCHEMA} TO searchmill_writer;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${QUEUE_SCHEMA} TO searchmill_writer;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${QUEUE_SCHEMA} TO searchmill_writer;
  END IF;
END $$`;

/**
 * Brings the queue's tables up to date, wholly or not at all. Any number of processes may do it at once.
 * Throws as migrate() does.
 */
export async function migrateQueue(
  databaseUrl: Secret,
  patience: Partial<Omit<LockRetryOptions, 'describe' | 'verb'>> = {},
): Promise<void> {
  const describe = (): Promise<string> => Promise.resolve('making the tables of the queue');
  await retryWhileLocked(databaseUrl, { ...patience, describe }, async (client) => {
    await requireFitDatabase(client);
    await runMigrations(client, QUEUE_SCHEMA);
    await client.query(GRANT_TO_WRITER);
  });
}
