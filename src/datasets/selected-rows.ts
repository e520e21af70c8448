// Which rows a question selects, as far as its filters tell: whether one question selects everything that another does, and whether it may
// select a given row. Spellings that the service may treat as equal count as equal.
import { isDeepStrictEqual } from 'node:util';
import type { Dataset, Filter } from './dataset.ts';
import { coveringValues, selectionOf, separatingFilters } from './disjoint-filters.ts';

type Filters = Readonly<Record<string, unknown>>;

/** Whether every row selected by the filters `before` is also selected by those of `now`. */
export function asksForAll({ filters }: Pick<Dataset, 'filters'>, before: Filters, now: Filters): boolean {
  return filters.every((filter) => isAsWide(filter, before[filter.name], now[filter.name]));
}

function isAsWide({ separates, widens }: Filter, before: unknown, now: unknown): boolean {
  if (now === undefined || widens === 'any' || isDeepStrictEqual(before, now)) return true;
  if (Array.isArray(before) && Array.isArray(now)) {
    const selected = new Set(now.flatMap((value) => coveringValues(String(value), separates)[0] ?? []));
    return before.every((value) => coveringValues(String(value), separates).some((covering) => selected.has(covering)));
  }
  if (typeof before !== 'number' || typeof now !== 'number') return false;
  return (widens === 'lower' && now <= before) || (widens === 'higher' && now >= before);
}

/** Whether the filters exclude all rows with a value in a column. */
export function leavesOut({ filters }: Pick<Dataset, 'filters'>, asked: Filters, column: string, value: string): boolean {
  return filters.some(({ name, column: own, separates }) => {
    const selected = asked[name];
    if (own !== column || !Array.isArray(selected)) return false;
    const values = new Set(selected.flatMap((each) => coveringValues(String(each), separates)[0] ?? []));
    return !coveringValues(value, separates).some((covering) => values.has(covering));
  });
}

/** The columns that decide whether a question of the dataset selects a row: those of the separating filters. */
export function tellingColumns(dataset: Dataset): string[] {
  return [...new Set(separatingFilters(dataset).flatMap((filter) => columnOf(filter) ?? []))];
}

/** Whether a question may select a row, given its values of `tellingColumns`: true unless a filter excludes it. */
export function createRowTest(dataset: Dataset, filters: Filters): (row: ReadonlyMap<string, string | null>) => boolean {
  const selection = selectionOf(dataset, filters);
  const tests = separatingFilters(dataset).flatMap((filter) => {
    const [column, selected] = [columnOf(filter), selection.get(filter.name)];
    return column === undefined || selected === undefined
      ? []
      : [{ column, separates: filter.separates, values: new Set(selected.values) }];
  });
  return (row) =>
    tests.every(({ column, separates, values }) =>
      coveringValues(row.get(column) ?? '', separates).some((covering) => values.has(covering)),
    );
}

/** The host of a URL tells more than the column of domains, which may hold the registrable domain only. */
function columnOf({ separates, column, settledBy }: Filter): string | undefined {
  return separates === 'host' ? (settledBy ?? column) : column;
}
