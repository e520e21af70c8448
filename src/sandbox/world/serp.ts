// One search result page as numbers: which page of which domain stands where. Everything about rankings is read from
// it, so both ranking datasets, and counting without making text, agree by construction.
//
// A candidate's score is its domain's authority, plus how well it fits the keyword and place (stable), plus a slow
// drift, plus a little weekly and device noise; the best ones in order are the page.
import { addDays, type IsoDate } from '../../core/weeks.ts';
import { below, drift, mix, share } from './hash.ts';
import type { Device, SearchPlace, WebProperty } from './world.ts';

export const RESULT_TYPES = ['STANDARD_LINK', 'PEOPLE_ALSO_ASK', 'VIDEO', 'IMAGE', 'LOCAL_PACK', 'NEWS'] as const;
/** Index of STANDARD_LINK: the only type that has a rank_standard. */
const STANDARD = 0;
const STANDARD_SHARE = 0.87;
/** A domain may stand on the page with this many of its own pages. */
const PAGES_PER_DOMAIN = 2;
const SECOND_PAGE_SHARE = 0.12;
const DRIFT_WEEKS = 9;

/** What was searched, when: everything a result page depends on. `week` counts from 1970 (see reported-weeks.ts). */
export type Search = Readonly<{ property: WebProperty; keywordKey: number; place: SearchPlace; device: Device; week: number }>;

/** How many results the search has, without laying them out: at most `most`, sometimes one or two fewer. */
export function resultCount({ keywordKey, place, device, week }: Search, most: number): number {
  const roll = mix(mix(mix(keywordKey, place.key), device.key), week);
  return share(roll) < 0.1 ? Math.max(1, most - 1 - below(mix(roll, 1), 2)) : most;
}

/** The day of the week a keyword or prompt is asked about: the same every week, early in it. Of DAILY data the day itself. */
export function collectionDate(key: number, { start, end }: Readonly<{ start: IsoDate; end: IsoDate }>): IsoDate {
  return start === end ? start : addDays(start, 1 + below(mix(key, 0xcd), 3));
}

/** A result page in arrays that are filled anew by each `lay`: position i (from 0) has rank_true i + 1. */
export class Serp {
  count = 0;
  /** Index into the property's `domains`. */
  readonly domain: Int32Array;
  /** Which of the domain's pages: 0 or 1. */
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
    const { property, keywordKey, place } = search;
    const key = mix(mix(keywordKey, place.key), 0x5e);
    for (let index = 0; index < property.trackedDomains; index++) {
      const presence = 0.35 + 0.6 * (property.domains[index]?.authority ?? 0);
      if (share(mix(key, -1 - index)) < presence) this.#consider(search, key, index);
    }
    const others = property.domains.length - property.trackedDomains;
    const start = below(mix(key, 1), others);
    const stride = 1 + below(mix(key, 2), others - 1);
    for (let step = 0; step < othersWanted(this.#most); step++) {
      this.#consider(search, key, property.trackedDomains + ((start + step * stride) % others));
    }
    this.#place(resultCount(search, this.#most), mix(key, 3), search.week);
  }

  #consider({ property, device, week }: Search, key: number, domain: number): void {
    const authority = property.domains[domain]?.authority ?? 0;
    const domainKey = mix(key, domain);
    const pages = share(mix(domainKey, 0x2d)) < SECOND_PAGE_SHARE ? PAGES_PER_DOMAIN : 1;
    for (let page = 0; page < pages; page++) {
      const pageKey = mix(domainKey, page);
      const fit = share(mix(pageKey, 0x66)) - 0.25 * page;
      const noise = 0.04 * share(mix(mix(pageKey, week), device.key)) + 0.08 * share(mix(pageKey, device.key));
      this.#insert(authority + fit + 0.22 * drift(pageKey, week, DRIFT_WEEKS) + noise, domain * PAGES_PER_DOMAIN + page);
    }
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
      const type = resultType(mix(mix(typeKey, at), Math.floor((week + at) / 5)));
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

/** Enough sites besides the tracked ones that a page is full even when no tracked one is on it. */
function othersWanted(resultsPerKeyword: number): number {
  return Math.ceil(resultsPerKeyword * 1.3) + 2;
}

function resultType(key: number): number {
  const roll = share(key);
  return roll < STANDARD_SHARE ? STANDARD : 1 + Math.floor(((roll - STANDARD_SHARE) / (1 - STANDARD_SHARE)) * (RESULT_TYPES.length - 1));
}
