// Divides the free database connections between the ledger and the queue, and derives how many steps may run at once. Together the two
// never ask for more than is free, so neither can starve the other.

/** Connections in addition to one per step: for lease renewals, calls and rounds. */
const LEDGER_BESIDE_STEPS = 4;
/** The minimum: one for a load's transaction, one for everything else. */
const MIN_LEDGER = 2;
/** Maximum connections of the queue in addition to the one that each worker listens on. */
const QUEUE_BESIDE_WORKERS = 6;

export type ConnectionPlan = Readonly<{ concurrency: number; ledger: number; queue: number }>;

export type ConnectionNeeds = Readonly<{
  concurrency: number;
  /** Queue workers that listen in Postgres; undefined when the queue is on Redis. */
  listeners: number | undefined;
  /** Connections of other parts of the process: health and metrics. */
  beside?: number;
  /** Connections left to others unless the minimum needs them: dashboards, while somebody looks. */
  spared?: number;
}>;

/** The minimum number of connections with which the process works. */
export function countLeast({ listeners, beside = 0 }: ConnectionNeeds): number {
  return beside + MIN_LEDGER + (listeners === undefined ? 0 : listeners + 1);
}

/** Plans as requested if `allFree` connections allow it, else less; undefined when not even the minimum fits. */
export function planConnections(needs: ConnectionNeeds, allFree: number): ConnectionPlan | undefined {
  const least = countLeast(needs);
  if (allFree < least) return undefined;
  const free = Math.max(least, allFree - (needs.spared ?? 0));
  const extra = free - least;
  const wishedLedger = needs.concurrency + LEDGER_BESIDE_STEPS;
  // A third of the rest speeds up the queue; loads get the remainder.
  const queueExtra = Math.min(QUEUE_BESIDE_WORKERS - 1, Math.floor(extra / 3));
  const queue = needs.listeners === undefined ? 0 : needs.listeners + 1 + queueExtra;
  const ledger = Math.min(wishedLedger, free - queue - (needs.beside ?? 0));
  if (ledger === wishedLedger) return { concurrency: needs.concurrency, ledger, queue };
  return { concurrency: Math.max(1, Math.min(needs.concurrency, ledger - LEDGER_BESIDE_STEPS)), ledger, queue };
}
