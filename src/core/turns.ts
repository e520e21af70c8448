// Long work on many items, in short turns. A file can hold 10,000 jobs; while a process looks at all of them at once, it renews no lease and
// answers no health check.
import { setImmediate as othersTurn } from 'node:timers/promises';

/** Longest turn. Work on one item is not interrupted. */
const TURN_MS = 10;

/** The turns of one piece of work: `if (turns.isOver) await turns.next()` between its steps. */
export class Turns {
  #begunAt = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#begunAt > TURN_MS;
  }

  /** Lets everything else that the process does go first. */
  async next(): Promise<void> {
    await othersTurn();
    this.#begunAt = performance.now();
  }
}

/** As `items.map(map)`, with everything else that the process does in between. */
export async function mapInTurns<Item, Result>(items: Iterable<Item>, map: (item: Item) => Result): Promise<Result[]> {
  const results: Result[] = [];
  const turns = new Turns();
  for (const item of items) {
    if (turns.isOver) await turns.next();
    results.push(map(item));
  }
  return results;
}
