// Filters as conditions on columns, according to the dataset's definition. A condition on a column that an entity determines (a device, a
// prompt) selects entities before any row is made; the others are tested on rows.
import type { Column, Dataset, Filter } from '../../src/datasets/dataset.ts';
import type { Columns } from '../world/markets.ts';
import type { FilterValue, Query } from './query.ts';

/** `column` is a column of the row or a hidden one (see HIDDEN_COLUMNS). */
export type Condition = Readonly<{ column: string; accepts: (value: string | null) => boolean }>;

/** Filters on something that no column of the answer shows, with the name under which entities have it. */
const HIDDEN_COLUMNS: Readonly<Record<string, string>> = { rank_source_ids: 'rank_source_id' };
/** Filters that are not conditions: which periods, what to fill in, how to match, how many rows to return. */
const MODES: ReadonlySet<string> = new Set(['collection_frequency', 'includeMsv', 'prompts_groups_match', 'limit']);
/** The specification shows their values with a capital (`You`), a publicly documented answer without (`you`). */
const ATTRIBUTION_FILTERS: ReadonlySet<string> = new Set(['brand_or_product_attributions', 'citation_attributions']);

/** All conditions of a query; a row must meet them all. Text is compared exactly, including case, unless documented otherwise. */
export function conditionsOf(query: Query): Condition[] {
  return query.dataset.filters.flatMap((filter) => {
    const value = query.filters[filter.name];
    if (value === undefined || MODES.has(filter.name)) return [];
    // Publicly documented: names count only if no ids are given.
    if (filter.name === 'keyword_group_names' && query.filters.keyword_group_ids !== undefined) return [];
    const column = filter.column ?? HIDDEN_COLUMNS[filter.name];
    if (column === undefined) throw new Error(`the sandbox does not know what ${filter.name} of ${query.dataset.name} filters`);
    return [{ column, accepts: acceptance(filter, columnNamed(query.dataset, column), value) }];
  });
}

function columnNamed(dataset: Dataset, name: string): Column | undefined {
  return dataset.columns.find((column) => column.name === name);
}

function acceptance(filter: Filter, column: Column | undefined, value: FilterValue): Condition['accepts'] {
  if (filter.name === 'min_rank') return (rank) => rank !== null && Number(rank) >= Number(value);
  if (filter.name === 'max_rank') return (rank) => rank !== null && Number(rank) <= Number(value);
  const wanted = new Set((Array.isArray(value) ? value : [value]).map(String));
  // Cited pages have a host name; a registrable domain matches all hosts below it.
  if (filter.name === 'root_domains') {
    const roots = [...wanted];
    return (host) => host !== null && roots.some((root) => host === root || host.endsWith(`.${root}`));
  }
  if (filter.ignoresCase || ATTRIBUTION_FILTERS.has(filter.name)) {
    const folded = new Set([...wanted].map((one) => one.toLowerCase()));
    return (text) => text !== null && folded.has(text.toLowerCase());
  }
  if (column?.items) return (list) => list?.split(',').some((item) => wanted.has(item)) ?? false;
  return (text) => text !== null && wanted.has(text);
}

/** The items that meet all conditions on the columns they have. */
export function keepMatching<T extends { readonly columns: Columns }>(items: readonly T[], conditions: readonly Condition[]): T[] {
  return items.filter((item) => meets(item.columns, conditions));
}

export function meets(columns: Columns, conditions: readonly Condition[]): boolean {
  return conditions.every(({ column, accepts }) => !(column in columns) || accepts(columns[column] ?? null));
}

/** The conditions on columns other than `carried`, which remain to be tested on rows. */
export function conditionsLeft(conditions: readonly Condition[], carried: readonly string[]): Condition[] {
  return conditions.filter(({ column }) => !carried.includes(column));
}
