// Rings again for whatever is due in the ledger and held by no process. Because of it, an emptied or replaced Redis, a lost message or a
// killed worker costs one round of this, not data. Job Schedulers are counted each minute (rounds.ts).
import { SECOND } from '../core/clock.ts';
import { type DueExecution, findDue } from '../ledger/executions.ts';
import type { Bell } from '../pipeline/pipeline.ts';
import type { Pool } from '../postgres/pool.ts';

export const RECONCILE_EVERY_MS = 5 * SECOND;
/** Maximum bells per round; the rest is rung in later rounds. */
const MAX_BELLS = 500;
/**
 * How often a repeated bell gets a new id; not more often, so that a busy queue does not fill up. A new lease also changes the id, because
 * the message of a dead process would swallow one with the same id.
 */
const SALT_SPAN_MS = 30 * SECOND;

/**
 * Rings once for everything that is due, except steps for which `isWaiting` says that this process has them queued already.
 * Returns how many bells were rung. Throws StoreError.
 */
export async function reconcile(
  pool: Pool,
  ring: (bell: Bell, salt: string) => Promise<void>,
  isWaiting: (execution: DueExecution) => boolean = () => false,
): Promise<number> {
  const due = await findDue(pool, MAX_BELLS);
  const span = Math.floor(Date.now() / SALT_SPAN_MS);
  const connections = new Set(due.filter((execution) => execution.state === 'planned').map((execution) => execution.connection));
  for (const connection of connections) await ring({ kind: 'submits', connection, delayMs: 0 }, `-${span}`);
  const ready = due.filter((execution) => execution.state !== 'planned' && !isWaiting(execution));
  for (const { id, connection, job, steps, leaseToken, priority } of ready)
    await ring({ kind: 'step', execution: id, connection, job, steps, priority, delayMs: 0 }, `-${span}-${leaseToken}`);
  return connections.size + ready.length;
}
