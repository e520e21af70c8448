import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs, HOUR, systemClock } from '../../../src/core/clock.ts';
import { CancelledError } from '../../../src/core/errors.ts';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const baseMs = fc.integer({ min: 1, max: 60_000 });
const maxMs = fc.integer({ min: 1, max: 24 * HOUR });

describe('a backoff', () => {
  it('lies between half of the doubled base and the whole of it, never above the longest', () => {
    fc.assert(
      fc.property(fc.nat(200), baseMs, maxMs, random, (attempt, base, max, chance) => {
        const ms = backoffMs(attempt, { baseMs: base, maxMs: max, random: () => chance });
        const ceiling = Math.min(max, base * 2 ** attempt);
        expect(Number.isInteger(ms)).toBe(true);
        expect(ms).toBeGreaterThanOrEqual(Math.floor(ceiling / 2));
        expect(ms).toBeLessThanOrEqual(ceiling);
      }),
    );
  });

  it('never shrinks from one attempt to the next by the same chance', () => {
    fc.assert(
      fc.property(fc.nat(100), baseMs, maxMs, random, (attempt, base, max, chance) => {
        const options = { baseMs: base, maxMs: max, random: () => chance };
        expect(backoffMs(attempt + 1, options)).toBeGreaterThanOrEqual(backoffMs(attempt, options));
      }),
    );
  });

  it('spreads by chance when none is given', () => {
    const drawn = new Set(Array.from({ length: 50 }, () => backoffMs(10, { baseMs: 1000, maxMs: HOUR })));
    expect(drawn.size).toBeGreaterThan(10);
  });
});

describe('the system clock', () => {
  it('stops waiting when it is asked to', async () => {
    const stop = new AbortController();
    const waiting = systemClock.sleep(HOUR, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toBeInstanceOf(CancelledError);
  });

  it('does not begin to wait when it was already asked to stop', async () => {
    await expect(systemClock.sleep(HOUR, AbortSignal.abort())).rejects.toBeInstanceOf(CancelledError);
  });

  it('takes a negative time for zero', async () => {
    await expect(systemClock.sleep(-5)).resolves.toBeUndefined();
  });
});
