import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Pool } from '../../../src/postgres/pool.ts';
import { awaitQuiet, awaitTurn } from '../../../src/postgres/transaction-turns.ts';

const poolOf = (max: number): Pool => ({ options: { max } }) as unknown as Pool;
const tick = () => new Promise((resolve) => setImmediate(resolve));

/** Begins so many transactions, and tells which have a turn by now. */
function begin(pool: Pool, count: number, signal?: AbortSignal) {
  const ends: (() => void)[] = [];
  const all = Array.from({ length: count }, () => awaitTurn(pool, signal).then((end) => ends.push(end)));
  return { ends, all, running: () => tick().then(() => ends.length) };
}

describe('transactions', () => {
  it('leave a quarter of the connections to single statements, but at least one transaction runs', async () => {
    for (const [max, most] of [
      [20, 15],
      [4, 3],
      [2, 1],
      [1, 1],
    ] as const)
      expect(await begin(poolOf(max), 30).running()).toBe(most);
  });

  it('go on in order as others end', async () => {
    const pool = poolOf(2);
    const { ends, running } = begin(pool, 3);
    for (const done of [1, 2, 3]) {
      expect(await running()).toBe(done);
      ends[done - 1]?.();
    }
    expect(await begin(pool, 1).running()).toBe(1);
  });

  it('stop waiting when they are cut, and take no turn of others', async () => {
    const pool = poolOf(2);
    const first = begin(pool, 1);
    const stop = new AbortController();
    const cut = begin(pool, 1, stop.signal);
    const last = begin(pool, 1);
    stop.abort(new Error('lost'));
    await expect(cut.all[0]).rejects.toThrow('lost');
    await first.running();
    first.ends[0]?.();
    expect(await last.running()).toBe(1);
  });

  it('let work that can wait go when none has run for a time, or after the longest wait', async () => {
    const pool = poolOf(4);
    const { ends, running } = begin(pool, 1);
    await running();
    let isQuiet = false;
    const quiet = awaitQuiet(pool, { quietMs: 1, maxMs: 3_600_000, signal: new AbortController().signal }).then(() => {
      isQuiet = true;
    });
    await delay(20);
    expect(isQuiet).toBe(false);
    await awaitQuiet(pool, { quietMs: 1, maxMs: 5, signal: new AbortController().signal });
    ends[0]?.();
    await quiet;
    await expect(awaitQuiet(pool, { quietMs: 1, maxMs: 5, signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow();
  });
});
