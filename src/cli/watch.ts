// Waits in the foreground for loads to end, reading the ledger, whether this process or another does the work.
import { type WatchedSlice, watchSlices } from '../ledger/coverage.ts';
import type { Pool } from '../postgres/pool.ts';
import { type OutlastOptions, outlast } from './outlast.ts';

const POLL_EVERY_MS = 300;
/** Number of looks in a row, 3 s: a retry in progress, such as a probe of a refused credential, gets its answer in that time. */
const POLLS_IN_VAIN = 10;
const SETTLED: ReadonlySet<string> = new Set(['published', 'failed', 'discarded', 'cancelled', 'held']);

/** True if the slice cannot progress by itself any more. */
export function isSettled(slice: Pick<WatchedSlice, 'state'>): boolean {
  return SETTLED.has(slice.state);
}

export type WaitOptions = OutlastOptions &
  Readonly<{
    onPoll: (slices: readonly WatchedSlice[]) => void;
    /** Whether waiting for these is pointless; if that lasts, waiting ends. */
    isInVain?: (unsettled: readonly WatchedSlice[]) => Promise<boolean>;
  }>;

/**
 * Looks until every slice of `executions` is published, failed, discarded, cancelled or held, or waiting for the others is pointless,
 * calling `onPoll` each time. A database that is away is waited for. Returns the last look. Throws CancelledError when `signal` aborts,
 * StoreError.
 */
export async function waitForLoads(
  pool: Pool,
  executions: readonly number[],
  { onPoll, isInVain = async () => false, ...patience }: WaitOptions,
): Promise<readonly WatchedSlice[]> {
  for (let pollsInVain = 0; ; ) {
    const slices = await outlast(() => watchSlices(pool, executions), patience);
    onPoll(slices);
    const unsettled = slices.filter((slice) => !isSettled(slice));
    if (unsettled.length === 0) return slices;
    pollsInVain = (await outlast(() => isInVain(unsettled), patience)) ? pollsInVain + 1 : 0;
    if (pollsInVain === POLLS_IN_VAIN) return slices;
    await patience.clock.sleep(POLL_EVERY_MS, patience.signal);
  }
}
