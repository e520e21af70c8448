import { AI_SEARCH_COLUMNS, aiSearchFilters, LAST_COLUMNS } from './ai-search-columns.ts';
import { attribute, dimension, float, NAMED } from './columns.ts';
import { defineDataset } from './dataset.ts';
import { cutting } from './shared-filters.ts';

export const aiSearchSentiments = defineDataset({
  name: 'ai_search_sentiments',
  title: 'AI search sentiments',
  tag: 'AI / Foundational',
  grain: 'One row per sentiment mention for a brand within an AI response, with an optional snippet and its source.',
  filters: aiSearchFilters([
    cutting('sentiment_brands', 'sentiment_brand', 'Brands the sentiment is about.', { separates: 'value' }),
    cutting('sentiment_values', 'sentiment_value', 'Sentiment values.'),
    cutting('sentiment_categories', 'sentiment_category', 'Sentiment categories.', { separates: 'value' }),
    cutting('sentiment_source_domains', 'sentiment_source_domain', 'Domains of the sources.', { form: 'domain' }),
  ]),
  columns: [
    ...AI_SEARCH_COLUMNS,
    { ...dimension('sentiment_brand', 'Brand of the sentiment mention.'), breakdown: 'brands', heldFrom: NAMED },
    attribute('sentiment_value', 'The sentiment; its words are not specified.'),
    float('sentiment_score', 'Score of the sentiment; not limited to a range.'),
    dimension('sentiment_category', 'Category of the sentiment.'),
    dimension('sentiment_snippet', 'Snippet of the mention, where there is one.'),
    dimension('sentiment_source_url', 'URL of the source.'),
    attribute('sentiment_source_domain', 'Domain of the source.'),
    ...LAST_COLUMNS,
  ],
  subjects: ['sentiments', 'answers'],
});
