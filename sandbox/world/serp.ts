// One search result page as numbers: which page of which domain is at which position. All rankings are derived from it, so both ranking datasets,
// and counting without making text, are consistent by construction.
//
// A candidate's score is its domain's authority and fortune (see fortunes.ts), plus how well it fits the keyword and place (stable), plus a slow
// drift, plus a little weekly and device noise. The best candidates in order are the page.
import { addDays, type IsoDate } from '../../src/core/weeks.ts';
import { fortune } from './fortunes.ts';
import { below, drift, hashText, mix, share } from './hash.ts';
import type { Device, SearchPlace, WebProperty } from './world.ts';

export const RESULT_TYPES = ['STANDARD_LINK', 'PEOPLE_ALSO_ASK', 'VIDEO', 'IMAGE', 'LOCAL_PACK', 'NEWS', 'AI_OVERVIEW'] as const;
/** Index of STANDARD_LINK: the only type that has a rank_standard. */
const STANDARD = 0;
/** Features between the standard links: the share of pages that have one, its first position, and its number of results. */
const FEATURES = [
  { type: RESULT_TYPES.indexOf('AI_OVERVIEW'), share: 0.3, at: 0, results: 1 },
  { type: RESULT_TYPES.indexOf('LOCAL_PACK'), share: 0.12, at: 1, results: 2 },
  { type: RESULT_TYPES.indexOf('PEOPLE_ALSO_ASK'), share: 0.45, at: 3, results: 2 },
  { type: RESULT_TYPES.indexOf('VIDEO'), share: 0.25, at: 6, results: 1 },
  { type: RESULT_TYPES.indexOf('IMAGE'), share: 0.2, at: 8, results: 1 },
  { type: RESULT_TYPES.indexOf('NEWS'), share: 0.1, at: 10, results: 1 },
] as const;
/** A feature that is not on top may be up to this many positions lower. */
const FEATURE_SLACK = 3;
const FEATURE_WEEKS = 5;
const PAGES_PER_DOMAIN = 2;
const SECOND_PAGE_SHARE = 0.12;
/** Our own pages compete with each other more often and more closely, so that now and then another one ranks. */
const OWN_SECOND_PAGE_SHARE = 0.5;
const DRIFT_WEEKS = 9;
/** How far the share of searches that a tracked site is found for varies. */
const PRESENCE_SWING = 0.06;
/** Within this distance of its end, a site drops from page to page before it disappears. */
const PRESENCE_EDGE = 0.1;

/**
 * A search and its time: everything a result page depends on. `week` counts from 1970 (see reported-weeks.ts); `favour` is how much better than
 * others it finds us, usually 0 (see stories.ts).
 */
export type Search = Readonly<{
  property: WebProperty;
  keywordKey: number;
  place: SearchPlace;
  device: Device;
  week: number;
  favour: number;
}>;

/** Number of results of the search, without laying them out: at most `most`, sometimes one or two fewer. */
export function resultCount({ keywordKey, place, device, week }: Search, most: number): number {
  const roll = mix(mix(mix(keywordKey, place.key), device.key), week);
  return share(roll) < 0.1 ? Math.max(1, most - 1 - below(mix(roll, 1), 2)) : most;
}

/** The day on which a keyword or prompt is collected: the same early weekday every week. For DAILY data, the day itself. */
export function collectionDate(key: number, { start, end }: Readonly<{ start: IsoDate; end: IsoDate }>): IsoDate {
  return start === end ? start : addDays(start, 1 + below(mix(key, 0xcd), 3));
}

/** A result page in arrays that each `lay` overwrites: position i (from 0) has rank_true i + 1. */
export class Serp {
  count = 0;
  /** Index into the property's `domains`. */
  readonly domain: Int32Array;
  /** Index of the domain's page: 0 or 1. */
  readonly page: Uint8Array;
  /** Index into RESULT_TYPES. */
  readonly type: Uint8Array;
  /** 0 where the result has no standard rank. */
  readonly rankStandard: Int32Array;
  readonly rankOfType: Int32Array;
  readonly #most: number;
  readonly #scores: Float64Array;
  readonly #codes: Int32Array;
  readonly #ofType = new Int32Array(RESULT_TYPES.length);
  #fortunes: Readonly<{ property: WebProperty; week: number; bySite: readonly number[] }> | undefined;
  #candidates = 0;

  constructor(resultsPerKeyword: number, trackedDomains: number) {
    const most = (trackedDomains + othersWanted(resultsPerKeyword)) * PAGES_PER_DOMAIN;
    this.#most = resultsPerKeyword;
    this.#scores = new Float64Array(most);
    this.#codes = new Int32Array(most);
    this.domain = new Int32Array(resultsPerKeyword);
    this.page = new Uint8Array(resultsPerKeyword);
    this.type = new Uint8Array(resultsPerKeyword);
    this.rankStandard = new Int32Array(resultsPerKeyword);
    this.rankOfType = new Int32Array(resultsPerKeyword);
  }

