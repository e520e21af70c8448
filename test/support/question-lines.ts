// Of questions at random: which weeks may be gaps, and which points of a line answer other questions.
import { readBoards } from '../../src/dashboards/boards.ts';
import type { Panel } from '../../src/dashboards/panel-file.ts';
import type { Values } from '../../src/dashboards/variables.ts';
import { askedOf, countryOf, type PanelOracle } from './question-figures.ts';
import { type Filters, isSameQuestion, plain, type World } from './questions.ts';

export const ALL_PANELS: readonly Panel[] = readBoards().flatMap(({ panels }) => panels);

export function panelOf({ board, name }: Pick<Panel, 'board' | 'name'>): Panel {
  const panel = ALL_PANELS.find((each) => each.board === board && each.name === name);
  if (!panel) throw new Error(`there is no panel ${board}/${name}`);
  return panel;
}

/** The choices that a panel goes by; of the others it has all. */
export const valuesOf = (panel: Panel, values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, panel.variables.some((each) => each.name === name) ? value : null]),
  );

/** A filter by what is chosen: nothing where it asks for all of that, else its items that are. */
function narrowedList(
  asked: readonly string[],
  chosen: readonly string[] | null | undefined,
  keyOf: (item: string) => string = plain,
): readonly string[] | undefined {
  if (!chosen) return asked;
  const found = asked.filter((item) => chosen.some((each) => plain(each) === keyOf(item)));
  return chosen.every((each) => found.some((item) => plain(item) === plain(each))) ? undefined : found;
}

const ofOne = (value: string | null | undefined): readonly string[] | null => (value ? [value] : null);

/** The filters without what the choices and the line are about. */
function narrowed(filters: Filters, panel: Pick<PanelOracle, 'board' | 'name' | 'series'>, chosen: Values, series: string): Filters {
  const values = valuesOf(panelOf(panel), chosen);
  const about: Readonly<Record<string, readonly (readonly string[] | null | undefined)[]>> = {
    web_property_ids: [values.web_property],
    countries: [values.country, panel.name === 'volume' ? [series] : null],
    devices: [values.device],
    ai_search_engines: [values.assistant, panel.series === 'assistant' ? [series] : null],
    locodes: [values.country],
    topics: [values.topics, ofOne(values.topic), panel.series === 'topic' ? [series] : null],
    prompts: [ofOne(values.prompt)],
  };
  const left: Record<string, readonly string[] | number> = {};
  for (const [name, asked] of Object.entries(filters)) {
    const keyOf = (item: string): string => plain(name === 'locodes' ? countryOf(item) : item);
    let items: readonly string[] | undefined = typeof asked === 'number' ? [] : asked;
    for (const one of about[name] ?? []) items = items && narrowedList(items, one, keyOf);
    if (items) left[name] = typeof asked === 'number' ? asked : items;
  }
  return left;
}

/** Filters that tell lines of sites and brands apart, and may be no difference to one of them. */
const OF_LINES: ReadonlySet<string> = new Set(['domains', 'citation_attributions', 'brand_or_product_attributions', 'sentiment_values']);

type Pair = Readonly<{ before: number; at: number; series?: string }>;

/** Whether the rows of a panel's figures were asked for alike in two weeks, as far as they are chosen. */
export function isSameOf(of: World, panel: Panel, values: Values, { before, at, series = '' }: Pair): boolean {
  const [first = '', second = ''] = panel.datasets;
  // Other datasets say more of the rows, and are no part of the figures.
  const counted = first === 'ai_search_response' && second === 'ai_search_brands' && panel.name !== 'answers' ? [first, second] : [first];
  const shape = { board: panel.board, name: panel.name, series: panel.series ?? '' };
  return counted.every((dataset) => {
    const [one, other] = [before, at].map((week) => narrowed(askedOf(of, dataset, week).filters, shape, values, series));
    return isSameQuestion(one ?? {}, other ?? {}, OF_LINES);
  });
}
