import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreError } from '../../../src/core/errors.ts';
import { checkReadiness } from '../../../src/ops/health.ts';
import type { Instance, InstanceHealth } from '../../../src/queue/instance.ts';
import type { Pool } from '../../../src/warehouse/pool.ts';

const NOW = new Date('2026-11-18T12:00:00Z');
const minutesAgo = (minutes: number): Date => new Date(NOW.getTime() - minutes * 60_000);

/** A database in which every table is found and no migration is known, or none of both. */
const poolThat = (query: () => Promise<unknown>): Pool => ({ query }) as unknown as Pool;
const answering = poolThat(async () => ({ rows: [] }));

const instanceWith = (health: Partial<InstanceHealth>, pingQueue: () => Promise<void> = async () => undefined): Instance =>
  ({
    health: () => ({ role: 'all', reconciledAt: minutesAgo(0), plannedAt: minutesAgo(4), isStopping: false, ...health }),
    pingQueue,
  }) as unknown as Instance;

describe('readiness', () => {
  it.each([
    ['reconciler', { reconciledAt: undefined }, 'has not succeeded yet'],
    ['reconciler', { reconciledAt: minutesAgo(16) }, 'last succeeded 2026-11-18T11:44:00.000Z'],
    ['scheduler', { plannedAt: undefined }, 'has not succeeded yet'],
    ['scheduler', { plannedAt: minutesAgo(16) }, 'last succeeded 2026-11-18T11:44:00.000Z'],
    ['process', { isStopping: true }, 'is stopping'],
  ])('is lost when the %s is not well: %j', async (check, health, message) => {
    const { isReady, checks } = await checkReadiness(answering, instanceWith(health), NOW);
    expect(isReady).toBe(false);
    expect(checks[check]).toBe(message);
  });

  it('asks no scheduler of a process that is only a worker', async () => {
    const { checks } = await checkReadiness(answering, instanceWith({ role: 'worker', plannedAt: undefined }), NOW);
    expect(checks).not.toHaveProperty('scheduler');
  });

  it('gives the reasons of everything that fails, at once', async () => {
    const broken = poolThat(() => Promise.reject(new StoreError('the database cannot be reached', { retryable: true })));
    const instance = instanceWith({}, () => Promise.reject(new StoreError('Redis does not answer', { retryable: true })));
    expect(await checkReadiness(broken, instance, NOW)).toMatchObject({
      isReady: false,
      checks: { database: 'the database cannot be reached', queue: 'Redis does not answer', reconciler: 'ok' },
    });
  });

  describe('of something that never answers', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it('is decided after three seconds', async () => {
      const silent = poolThat(() => new Promise(() => undefined));
      const readiness = checkReadiness(
        silent,
        instanceWith({}, () => new Promise(() => undefined)),
        NOW,
      );
      await vi.advanceTimersByTimeAsync(3_000);
      expect((await readiness).checks).toMatchObject({ database: 'has not answered within 3 s', queue: 'has not answered within 3 s' });
    });
  });
});
