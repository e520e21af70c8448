import { AI_SEARCH_COLUMNS, ATTRIBUTIONS, aiSearchFilters, LAST_COLUMNS } from './ai-search-columns.ts';
import { attribute, dimension } from './columns.ts';
import { defineDataset } from './dataset.ts';
import { cutting } from './shared-filters.ts';

export const aiSearchCitations = defineDataset({
  name: 'ai_search_citations',
  title: 'AI search citations',
  tag: 'AI / Foundational',
  grain: 'One row per citation.',
  filters: aiSearchFilters([
    cutting('root_domains', 'citation_domain', 'Registrable domains of cited pages.', {
      separates: 'host',
      settledBy: 'citation_url',
      form: 'domain',
    }),
    cutting('domains', 'citation_domain', 'Domains of cited pages.', { separates: 'host', settledBy: 'citation_url', form: 'domain' }),
    cutting('citation_urls', 'citation_url', 'URLs of cited pages.'),
    cutting('citation_attributions', 'citation_attribution', 'Whose pages to return.', { known: ATTRIBUTIONS }),
  ]),
  columns: [
    ...AI_SEARCH_COLUMNS,
    attribute('citation_title', 'Title of the citation.'),
    dimension('citation_url', 'URL of the citation.'),
    { ...attribute('citation_domain', 'Domain of the citation.'), breakdown: 'domains' },
    attribute('citation_web_property_segment', 'Web property segment of the citation.'),
    attribute('citation_attribution', 'Attribution of the citation, such as You or SEO Competitor; upper and lower case may vary.'),
    ...LAST_COLUMNS,
  ],
  subjects: ['citations', 'answers'],
});
