import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Connection } from '../../../src/config/settings.ts';
import { MINUTE, SECOND, systemClock } from '../../../src/core/clock.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createLimiters } from '../../../src/service/limiters.ts';
import { InMemoryBudget } from '../../support/in-memory-budget.ts';
import { timerClock } from '../../support/timer-clock.ts';

const callsPerMinute = { submit: 5, read: 1000 };

function connection(name: string, budgetId: string): Connection {
  const auth = { kind: 'token', token: new Secret('t') } as const;
  return { name, baseUrl: 'https://api.example.com', auth, headers: {}, callsPerMinute, budgetId };
}

describe('createLimiters', () => {
  it('gives connections with a shared budget one limiter, and asks for that budget once', () => {
    const asked: string[] = [];
    const limiters = createLimiters({
      clock: systemClock,
      budgetOf: ({ name }) => {
        asked.push(name);
        return new InMemoryBudget({ clock: systemClock, callsPerMinute });
      },
    });
    const main = limiters.limiterFor(connection('main', 'one'));
    expect(limiters.limiterFor(connection('twin', 'one'))).toBe(main);
    expect(limiters.limiterFor(connection('other', 'two'))).not.toBe(main);
    expect(asked).toEqual(['main', 'other']);
  });

  it('queues submits and reads apart', () => {
    const limiters = createLimiters({ clock: systemClock, budgetOf: () => new InMemoryBudget({ clock: systemClock, callsPerMinute }) });
    const { submit, read } = limiters.limiterFor(connection('main', 'one'));
    expect([submit.kind, read.kind]).toEqual(['submit', 'read']);
    expect(submit).not.toBe(read);
  });

  describe('when a pause ends', () => {
    afterEach(() => {
      vi.useRealTimers();
    });

    it('lets the waiting calls of both kinds go at once', async () => {
      vi.useFakeTimers({ now: Date.UTC(2026, 0, 5) });
      const budget = new InMemoryBudget({ clock: timerClock, callsPerMinute });
      await budget.reportRateLimited(10 * MINUTE);
      const limiters = createLimiters({ clock: timerClock, budgetOf: () => budget });
      const { submit, read, pauses } = limiters.limiterFor(connection('main', 'one'));
      const sent: string[] = [];
      const calls = [submit, read].map((limiter) => limiter.run({ priority: 5, context: {} }, async () => void sent.push(limiter.kind)));
      await vi.advanceTimersByTimeAsync(11 * SECOND);
      expect(sent).toEqual([]);
      await pauses.noteAccepted(1);
      await vi.advanceTimersByTimeAsync(100);
      await Promise.all(calls);
      expect(new Set(sent)).toEqual(new Set(['read', 'submit']));
    });
  });
});
