// Keeps a lease alive while work goes on, and says at once when it is lost. The token fences every write anyway; this
// only saves calls that would be for nothing.
import { CancelledError, LostLeaseError } from '../core/errors.ts';
import { type Execution, renewLease } from '../warehouse/executions.ts';
import type { Pipeline } from './pipeline.ts';

/** Runs `work` with a signal that aborts when the lease is lost; renews the lease until `work` is done. */
export async function keepLease<T>(pipeline: Pipeline, execution: Execution, work: (lost: AbortSignal) => Promise<T>): Promise<T> {
  const lost = new AbortController();
  let isRenewing = false;
  const timer = setInterval(() => {
    if (isRenewing) return;
    isRenewing = true;
    renewLease(pipeline.pool, execution, pipeline.leaseMs)
      .catch((error: unknown) => {
        // A database that is away for a while does not lose the lease: whoever would take it needs the same database.
        if (error instanceof LostLeaseError) lost.abort(error);
      })
      .finally(() => {
        isRenewing = false;
      });
  }, pipeline.leaseMs / 3);
  try {
    return await work(lost.signal);
  } catch (error) {
    throw error instanceof CancelledError && lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    clearInterval(timer);
  }
}
