// Waits in the foreground for loads to end, reading the ledger: whoever does the work, this process or another.
import type { Clock } from '../core/clock.ts';
import { type WatchedSlice, watchSlices } from '../warehouse/coverage.ts';
import type { Pool } from '../warehouse/pool.ts';

const LOOK_EVERY_MS = 300;
const SETTLED: ReadonlySet<string> = new Set(['published', 'failed', 'discarded', 'held']);

/** True when nothing more happens to the slice by itself. */
export function isSettled(slice: Pick<WatchedSlice, 'state'>): boolean {
  return SETTLED.has(slice.state);
}

export type WaitOptions = Readonly<{
  clock: Clock;
  signal: AbortSignal;
  onLook: (slices: readonly WatchedSlice[]) => void;
  /** Whether waiting for these is in vain. */
  isInVain?: (unsettled: readonly WatchedSlice[]) => Promise<boolean>;
}>;

/**
 * Looks until every slice of `executions` is published, failed, discarded or held, or waiting for the others is in vain,
 * telling `onLook` each time. Returns the last look. Throws CancelledError when `signal` aborts, StoreError.
 */
export async function waitForLoads(
  pool: Pool,
  executions: readonly number[],
  { clock, signal, onLook, isInVain = async () => false }: WaitOptions,
): Promise<readonly WatchedSlice[]> {
  for (;;) {
    const slices = await watchSlices(pool, executions);
    onLook(slices);
    const unsettled = slices.filter((slice) => !isSettled(slice));
    if (unsettled.length === 0 || (await isInVain(unsettled))) return slices;
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}
