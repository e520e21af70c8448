// Who goes next where many want the same thread: the most urgent, and among equals the one that came first. Loads of equal
// rank would else all end at the same time, and their publishes, which are the database's work, would begin when this
// process has nothing left to do.

/** Ranks are compared number by number; the smaller goes first. */
export type Rank = readonly number[];

export class PriorityTurns {
  readonly #waiting: { rank: Rank; go: () => void }[] = [];
  #isCalled: boolean = false;

  /** Resolves when it is the caller's turn; what it then does at once, nobody else interrupts. */
  take(rank: Rank): Promise<void> {
    return new Promise((go) => {
      insertByRank(this.#waiting, { rank, go });
      this.#callNext();
    });
  }

  /** One turn for each time round the event loop, so that whoever has become ready meanwhile is compared, too. */
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

/** Puts one into a list that is in order: behind those of the same rank. */
function insertByRank<T extends Readonly<{ rank: Rank }>>(waiting: T[], one: T): void {
  const place = waiting.findIndex((other) => isBefore(one.rank, other.rank));
  waiting.splice(place === -1 ? waiting.length : place, 0, one);
}

function isBefore(a: Rank, b: Rank): boolean {
  for (const [at, number] of a.entries()) {
    const other = b[at] ?? 0;
    if (number !== other) return number < other;
  }
  return false;
}
