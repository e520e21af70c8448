// The tables of BullMQ's Postgres backend, in the warehouse's database. "searchmill migrate" creates them; nothing else does.
import { LATEST_SCHEMA_VERSION, runMigrations } from 'bullmq';
import type pg from 'pg';
import { ConfigurationError } from '../../core/errors.ts';
import type { Secret } from '../../core/secret.ts';
import { type LockRetryOptions, retryWhileLocked } from '../../postgres/lock-retries.ts';
import { requireFitDatabase } from '../../postgres/schema/database-needs.ts';
import { asStoreError } from '../../postgres/store-errors.ts';

/** BullMQ's schema when there is no Redis. Its statements name no schema; the sessions' search_path does. */
export const QUEUE_SCHEMA = 'bullmq';

const MAKE_THEM = 'run "searchmill migrate" without REDIS_URL, or set REDIS_URL';

/** SQLSTATEs for a missing table, schema, column or function. */
const ABSENT: ReadonlySet<unknown> = new Set(['42P01', '3F000', '42703', '42883']);

/**
 * Resolves when the queue's tables answer on a connection of the queue. Throws ConfigurationError when they are missing, belong to an
 * older release or may not be used; StoreError when the database does not answer.
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

/** Adds advice to an error: returns a ConfigurationError when the queue's tables are missing or may not be used. */
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

// searchmill_writer (migrations/0001_schemas.sql) runs the service and uses the queue; it does not exist where roles could not be created.
// The lock serializes processes: Postgres fails concurrent grants on the same table.
const GRANT_TO_WRITER = `DO $$ BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('searchmill queue grants'));
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_writer') THEN
    GRANT USAGE ON SCHEMA ${QUEUE_SCHEMA} TO searchmill_writer;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${QUEUE_SCHEMA} TO searchmill_writer;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${QUEUE_SCHEMA} TO searchmill_writer;
  END IF;
END $$`;

/**
 * Brings the queue's tables up to date, entirely or not at all. Any number of processes may run it at once.
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
