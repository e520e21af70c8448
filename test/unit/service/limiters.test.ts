import { describe, expect, it } from 'vitest';
import type { Connection } from '../../../src/config/settings.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createLimiters } from '../../../src/service/limiters.ts';
import { InMemoryBudget } from '../../support/in-memory-budget.ts';

const callsPerMinute = { submit: 5, read: 1000 };

function connection(name: string, budgetId: string): Connection {
  const auth = { kind: 'token', token: new Secret('t') } as const;
  return { name, baseUrl: 'https://api.example.com', auth, callsPerMinute, budgetId };
}

describe('createLimiters', () => {
  it('gives connections that share a budget one limiter, and asks for that budget once', () => {
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
});
