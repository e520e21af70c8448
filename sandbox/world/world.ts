// The fictional company: everything that does not change from week to week. Created once when the sandbox starts, and small, because keywords and
// prompts are derived from their number when needed.
import type { IsoDate } from '../../src/core/weeks.ts';
import { type AccountOptions, type Entity, entitiesOf, type WebPropertyOptions } from './accounts.ts';
import { competitorDomains, type Domain, publisherDomains } from './domains.ts';
import { hashText, mix } from './hash.ts';
import { type Keyword, keywordAt, type Phrase } from './keywords.ts';
import {
  AI_ENGINES,
  AI_LOCALES,
  type AiEngine,
  type AiLocale,
  type Columns,
  DEVICES,
  LOCODES,
  RANK_SOURCES,
  type RankSource,
} from './markets.ts';
import { numberOfWeek } from './reported-weeks.ts';
import type { Sizes } from './sizes.ts';
import type { Story, StoryName } from './stories.ts';

/** A rank source searched from a location. */
export type SearchPlace = Readonly<{ key: number; countryKey: number; source: RankSource; locode: string; columns: Columns }>;
export type Device = Readonly<{ key: number; name: string; keywordStep: number; columns: Columns }>;

type FirstKeywords = Readonly<{ byProduct: ReadonlyMap<Phrase['product'], Keyword>; byTopic: ReadonlyMap<string, Keyword> }>;

export type WebProperty = Readonly<{
  key: number;
  id: number;
  name: string;
  brand: string;
  account: AccountOptions;
  columns: Columns;
  /** Its own domain first, then its competitors' (together the tracked ones), then all others. */
  domains: readonly Domain[];
  trackedDomains: number;
  entities: readonly Entity[];
  /** The first keyword of each product and topic that has one. */
  firstKeywords: FirstKeywords;
  story: Story;
}>;

export type World = Readonly<{
  sizes: Sizes;
  story: Story;
  /** Share of citations and sentiments that appear twice, 0 to 1. */
  duplicates: number;
  propertiesByAccount: ReadonlyMap<number, readonly WebProperty[]>;
  places: readonly SearchPlace[];
  devices: readonly Device[];
  aiEngines: readonly AiEngine[];
  aiLocales: readonly AiLocale[];
}>;

export type WorldOptions = Readonly<{
  seed: number;
  sizes: Sizes;
  duplicates: number;
  accounts: readonly AccountOptions[];
  story?: StoryName;
  /** The first day of the week in which the story happens; without it, it has not happened yet. */
  storyWeek?: IsoDate | undefined;
}>;

export function createWorld({ seed, sizes, duplicates, accounts, story: name = 'incident', storyWeek }: WorldOptions): World {
  const key = mix(0x5eed, seed);
  const story: Story = { name, week: storyWeek === undefined ? Number.POSITIVE_INFINITY : numberOfWeek(storyWeek) };
  const others = [...competitorDomains(sizes.competitors), ...publisherDomains(publisherCount(sizes.resultsPerKeyword), key)];
  const propertyOf = (account: AccountOptions, property: WebPropertyOptions): WebProperty => {
    const own: Domain = {
      rootDomain: property.domain,
      host: `www.${property.domain}`,
      siteName: property.brand,
      authority: 0.93,
      attribution: 'you',
    };
    return {
      ...property,
      account,
      key: mix(key, property.id),
      columns: { web_property_id: String(property.id), web_property_name: property.name },
      domains: [own, ...others],
      trackedDomains: 1 + sizes.competitors,
      entities: entitiesOf(property.brand, sizes.brands),
      firstKeywords: firstKeywords(mix(key, property.id), sizes.keywords),
      story,
    };
  };
  return {
    sizes,
    story,
    duplicates,
    propertiesByAccount: new Map(accounts.map((account) => [account.id, account.webProperties.map((p) => propertyOf(account, p))])),
    places: searchPlaces(sizes),
    devices: DEVICES.slice(0, sizes.devices).map(({ name, keywordStep }) => ({
      key: hashText(name),
      name,
      keywordStep,
      columns: { device: name },
    })),
    aiEngines: AI_ENGINES.slice(0, sizes.aiEngines),
    aiLocales: AI_LOCALES.slice(0, sizes.aiLocales),
  };
}

/** Searches only the first keywords, because products take turns. */
function firstKeywords(propertyKey: number, keywords: number): FirstKeywords {
  const latestFirst = Array.from({ length: Math.min(keywords, 100) }, (_, index) => keywordAt(propertyKey, index)).reverse();
  return {
    byProduct: new Map(latestFirst.map((keyword) => [keyword.phrase.product, keyword])),
    byTopic: new Map(latestFirst.map((keyword) => [keyword.phrase.product.category.name, keyword])),
  };
}

function searchPlaces(sizes: Sizes): SearchPlace[] {
  return RANK_SOURCES.slice(0, sizes.rankSources).flatMap((source) =>
    (LOCODES[source.country] ?? []).slice(0, sizes.locodesPerRankSource).map((locode) => ({
      key: mix(hashText(locode), source.id),
      countryKey: hashText(source.country),
      source,
      locode,
      columns: {
        rank_source_id: String(source.id),
        search_engine_country_code: source.country,
        search_engine_language_code: source.language,
        locode,
      },
    })),
  );
}

/**
 * The smallest prime that gives every search enough sites to choose from (see serp.ts). With a prime, walking the list in any stride visits
 * each site once.
 */
function publisherCount(resultsPerKeyword: number): number {
  let count = Math.max(61, resultsPerKeyword * 3);
  while (!isPrime(count)) count++;
  return count;
}

function isPrime(n: number): boolean {
  for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) return false;
  return n > 1;
}
