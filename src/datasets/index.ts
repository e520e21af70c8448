// The registry: every dataset, in the specification's order. Identifiers used in SQL come from here and nowhere else.
import { aiSearchBrands } from './ai-search-brands.ts';
import { aiSearchCitations } from './ai-search-citations.ts';
import { aiSearchFanOut } from './ai-search-fan-out.ts';
import { aiSearchResponse } from './ai-search-response.ts';
import { aiSearchSentiments } from './ai-search-sentiments.ts';
import type { Dataset } from './dataset.ts';
import { highestRankingUrlPerKeyword } from './highest-ranking-url-per-keyword.ts';
import { keywordRankings } from './keyword-rankings.ts';

export const DATASETS = [
  keywordRankings,
  highestRankingUrlPerKeyword,
  aiSearchBrands,
  aiSearchCitations,
  aiSearchFanOut,
  aiSearchSentiments,
  aiSearchResponse,
] as const;

export type DatasetName = (typeof DATASETS)[number]['name'];

/** A dataset of the registry: a Record keyed by its name must cover every dataset. */
export type KnownDataset = Dataset<DatasetName>;

export function findDataset(name: string): KnownDataset | undefined {
  return DATASETS.find((dataset) => dataset.name === name);
}

/** The dataset with a name from the ledger. Throws when this release does not know it. */
export function datasetNamed(name: string): KnownDataset {
  const dataset = findDataset(name);
  if (!dataset) throw new Error(`the ledger names a dataset this release does not know: ${name}`);
  return dataset;
}
