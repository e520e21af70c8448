// Staging tables of ended executions. A sweep after the end removes them and waits for nobody. A table that is being read, for example by
// pg_dump, stays until a later sweep; so does a table whose process died before the sweep.
import { SECOND } from '../core/clock.ts';
import type { Pool } from '../postgres/pool.ts';
import { execute } from '../postgres/statements.ts';

/** Time between the sweeps of a process; they only find what the sweep after an end has left. */
export const SWEEP_EVERY_MS = 30 * SECOND;
/** Maximum tables per sweep, which is one transaction: each table takes entries of the server's lock table. */
const MAX_TABLES = 50;

/** Removes the staging of one ended execution, or of all. Returns the number of removed tables. Throws StoreError. */
export async function sweepStaging(pool: Pool, executionId?: number): Promise<number> {
  const { rows } = await execute(pool, 'executions/sweep-staging', { executionId, maxTables: MAX_TABLES });
  return rows[0]?.removed ?? 0;
}

/** The same, right after an execution ended. Never throws: what it cannot remove is left to the next sweep. */
export async function sweepAfterEnd(pool: Pool, executionId?: number): Promise<void> {
  await sweepStaging(pool, executionId).catch(() => undefined);
}
