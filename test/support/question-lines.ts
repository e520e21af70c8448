// Of questions at random: which weeks may be gaps, and which points of a line answer other questions.
import { readBoards } from '../../src/dashboards/boards.ts';
import type { Panel } from '../../src/dashboards/panel-file.ts';
import type { Values } from '../../src/dashboards/variables.ts';
import { hasMoved, isSameSet, type Key, type Member } from './digests.ts';
import { isChosen } from './panels.ts';
import {
  answerOf,
  askedOf,
  countryOf,
  isPlaced,
  lostOf,
  lower,
  type PanelOracle,
  type Point,
  type Search,
  searchesOf,
  served,
} from './question-figures.ts';
import { type Filters, isSameQuestion, PUBLISHED, plain, QUESTION_WEEKS, type Row, type World, wireOf } from './questions.ts';

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

/** Whether a week may be a gap for this reason although rows say something: they were asked for in part, or are spelled in two ways. */
export function isGapAllowed(of: World, { board, datasets, name }: PanelOracle, at: number, reason: string): boolean {
  const isFiltered = datasets.some((dataset) => Object.keys(askedOf(of, dataset, at).filters).length > 0);
  if (isFiltered && /asked for|tracked to|tracked deeper/.test(reason)) return true;
  // Another week may be tracked less deep, and the class of a place is its one then.
  if (name === 'rank-distribution' && /tracked/.test(reason))
    return QUESTION_WEEKS.some((_, each) => 'max_rank' in askedOf(of, 'keyword_rankings', each).filters);
  if (/^which prompts are branded is not known: \d+ of \d+/.test(reason)) return hasUnknownKinds(of, datasets[0] ?? '', at);
  if (/have another sentiment/.test(reason)) return served(of, 'ai_search_sentiments', at).some((row) => row.sentiment_value === 'mixed');
  if (/have no attribution/.test(reason)) return served(of, 'ai_search_citations', at).some((row) => row.citation_attribution === null);
  if (board === 'page' && name === 'searches') return /^weeks are kept of our own pages only/.test(reason);
  if (board === 'site' && name === 'share') return /^no result of it within these places in any week shown/.test(reason);
  if (datasets[0] !== 'ai_search_response') return false;
  // Citations and brands tell which prompts are branded.
  if (/which prompts are branded/.test(reason)) return !PUBLISHED.has(askedOf(of, 'ai_search_citations', at).state);
  if (/attributed to You|found an answer/.test(reason)) return true;
  const [, column = '', spelling] = /^own brands have (engine|locode) (.+), (?:\d+ of \d+ )?answers have/.exec(reason) ?? [];
  return spelling !== undefined && isStrange(of, at, { column: column === 'engine' ? 'ai_search_engine' : column, spelling });
}

/** Whether rows, or of answers the brands and citations that tell their kinds, have another kind than branded and unbranded. */
function hasUnknownKinds(of: World, dataset: string, at: number): boolean {
  const sources = dataset === 'ai_search_response' ? ['ai_search_brands', 'ai_search_citations'] : [dataset];
  return sources.some((source) => served(of, source, at).some((row) => !['branded', 'unbranded'].includes(row.prompt_type ?? '')));
}

/** Whether own brands have a spelling that no answer has. */
function isStrange(of: World, at: number, { column, spelling }: Readonly<{ column: string; spelling: string }>): boolean {
  const own = served(of, 'ai_search_brands', at).filter((row) => lower(row.brand_or_product_attribution) === 'you');
  return (
    own.some((row) => wireOf(of, 'ai_search_brands', row)[column] === spelling) &&
    served(of, 'ai_search_response', at).every((row) => row[column] !== spelling)
  );
}

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

