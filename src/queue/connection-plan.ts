// Divides the free connections of the database between the ledger and the queue, and finds how many steps at once those serve.
// Together the two never ask for more than is free, so that neither can starve the other.

/** Connections beside one for each step: for lease renewals, calls and rounds. */
const LEDGER_BESIDE_STEPS = 4;
/** The least that works: one for a load's transaction, one for everything else. */
const MIN_LEDGER = 2;
/** Connections of the queue beside one for each worker, which listens on it. */
const QUEUE_BESIDE_WORKERS = 6;

export type ConnectionPlan = Readonly<{ concurrency: number; ledger: number; queue: number }>;

export type ConnectionNeeds = Readonly<{
  concurrency: number;
  /** Queue workers that listen in Postgres; undefined where the queue is elsewhere. */
  listeners: number | undefined;
  /** What others in the process take: health and metrics. */
  beside?: number;
  /** What is left to others where it is not needed here: dashboards, while somebody looks. */
  spared?: number;
}>;

/** The fewest connections with which the process works. */
export function countLeast({ listeners, beside = 0 }: ConnectionNeeds): number {
  return beside + MIN_LEDGER + (listeners === undefined ? 0 : listeners + 1);
}

/** As asked where `allFree` connections allow it, else less; undefined where not even the least fits. */
export function planConnections(needs: ConnectionNeeds, allFree: number): ConnectionPlan | undefined {
  const least = countLeast(needs);
  if (allFree < least) return undefined;
  const free = Math.max(least, allFree - (needs.spared ?? 0));
  const extra = free - least;
  const wishedLedger = needs.concurrency + LEDGER_BESIDE_STEPS;
  // A third of what is left makes the queue fast, the rest makes loads.
  const queueExtra = Math.min(QUEUE_BESIDE_WORKERS - 1, Math.floor(extra / 3));
  const queue = needs.listeners === undefined ? 0 : needs.listeners + 1 + queueExtra;
  const ledger = Math.min(wishedLedger, free - queue - (needs.beside ?? 0));
  if (ledger === wishedLedger) return { concurrency: needs.concurrency, ledger, queue };
  return { concurrency: Math.max(1, Math.min(needs.concurrency, ledger - LEDGER_BESIDE_STEPS)), ledger, queue };
}
