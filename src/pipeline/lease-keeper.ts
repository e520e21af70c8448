// Keeps a lease alive while work goes on, and says at once when it is lost. The token fences every write anyway; this
// saves calls that would be for nothing, and cuts work that hangs on a database that has gone silent.
import { CancelledError, LostLeaseError, StoreError } from '../core/errors.ts';
import { type Execution, renewLease } from '../warehouse/executions.ts';
import type { Pipeline } from './pipeline.ts';

/** A database that has not answered for this many leases is taken for gone, and what waits for it is cut. */
const SILENT_LEASES = 2;

/**
 * Runs `work` with a signal that aborts when the lease is lost or the database is silent, and one that aborts when an operator
 * has paused the job or its connection; renews the lease meanwhile.
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
    // Short of that, a database that is away does not lose the lease: another process that takes it needs the same database.
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
