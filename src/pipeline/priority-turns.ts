// Decides who uses the thread next where many want it: the most urgent, and among equals the one that came first. Loads of equal
// rank would otherwise all end at the same time, and their publishes, which are the database's work, would begin when this
// process has nothing left to do.
import { insertByRank, type Rank } from '../core/rank.ts';

export class PriorityTurns {
  readonly #waiting: { rank: Rank; go: () => void }[] = [];
  #isCalled: boolean = false;
  #entered = 0;

  /** A place among the others, behind those of the same urgency that have entered before. The function waits for its next turn. */
  enter(urgency: number): () => Promise<void> {
    const rank = [urgency, this.#entered++];
    return () => this.take(rank);
  }

  /** Resolves when it is the caller's turn; what it then does at once, nobody else interrupts. */
  take(rank: Rank): Promise<void> {
    return new Promise((go) => {
      insertByRank(this.#waiting, { rank, go });
      this.#callNext();
    });
  }

  /** One turn for each time round the event loop, so that loads that have become ready meanwhile are compared, too. */
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
