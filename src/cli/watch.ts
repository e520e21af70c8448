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

/**
 * Looks until every slice of `executions` is published, failed, discarded or held, telling `onLook` each time.
 * Returns the last look. Throws CancelledError when `signal` aborts, StoreError.
 */
export async function waitForLoads(
  pool: Pool,
  executions: readonly number[],
  { clock, signal, onLook }: { clock: Clock; signal: AbortSignal; onLook: (slices: readonly WatchedSlice[]) => void },
): Promise<readonly WatchedSlice[]> {
  for (;;) {
    const slices = await watchSlices(pool, executions);
    onLook(slices);
    if (slices.every(isSettled)) return slices;
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}
