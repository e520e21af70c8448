// Long work on many items, in short turns. A file can hold 10,000 jobs; while a process looks at all of them at once, it renews no lease and
// answers no health check.
import { setImmediate as othersTurn } from 'node:timers/promises';

/** Longest turn. Work on one item is not interrupted. */
const TURN_MS = 10;

/** As `items.map(map)`, with everything else that the process does in between. */
export async function mapInTurns<Item, Result>(items: readonly Item[], map: (item: Item) => Result): Promise<Result[]> {
  const results: Result[] = [];
  let begunAt = performance.now();
  for (const item of items) {
    if (performance.now() - begunAt > TURN_MS) {
      await othersTurn();
      begunAt = performance.now();
    }
    results.push(map(item));
  }
  return results;
}
