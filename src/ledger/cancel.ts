// Cancels live loads for an operator. The worker of such a load loses its lease and writes nothing more. A submit in flight still records
// the service's executionId, but none of its rows are read.
import { isPassing } from '../core/errors.ts';
import type { IsoDate } from '../core/weeks.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { execute, readRows } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Actor, NOBODY, noteForExecutions } from './actions.ts';
import { endInTransaction } from './endings.ts';
import type { Lease } from './executions.ts';
import { sweepAfterEnd } from './leftover-staging.ts';
import type { LiveState } from './states.ts';

/** The `end_reason` of cancelled loads. */
const CANCELLED_BY_HAND = 'cancelled by hand';
/** A checkpoint or a publish may deadlock with this. Postgres then aborts one of the two, and this one is retried. */
const MAX_TRIES = 3;

type Cancelled = Lease & Readonly<{ state: LiveState }>;

/** Days, both inclusive. */
export type DaySpan = Readonly<{ from: IsoDate | undefined; to: IsoDate | undefined }>;

/**
 * Ends the live loads of a job whose windows overlap `span`, in one transaction. Their staging is removed afterwards. Held loads and loads
 * that are just being published are left alone. Returns the ended loads, each with its previous state. Throws StoreError.
 */
export async function cancelLoads(pool: Pool, job: string, span: DaySpan, by: Actor = NOBODY): Promise<Cancelled[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      const cancelled = await inTransaction(pool, async (client) => {
        const ended = await cancelEach(client, job, span);
        await noteForExecutions(client, 'cancel', by, ended);
        return ended;
      });
      for (const { id } of cancelled) await sweepAfterEnd(pool, id);
      return cancelled;
    } catch (error) {
      if (!isPassing(error) || tries === MAX_TRIES) throw error;
    }
  }
}

async function cancelEach(client: Client, job: string, { from, to }: DaySpan): Promise<Cancelled[]> {
  await execute(client, 'jobs/lock-named', { names: [job] });
  const cancelled: Cancelled[] = [];
  // A worker may meanwhile have given up a load and planned its slice again. The next iteration finds the new one.
  for (let before = -1; before < cancelled.length; ) {
    before = cancelled.length;
    const found = await readRows(client, 'executions/find-cancellable', { job, from, to });
    for (const { id, state } of found) {
      const claim = state === 'staged' ? 'executions/claim-cancelled-staged' : 'executions/claim-cancelled';
      const [taken] = await readRows<typeof claim, Cancelled>(client, claim, { executionId: id });
      if (taken === undefined) continue;
      await endInTransaction(client, taken, { state: 'cancelled', reason: CANCELLED_BY_HAND });
      cancelled.push(taken);
    }
  }
  return cancelled;
}
