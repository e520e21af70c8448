// Before a process starts: as many loads at once as the connections allow that the database has left.
import { StoreError } from '../core/errors.ts';
import { type ConnectionNeeds, type ConnectionPlan, countLeast, planConnections } from '../queue/connection-plan.ts';
import { type FreeConnections, readFreeConnections } from '../warehouse/connection-limits.ts';
import type { Pool } from '../warehouse/pool.ts';

/**
 * Sizes `pool`, and returns the plan for the rest. `tell` hears of fewer loads at once than asked for.
 * Throws StoreError when not even the least fits.
 */
export async function fitConnections(pool: Pool, needs: ConnectionNeeds, tell: (note: string) => void): Promise<ConnectionPlan> {
  const found = await readFreeConnections(pool);
  const plan = planConnections(needs, found.free);
  if (!plan) throw new StoreError(describeLack(found, needs), { retryable: false });
  if (plan.concurrency < needs.concurrency)
    tell(
      `${describeFree(found)}, so ${plan.concurrency} instead of ${needs.concurrency} loads are worked on at once; more connections and a new start allow more`,
    );
  pool.options.max = plan.ledger;
  return plan;
}

/** What keeps a process from working, and what to do. */
export function describeLack(found: FreeConnections, needs: ConnectionNeeds): string {
  const elsewhere =
    needs.listeners === undefined ? '' : `, or set REDIS_URL, with which ${countLeast({ ...needs, listeners: undefined })} are enough`;
  return `${describeFree(found)}, and at least ${countLeast(needs)} are needed; raise that limit, end others that use the database${elsewhere}`;
}

/** `3 of 5 connections of role loader are free` */
export function describeFree({ free, most, name }: FreeConnections): string {
  return `${free} of ${most} connections of ${name} are free`;
}
