// Lists sorted by urgency, most urgent first; among equals the earliest comes first.

/** Ranks are compared number by number; the smaller comes first. */
export type Rank = readonly number[];

/** Inserts an entry into an ordered list, after those of the same rank. */
export function insertByRank<T extends Readonly<{ rank: Rank }>>(ordered: T[], one: T): void {
  const index = ordered.findIndex((other) => isBefore(one.rank, other.rank));
  ordered.splice(index === -1 ? ordered.length : index, 0, one);
}

function isBefore(a: Rank, b: Rank): boolean {
  for (const [at, number] of a.entries()) {
    const other = b[at] ?? 0;
    if (number !== other) return number < other;
  }
  return false;
}
