import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SECOND } from '../../../src/core/clock.ts';
import { CancelledError, LostLeaseError, StoreError } from '../../../src/core/errors.ts';
import type { Execution } from '../../../src/ledger/executions.ts';
import { keepLease } from '../../../src/pipeline/lease-keeper.ts';
import type { Pool } from '../../../src/postgres/pool.ts';
import type { ServiceClient } from '../../../src/service/client.ts';
import { pipelineOn } from '../../support/drive.ts';

const LEASE_MS = 20 * SECOND;
const NO_CLIENT = {} as ServiceClient;
const execution = { id: 7, leaseToken: 3 } as Execution;

/** A pipeline whose only statements are renewals, answered by `renew`. */
function pipelineWith(renew: () => Promise<{ rowCount: number }>, isPaused = () => false) {
  const query = vi.fn(async () => ({ rows: [{ isPaused: isPaused() }], ...(await renew()) }));
  return { pipeline: pipelineOn({ query } as unknown as Pool, NO_CLIENT, { leaseMs: LEASE_MS }), query };
}

/** Work that goes on until its signal aborts, as a call that is cancelled. */
const until = (lost: AbortSignal): Promise<never> =>
  new Promise((_, reject) => lost.addEventListener('abort', () => reject(new CancelledError()), { once: true }));
const settled = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a lease that is kept', () => {
  it('is renewed well before it runs out, as long as the work takes, and not after', async () => {
    const { pipeline, query } = pipelineWith(async () => ({ rowCount: 1 }));
    const work = keepLease(pipeline, execution, async () => {
      await new Promise((resolve) => setTimeout(resolve, 10 * LEASE_MS));
      return 'done';
    });
    await vi.advanceTimersByTimeAsync(10 * LEASE_MS);
    expect(await work).toBe('done');
    const renewals = query.mock.calls.length;
    expect(renewals).toBeGreaterThanOrEqual(2 * 10);
    await vi.advanceTimersByTimeAsync(10 * LEASE_MS);
    expect(query.mock.calls.length).toBe(renewals);
  });

  it('that is lost cuts the work, which then ends as lost and not as cancelled', async () => {
    const { pipeline } = pipelineWith(async () => ({ rowCount: 0 }));
    const work = settled(keepLease(pipeline, execution, until));
    await vi.advanceTimersByTimeAsync(LEASE_MS);
    expect(await work).toBeInstanceOf(LostLeaseError);
  });

  it('survives a database that is away for less than two leases', async () => {
    const backAt = Date.now() + 1.9 * LEASE_MS;
    const { pipeline } = pipelineWith(async () => {
      if (Date.now() < backAt) throw new StoreError('away', { retryable: true });
      return { rowCount: 1 };
    });
    const work = keepLease(pipeline, execution, async (lost) => {
      await new Promise((resolve) => setTimeout(resolve, 5 * LEASE_MS));
      return lost.aborted;
    });
    await vi.advanceTimersByTimeAsync(5 * LEASE_MS);
    expect(await work).toBe(false);
  });

  it('cuts the work after one question that a silent database does not answer', async () => {
    const { pipeline, query } = pipelineWith(() => new Promise(() => {}));
    const work = settled(keepLease(pipeline, execution, until));
    await vi.advanceTimersByTimeAsync(3 * LEASE_MS);
    expect(await work).toMatchObject({ code: 'store', retryable: true });
    expect(query).toHaveBeenCalledTimes(1);
  });

  it('passes on the error of the work itself', async () => {
    const { pipeline } = pipelineWith(async () => ({ rowCount: 1 }));
    await expect(
      keepLease(pipeline, execution, async () => {
        throw new TypeError('a defect');
      }),
    ).rejects.toThrow(TypeError);
    await expect(
      keepLease(pipeline, execution, async () => {
        throw new CancelledError();
      }),
    ).rejects.toBeInstanceOf(CancelledError);
  });

  it('reports a pause and is kept, so that rows already read can still be committed', async () => {
    let isPaused = false;
    const { pipeline, query } = pipelineWith(
      async () => ({ rowCount: 1 }),
      () => isPaused,
    );
    const work = keepLease(pipeline, execution, async (lost, paused) => {
      await new Promise((resolve) => paused.addEventListener('abort', resolve, { once: true }));
      return { isLost: lost.aborted };
    });
    await vi.advanceTimersByTimeAsync(LEASE_MS);
    isPaused = true;
    await vi.advanceTimersByTimeAsync(LEASE_MS / 2);
    expect(await work).toEqual({ isLost: false });
    expect(query.mock.calls.length).toBeGreaterThan(2);
  });
});
