// Which filters prove that two questions have no row in common. Only filters on identity columns can: rows that differ there have different
// keys. Spellings that the service may treat as equal (docs/service-choices.md) count as equal.

import { domainToASCII } from 'node:url';
import { sumOf } from '../core/numbers.ts';
import { type Dataset, type Filter, identityColumns } from './dataset.ts';
import { DEFAULT_COLLECTION_FREQUENCY } from './submit-body.ts';

/** What the separating filters of a question select, by filter name. A filter that is not set selects everything. */
export type Selection = ReadonlyMap<string, SelectedValues>;

type SelectedValues = Readonly<{
  values: readonly string[];
  /** The values, and all others that would select their rows as well: `us` for `us-ny`, `example.com` for `www.example.com`. */
  covering: ReadonlySet<string>;
}>;

/** The filters of a dataset whose values can prove that no row matches two questions. */
export function separatingFilters(dataset: Dataset): Filter[] {
  const identity = new Set(identityColumns(dataset).map(({ name }) => name));
  const isIdentity = (column: string | undefined): boolean => column !== undefined && identity.has(column);
  return dataset.filters.filter(({ separates, column, settledBy }) => separates && (isIdentity(column) || isIdentity(settledBy)));
}

/** `filters` must have been checked against the dataset. */
export function selectionOf(dataset: Dataset, filters: Readonly<Record<string, unknown>>): Selection {
  const selection = new Map<string, SelectedValues>();
  for (const { name, separates } of separatingFilters(dataset)) {
    const written = filters[name] ?? (name === 'collection_frequency' ? DEFAULT_COLLECTION_FREQUENCY : []);
    const chains = [written].flat().map((value) => coveringValues(String(value), separates));
    if (chains.length > 0) selection.set(name, { values: chains.flatMap(([value = '']) => [value]), covering: new Set(chains.flat()) });
  }
  return selection;
}

/**
 * Selections of one dataset, indexed by their values, because comparing two thousand pairwise takes seconds. Numbered from 0 in the order in
 * which they are added.
 */
export class SelectionIndex {
  readonly #filters: readonly string[];
  readonly #selections: Selection[] = [];
  readonly #lists = new Map<string, number[]>();

  constructor(dataset: Dataset) {
    this.#filters = separatingFilters(dataset).map(({ name }) => name);
  }

  add(selection: Selection): void {
    const number = this.#selections.push(selection) - 1;
    for (const name of this.#filters) {
      const selected = selection.get(name);
      for (const value of selected?.values ?? []) this.#list(`${name} is ${value}`).push(number);
      for (const value of selected?.covering ?? []) this.#list(`${name} within ${value}`).push(number);
      if (!selected) this.#list(`${name} not set`).push(number);
    }
  }

  /** The first selection that may have rows in common with `selection`: no filter proves the opposite. */
  findOverlap(selection: Selection): number | undefined {
    const found = this.#candidates(selection).flatMap(
      (list) => list.find((number) => !areDisjoint(selection, this.#selections[number] ?? selection)) ?? [],
    );
    return found.length > 0 ? Math.min(...found) : undefined;
  }

  /** At most `most` selections that may have rows in common with `selection`, and how many were compared with it. */
  findSome(selection: Selection, most: number): Readonly<{ found: ReadonlySet<number>; compared: number }> {
    const found = new Set<number>();
    let compared = 0;
    for (const list of this.#candidates(selection)) {
      for (const number of list) {
        if (found.size >= most) return { found, compared };
        compared += 1;
        if (!areDisjoint(selection, this.#selections[number] ?? selection)) found.add(number);
      }
    }
    return { found, compared };
  }

  /** Lists that together contain all selections that one filter does not prove disjoint; uses the filter with the fewest. */
  #candidates(selection: Selection): number[][] {
    let fewest = [[...this.#selections.keys()]];
    for (const [name, { values, covering }] of selection) {
      const lists = [
        this.#list(`${name} not set`),
        ...values.map((value) => this.#list(`${name} within ${value}`)),
        ...[...covering].map((value) => this.#list(`${name} is ${value}`)),
      ];
      if (countOf(lists) < countOf(fewest)) fewest = lists;
    }
    return fewest;
  }

  #list(key: string): number[] {
    const list = this.#lists.get(key) ?? [];
    this.#lists.set(key, list);
    return list;
  }
}

function countOf(lists: readonly number[][]): number {
  return sumOf(lists, ({ length }) => length);
}

/** Whether a filter proves that no row is in both. */
export function areDisjoint(one: Selection, other: Selection): boolean {
  for (const [name, mine] of one) {
    const theirs = other.get(name);
    if (theirs && !mine.values.some((value) => theirs.covering.has(value)) && !theirs.values.some((value) => mine.covering.has(value))) {
      return true;
    }
  }
  return false;
}

/** The value in the form for comparisons, followed by those that may cover it. */
export function coveringValues(written: string, separates: Filter['separates']): string[] {
  const text = written.normalize('NFKC').trim().toLowerCase();
  if (separates === 'host') {
    const labels = hostOf(text).split('.');
    return labels.map((_, index) => labels.slice(index).join('.'));
  }
  const parts = text.split(/[\s_-]+/);
  return separates === 'prefix' ? parts.map((_, index) => parts.slice(0, parts.length - index).join('-')) : [parts.join('-')];
}

/** The host of a domain or a URL, in ASCII. */
function hostOf(text: string): string {
  const host = text
    .replace(/^[a-z]+:\/\//, '')
    .replace(/[/:?#].*$/, '')
    .replace(/\.$/, '');
  return domainToASCII(host) || host;
}