/** Whether two points of a line answer different questions; undefined where either answer is right. */
export function isOtherQuestion(
  of: World,
  panel: PanelOracle,
  values: Values,
  { before, at, series }: Pair & Readonly<{ series: string }>,
): boolean | undefined {
  const filters = panel.datasets.map((dataset) => [askedOf(of, dataset, before).filters, askedOf(of, dataset, at).filters] as const);
  const narrow = (one: Filters): Filters => narrowed(one, panel, values, series);
  if (filters.some(([one, other]) => !isSameQuestion(narrow(one), narrow(other), OF_LINES))) return true;
  if (panel.board === 'ai-visibility' && (panel.name !== 'mention-rate' || values.branded === null)) {
    const [one, other] = [before, at].map((week) => rowsOf(of, panel, values, { at: week, series }));
    if (one !== other) return true;
  }
  if (filters.some(([one, other]) => !isSameQuestion(one, other, new Set()))) return undefined;
  // Of weeks that follow one another: a tenth more or fewer searches, or prompts.
  if (at !== before + 1) return undefined;
  if (panel.board === 'rankings') {
    const counted = panel.name === 'groups' ? { ...values, keyword_group: null } : values;
    const [one, other] = [searchesOf(of, counted, before), searchesOf(of, counted, at)] as const;
    // The run of weeks may have begun a week earlier, with other searches.
    const [set, setNow] = [one.map(memberOf), other.map(memberOf)];
    if (before > 0 && !isSameSet(set, setNow)) return undefined;
    if (hasMoved(set, setNow)) return true;
    // Of these it is the searches that find us, of the search engine, of the group, or with a volume, that must be as many.
    if (panel.name === 'average-place') return undefined;
    if (panel.name === 'visibility' || panel.name === 'groups') {
      const [line, lineNow] = [one, other].map((some) =>
        some
          .filter(({ engine, groups }) => [engine, ...groups].includes(series))
          .map((search) => ({ ...memberOf(search), place: '', part: '' })),
      ) as [Member[], Member[]];
      const [own, ownNow] = [line.length, lineNow.length];
      const [known, knownNow] = [one, other].map((some) => some.filter(({ engine, volume }) => engine === series && volume > 0).length) as [
        number,
        number,
      ];
      if (panel.name === 'visibility' && values.weighted === 'true' && (own !== ownNow || known !== knownNow)) return undefined;
      if (own > 0 && !isSameSet(line, lineNow))
        return before > 0 || values.weighted === 'true' ? undefined : hasMoved(line, lineNow) || undefined;
    }
    const [known, knownNow] = [one, other].map((some) => some.filter(({ volume }) => volume > 0).length) as [number, number];
    if (values.weighted === 'true' && known !== knownNow) return before > 0 ? undefined : Math.abs(known - knownNow) > 0.1 * known;
    return before > 0 && values.weighted === 'true' ? undefined : false;
  }
  if (panel.board !== 'ai-visibility' || panel.name !== 'mention-rate' || values.branded !== null) return undefined;
  const [one, other] = [before, at].map((week) => trackedPrompts(of, values, { at: week, series })) as [Member[], Member[]];
  const isSame = isSameSet(one, other);
  if (!isSame && hasMoved(one, other)) return before > 0 ? undefined : true;
  // How many own brands find their answer may be another share of them.
  const isMetAlike = JSON.stringify(metBrands(of, series, before)) === JSON.stringify(metBrands(of, series, at));
  const lost = [before, at].map((week) => lostOf(of, week, served(of, 'ai_search_response', week)).length);
  return isMetAlike && lost.every((count) => count === 0) && (before === 0 || isSame) ? false : undefined;
}

/** A search is what it is of; all are one place. */
function memberOf({ results }: Search): Member {
  const [{ web_property_id, search_engine, search_engine_country_code, search_engine_language_code, locode, device, query } = {}] =
    results as readonly Row[];
  const part = JSON.stringify([web_property_id, search_engine, search_engine_country_code, device]);
  return {
    place: '',
    part,
    key: [web_property_id, search_engine, search_engine_country_code, search_engine_language_code, locode, device, query],
  };
}

const isOfLine = (row: Row, series: string): boolean => (row.ai_search_engine ?? '(unknown)') === series;

/** Of the assistant of a line: prompts by country and web property. */
function trackedPrompts(of: World, values: Values, { at, series }: Point): Member[] {
  const prompts = served(of, 'ai_search_response', at)
    .filter((row) => isPlaced(row, values) && isChosen(row.topic, values.topics) && isOfLine(row, series))
    .map(({ web_property_id, ai_search_engine, locode, topic, prompt, language, persona }) =>
      JSON.stringify([[web_property_id, ai_search_engine, countryOf(locode), prompt, plain(locode), plain(language), persona], topic]),
    );
  return [...new Set(prompts)].map((text) => {
    const [key] = JSON.parse(text) as [Key];
    const [part, , place] = key;
    return { place: place ?? '', part: part ?? '', key };
  });
}

function metBrands(of: World, series: string, at: number): readonly number[] {
  const own = served(of, 'ai_search_brands', at).filter(
    (row) => lower(row.brand_or_product_attribution) === 'you' && isOfLine(row, series),
  );
  const answers = new Set(served(of, 'ai_search_response', at).map(answerOf));
  const met = own.filter((row) => answers.has(answerOf(row))).length;
  return [own.length === 0 ? 1 : met / own.length];
}

/** The assistants and countries that a week has rows of; of a line of an assistant its countries. */
function rowsOf(of: World, panel: PanelOracle, values: Values, { at, series }: Point): string {
  const rows = served(of, panel.datasets[0] ?? '', at).filter(
    (row: Row) =>
      isPlaced(row, values) &&
      isChosen(row.topic, values.topics) &&
      (panel.name === 'mention-rate' || values.branded === null || row.prompt_type === values.branded) &&
      (panel.series !== 'assistant' || (row.ai_search_engine ?? '(unknown)') === series),
  );
  return [...new Set(rows.map((row) => `${row.ai_search_engine} ${countryOf(row.locode)}`))].sort().join();
}
