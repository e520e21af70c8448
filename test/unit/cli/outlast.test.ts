import { expect, it } from 'vitest';
import { outlast } from '../../../src/cli/outlast.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { ConfigurationError, StoreError } from '../../../src/core/errors.ts';
import { sumOf } from '../../../src/core/numbers.ts';

const away = () => new StoreError('too many connections', { retryable: true });

function prepare(failures: readonly Error[]) {
  const [left, told, waitedMs] = [[...failures], [] as (string | undefined)[], [] as number[]];
  // The wall clock is set back.
  const monotonicMs = (): number => sumOf(waitedMs, (ms) => ms);
  const clock: Clock = { now: () => new Date(-monotonicMs()), sleep: async (ms) => void waitedMs.push(ms) };
  const work = async (): Promise<string> => {
    const error = left.shift();
    if (error) throw error;
    return 'done';
  };
  const result = outlast(work, { clock, monotonicMs, signal: new AbortController().signal, onWait: (text) => told.push(text) });
  return { result, told, waitedMs };
}

it('repeats what fails while the database is away, waits longer and longer, and reports when the outage begins and ends', async () => {
  const { result, told, waitedMs } = prepare(Array.from({ length: 12 }, away));
  expect(await result).toBe('done');
  expect(told).toEqual(['waiting for the database: too many connections', undefined]);
  expect(waitedMs[0]).toBeLessThanOrEqual(500);
  expect(waitedMs.at(-1)).toBeGreaterThanOrEqual(5_000);
});

it('says nothing of a single failure', async () => {
  const { result, told } = prepare([away()]);
  expect(await result).toBe('done');
  expect(told).toEqual([]);
});

it('ends when the database is away for ten minutes, and says what continues the work', async () => {
  const { result, waitedMs } = prepare(Array.from({ length: 1_000 }, away));
  await expect(result).rejects.toThrow(
    'the database did not come back within 10 minutes, so this command ends; a running service or the next run continues with what was planned: too many connections',
  );
  expect(sumOf(waitedMs, (ms) => ms)).toBeGreaterThanOrEqual(10 * 60_000);
  expect(sumOf(waitedMs, (ms) => ms)).toBeLessThan(11 * 60_000);
});

it.each([new StoreError('refused', { retryable: false }), new ConfigurationError('wrong')])('throws %s at once', async (error) => {
  const { result, waitedMs } = prepare([error]);
  await expect(result).rejects.toBe(error);
  expect(waitedMs).toEqual([]);
});
