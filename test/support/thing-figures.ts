// What Home and the boards of one thing must show of questions at random, by arithmetic that knows nothing of the SQL.
import type { Values } from '../../src/dashboards/variables.ts';
import { percentOf } from './panels.ts';
import { shownWeeks } from './question-choices.ts';
import {
  askedOf,
  chosenAi,
  depthOf,
  type Expected,
  isOwnRow,
  isPlaced,
  lower,
  mentionsOf,
  ownShare,
  ownSites,
  type PanelOracle,
  type Point,
  rankOf,
  searchesOf,
  served,
} from './question-figures.ts';
import type { Row, World } from './questions.ts';

type Expect = PanelOracle['expect'];
const NOTHING: Expected = { figure: null, left: 0 };
const of = (figure: string | null): Expected => ({ figure, left: 0 });
const assistantOf = (row: Row): string => row.ai_search_engine ?? '(unknown)';
const OF_PART = ['citation_attributions', 'domains', 'root_domains', 'citation_urls'];

/** Citations of a week that has all of them. */
function allCitations(world: World, values: Values, at: number): readonly Row[] {
  const { filters } = askedOf(world, 'ai_search_citations', at);
  return Object.keys(filters).some((name) => OF_PART.includes(name)) ? [] : chosenAi(served(world, 'ai_search_citations', at), values);
}

const share = (rows: readonly Row[], isCounted: (row: Row) => boolean, digits: number): Expected =>
  of(percentOf(rows.filter(isCounted).length, rows.length, digits));

const bestPlaces = (world: World, values: Values, at: number): readonly number[] =>
  searchesOf(world, values, at).map(({ results }) =>
    Math.min(...results.filter((row) => isOwnRow(world, row)).map((row) => rankOf(row, values)), Number.POSITIVE_INFINITY),
  );

const firstThree: Expect = (world, values, { at }) => {
  const places = bestPlaces(world, values, at);
  const isKnown = ownSites(world).size > 0 && depthOf(askedOf(world, 'keyword_rankings', at).filters) >= 3;
  return isKnown ? of(percentOf(places.filter((place) => place <= 3).length, places.length)) : NOTHING;
};

const averagePlace: Expect = (world, values, { at }) => {
  const found = bestPlaces(world, values, at).filter(Number.isFinite);
  const total = found.reduce((sum, each) => sum + each, 0);
  return of(found.length === 0 ? null : (Math.round((100 * total) / found.length + 1e-9) / 100).toFixed(2));
};

/** Of our brands, as the newest week knows them that has any. */
const sentiment: Expect = (world, values, { at }) => {
  const oursIn = (each: number): string[] =>
    served(world, 'ai_search_brands', each).flatMap((row) =>
      lower(row.brand_or_product_attribution) === 'you' ? lower(row.brand_or_product_name) : [],
    );
  const ours =
    shownWeeks(values)
      .map(oursIn)
      .findLast((names) => names.length > 0) ?? [];
  const rows = chosenAi(served(world, 'ai_search_sentiments', at), values).filter(
    (row) => ours.includes(lower(row.sentiment_brand)) && row.sentiment_value !== null,
  );
  const weigh = (row: Row): number => ({ positive: 1, neutral: 0.5 })[lower(row.sentiment_value)] ?? 0;
  const isTold = rows.some((row) => ['positive', 'neutral', 'negative'].includes(lower(row.sentiment_value)));
  return isTold
    ? of(
        percentOf(
          rows.reduce((sum, row) => sum + weigh(row), 0),
          rows.length,
        ),
      )
    : NOTHING;
};

const tile = (name: string, dataset: string, expect: Expect, more: readonly string[] = []): PanelOracle => ({
  board: 'home',
  name,
  series: '',
  figure: 'figure',
  datasets: [dataset, ...more],
  expect,
});

export const PANELS_OF_THINGS: readonly PanelOracle[] = [];
