// A clock on the global timers, so that vitest's fake ones drive it.
import type { Clock } from '../../src/core/clock.ts';
import { CancelledError } from '../../src/core/errors.ts';

export const timerClock: Clock = {
  now: () => new Date(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(new CancelledError());
        return;
      }
      const timer = setTimeout(resolve, Math.max(0, ms));
      signal?.addEventListener(
        'abort',
        () => {
          clearTimeout(timer);
          reject(new CancelledError());
        },
        { once: true },
      );
    }),
};
