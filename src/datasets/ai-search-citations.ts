import { AI_SEARCH_COLUMNS, ATTRIBUTIONS, aiSearchFilters, LAST_COLUMNS } from './ai-search-columns.ts';
import { attribute, dimension } from './columns.ts';
import type { Dataset } from './dataset.ts';

export const aiSearchCitations: Dataset = {
  name: 'ai_search_citations',
  title: 'AI search citations',
  tag: 'AI / Foundational',
  grain: 'One row per citation.',
  period: { start: 'start_date', end: 'end_date' },
  filters: aiSearchFilters([
    {
      name: 'root_domains',
      type: 'strings',
      column: 'citation_domain',
      separates: 'host',
      settledBy: 'citation_url',
      comment: 'Registrable domains of cited pages.',
    },
    {
      name: 'domains',
      type: 'strings',
      column: 'citation_domain',
      separates: 'host',
      settledBy: 'citation_url',
      comment: 'Domains of cited pages.',
    },
    { name: 'citation_urls', type: 'strings', column: 'citation_url', comment: 'URLs of cited pages.' },
    {
      name: 'citation_attributions',
      type: 'strings',
      column: 'citation_attribution',
      known: ATTRIBUTIONS,
      comment: 'Whose pages to return.',
    },
  ]),
  columns: [
    ...AI_SEARCH_COLUMNS,
    attribute('citation_title', 'Title of the citation.'),
    dimension('citation_url', 'URL of the citation.'),
    attribute('citation_domain', 'Domain of the citation.'),
    attribute('citation_web_property_segment', 'Web property segment of the citation.'),
    attribute('citation_attribution', 'Attribution of the citation, such as You or SEO Competitor; upper and lower case may vary.'),
    ...LAST_COLUMNS,
  ],
};
