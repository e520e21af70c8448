// Retention: removes old entries of the ledger that are no longer needed. Each step removes few rows in its own transaction. Only ended work is
// removed, so no load waits for it.
import type { Retention } from '../config/settings.ts';
import { DAY, HOUR } from '../core/clock.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { readRows } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';

export const RETAIN_EVERY_MS = HOUR;
/** Maximum rows per step, and steps of a kind per round; the rest is left to the next round. */
const STEP_BOUNDS = { maxRows: 1_000, maxSteps: 50 };
/** Far longer than any process keeps a page it has read. */
const FIGURE_CHANGES_MS = DAY;

export type Removed = Readonly<{
  drift: number;
  quarantine: number;
  executions: number;
  /** Together with their executions. */
  publications: number;
  actions: number;
  budgets: number;
  /** Events of weeks. */
  changes: number;
  /** Notes that figures have changed. */
  figureChanges: number;
  /** Records of when targets were told of accounts. */
  toldAccounts: number;
}>;
export const NOTHING_REMOVED: Removed = {
  drift: 0,
  quarantine: 0,
  executions: 0,
  publications: 0,
  actions: 0,
  budgets: 0,
  changes: 0,
  figureChanges: 0,
  toldAccounts: 0,
};
type Step = (client: Client, maxRows: number) => Promise<Partial<Removed>[]>;

/** In order of removal: an execution is removed after what refers to it. */
function stepsOf({ executionsMs, publicationsMs, quarantineMs, driftMs, callsMs }: Retention): Step[] {
  return [
    (client, maxRows) => readRows(client, 'retention/remove-drift', { ageMs: driftMs, maxRows }),
    (client, maxRows) => readRows(client, 'retention/remove-quarantine', { ageMs: quarantineMs, maxRows }),
    (client, maxRows) => readRows(client, 'retention/remove-executions', { executionsMs, publicationsMs, maxRows }),
    (client, maxRows) => readRows(client, 'retention/remove-actions', { ageMs: publicationsMs, maxRows }),
    (client, maxRows) => readRows(client, 'retention/remove-changes', { ageMs: publicationsMs, maxRows }),
    (client, maxRows) => readRows(client, 'retention/remove-told-accounts', { ageMs: publicationsMs, maxRows }),
    (client, maxRows) => readRows(client, 'retention/remove-figure-changes', { ageMs: FIGURE_CHANGES_MS, maxRows }),
    async (client, maxRows) => {
      const locked = await readRows(client, 'retention/lock-budgets', { ageMs: callsMs, maxRows });
      return readRows(client, 'retention/remove-budgets', { ids: locked.map(({ id }) => id) });
    },
  ];
}

/**
 * Removes what is older than `retention` allows; one process at a time. Returns the numbers of removed rows.
 * Throws StoreError; what was removed before stays removed.
 */
export async function applyRetention(
  pool: Pool,
  retention: Retention,
  stopping: AbortSignal,
  { maxRows, maxSteps } = STEP_BOUNDS,
): Promise<Removed> {
  const removed = { ...NOTHING_REMOVED };
  for (const step of stepsOf(retention)) {
    for (let steps = 0; steps < maxSteps && !stopping.aborted; steps += 1) {
      const [amounts = {}] = await inTransaction(pool, async (client) => {
        const [turn] = await readRows(client, 'retention/take-turn');
        return turn?.isMine ? step(client, maxRows) : [];
      });
      for (const [what, rows] of Object.entries(amounts) as [keyof Removed, number][]) removed[what] += rows;
      if (Math.max(0, ...Object.values(amounts)) < maxRows) break;
    }
  }
  return removed;
}
