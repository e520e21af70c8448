import { AI_SEARCH_COLUMNS, ATTRIBUTIONS, aiSearchFilters, LAST_COLUMNS } from './ai-search-columns.ts';
import { attribute, dimension, NAMED } from './columns.ts';
import { defineDataset } from './dataset.ts';
import { cutting } from './shared-filters.ts';

export const aiSearchBrands = defineDataset({
  name: 'ai_search_brands',
  title: 'AI search brands',
  tag: 'AI / Foundational',
  grain: "One row per brand mention; only the account's own brand entities.",
  filters: aiSearchFilters([
    cutting('brand_or_product_names', 'brand_or_product_name', 'Brands or products to return.', { separates: 'value' }),
    cutting('brand_or_product_attributions', 'brand_or_product_attribution', 'Whose brands or products to return.', {
      known: ATTRIBUTIONS,
    }),
  ]),
  columns: [
    ...AI_SEARCH_COLUMNS,
    { ...dimension('brand_or_product_name', 'Name of the brand or product.'), breakdown: 'brands', heldFrom: NAMED },
    dimension('brand_or_product_entity_type', 'Entity type of the brand or product.'),
    attribute(
      'brand_or_product_attribution',
      'Attribution of the brand or product, such as You or SEO Competitor; upper and lower case may vary.',
    ),
    ...LAST_COLUMNS,
  ],
  subjects: ['answers'],
});