  lay(search: Search): void {
    this.#candidates = 0;
    const { property, keywordKey, place, week, favour } = search;
    const key = mix(mix(keywordKey, place.key), 0x5e);
    for (let index = 0; index < property.trackedDomains; index++) {
      const presence = 0.35 + 0.6 * (property.domains[index]?.authority ?? 0) + (index === 0 ? favour : 0);
      const presenceKey = mix(key, -1 - index);
      const margin = presence - share(presenceKey) - PRESENCE_SWING * drift(presenceKey, week, DRIFT_WEEKS);
      if (margin > 0) this.#consider(search, key, index, Math.max(0, 1 - margin / PRESENCE_EDGE));
    }
    const others = property.domains.length - property.trackedDomains;
    const start = below(mix(key, 1), others);
    const stride = 1 + below(mix(key, 2), others - 1);
    for (let step = 0; step < othersWanted(this.#most); step++) {
      this.#consider(search, key, property.trackedDomains + ((start + step * stride) % others));
    }
    this.#place(resultCount(search, this.#most), mix(key, 3), search.week);
  }

  #consider({ property, device, week, favour }: Search, key: number, domain: number, sunk = 0): void {
    const worth =
      (property.domains[domain]?.authority ?? 0) + (this.#fortunesOf(property, week)[domain] ?? 0) + (domain === 0 ? favour : 0) - sunk;
    const domainKey = mix(key, domain);
    const isOwn = domain === 0;
    const pages = share(mix(domainKey, 0x2d)) < (isOwn ? OWN_SECOND_PAGE_SHARE : SECOND_PAGE_SHARE) ? PAGES_PER_DOMAIN : 1;
    const fitOfFirst = share(mix(mix(domainKey, 0), 0x66));
    for (let page = 0; page < pages; page++) {
      const pageKey = mix(domainKey, page);
      const fit = isOwn ? fitOfFirst - 0.05 * page : share(mix(pageKey, 0x66)) - 0.25 * page;
      const noise = 0.04 * share(mix(mix(pageKey, week), device.key)) + 0.08 * share(mix(pageKey, device.key));
      this.#insert(worth + fit + 0.22 * drift(pageKey, week, DRIFT_WEEKS) + noise, domain * PAGES_PER_DOMAIN + page);
    }
  }

  /** By index into the property's `domains`. Cached, because searches of a property and week follow each other. */
  #fortunesOf(property: WebProperty, week: number): readonly number[] {
    if (this.#fortunes?.property !== property || this.#fortunes.week !== week) {
      const { story } = property;
      const rivals = property.trackedDomains - 1;
      const bySite = property.domains.map(({ rootDomain }, site) => fortune(site, { siteKey: hashText(rootDomain), rivals, week, story }));
      this.#fortunes = { property, week, bySite };
    }
    return this.#fortunes.bySite;
  }

  #insert(score: number, code: number): void {
    const scores = this.#scores;
    const codes = this.#codes;
    let at = this.#candidates++;
    for (; at > 0 && (scores[at - 1] as number) < score; at--) {
      scores[at] = scores[at - 1] as number;
      codes[at] = codes[at - 1] as number;
    }
    scores[at] = score;
    codes[at] = code;
  }

  #place(count: number, typeKey: number, week: number): void {
    this.count = count;
    const ofType = this.#ofType.fill(0);
    for (let at = 0; at < count; at++) {
      const code = this.#codes[at] as number;
      const type = typeAt(at, typeKey, week);
      const rank = (ofType[type] as number) + 1;
      ofType[type] = rank;
      this.domain[at] = Math.floor(code / PAGES_PER_DOMAIN);
      this.page[at] = code % PAGES_PER_DOMAIN;
      this.type[at] = type;
      this.rankOfType[at] = rank;
      this.rankStandard[at] = type === STANDARD ? rank : 0;
    }
  }
}

/** Number of other sites that fill a page even when no tracked site is on it. */
function othersWanted(resultsPerKeyword: number): number {
  return Math.ceil(resultsPerKeyword * 1.3) + 2;
}

function typeAt(at: number, typeKey: number, week: number): number {
  for (const feature of FEATURES) {
    if (at < feature.at || at >= feature.at + feature.results + FEATURE_SLACK) continue;
    const key = mix(typeKey, feature.type);
    const first = feature.at === 0 ? 0 : feature.at + below(mix(key, 1), FEATURE_SLACK);
    const turn = mix(key, Math.floor((week + below(key, FEATURE_WEEKS)) / FEATURE_WEEKS));
    if (at >= first && at < first + feature.results && share(turn) < feature.share) return feature.type;
  }
  return STANDARD;
}
