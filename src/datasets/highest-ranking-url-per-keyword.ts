import { defineDataset } from './dataset.ts';
import { RANKING_FILTERS, rankingColumns, SEARCH_IDENTITY } from './ranking-columns.ts';

export const highestRankingUrlPerKeyword = defineDataset({
  name: 'highest_ranking_url_per_keyword',
  title: 'Highest ranking URL per keyword',
  tag: 'Traditional Search / Derived',
  grain: 'One row per highest-ranking URL of a keyword, derived from the keyword rankings.',
  filters: RANKING_FILTERS,
  // The URL is a result, so it does not identify: when another page of the domain takes the lead, the row changes.
  columns: rankingColumns([...SEARCH_IDENTITY, 'root_domain']),
  subjects: [],
});
