import { describe, expect, it } from 'vitest';
import { type ConnectionNeeds, countLeast, planConnections } from '../../../src/queue/connection-plan.ts';

describe('connections of a process', () => {
  const all = { concurrency: 16, listeners: 3 };

  it('are as many as asked for where they are free', () => {
    expect(planConnections(all, Number.POSITIVE_INFINITY)).toEqual({ concurrency: 16, ledger: 20, queue: 9 });
    expect(planConnections({ concurrency: 16, listeners: undefined }, 97)).toEqual({ concurrency: 16, ledger: 20, queue: 0 });
  });

  it('never exceed what is free, and leave each part what it needs', () => {
    const several: ConnectionNeeds[] = [
      all,
      { ...all, beside: 2 },
      { ...all, beside: 2, spared: 2 },
      { concurrency: 1, listeners: 2 },
      { concurrency: 50, listeners: undefined },
    ];
    for (const needs of several) {
      for (let free = 0; free < 80; free += 1) {
        const plan = planConnections(needs, free);
        if (free < countLeast(needs)) {
          expect(plan).toBeUndefined();
          continue;
        }
        if (!plan) throw new Error(`no plan for ${free}`);
        const taken = plan.ledger + plan.queue + (needs.beside ?? 0);
        expect(taken).toBeLessThanOrEqual(free);
        if (free >= countLeast(needs) + (needs.spared ?? 0)) expect(taken).toBeLessThanOrEqual(free - (needs.spared ?? 0));
        expect(plan.ledger).toBeGreaterThanOrEqual(2);
        expect(plan.queue).toBeGreaterThanOrEqual(needs.listeners === undefined ? 0 : needs.listeners + 1);
        expect(plan.concurrency).toBeGreaterThanOrEqual(1);
        expect(plan.concurrency).toBeLessThanOrEqual(needs.concurrency);
      }
    }
  });
});
