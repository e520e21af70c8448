import { expect, it } from 'vitest';
import { mapInTurns } from '../../../src/core/turns.ts';

/** Counts the turns that others get while `work` lasts. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const done = new AbortController();
  const take = (): void => {
    turns += 1;
    if (!done.signal.aborted) setImmediate(take);
  };
  setImmediate(take);
  await work();
  done.abort();
  return turns;
}

/** Keeps the process busy. */
function busy(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

it('work in turns lets others have theirs, and gives each item what it asks for', async () => {
  const items = Array.from({ length: 20 }, (_, index) => index);
  let results: number[] = [];
  const turns = await countTurns(async () => {
    results = await mapInTurns(items, (item) => {
      busy(11);
      return 2 * item;
    });
  });
  expect(results).toEqual(items.map((item) => 2 * item));
  // After each item but the last.
  expect(turns).toBeGreaterThanOrEqual(19);
});
