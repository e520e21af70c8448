import { expect, it } from 'vitest';
import type { Clock } from '../../../../src/core/clock.ts';
import { waitBetweenFailures } from '../../../../src/queue/backend/patient-worker.ts';

/** A worker that is refused as told, and the waits between. */
function createWorker(refusals: readonly (string | undefined)[], waitForJob: (seconds: number) => Promise<null> = async () => null) {
  const left = [...refusals];
  const waits: number[] = [];
  let close: () => void = () => undefined;
  const ask = async (): Promise<never[]> => {
    const refusal = left.shift();
    if (refusal !== undefined) throw new Error(refusal);
    return [];
  };
  const clock: Clock = {
    now: () => new Date(0),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      waits.push(ms);
    },
  };
  const worker = {
    backend: { moveToActive: ask, waitForJob },
    once: (_: 'closing', listener: () => void) => {
      close = listener;
    },
  };
  const { backend } = waitBetweenFailures(worker, clock);
  return {
    waits,
    close: () => close(),
    wait: () => backend.waitForJob(10),
    ask: () => backend.moveToActive().catch((error: Error) => error.message),
  };
}

const MISSING = 'relation "job" does not exist';

it('waits after each failure, longer each time and at most 5 s, and still reports it', async () => {
  const { waits, ask } = createWorker(Array.from({ length: 10 }, () => MISSING));
  for (let at = 0; at < 10; at += 1) expect(await ask()).toBe(MISSING);
  expect(waits).toHaveLength(10);
  expect(waits[0]).toBeLessThanOrEqual(500);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(250);
  expect(Math.min(...waits.slice(4))).toBeGreaterThanOrEqual(2_500);
  expect(Math.max(...waits)).toBeLessThanOrEqual(5_000);
});

it('starts over after an answer', async () => {
  const { waits, ask } = createWorker([MISSING, MISSING, MISSING, MISSING, undefined, MISSING]);
  for (let at = 0; at < 6; at += 1) await ask();
  expect(waits).toHaveLength(5);
  expect(waits[4]).toBeLessThanOrEqual(500);
});

it('does not wait after a refused connection, since BullMQ waits by itself', async () => {
  const { waits, ask } = createWorker(['connect ECONNREFUSED']);
  expect(await ask()).toBe('connect ECONNREFUSED');
  expect(waits).toEqual([]);
});

it('does not wait any more when it is closed', async () => {
  const { waits, ask, close } = createWorker([MISSING]);
  close();
  expect(await ask()).toBe(MISSING);
  expect(waits).toEqual([]);
});

it('gives up a wait that is half a minute overdue, and looks for a message', async () => {
  const { waits, wait } = createWorker([], () => new Promise(() => undefined));
  expect(await wait()).toBeNull();
  expect(waits).toEqual([40_000]);
});

it('leaves no timer of a given-up wait behind when it is closed', () => {
  const signals: (AbortSignal | undefined)[] = [];
  const endless = () => new Promise<null>(() => undefined);
  let close: () => void = () => undefined;
  const worker = {
    backend: { moveToActive: async (): Promise<never[]> => [], waitForJob: (_: number) => endless() },
    once: (_: 'closing', listener: () => void) => {
      close = listener;
    },
  };
  const sleep = async (_: number, signal?: AbortSignal): Promise<void> => {
    signals.push(signal);
    await endless();
  };
  void waitBetweenFailures(worker, { now: () => new Date(0), sleep }).backend.waitForJob(10);
  expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
  close();
  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
});
