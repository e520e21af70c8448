import { describe, expect, it } from 'vitest';
import type { Rank } from '../../../src/core/rank.ts';
import { PriorityTurns } from '../../../src/pipeline/priority-turns.ts';

describe('turns', () => {
  it('go to the most urgent first, and among equals to the first that came', async () => {
    const turns = new PriorityTurns();
    const served: string[] = [];
    const ranks: [string, Rank][] = [
      ['late', [2, 1]],
      ['first', [1, 7]],
      ['second', [1, 9]],
      ['third', [1, 9]],
    ];
    await Promise.all(ranks.map(([name, rank]) => turns.take(rank).then(() => served.push(name))));
    expect(served).toEqual(['first', 'second', 'third', 'late']);
  });

  it('go first to a load that has become more urgent than the others that wait', async () => {
    const turns = new PriorityTurns();
    const served: string[] = [];
    const take = (name: string, rank: Rank): Promise<unknown> => turns.take(rank).then(() => served.push(name));
    const others = [take('a', [5]), take('b', [5])];
    await others[0];
    await Promise.all([...others, take('urgent', [1])]);
    expect(served).toEqual(['a', 'urgent', 'b']);
  });

  it('go to the first that entered among equally urgent ones', async () => {
    const turns = new PriorityTurns();
    const [first, second, urgent] = [turns.enter(2), turns.enter(2), turns.enter(1)];
    const served: string[] = [];
    const take = (name: string, turn: () => Promise<void>): Promise<unknown> => turn().then(() => served.push(name));
    await Promise.all([take('second', second), take('first', first), take('urgent', urgent), take('second', second)]);
    expect(served).toEqual(['urgent', 'first', 'second', 'second']);
  });

  it('are given once per turn of the event loop', async () => {
    const turns = new PriorityTurns();
    let rounds = 0;
    const count = (): void => {
      rounds += 1;
      if (rounds < 50) setImmediate(count);
    };
    setImmediate(count);
    const at: number[] = [];
    await Promise.all([1, 2, 3].map(() => turns.take([0]).then(() => at.push(rounds))));
    expect(new Set(at).size).toBe(3);
  });
});
