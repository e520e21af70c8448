// The arithmetic of the benchmark.

/** The median; for an even number of values the mean of the two in the middle. Throws when there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const above = sorted[Math.floor(sorted.length / 2)];
  const below = sorted[Math.ceil(sorted.length / 2) - 1];
  if (above === undefined || below === undefined) throw new RangeError('a median of nothing');
  return (above + below) / 2;
}

/** The percentile: the smallest value that at least the given share of the values does not exceed; NaN when there are none. */
export function rank(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? Number.NaN;
}

/**
 * The median of ours / theirs, where each pair was measured consecutively: a temporary slowdown of the machine affects both, so the ratio of
 * neighbours is more reliable than the ratio of medians. Throws for lists of different length.
 */
export function medianRatio(ours: readonly number[], theirs: readonly number[]): number {
  if (ours.length !== theirs.length) throw new RangeError(`${ours.length} values cannot be paired with ${theirs.length}`);
  return median(ours.map((value, i) => value / (theirs[i] ?? Number.NaN)));
}

/** Maximum number of times within any span of `windowMs`, including its start but not its end. Times may be in any order. */
export function maxInWindow(timesMs: readonly number[], windowMs: number): number {
  const times = timesMs.toSorted((a, b) => a - b);
  let first = 0;
  let most = 0;
  for (const [last, time] of times.entries()) {
    while ((times[first] ?? time) <= time - windowMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** Number of times in a span, including its start but not its end. */
export function countBetween(timesMs: readonly number[], fromMs: number, toMs: number): number {
  return timesMs.filter((time) => time >= fromMs && time < toMs).length;
}
