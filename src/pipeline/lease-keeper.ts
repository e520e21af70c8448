// Renews a lease while work goes on, and aborts the work when the lease is lost. The lease token fences every write anyway; this
// avoids wasted calls and aborts work that hangs on a database that no longer answers.
import { CancelledError, LostLeaseError, StoreError } from '../core/errors.ts';
import { type Execution, renewLease } from '../ledger/executions.ts';
import type { Pipeline } from './pipeline.ts';

/** When the database has not answered for this many lease durations, it is considered gone and the work is aborted. */
const SILENT_LEASES = 2;

/**
 * Runs `work` and renews the lease meanwhile. `lost` aborts when the lease is lost or the database does not answer; `paused`
 * aborts when an operator has paused the job or its connection. Throws what `work` throws; after `lost`, the reason instead of
 * CancelledError.
 */
export async function keepLease<T>(
  pipeline: Pipeline,
  execution: Execution,
  work: (lost: AbortSignal, paused: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const paused = new AbortController();
  let renewedAt = performance.now();
  let isRenewing = false;
  const renew = async (): Promise<void> => {
    isRenewing = true;
    try {
      const { isPaused } = await renewLease(pipeline.pool, execution, pipeline.leaseMs);
      if (isPaused) paused.abort();
      renewedAt = performance.now();
    } catch (error) {
      if (error instanceof LostLeaseError) lost.abort(error);
    } finally {
      isRenewing = false;
    }
  };
  const timer = setInterval(() => {
    // A shorter outage does not lose the lease: another process would need the same database to take it.
    if (performance.now() - renewedAt > SILENT_LEASES * pipeline.leaseMs) {
      lost.abort(new StoreError('the database has not answered for a while', { retryable: true }));
    }
    if (!isRenewing) void renew();
  }, pipeline.leaseMs / 4);
  try {
    return await work(lost.signal, paused.signal);
  } catch (error) {
    throw error instanceof CancelledError && lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    clearInterval(timer);
  }
}
