// Sums over weeks that are alike: how many, from when to when.
import { formatWindow, type IsoDate } from '../core/weeks.ts';
import type { WeekGroup } from '../warehouse/coverage.ts';

/** How many weeks they are together. */
export function countWeeks(alikes: readonly WeekGroup[]): number {
  return alikes.reduce((sum, alike) => sum + alike.weeks, 0);
}

/** All of them as one, with what the first says of the rest; undefined when there are none. */
export function joinAlike(alikes: readonly WeekGroup[]): WeekGroup | undefined {
  const first = alikes[0];
  if (first === undefined) return undefined;
  return {
    ...first,
    weeks: countWeeks(alikes),
    first: alikes.map((alike) => alike.first).reduce((a, b) => (a < b ? a : b)),
    last: alikes.map((alike) => alike.last).reduce((a, b) => (a > b ? a : b)),
    publishedAt: choose(alikes, (alike) => alike.publishedAt, Math.max),
    stateSince: choose(alikes, (alike) => alike.stateSince, Math.min),
  };
}

/** From the first to the last day of the windows of loads, of which there is at least one. */
export function formatSpan(loads: readonly Readonly<{ windowStart: IsoDate; windowEnd: IsoDate }>[]): string {
  const start = loads.map(({ windowStart }) => windowStart).reduce((a, b) => (a < b ? a : b));
  const end = loads.map(({ windowEnd }) => windowEnd).reduce((a, b) => (a > b ? a : b));
  return formatWindow({ start, end });
}

function choose(
  alikes: readonly WeekGroup[],
  timeOf: (alike: WeekGroup) => Date | null,
  pick: (a: number, b: number) => number,
): Date | null {
  const times = alikes.flatMap((alike) => timeOf(alike)?.getTime() ?? []);
  return times.length === 0 ? null : new Date(times.reduce((a, b) => pick(a, b)));
}
