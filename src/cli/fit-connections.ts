// Before a process starts: as many concurrent loads as the database's free connections allow.
import { StoreError } from '../core/errors.ts';
import { type FreeConnections, readFreeConnections } from '../postgres/connection-limits.ts';
import type { Pool } from '../postgres/pool.ts';
import { type ConnectionNeeds, type ConnectionPlan, countLeast, planConnections } from '../queue/connection-plan.ts';

/**
 * Sizes `pool`, and returns the plan for the rest. `tell` is called if fewer concurrent loads are possible than asked for.
 * Throws StoreError if not even the minimum fits.
 */
export async function fitConnections(pool: Pool, needs: ConnectionNeeds, tell: (note: string) => void): Promise<ConnectionPlan> {
  const found = await readFreeConnections(pool);
  const plan = planConnections(needs, found.free);
  if (!plan) throw new StoreError(describeLack(found, needs), { retryable: false });
  if (plan.concurrency < needs.concurrency)
    tell(
      `${describeFree(found)}, so ${plan.concurrency} instead of ${needs.concurrency} loads are worked on at once; with more connections and a restart it is more`,
    );
  pool.options.max = plan.ledger;
  return plan;
}

/** What keeps a process from working, and what to do. */
export function describeLack(found: FreeConnections, needs: ConnectionNeeds): string {
  const elsewhere =
    needs.listeners === undefined ? '' : `, or set REDIS_URL, with which ${countLeast({ ...needs, listeners: undefined })} are enough`;
  return `${describeFree(found)}, and at least ${countLeast(needs)} are needed; raise that limit, close other connections to the database${elsewhere}`;
}

/** `3 of 5 connections of role loader are free` */
export function describeFree({ free, most, name }: FreeConnections): string {
  return `${free} of ${most} connections of ${name} are free`;
}
