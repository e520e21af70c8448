// Rows of keyword_rankings and highest_ranking_url_per_keyword, both derived from the same result pages.
// Source: service specification, "Keyword rankings row".

import type { Dataset } from '../../src/datasets/dataset.ts';
import type { DatasetName } from '../../src/datasets/index.ts';
import { RANKING_COLUMNS } from '../../src/datasets/ranking-columns.ts';
import type { WireRow } from '../../src/service/wire.ts';
import { mix } from '../world/hash.ts';
import { pagePath, pageTitle } from '../world/keywords.ts';
import { NO_VOLUME, volumeOf } from '../world/search-volume.ts';
import { collectionDate, RESULT_TYPES, resultCount, Serp } from '../world/serp.ts';
import type { World } from '../world/world.ts';
import type { Plan, SegmentedRow } from './plan.ts';
import type { RankingSearch, RankingSearches } from './ranking-searches.ts';
import type { ResultTests } from './result-tests.ts';

/** What a restatement changes in a row, and the dimension that distinguishes a new row from the one before it. */
export type RevisedColumns = Readonly<{ measures: readonly string[]; dimension: string }>;

const REVISED: RevisedColumns = { measures: ['title', 'rank_true', 'average_search_volume', 'cpc'], dimension: 'query' };

/** The datasets derived from result pages; one may have fewer columns than these pages. */
export const RANKINGS = {
  keyword_rankings: { isHighestOnly: false, revised: REVISED },
  highest_ranking_url_per_keyword: { isHighestOnly: true, revised: REVISED },
} as const satisfies Partial<Record<DatasetName, Pick<RankingOptions, 'isHighestOnly'> & { revised: RevisedColumns }>>;

export type RankingName = keyof typeof RANKINGS;

export function isRanking(name: DatasetName): name is RankingName {
  return name in RANKINGS;
}

export type RankingOptions = Readonly<{
  dataset: Pick<Dataset, 'columns'>;
  /** Whether the volume columns are filled. */
  hasVolumes: boolean;
  /** Whether only the best standard result of each tracked domain is included, as in the derived dataset. */
  isHighestOnly: boolean;
}>;

export class RankingPlan implements Plan {
  readonly unitCount: number;
  readonly #searches: RankingSearches;
  readonly #tests: ResultTests;
  readonly #options: RankingOptions;
  readonly #serp: Serp;
  readonly #resultsPerKeyword: number;
  /** Which columns its rows have; undefined for all. */
  readonly #kept: readonly boolean[] | undefined;

  constructor({ sizes }: World, searches: RankingSearches, tests: ResultTests, options: RankingOptions) {
    this.unitCount = searches.count;
    this.#searches = searches;
    this.#tests = tests;
    this.#options = options;
    this.#resultsPerKeyword = sizes.resultsPerKeyword;
    this.#serp = new Serp(sizes.resultsPerKeyword, 1 + sizes.competitors);
    const names = new Set(options.dataset.columns.map(({ name }) => name));
    if (names.size < RANKING_COLUMNS.length) this.#kept = RANKING_COLUMNS.map(({ name }) => names.has(name));
  }

  countOf(unit: number): number {
    const search = this.#searches.at(unit);
    if (!search) return 0;
    const isWholePage = this.#tests.isEmpty && !this.#options.isHighestOnly;
    return isWholePage ? resultCount(search, this.#resultsPerKeyword) : this.#positions(search).length;
  }

  rowsOf(unit: number): readonly SegmentedRow[] {
    const search = this.#searches.at(unit);
    if (!search) return [];
    const positions = this.#positions(search);
    if (positions.length === 0) return [];
    const first = searchColumns(search);
    const last = keywordColumns(search, this.#options.hasVolumes);
    const rows = positions.map((at) => [first, resultColumns(search, this.#serp, at), last]);
    const kept = this.#kept;
    return kept ? rows.map((row) => [row.flat().filter((_, column) => kept[column])]) : rows;
  }

  /** Matching positions on the result page, best first. Leaves the page in `#serp`. */
  #positions(search: RankingSearch): number[] {
    const serp = this.#serp;
    serp.lay(search);
    const positions: number[] = [];
    const domainsSeen: number[] = [];
    for (let at = 0; at < serp.count; at++) {
      if (this.#options.isHighestOnly) {
        const domain = serp.domain[at] as number;
        if (serp.rankStandard[at] === 0 || domain >= search.property.trackedDomains || domainsSeen.includes(domain)) continue;
        domainsSeen.push(domain);
      }
      if (this.#tests.accept(search.property, serp, at)) positions.push(at);
    }
    return positions;
  }
}

/** Columns 1 to 16: the same for all results of a search. */
function searchColumns({ property, reported, keyword, place, device, text }: RankingSearch): WireRow {
  const { account } = property;
  return [
    String(account.id),
    account.name,
    account.organizationId,
    account.organizationName,
    String(property.id),
    property.name,
    reported.start,
    reported.end,
    collectionDate(keyword.key, reported),
    place.source.engineName,
    place.source.engine,
    place.source.country,
    place.source.language,
    place.locode,
    device.name,
    text.query,
  ];
}

/** Columns 17 to 24: one result. */
function resultColumns({ property, keyword, text, place, period }: RankingSearch, serp: Serp, at: number): WireRow {
  const index = serp.domain[at] as number;
  const domain = property.domains[index];
  if (!domain) throw new RangeError(`there is no domain ${index}`);
  const siteKey = mix(keyword.key, index);
  const page = serp.page[at] as number;
  const rankStandard = serp.rankStandard[at] as number;
  return [
    pageTitle(mix(siteKey, page), {
      heading: text.heading,
      siteName: domain.siteName,
      language: place.source.language,
      firstDay: period.start,
    }),
    `https://${domain.host}${pagePath(siteKey, page, text)}`,
    domain.rootDomain,
    domain.host,
    RESULT_TYPES[serp.type[at] as number] ?? null,
    rankStandard === 0 ? null : String(rankStandard),
    String(at + 1),
    String(serp.rankOfType[at]),
  ];
}

/** Columns 25 to 31: the keyword's groups and volumes, the same for all results of a search. */
function keywordColumns({ keyword, place, period }: RankingSearch, hasVolumes: boolean): WireRow {
  return [keyword.groupIds, keyword.groupNames, ...(hasVolumes ? volumeOf(keyword, place.countryKey, period.end) : NO_VOLUME)];
}
