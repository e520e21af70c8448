// What the panels of charts must show of questions at random, by arithmetic that knows nothing of the SQL.
import type { Values } from '../../src/dashboards/variables.ts';
import { isChosen, percentOf } from './panels.ts';
import { shownWeeks } from './question-choices.ts';
import { type Filters, isServed, PUBLISHED, QUESTION_WEEKS, type Row, type State, type World, wireOf } from './questions.ts';

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

export const lower = (text: string | null | undefined): string => (text ?? '').toLowerCase();
export const countryOf = (locode: string | null | undefined): string => (locode ?? '').toUpperCase().split(/[ -]/)[0] ?? '';
export const askedOf = (of: World, dataset: string, at: number) =>
  of.weeks[at]?.[dataset] ?? { state: 'none' as const, filters: {}, all: [] };
const isThere = (of: World, dataset: string, at: number): boolean =>
  ['published', 'revised', 'late'].includes(askedOf(of, dataset, at).state);

export function served(of: World, dataset: string, at: number): readonly Row[] {
  const { filters, all } = askedOf(of, dataset, at);
  return isThere(of, dataset, at) ? all.filter((row) => isServed(row, filters)) : [];
}

/** What is served and what would be, were it not for some filters. */
function withoutFilters(of: World, dataset: string, at: number, without: readonly string[]): readonly Row[] {
  const { filters, all } = askedOf(of, dataset, at);
  const rest = Object.fromEntries(Object.entries(filters).filter(([name]) => !without.includes(name)));
  return all.filter((row) => isServed(row, rest));
}

const isOfAssistant = (row: Row, values: Values): boolean => isChosen(row.ai_search_engine, values.assistant);
export const isPlaced = (row: Row, values: Values): boolean =>
  isChosen(row.web_property_id, values.web_property) && isOfAssistant(row, values) && isChosen(countryOf(row.locode), values.country);
export const chosenAi = (rows: readonly Row[], values: Values): readonly Row[] =>
  rows.filter(
    (row) => isPlaced(row, values) && isChosen(row.topic, values.topics) && (!values.branded || row.prompt_type === values.branded),
  );

export const answerOf = (row: Row): string =>
  JSON.stringify([row.web_property_id, row.locode, row.language, row.ai_search_engine, row.topic, row.prompt, row.persona]);

/** Rows of own brands that found no answer. */
export function strayBrands(of: World, at: number): readonly Row[] {
  const known = new Set(served(of, 'ai_search_response', at).map(answerOf));
  return served(of, 'ai_search_brands', at)
    .filter((row) => lower(row.brand_or_product_attribution) === 'you' && !known.has(answerOf(row)))
    .map((row) => wireOf(of, 'ai_search_brands', row) as Row);
}

/** Those of the prompts of some answers. */
export function lostOf(of: World, at: number, answers: readonly Row[]): readonly Row[] {
  const keyOf = (row: Row): string => JSON.stringify([row.web_property_id, row.ai_search_engine, countryOf(row.locode), row.prompt]);
  const prompts = new Set(answers.filter(({ prompt }) => prompt !== null).map(keyOf));
  return strayBrands(of, at).filter((row) => prompts.has(keyOf(row)));
}

/** The share of answers that name a brand of ours, of those of a line. */
export function mentionsOf(of: World, values: Values, at: number, isOfLine: (row: Row) => boolean): Expected {
  const kinds = new Map<string, string>();
  for (const dataset of ['ai_search_brands', 'ai_search_citations'])
    for (const row of served(of, dataset, at)) {
      const key = `${row.web_property_id} ${row.prompt}`;
      const kind = row.prompt_type ?? '';
      if (row.prompt !== null && kind > (kinds.get(key) ?? '')) kinds.set(key, kind);
    }
  const answers = served(of, 'ai_search_response', at).filter(
    (row) =>
      isPlaced(row, values) &&
      isChosen(row.topic, values.topics) &&
      isOfLine(row) &&
      (!values.branded || (kinds.get(`${row.web_property_id} ${row.prompt}`) ?? 'unbranded') === values.branded),
  );
  const naming = (rows: readonly Row[]): number => {
    const named = new Set(rows.filter((row) => lower(row.brand_or_product_attribution) === 'you').map(answerOf));
    return answers.filter((row) => named.has(answerOf(row))).length;
  };
  const own = naming(served(of, 'ai_search_brands', at));
  // A row of own brands that found no answer may be of one of these, which are no 0 then.
  if (own === 0 && lostOf(of, at, answers).length > 0) return { figure: null, left: 0 };
  return { figure: percentOf(own, answers.length), left: naming(askedOf(of, 'ai_search_brands', at).all) - own };
}

