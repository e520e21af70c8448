// The size of the fictional company. Rows of keyword_rankings per week = web properties x keywords x rankSources x locodesPerRankSource x devices
// (TABLET counts an eighth) x (nearly) resultsPerKeyword; answers of AI search per week = web properties x prompts x aiEngines x aiLocales, each
// with about 1 response, 1 or 2 brands, 4 citations, 2 sub-searches, 2 to 6 sentiments.
import { ConfigurationError } from '../../src/core/errors.ts';
import { AI_ENGINES, AI_LOCALES, DEVICES, RANK_SOURCES } from './markets.ts';

export type Sizes = Readonly<{
  /** Keywords tracked for each web property. */
  keywords: number;
  /** Maximum results of one search. */
  resultsPerKeyword: number;
  /** Search engines by country and language. */
  rankSources: number;
  /** Searched locations per rank source; the country itself is the first. */
  locodesPerRankSource: number;
  /** 1: DESKTOP; 2: also SMARTPHONE; 3: also TABLET, for every eighth keyword. */
  devices: number;
  /** Competitors whose domains are tracked and whose brands are mentioned. */
  competitors: number;
  /** Brands and products of each web property that AI answers may mention; the brand itself is the first. */
  brands: number;
  /** Prompts tracked for each web property. */
  prompts: number;
  /** AI assistants asked. */
  aiEngines: number;
  /** Location and language pairs in which the prompts are asked. */
  aiLocales: number;
}>;

export const SIZE_PRESETS = {
  /** About 120 rankings a week: for unit tests. */
  tiny: {
    keywords: 3,
    resultsPerKeyword: 5,
    rankSources: 2,
    locodesPerRankSource: 1,
    devices: 3,
    competitors: 2,
    brands: 2,
    prompts: 4,
    aiEngines: 2,
    aiLocales: 2,
  },
  /** About 4,700 rankings a week. */
  small: {
    keywords: 60,
    resultsPerKeyword: 10,
    rankSources: 2,
    locodesPerRankSource: 1,
    devices: 3,
    competitors: 4,
    brands: 4,
    prompts: 20,
    aiEngines: 3,
    aiLocales: 2,
  },
  /** About 190,000 rankings a week: a medium-sized company. */
  medium: {
    keywords: 400,
    resultsPerKeyword: 20,
    rankSources: 3,
    locodesPerRankSource: 2,
    devices: 3,
    competitors: 6,
    brands: 6,
    prompts: 100,
    aiEngines: 4,
    aiLocales: 3,
  },
  /** About 6 million rankings a week: for measurements. */
  large: {
    keywords: 6_500,
    resultsPerKeyword: 20,
    rankSources: 4,
    locodesPerRankSource: 3,
    devices: 3,
    competitors: 8,
    brands: 8,
    prompts: 1_500,
    aiEngines: 5,
    aiLocales: 5,
  },
  /** About 9,500 rankings a week, two pages of results in two engines and three countries: for charts. */
  demo: {
    keywords: 30,
    resultsPerKeyword: 20,
    rankSources: 4,
    locodesPerRankSource: 1,
    devices: 2,
    competitors: 4,
    brands: 4,
    prompts: 30,
    aiEngines: 4,
    aiLocales: 2,
  },
} as const satisfies Record<string, Sizes>;

export type SizePreset = keyof typeof SIZE_PRESETS;

export const SIZE_BOUNDS: Readonly<Record<keyof Sizes, readonly [min: number, max: number]>> = {
  keywords: [1, 1_000_000],
  resultsPerKeyword: [1, 100],
  rankSources: [1, RANK_SOURCES.length],
  locodesPerRankSource: [1, 4],
  devices: [1, DEVICES.length],
  competitors: [0, 12],
  brands: [1, 12],
  prompts: [1, 90_000],
  aiEngines: [1, AI_ENGINES.length],
  aiLocales: [1, AI_LOCALES.length],
};

/** The preset with single sizes replaced. Throws ConfigurationError for an unknown preset or a size outside SIZE_BOUNDS. */
export function resolveSizes(preset: SizePreset, changes: Partial<Sizes> = {}): Sizes {
  if (!Object.hasOwn(SIZE_PRESETS, preset)) {
    throw new ConfigurationError(`there is no sandbox size ${preset}; there is ${Object.keys(SIZE_PRESETS).join(', ')}`);
  }
  const sizes: Sizes = { ...SIZE_PRESETS[preset], ...changes };
  for (const [name, [min, max]] of Object.entries(SIZE_BOUNDS)) {
    const value = sizes[name as keyof Sizes];
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new ConfigurationError(`sandbox size ${name} is ${value}; it must be a whole number from ${min} to ${max}`);
    }
  }
  return sizes;
}
