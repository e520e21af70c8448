// The wall clock is set back and forward while tasks wait.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HOUR, SECOND } from '../../../src/core/clock.ts';
import { createSteadyLimiter } from '../../../src/core/steady-limiter.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 8, 6) });
});
afterEach(() => {
  vi.useRealTimers();
});

describe.each([
  ['back', -2 * HOUR],
  ['forward', 2 * HOUR],
])('a wall clock set %s by two hours', (_way, shiftMs) => {
  it('changes nothing for tasks that wait for a free place', async () => {
    const limiter = createSteadyLimiter({ maxConcurrent: 1 });
    const done: number[] = [];
    const all = [1, 2, 3].map((task) =>
      limiter.schedule(async () => {
        if (task === 1) vi.setSystemTime(Date.now() + shiftMs);
        done.push(task);
      }),
    );
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(done).toEqual([1, 2, 3]);
    await Promise.all(all);
  });

  it('neither shortens nor lengthens the time between tasks', async () => {
    const limiter = createSteadyLimiter({ maxConcurrent: 1, minTime: 10 * SECOND });
    const done: number[] = [];
    const all = [1, 2].map((task) => limiter.schedule(async () => done.push(task)));
    await vi.advanceTimersByTimeAsync(SECOND);
    vi.setSystemTime(Date.now() + shiftMs);
    const third = limiter.schedule(async () => done.push(3));
    await vi.advanceTimersByTimeAsync(8 * SECOND);
    expect(done).toEqual([1]);
    await vi.advanceTimersByTimeAsync(2 * SECOND);
    expect(done).toEqual([1, 2]);
    await vi.advanceTimersByTimeAsync(10 * SECOND);
    expect(done).toEqual([1, 2, 3]);
    await Promise.all([...all, third]);
  });
});
