// All searches that a ranking query covers, by number: period by web property by keyword by place by device, with the last one changing
// fastest.
import { type Keyword, type KeywordText, keywordAt, keywordText } from '../world/keywords.ts';
import { DAILY_STEP, type ReportedPeriod } from '../world/reported-weeks.ts';
import type { Search } from '../world/serp.ts';
import { favourOf, isTracked, likePeriod, mostTracked } from '../world/stories.ts';
import type { Device, SearchPlace, WebProperty, World } from '../world/world.ts';
import { type Condition, keepMatching, meets } from './conditions.ts';

/** `reported` is when it was made, `week` the number of the week that decides what it finds and `period` the dates of this (see stories.ts). */
export type RankingSearch = Search & Readonly<{ keyword: Keyword; text: KeywordText; reported: ReportedPeriod; period: ReportedPeriod }>;

/** The columns whose conditions are met by choosing searches. */
export const SEARCH_COLUMNS = [
  'web_property_id',
  'rank_source_id',
  'search_engine_country_code',
  'search_engine_language_code',
  'locode',
  'device',
  'keyword_group_ids',
  'keyword_group_names',
];

/** Keyword numbers: all below a count, or a list if a condition excluded some. */
type KeywordNumbers = Readonly<{ property: WebProperty; count: number; listed: Int32Array | undefined }>;

type NumberedKeyword = Readonly<{ property: WebProperty; index: number; keyword: Keyword; texts: Map<string, KeywordText> }>;

export class RankingSearches {
  readonly count: number;
  readonly #world: World;
  readonly #periods: readonly Readonly<{ reported: ReportedPeriod; like: ReportedPeriod }>[];
  readonly #places: readonly SearchPlace[];
  readonly #devices: readonly Device[];
  readonly #keywords: readonly KeywordNumbers[];
  readonly #keywordsPerPeriod: number;
  /** Cache of the last keyword, because its searches follow each other. */
  #last: NumberedKeyword | undefined;

  constructor(world: World, properties: readonly WebProperty[], periods: readonly ReportedPeriod[], conditions: readonly Condition[]) {
    this.#world = world;
    this.#periods = periods.map((reported) => ({ reported, like: likePeriod(world.story, reported) }));
    const step = periods[0]?.frequency === 'DAILY' ? DAILY_STEP : 1;
    this.#places = keepMatching(world.places, conditions);
    this.#devices = keepMatching(world.devices, conditions);
    const most = mostTracked(world.story, world.sizes.keywords);
    this.#keywords = keepMatching(properties, conditions).map((property) => numbersOf(property, most, step, conditions));
    this.#keywordsPerPeriod = this.#keywords.reduce((sum, { count }) => sum + count, 0);
    this.count = this.#periods.length * this.#keywordsPerPeriod * this.#places.length * this.#devices.length;
  }

  /** The search number `unit`; undefined when its keyword is not searched on its device, or not yet. Throws RangeError when there is none. */
  at(unit: number): RankingSearch | undefined {
    const device = this.#devices[unit % this.#devices.length];
    const byPlace = Math.floor(unit / this.#devices.length);
    const place = this.#places[byPlace % this.#places.length];
    const byKeyword = Math.floor(byPlace / this.#places.length);
    const period = this.#periods[Math.floor(byKeyword / this.#keywordsPerPeriod)];
    if (!device || !place || !period) throw new RangeError(`there is no search ${unit}`);
    const { property, index, keyword, texts } = this.#keywordNumbered(byKeyword % this.#keywordsPerPeriod);
    const { story, sizes } = this.#world;
    const { reported, like } = period;
    if (index % device.keywordStep !== 0 || !isTracked(story, index, sizes.keywords, reported.number)) return undefined;
    const { language } = place.source;
    let text = texts.get(language);
    if (!text) {
      text = keywordText(keyword, language);
      texts.set(language, text);
    }
    const favour = favourOf(index, sizes.keywords);
    return { property, keyword, keywordKey: keyword.key, text, place, device, reported, period: like, week: like.number, favour };
  }

  #keywordNumbered(number: number): NumberedKeyword {
    let rest = number;
    for (const { property, count, listed } of this.#keywords) {
      if (rest >= count) {
        rest -= count;
        continue;
      }
      const index = listed ? (listed[rest] as number) : rest;
      if (this.#last?.property !== property || this.#last.index !== index) {
        this.#last = { property, index, keyword: keywordAt(property.key, index), texts: new Map() };
      }
      return this.#last;
    }
    throw new RangeError(`there is no keyword ${number}`);
  }
}

function numbersOf(property: WebProperty, count: number, step: number, conditions: readonly Condition[]): KeywordNumbers {
  const isGrouped = conditions.some(({ column }) => column === 'keyword_group_ids' || column === 'keyword_group_names');
  if (step === 1 && !isGrouped) {
    return { property, count, listed: undefined };
  }
  const matching: number[] = [];
  for (let index = 0; index < count; index += step) {
    const { groupIds, groupNames } = keywordAt(property.key, index);
    if (meets({ keyword_group_ids: groupIds, keyword_group_names: groupNames }, conditions)) matching.push(index);
  }
  return { property, count: matching.length, listed: Int32Array.from(matching) };
}
