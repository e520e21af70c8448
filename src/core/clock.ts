// Time and randomness as arguments, so that tests decide them. Leases, due times and call budgets use the database's clock, which all
// processes share. This clock serves what one process decides: which weeks are over, how long it sleeps, how it backs off.
import { setTimeout as delay } from 'node:timers/promises';
import { CancelledError } from './errors.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export interface Clock {
  /** The current time. */
  now(): Date;
  /** Waits `ms` milliseconds. Rejects with CancelledError as soon as `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  async sleep(ms, signal) {
    try {
      await delay(Math.max(0, ms), undefined, signal ? { signal } : undefined);
    } catch (error) {
      if (signal?.aborted) throw new CancelledError();
      throw error;
    }
  },
};

/** A number in [0, 1), as Math.random. */
export type Random = () => number;

/**
 * Exponential backoff with full jitter on the upper half: between half of and the whole of `baseMs * 2^attempt`,
 * never above `maxMs`. `attempt` counts from 0.
 */
export function backoffMs(attempt: number, options: { baseMs: number; maxMs: number; random?: Random }): number {
  const ceiling = Math.min(options.maxMs, options.baseMs * 2 ** Math.min(attempt, 30));
  return Math.round(ceiling / 2 + (options.random ?? Math.random)() * (ceiling / 2));
}
