// Realistic rows, derived from their number alone, in the words of the sandbox. The web property, engine, country, location, day of collection and
// groups vary between keywords, and values are missing where the service leaves them out. Marks are placeholders for a row's number, its keyword's
// number and the version of a restated value.

import { publisherDomains } from '../../sandbox/world/domains.ts';
import { below, mix, pick } from '../../sandbox/world/hash.ts';
import { keywordAt, keywordText, pageTitle, phraseOf, phraseText } from '../../sandbox/world/keywords.ts';
import { AI_ENGINES, AI_LOCALES, LOCODES, RANK_SOURCES } from '../../sandbox/world/markets.ts';
import { volumeOf } from '../../sandbox/world/search-volume.ts';
import { RESULT_TYPES } from '../../sandbox/world/serp.ts';
import { addDays, type Window } from '../../src/core/weeks.ts';
import { aiSearchResponse } from '../../src/datasets/ai-search-response.ts';
import type { Dataset } from '../../src/datasets/dataset.ts';
import { keywordRankings } from '../../src/datasets/keyword-rankings.ts';

/** In an identity column: makes the row unique. */
export const ROW_MARK = '~'.repeat(8);
/** In the query: the same for all results of a keyword. */
export const KEYWORD_MARK = '`'.repeat(6);
/** In a measured column. */
export const VERSION_MARK = '^';

/** The account and week of rows. */
export type Slice = Readonly<{ accountId: number; week: Window }>;
export type Row = readonly (string | null)[];

/** A dataset with a generator of rows. */
export type RowKind = Readonly<{ dataset: Dataset; makeRow: (slice: Slice, row: number) => Row }>;

const ACCOUNT_NAME = 'Brightpeak Outdoor';
const ORGANIZATION = { id: 'org-7f3a91', name: 'Brightpeak Group' };
const PROPERTIES = [
  { id: '501', name: 'Brightpeak Shop' },
  { id: '502', name: 'Brightpeak Rentals' },
  { id: '503', name: 'Brightpeak Magazine' },
];
const DEVICES = ['DESKTOP', 'SMARTPHONE'];
const DOMAINS = publisherDomains(600, 1);
const PLACES = RANK_SOURCES.flatMap((source) => (LOCODES[source.country] ?? []).map((locode) => ({ source, locode })));
const PERSONAS = ['Weekend hiker', 'Budget-minded family', 'Gear enthusiast', null];
const RESULTS = 20;

/** Simple keywords come first; starting here gives long ones too, as large accounts have. */
const FIRST_KEYWORD = 21_000;

/** Results of a keyword on all devices. */
export const ROWS_PER_KEYWORD = RESULTS * DEVICES.length;

const collectionDay = ({ week }: Slice, key: number): string => addDays(week.start, below(mix(key, 1), 7));

/** keyword_rankings, about 430 bytes a row. */
export const rankingRows: RowKind = {
  dataset: keywordRankings,
  makeRow: (slice, row) => {
    const { accountId, week } = slice;
    const keyword = keywordAt(accountId, FIRST_KEYWORD + Math.floor(row / ROWS_PER_KEYWORD));
    const property = pick(PROPERTIES, mix(keyword.key, 2));
    const { source, locode } = pick(PLACES, mix(keyword.key, 3));
    const text = keywordText(keyword, source.language);
    const at = row % RESULTS;
    // One result in each half of the page has another type, and no standard rank.
    const [first, second] = [1 + below(mix(keyword.key, 4), 9), 10 + below(mix(keyword.key, 5), 10)];
    const isStandard = at !== first && at !== second;
    const resultKey = mix(keyword.key, at);
    const domain = pick(DOMAINS, resultKey);
    const rankOfType = isStandard ? at + 1 - (at > first ? 1 : 0) - (at > second ? 1 : 0) : 1;
    return [
      String(accountId),
      ACCOUNT_NAME,
      ORGANIZATION.id,
      ORGANIZATION.name,
      property.id,
      property.name,
      week.start,
      week.end,
      collectionDay(slice, keyword.key),
      source.engineName,
      source.engine,
      source.country,
      source.language,
      locode,
      DEVICES[Math.floor(row / RESULTS) % DEVICES.length] ?? null,
      `${text.query} ${KEYWORD_MARK}`,
      `${pageTitle(resultKey, { heading: text.heading, siteName: domain.siteName, language: source.language, firstDay: week.start })} ${VERSION_MARK}`,
      `https://${domain.host}/${text.section}/${ROW_MARK}`,
      domain.rootDomain,
      domain.host,
      isStandard ? RESULT_TYPES[0] : pick(RESULT_TYPES.slice(1), resultKey),
      isStandard ? String(rankOfType) : null,
      String(at + 1),
      String(rankOfType),
      keyword.groupIds,
      keyword.groupNames,
      ...volumeOf(keyword, source.id, week.end),
    ];
  },
};

/** ai_search_response with answers of `characters` characters: Markdown with line ends, quotes and non-ASCII characters. */
export function answerRows(characters: number): RowKind {
  const sentence = 'For “wet” trails, Brightpeak’s 2-layer jacket is *the* pick:\n\n- **light** (310 g)\n- dries quickly\n';
  return {
    dataset: aiSearchResponse,
    makeRow: (slice, row) => {
      const { accountId, week } = slice;
      const number = Math.floor(row / AI_ENGINES.length);
      const key = mix(accountId, number);
      const property = pick(PROPERTIES, mix(key, 2));
      const locale = pick(AI_LOCALES, mix(key, 3));
      const engine = AI_ENGINES[row % AI_ENGINES.length];
      const phrase = phraseOf(number);
      return [
        ORGANIZATION.name,
        ORGANIZATION.id,
        ACCOUNT_NAME,
        String(accountId),
        property.name,
        property.id,
        'WEEKLY',
        week.start,
        week.end,
        locale.locode,
        locale.tag,
        engine?.id ?? null,
        engine?.name ?? null,
        phrase.product.category.name,
        `${phraseText(phrase, locale.language)}: ${locale.language === 'de' ? 'welche sind gut' : 'which ones are good'}? ${ROW_MARK}`,
        pick(['Commercial', 'Informational', 'Navigational'], mix(key, 4)),
        pick(PERSONAS, mix(key, 5)),
        `${VERSION_MARK} ${sentence.repeat(Math.ceil(characters / sentence.length)).slice(0, characters)}`,
        collectionDay(slice, key),
        pick(['', 'Core prompts', 'Core prompts,Seasonal campaign'], mix(key, 6)),
      ];
    },
  };
}
