// Rows as a company's would be, made from their number alone. Two marks stand in each: where its number goes, which tells
// it from all other rows by an identity column, and where the version goes, in a column that is measured.

import type { Window } from '../../src/core/weeks.ts';
import { aiSearchResponse } from '../../src/datasets/ai-search-response.ts';
import type { Dataset } from '../../src/datasets/dataset.ts';
import { keywordRankings } from '../../src/datasets/keyword-rankings.ts';

export const NUMBER_MARK = '~'.repeat(8);
export const VERSION_MARK = '^';

/** Whose rows, and when. */
export type Topic = Readonly<{ accountId: number; week: Window }>;

/** A dataset whose rows can be made, with the values of row number `row`. */
export type RowKind = Readonly<{ dataset: Dataset; makeRow: (topic: Topic, row: number) => string[] }>;

const WORDS = 'running shoes waterproof hiking tent ultralight jacket winter kids best review cheap trail women men camping'.split(' ');
const word = (n: number): string => WORDS[n % WORDS.length] ?? '';

/** keyword_rankings, about 430 bytes a row as JSON. */
export const rankingRows: RowKind = {
  dataset: keywordRankings,
  makeRow: ({ accountId, week }, row) => {
    const keyword = Math.floor(row / 20);
    const rank = (row % 20) + 1;
    const query = `${word(keyword)} ${word(keyword >> 4)} ${word(keyword >> 8)} ${keyword.toString(36)}`;
    const domain = `shop-${(row * 7919) % 997}.example`;
    return [
      String(accountId),
      'Brightpeak Outdoor',
      'org-7f3a91',
      'Brightpeak Group',
      '501',
      'Brightpeak Shop',
      week.start,
      week.end,
      week.end,
      'Google',
      'google',
      'US',
      'en',
      'US',
      row % 2 === 0 ? 'DESKTOP' : 'SMARTPHONE',
      query,
      `${query} | prices and reviews at ${domain} ${VERSION_MARK}`,
      `https://www.${domain}/c/${word(row)}/${query.replaceAll(' ', '-')}-${NUMBER_MARK}.html`,
      domain,
      `www.${domain}`,
      'STANDARD_LINK',
      String(rank),
      String(rank + (row % 4)),
      String(rank),
      `${1000 + (keyword % 40)},${2000 + (keyword % 7)}`,
      `Group ${keyword % 40},Season ${keyword % 7}`,
      String(100 + ((keyword * 37) % 50_000)),
      ((keyword % 900) / 100).toFixed(2),
      ((keyword % 100) / 100).toFixed(2),
      String(100 + ((keyword * 31) % 50_000)),
      `${week.start.slice(0, 4)}${week.start.slice(5, 7)}`,
    ];
  },
};

/** ai_search_response with answers of `characters` characters: Markdown, so with line ends and quotes, and not only ASCII. */
export function answerRows(characters: number): RowKind {
  const sentence = 'For “wet” trails, Brightpeak’s 2-layer jacket is *the* pick:\n\n- **light** (310 g)\n- dries quickly\n';
  return {
    dataset: aiSearchResponse,
    makeRow: ({ accountId, week }, row) => [
      'Brightpeak Group',
      'org-7f3a91',
      'Brightpeak Outdoor',
      String(accountId),
      'Brightpeak Shop',
      '501',
      'WEEKLY',
      week.start,
      week.end,
      'US',
      'en_US',
      'chatgpt',
      'ChatGPT',
      'Rainwear',
      `Which ${word(row)} should I buy for ${word(row >> 4)}, number ${NUMBER_MARK}?`,
      'COMMERCIAL',
      'Hiker',
      `${VERSION_MARK} ${sentence.repeat(Math.ceil(characters / sentence.length)).slice(0, characters)}`,
      week.end,
      'Season 1,Season 2',
    ],
  };
}
