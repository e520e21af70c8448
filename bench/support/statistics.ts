// The harness's own arithmetic.

/** The middle of some numbers; the mean of the two in the middle where their count is even. Throws when there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const above = sorted[Math.floor(sorted.length / 2)];
  const below = sorted[Math.ceil(sorted.length / 2) - 1];
  if (above === undefined || below === undefined) throw new RangeError('a median of nothing');
  return (above + below) / 2;
}

/** The least of some numbers that a share of them does not exceed; NaN when there are none. */
export function rank(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? Number.NaN;
}

/**
 * The median of ours / theirs, each pair measured one after the other: what slows the machine down for a while slows both,
 * so the ratio of neighbours says more than the ratio of medians. Throws for lists of different length.
 */
export function medianRatio(ours: readonly number[], theirs: readonly number[]): number {
  if (ours.length !== theirs.length) throw new RangeError(`${ours.length} values cannot be paired with ${theirs.length}`);
  return median(ours.map((value, i) => value / (theirs[i] ?? Number.NaN)));
}

/** Most of the times that lie within any span of `windowMs`, its start included and its end not. Any order. */
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

/** How many of the times lie in a span, its start included and its end not. */
export function countBetween(timesMs: readonly number[], fromMs: number, toMs: number): number {
  return timesMs.filter((time) => time >= fromMs && time < toMs).length;
}
