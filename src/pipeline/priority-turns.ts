// Schedules turns on the main thread: the most urgent caller first, and among equals the one that entered first. Otherwise loads
// of equal urgency would all end at the same time, and their publishes, which keep the database busy, would begin only when
// this process has nothing left to do.
import { insertByRank, type Rank } from '../core/rank.ts';

export class PriorityTurns {
  readonly #waiting: { rank: Rank; go: () => void }[] = [];
  #isCalled: boolean = false;
  #entered = 0;

  /** Enters behind callers of the same urgency; a smaller number is more urgent. Returns a function that waits for the next turn. */
  enter(urgency: number): () => Promise<void> {
    const rank = [urgency, this.#entered++];
    return () => this.take(rank);
  }

  /** Resolves when it is the caller's turn. Its synchronous work runs without another turn in between. */
  take(rank: Rank): Promise<void> {
    return new Promise((go) => {
      insertByRank(this.#waiting, { rank, go });
      this.#callNext();
    });
  }

  /** Grants one turn per iteration of the event loop, so that loads that became ready meanwhile are compared too. */
  #callNext(): void {
    if (this.#isCalled || this.#waiting.length === 0) return;
    this.#isCalled = true;
    setImmediate(() => {
      this.#isCalled = false;
      this.#waiting.shift()?.go();
      this.#callNext();
    });
  }
}
