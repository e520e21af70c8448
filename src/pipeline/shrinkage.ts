// The audit rule `shrink`: which weeks of an answer have too few rows to replace the published ones, and the message for the
// person who decides. Each week is compared by itself, since a total could hide a week that vanished. Pure.
import { isDeepStrictEqual } from 'node:util';
import { canonicalValue } from '../config/jobs.ts';
import { nameSome } from '../core/name-some.ts';
import { type IsoDate, weeksOfWindow, windowOf } from '../core/weeks.ts';
import type { Dataset } from '../datasets/dataset.ts';
import type { Execution } from '../ledger/executions.ts';
import type { ColumnChanges } from '../publishing/held-changes.ts';
import { excerpt } from '../service/excerpt.ts';

/** Most weeks, values or items that a message names; the rest are counted. */
export const MAX_NAMED = 5;
/** Longest value of a column or of a filter in a message, in characters. */
const LONGEST_VALUE = 60;

/** `before`: published rows of a week; `after`: rows that would replace them. `index` is 0 for the first week of the window. */
export type ShrunkWeek = Readonly<{ week: IsoDate; index: number; before: number; after: number }>;

type Filters = Readonly<Record<string, unknown>>;

/** The filters that differ, with their values for the published rows and for the new ones. A filter that is not set is left out. */
export type ChangedFilters = Readonly<{ before: Filters; now: Filters }>;

/** What publishing an answer would remove. */
export type Shrinkage = Readonly<{ weeks: readonly ShrunkWeek[]; filters?: ChangedFilters; vanishing: readonly ColumnChanges[] }>;

/**
 * The weeks of which too few rows would be left: none, or less than `minKeepShare`. `mayShrink` allows fewer rows, but never
 * none. `published` and `staged` are row counts by week of the window.
 */
export function findShrunkWeeks(
  { minKeepShare, mayShrink, ...days }: Pick<Execution, 'minKeepShare' | 'mayShrink' | 'windowStart' | 'windowEnd'>,
  staged: readonly number[],
  published: readonly number[],
): ShrunkWeek[] {
  return weeksOfWindow(windowOf(days)).flatMap((week, index) => {
    const [before, after] = [published[index] ?? 0, staged[index] ?? 0];
    const isShrunk = before > 0 && (after === 0 || (after < before * minKeepShare && !mayShrink));
    return isShrunk ? [{ week, index, before, after }] : [];
  });
}

/** The filters in which two submit bodies of a dataset differ, apart from their period; undefined when they do not differ. */
export function compareFilters({ period }: Pick<Dataset, 'period'>, before: Filters, now: Filters): ChangedFilters | undefined {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (name) => name !== period.start && name !== period.end && !isDeepStrictEqual(canonicalValue(before[name]), canonicalValue(now[name])),
  );
  if (changed.length === 0) return undefined;
  const pick = (filters: Filters): Filters =>
    Object.fromEntries(changed.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]]])));
  return { before: pick(before), now: pick(now) };
}

/** The objection's message, in a few sentences. Values from outside are cut and have no control characters. */
export function describeShrinkage({ weeks, filters, vanishing }: Shrinkage, weeksOfAnswer: number, minKeepShare: number): string {
  return [
    `${describeWeeks(weeks, weeksOfAnswer)}; min_keep is ${minKeepShare}`,
    ...(filters ? [`The filters have changed: ${describeFilters(filters)}`] : []),
    ...(vanishing.length > 0 ? [`Rows that would vanish: ${vanishing.map(describeVanishing).join('; ')}`] : []),
  ].join('. ');
}

function describeWeeks(weeks: readonly ShrunkWeek[], weeksOfAnswer: number): string {
  const [first] = weeks;
  if (weeksOfAnswer === 1 && first) return `${first.after} rows would replace ${first.before}`;
  const named = nameSome(
    weeks.map(({ week, before, after }) => `${after} would replace ${before} in the week of ${week}`),
    MAX_NAMED,
  );
  return `too few rows in ${weeks.length} of ${weeksOfAnswer} weeks: ${named}`;
}

export function describeFilters({ before, now }: ChangedFilters): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return nameSome(
    names.map((name) => `${name} was ${describeValue(before[name], now[name])}, is ${describeValue(now[name], before[name])}`),
    MAX_NAMED,
  );
}

/** Filters with their values, cut. Leaves out collection_frequency, which every submit has. Empty when there are none. */
export function nameFilters(filters: Filters): string {
  const { collection_frequency: _, ...own } = filters;
  return nameSome(
    Object.entries(own).map(([name, value]) => `${name} ${describeValue(value, undefined)}`),
    MAX_NAMED,
  );
}

/** A filter's value. Items of a list that the other value lacks come first. */
function describeValue(value: unknown, other: unknown): string {
  if (value === undefined) return 'not set';
  if (!Array.isArray(value)) return quoteValue(value);
  const isOwn = (item: unknown): boolean => !(Array.isArray(other) && other.includes(item));
  const items: unknown[] = [...value.filter(isOwn), ...value.filter((item) => !isOwn(item))];
  return `[${nameSome(items.map(quoteValue), MAX_NAMED)}]`;
}

function describeVanishing({ what, values, more }: ColumnChanges): string {
  const named = values.map(({ value, before, after }) => `${value === null ? 'none' : quoteValue(value)} ${before} -> ${after}`);
  return `${what} ${nameSome(named, MAX_NAMED, { others: more })}`;
}

/** A value from outside for a message: cut, without control characters. */
export function quoteValue(value: unknown): string {
  return excerpt(typeof value === 'string' ? value : JSON.stringify(value), [], LONGEST_VALUE);
}
