// Sums over groups of weeks: how many, from when to when.
import { formatWindow, type IsoDate } from '../core/weeks.ts';
import type { WeekGroup } from '../warehouse/coverage.ts';

/** How many weeks they are together. */
export function countWeeks(groups: readonly WeekGroup[]): number {
  return groups.reduce((sum, group) => sum + group.weeks, 0);
}

/** All of them as one, with what the first says of the rest; undefined when there are none. */
export function mergeGroups(groups: readonly WeekGroup[]): WeekGroup | undefined {
  const first = groups[0];
  if (first === undefined) return undefined;
  return {
    ...first,
    weeks: countWeeks(groups),
    first: groups.map((group) => group.first).reduce((a, b) => (a < b ? a : b)),
    last: groups.map((group) => group.last).reduce((a, b) => (a > b ? a : b)),
    publishedAt: choose(groups, (group) => group.publishedAt, Math.max),
    stateSince: choose(groups, (group) => group.stateSince, Math.min),
  };
}

/** From the first to the last day of the windows of loads, of which there is at least one. */
export function formatSpan(loads: readonly Readonly<{ windowStart: IsoDate; windowEnd: IsoDate }>[]): string {
  const start = loads.map(({ windowStart }) => windowStart).reduce((a, b) => (a < b ? a : b));
  const end = loads.map(({ windowEnd }) => windowEnd).reduce((a, b) => (a > b ? a : b));
  return formatWindow({ start, end });
}

function choose(
  groups: readonly WeekGroup[],
  timeOf: (group: WeekGroup) => Date | null,
  pick: (a: number, b: number) => number,
): Date | null {
  const times = groups.flatMap((group) => timeOf(group)?.getTime() ?? []);
  return times.length === 0 ? null : new Date(times.reduce((a, b) => pick(a, b)));
}
