// Totals over groups of weeks: their number and span.
import { sumOf } from '../core/numbers.ts';
import { addDays, formatWindow, type IsoDate } from '../core/weeks.ts';
import type { WeekGroup } from '../ledger/coverage.ts';

export function countWeeks(groups: readonly WeekGroup[]): number {
  return sumOf(groups, (group) => group.weeks);
}

/**
 * Merges groups into one: the sum of weeks, the whole span, the latest publishedAt, the earliest stateSince, and all other fields of
 * the first group. Undefined when there are none.
 */
export function mergeGroups(groups: readonly WeekGroup[]): WeekGroup | undefined {
  const first = groups[0];
  if (first === undefined) return undefined;
  const timesOf = (timeOf: (group: WeekGroup) => Date | null): Date[] =>
    groups.flatMap((group) => timeOf(group) ?? []).sort((a, b) => a.getTime() - b.getTime());
  return {
    ...first,
    weeks: countWeeks(groups),
    first: groups.map((group) => group.first).reduce((a, b) => (a < b ? a : b)),
    last: groups.map((group) => group.last).reduce((a, b) => (a > b ? a : b)),
    publishedAt: timesOf((group) => group.publishedAt).at(-1) ?? null,
    stateSince: timesOf((group) => group.stateSince)[0] ?? null,
  };
}

/** When the newest of the states of `groups` began. */
export function latestState(groups: readonly WeekGroup[]): Date | undefined {
  const times = groups.flatMap(({ stateSince }) => stateSince?.getTime() ?? []);
  return times.length === 0 ? undefined : new Date(Math.max(...times));
}

/** From the first day of the first week to the last day of the last. `first` and `last` are first days of weeks. */
export function formatWeeks({ first, last }: Pick<WeekGroup, 'first' | 'last'>): string {
  return formatWindow({ start: first, end: addDays(last, 6) });
}

/** From the first to the last day of the windows of `loads`, which must not be empty. */
export function formatSpan(loads: readonly Readonly<{ windowStart: IsoDate; windowEnd: IsoDate }>[]): string {
  const start = loads.map(({ windowStart }) => windowStart).reduce((a, b) => (a < b ? a : b));
  const end = loads.map(({ windowEnd }) => windowEnd).reduce((a, b) => (a > b ? a : b));
  return formatWindow({ start, end });
}
