// Where and how the company is measured: search engines by country, locations, devices, AI assistants and locales. Ordered by importance; a size
// takes the first ones. Source of the formats: service specification, "Submit body, by operation" (locodes, languages, devices, lower-case
// engine identifiers).
import type { Language } from './words.ts';

/** Columns of a row that an entity alone determines; filters on them select entities, not rows. */
export type Columns = Readonly<Record<string, string | null>>;

/**
 * An engine in a country and language. The display name has the format of a publicly documented example. `rank_source_id` is not a column of
 * the answer but can be filtered by.
 */
export type RankSource = Readonly<{ id: number; engine: string; engineName: string; country: string; language: Language }>;

const rankSource = (id: number, engine: string, country: string, language: Language): RankSource => ({
  id,
  engine,
  engineName: `${engine}_${language.toUpperCase()}_${country}`,
  country,
  language,
});

export const RANK_SOURCES: readonly RankSource[] = [
  rankSource(1, 'GOOGLE', 'US', 'en'),
  rankSource(2, 'GOOGLE', 'DE', 'de'),
  rankSource(3, 'GOOGLE', 'GB', 'en'),
  rankSource(4, 'BING', 'US', 'en'),
  rankSource(5, 'GOOGLE', 'AT', 'de'),
  rankSource(6, 'BING', 'DE', 'de'),
];

/** The country, then cities after a space and regions after a hyphen. */
export const LOCODES: Readonly<Record<string, readonly string[]>> = {
  US: ['US', 'US NYC', 'US-CA', 'US CHI'],
  DE: ['DE', 'DE BER', 'DE-BY', 'DE HAM'],
  GB: ['GB', 'GB LON', 'GB-SCT', 'GB MNC'],
  AT: ['AT', 'AT VIE', 'AT-5', 'AT GRZ'],
};

/** `keywordStep`: every n-th keyword is searched on the device. TABLET is publicly documented; few track it. */
export const DEVICES = [
  { name: 'DESKTOP', keywordStep: 1 },
  { name: 'SMARTPHONE', keywordStep: 1 },
  { name: 'TABLET', keywordStep: 8 },
] as const;

/** `webSearchShare`: how often the assistant searches the web before it answers. `regard`: how readily it names and cites us. */
export type AiEngine = Readonly<{ id: string; name: string; webSearchShare: number; regard: number; columns: Columns }>;

const aiEngine = (id: string, name: string, webSearchShare: number, regard: number): AiEngine => ({
  id,
  name,
  webSearchShare,
  regard,
  columns: { ai_search_engine: name },
});

export const AI_ENGINES: readonly AiEngine[] = [
  aiEngine('1', 'chatgpt', 0.7, 0.85),
  aiEngine('2', 'perplexity', 0.98, 1.35),
  aiEngine('3', 'gemini', 0.8, 0.5),
  aiEngine('4', 'google_ai_overview', 0.95, 1.1),
  aiEngine('5', 'copilot', 0.85, 0.7),
];

export type AiLocale = Readonly<{ locode: string; tag: string; language: Language; columns: Columns }>;

const aiLocale = (locode: string, tag: string, language: Language): AiLocale => ({
  locode,
  tag,
  language,
  columns: { locode, language: tag },
});

export const AI_LOCALES: readonly AiLocale[] = [
  aiLocale('US', 'en_US', 'en'),
  aiLocale('DE', 'de_DE', 'de'),
  aiLocale('GB', 'en_GB', 'en'),
  aiLocale('US NYC', 'en_US', 'en'),
  aiLocale('AT', 'de_AT', 'de'),
];
