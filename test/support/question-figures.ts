// What the panels of charts must show of questions at random, by arithmetic that knows nothing of the SQL.
import type { Values } from '../../src/dashboards/variables.ts';
import { isChosen } from './panels.ts';
import { isServed, type Row, type State, type World } from './questions.ts';

export type Point = Readonly<{ at: number; series: string }>;
/** `figure` is null where the rows say nothing. `left`: what the week has of it that the loads did not ask for. */
export type Expected = Readonly<{ figure: string | null; left: number }>;
/** `series` is empty where a panel has one line only. */
export type PanelOracle = Readonly<{
  board: string;
  name: string;
  series: string;
  figure: string;
  datasets: readonly string[];
  expect: (of: World, values: Values, point: Point) => Expected;
}>;

export const NAMED_CAUSES: Readonly<Record<State, RegExp | undefined>> = {
  published: undefined,
  revised: undefined,
  none: /missing|published/,
  held: /held/,
  late: /being summarised/,
};

export const countryOf = (locode: string | null | undefined): string => (locode ?? '').toUpperCase().split(/[ -]/)[0] ?? '';
export const askedOf = (of: World, dataset: string, at: number) =>
  of.weeks[at]?.[dataset] ?? { state: 'none' as const, filters: {}, all: [] };
const isThere = (of: World, dataset: string, at: number): boolean =>
  ['published', 'revised', 'late'].includes(askedOf(of, dataset, at).state);

export function served(of: World, dataset: string, at: number): readonly Row[] {
  const { filters, all } = askedOf(of, dataset, at);
  return isThere(of, dataset, at) ? all.filter((row) => isServed(row, filters)) : [];
}

const isOfAssistant = (row: Row, values: Values): boolean => isChosen(row.ai_search_engine, values.assistant);
export const isPlaced = (row: Row, values: Values): boolean =>
  isChosen(row.web_property_id, values.web_property) && isOfAssistant(row, values) && isChosen(countryOf(row.locode), values.country);
export type Search = Readonly<{ engine: string; groups: readonly string[]; volume: number; results: readonly Row[] }>;

const itemsOf = (list: string): readonly string[] => list.split(',').filter(Boolean);

/** A name with a comma is told from two names by the number of ids. */
function groupsOf(results: readonly Row[]): readonly string[] {
  const [ids, names] = (['keyword_group_ids', 'keyword_group_names'] as const).map((column) =>
    results.reduce((most, row) => ((row[column] ?? '') > most ? (row[column] ?? '') : most), ''),
  ) as [string, string];
  return [0, itemsOf(ids).length].includes(itemsOf(names).length) ? itemsOf(names) : [names];
}

export function searchesOf(of: World, values: Values, at: number, rows: readonly Row[] = served(of, 'keyword_rankings', at)): Search[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const isTracked =
      isChosen(row.web_property_id, values.web_property) &&
      isChosen(row.search_engine, values.engine) &&
      isChosen(row.search_engine_country_code, values.country) &&
      isChosen(row.device, values.device);
    if (!isTracked) continue;
    const key = JSON.stringify([row.web_property_id, row.search_engine, row.search_engine_country_code, row.device, row.query]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const all = [...groups.values()].map((results) => ({
    engine: results[0]?.search_engine ?? '(none)',
    groups: groupsOf(results),
    volume: Math.max(0, ...results.map((row) => Number(row.average_search_volume ?? 0))),
    results,
  }));
  const { keyword_group: chosen } = values;
  return chosen ? all.filter((search) => search.groups.some((group) => chosen.includes(group))) : all;
}

/** The rows that were served of what is chosen. */
export function servedFor(of: World, dataset: string, at: number, values: Values): readonly Row[] {
  return dataset === 'keyword_rankings'
    ? searchesOf(of, values, at).flatMap(({ results }) => results)
    : served(of, dataset, at).filter((row) => isPlaced(row, values));
}