/** The sites that count as ours. */
export function ownSites(of: World): ReadonlySet<string> {
  if (of.isOwnKnown) return new Set(['acme.example']);
  const cited = QUESTION_WEEKS.flatMap((_, at) => served(of, 'ai_search_citations', at)).filter(
    (row) => lower(row.citation_attribution) === 'you',
  );
  return new Set(cited.flatMap((row) => row.citation_domain ?? []));
}

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

export const rankOf = (row: Row, values: Values): number =>
  Number((values.rank === 'standard' ? row.rank_standard : row.rank_true) ?? Number.POSITIVE_INFINITY);
export const depthOf = (filters: Filters): number => (typeof filters.max_rank === 'number' ? filters.max_rank : Number.POSITIVE_INFINITY);

/** How much each search weighs, all weeks considered: its volume, or one. */
export function weigher(of: World, values: Values): (search: Search) => number {
  const volume = shownWeeks(values).flatMap((at) =>
    PUBLISHED.has(askedOf(of, 'keyword_rankings', at).state) ? searchesOf(of, values, at) : [],
  );
  const isByVolume = values.weighted === 'true' && volume.some((search) => search.volume > 0);
  return (search) => (isByVolume ? search.volume : 1);
}

export function places(of: World, values: Values): number {
  const weeks = shownWeeks(values)
    .map((at) => askedOf(of, 'keyword_rankings', at))
    .filter(({ state }) => PUBLISHED.has(state));
  const deepest = Math.min(Number(values.top_n), ...weeks.map(({ filters }) => depthOf(filters)));
  return Math.max(...[1, 3, 5, 10, 20].filter((each) => each <= deepest));
}

/** Filters that leave results of sites out, without leaving searches out. */
const OF_SITES = ['domains', 'result_types'];

function siteShare(
  isCounted: (of: World, search: Search, row: Row, series: string) => boolean,
  isInWhole: (search: Search, series: string) => boolean,
): PanelOracle['expect'] {
  return (of, values, { at, series }) => {
    const [weigh, first] = [weigher(of, values), places(of, values)];
    const count = (searches: readonly Search[]): number =>
      searches.reduce(
        (total, search) =>
          total + weigh(search) * search.results.filter((row) => rankOf(row, values) <= first && isCounted(of, search, row, series)).length,
        0,
      );
    const searches = searchesOf(of, values, at);
    const whole = searches.filter((search) => isInWhole(search, series)).reduce((total, search) => total + weigh(search), 0);
    const all = searchesOf(of, values, at, withoutFilters(of, 'keyword_rankings', at, OF_SITES));
    return { figure: percentOf(count(searches), first * whole, 2), left: count(all) - count(searches) };
  };
}

export const isOwnRow = (of: World, row: Row): boolean => ownSites(of).has(row.root_domain ?? '');
export const PANELS: readonly PanelOracle[] = [];

/** Of the own sites that are chosen, of an engine, or of all where there is no series. */
export function ownShare(of: World, values: Values, point: Point): Expected {
  const isInWhole = (search: Search, series: string): boolean => series === '' || search.engine === series;
  const ours = [...ownSites(of)].filter((site) => !values.own || values.own.includes(site));
  const isCounted = (_: World, search: Search, row: Row, series: string): boolean =>
    isInWhole(search, series) && ours.includes(row.root_domain ?? '');
  return ours.length > 0 ? siteShare(isCounted, isInWhole)(of, values, point) : { figure: null, left: 0 };
}

/** The rows that were served of what is chosen. */
export function servedFor(of: World, dataset: string, at: number, values: Values): readonly Row[] {
  return dataset === 'keyword_rankings'
    ? searchesOf(of, values, at).flatMap(({ results }) => results)
    : served(of, dataset, at).filter((row) => isPlaced(row, values));
}
