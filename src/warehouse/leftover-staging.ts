// Staging tables of executions that have ended. A sweep after the end removes them, and waits for nobody. A table that is being read, as
// by pg_dump, stays until a later sweep. So does one whose process died before the sweep.
import { SECOND } from '../core/clock.ts';
import type { Pool } from './pool.ts';
import { execute } from './statements.ts';

/** Time between the sweeps of a process: they only find what the step after an end has left. */
export const SWEEP_EVERY_MS = 30 * SECOND;
/** Most tables removed in one sweep, which is one transaction: each takes entries of the server's lock table. */
const MAX_TABLES = 50;

/** Removes the staging of executions that have ended, of one or of all. Returns how many tables went. Throws StoreError. */
export async function sweepStaging(pool: Pool, executionId?: number): Promise<number> {
  const { rows } = await execute(pool, 'staging/sweep', { executionId, maxTables: MAX_TABLES });
  return rows[0]?.removed ?? 0;
}

/** The same, right after an end. Never throws: what it cannot remove is left to the next sweep. */
export async function sweepAfterEnd(pool: Pool, executionId?: number): Promise<void> {
  await sweepStaging(pool, executionId).catch(() => undefined);
}
