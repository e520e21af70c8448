import { defineDataset } from './dataset.ts';
import { RANK_FILTERS, RANKING_FILTERS, rankingColumns, SEARCH_IDENTITY } from './ranking-columns.ts';

export const keywordRankings = defineDataset({
  name: 'keyword_rankings',
  title: 'Keyword rankings',
  tag: 'Traditional Search / Foundational',
  grain: 'One row per ranked result.',
  filters: [...RANK_FILTERS, ...RANKING_FILTERS],
  columns: rankingColumns([...SEARCH_IDENTITY, 'normalized_url', 'result_type']),
  subjects: ['rankings'],
});
