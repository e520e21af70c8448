import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreError } from '../../../src/core/errors.ts';
import type { Standing } from '../../../src/core/round.ts';
import { checkReadiness } from '../../../src/ops/health.ts';
import type { Pool } from '../../../src/postgres/pool.ts';
import type { Instance, InstanceHealth } from '../../../src/queue/instance.ts';

const NOW = new Date('2026-11-18T12:00:00Z');
const at = (minutesAgo: number, failure?: string): Standing => ({
  succeededAt: new Date(NOW.getTime() - minutesAgo * 60_000),
  ageMs: minutesAgo * 60_000,
  failure,
  failingSince: undefined,
});
const NEVER: Standing = { succeededAt: undefined, ageMs: undefined, failure: undefined, failingSince: undefined };

/** A database in which every table is found and no migration is known, or none of both. */
const poolThat = (query: () => Promise<unknown>): Pool => ({ query }) as unknown as Pool;
const answering = poolThat(async () => ({ rows: [] }));

const WELL = { reconciling: at(0), planning: at(5), reporting: at(0.5) };

const instanceWith = (health: Partial<InstanceHealth>, pingQueue: () => Promise<void> = async () => undefined): Instance =>
  ({ health: () => ({ rounds: WELL, isStopping: false, ...health }), pingQueue }) as unknown as Instance;

describe('readiness', () => {
  it.each([
    ['reconciler', { rounds: { ...WELL, reconciling: NEVER } }, 'has not succeeded yet'],
    ['reconciler', { rounds: { ...WELL, reconciling: at(1.5) } }, 'last succeeded 2026-11-18T11:58:30.000Z'],
    ['scheduler', { rounds: { ...WELL, planning: NEVER } }, 'has not succeeded yet'],
    ['scheduler', { rounds: { ...WELL, planning: at(8, 'deadlock') } }, 'last succeeded 2026-11-18T11:52:00.000Z: deadlock'],
    [
      'database',
      { rounds: { ...WELL, reporting: at(2, 'the disk is full') } },
      'answers, but the sign of life last succeeded 2026-11-18T11:58:00.000Z: the disk is full',
    ],
    ['process', { isStopping: true }, 'is stopping'],
  ])('is lost when the check "%s" fails: %j', async (check, health, message) => {
    const { isReady, checks } = await checkReadiness(answering, instanceWith(health));
    expect(isReady).toBe(false);
    expect(checks[check]).toBe(message);
  });

  it('does not check a scheduler in a process that is only a worker', async () => {
    const { checks } = await checkReadiness(answering, instanceWith({ rounds: { reconciling: at(0), reporting: at(0.5) } }));
    expect(checks).not.toHaveProperty('scheduler');
  });

  it('gives all reasons at once when several checks fail', async () => {
    const broken = poolThat(() => Promise.reject(new StoreError('the database cannot be reached', { retryable: true })));
    const instance = instanceWith({}, () => Promise.reject(new StoreError('Redis does not answer', { retryable: true })));
    expect(await checkReadiness(broken, instance)).toMatchObject({
      isReady: false,
      checks: { database: 'the database cannot be reached', queue: 'Redis does not answer', reconciler: 'ok' },
    });
  });

  describe('of a part that never answers', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it('is decided after three seconds', async () => {
      const silent = poolThat(() => new Promise(() => undefined));
      const readiness = checkReadiness(
        silent,
        instanceWith({}, () => new Promise(() => undefined)),
      );
      await vi.advanceTimersByTimeAsync(3_000);
      expect((await readiness).checks).toMatchObject({ database: 'has not answered within 3 s', queue: 'has not answered within 3 s' });
    });
  });
});
