import {
  AI_RESPONSE_COLLECTED,
  AI_SEARCH_COLUMNS,
  aiSearchFilters,
  attribute,
  dimension,
  PROMPT_GROUP_NAMES,
  WEB_SEARCH_TRIGGERED,
} from './ai-search-columns.ts';
import type { Dataset } from './dataset.ts';

export const aiSearchSentiments: Dataset = {
  name: 'ai_search_sentiments',
  title: 'AI search sentiments',
  tag: 'AI / Foundational',
  grain: "One row per sentiment mention of a brand in an assistant's answer to a prompt in a week.",
  period: { start: 'start_date', end: 'end_date' },
  filters: aiSearchFilters([
    { name: 'sentiment_brands', type: 'strings', column: 'sentiment_brand', separates: 'value', comment: 'Brands the sentiment is about.' },
    { name: 'sentiment_values', type: 'strings', column: 'sentiment_value', comment: 'Sentiment values.' },
    { name: 'sentiment_categories', type: 'strings', column: 'sentiment_category', separates: 'value', comment: 'Sentiment categories.' },
    { name: 'sentiment_source_domains', type: 'strings', column: 'sentiment_source_domain', comment: 'Domains of the sources.' },
  ]),
  columns: [
    ...AI_SEARCH_COLUMNS,
    { ...dimension('sentiment_brand', 'Brand the sentiment is about.'), breakdown: 'brands' },
    attribute('sentiment_value', 'The sentiment, such as positive or negative.'),
    { name: 'sentiment_score', wire: 'float', pg: 'double precision', isIdentity: false, comment: 'Strength of the sentiment.' },
    dimension('sentiment_category', 'What the sentiment is about, such as price or quality.'),
    dimension('sentiment_snippet', 'The words that carry the sentiment.'),
    dimension('sentiment_source_url', 'URL of the page the sentiment came from.'),
    attribute('sentiment_source_domain', 'Domain of the page the sentiment came from.'),
    AI_RESPONSE_COLLECTED,
    WEB_SEARCH_TRIGGERED,
    PROMPT_GROUP_NAMES,
  ],
};
