// A migrated database for a test file, with jobs that do not meet, and what is published in it.
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Job } from '../../src/config/settings.ts';
import { Secret } from '../../src/core/secret.ts';
import { type Window, windowOfWeeks } from '../../src/core/weeks.ts';
import type { Pool } from '../../src/postgres/pool.ts';
import { createTestPool } from './database-access.ts';
import { findBrokenInvariants } from './invariants.ts';
import { jobOf as anyJob } from './jobs.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

export const LEASE = { owner: 'test', leaseMs: 60_000 };
export const WEEK: Window = windowOfWeeks('2026-11-08', 1);

/** The database of a test file: `pool` is there from beforeAll on. */
export interface Ledger {
  readonly pool: Pool;
  readonly url: string;
  /** One more pool, as another process would have; ended with the file. */
  openPool(max?: number): Pool;
}

/**
 * Makes a migrated database before the tests of a file and drops it after them. What must hold of every ledger is checked
 * after each test, unless the file writes rows of its own into it (`keepsInvariants: false`).
 */
export function useLedger({ keepsInvariants = true } = {}): Ledger {
  let database: TestDatabase;
  const pools: Pool[] = [];
  const openPool = (max = 10): Pool => {
    const pool = createTestPool(new Secret(database.url), max);
    pools.push(pool);
    return pool;
  };
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool();
  });
  afterEach(async () => {
    if (keepsInvariants) expect(await findBrokenInvariants(pool)).toEqual([]);
  });
  afterAll(async () => {
    await Promise.all(pools.map((each) => each.end()));
    await database.drop();
  });
  return {
    openPool,
    get pool() {
      return pool;
    },
    get url() {
      return database.url;
    },
  };
}

let lastJob = 0;

/** A job of its own name, so that tests of a file don't meet. */
export function jobOf(changes: Partial<Job> = {}): Job {
  lastJob += 1;
  return anyJob({ name: `job-${lastJob}`, accountId: 1000 + lastJob, ...changes });
}

/** The published rows of an account, some columns of each, in a steady order. */
export async function publishedRows(pool: Pool, job: Job, columns: readonly string[]): Promise<Record<string, unknown>[]> {
  const list = columns.map((name) => `"${name}"`).join(', ');
  const { rows } = await pool.query<Record<string, unknown>>(
    `SELECT ${list} FROM search."${job.dataset.name}" WHERE account_id = $1 ORDER BY ${list}`,
    [job.accountId],
  );
  return rows;
}
