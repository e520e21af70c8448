// The sub-searches an assistant makes before it answers.
import type { AiAnswer } from './ai-answer.ts';
import { season } from './fortunes.ts';
import { below, mix, share } from './hash.ts';
import { phraseText } from './keywords.ts';
import { rivalOf } from './prompts.ts';
import type { Language } from './words.ts';

/** `position` counts from 1. */
export type SubSearch = Readonly<{ query: string; position: number; searches: number; isOnWeb: boolean }>;

type Frame = (parts: Readonly<{ what: string; product: string; brand: string; rival: string; year: string }>) => string;

const FRAMES: Readonly<Record<Language, readonly Frame[]>> = {
  en: [
    ({ what, year }) => `best ${what} ${year}`,
    ({ what }) => `${what} reviews`,
    ({ product }) => `how to choose ${product}`,
    ({ brand, product }) => `${brand} ${product}`,
    ({ brand, rival, product }) => `${brand} vs ${rival} ${product}`,
    ({ what }) => `${what} price comparison`,
    ({ product, year }) => `${product} test results ${year}`,
    ({ what }) => `${what} reddit opinions`,
  ],
  de: [
    ({ what, year }) => `beste ${what} ${year}`,
    ({ what }) => `${what} Erfahrungen`,
    ({ product }) => `${product} Kaufberatung`,
    ({ brand, product }) => `${brand} ${product}`,
    ({ brand, rival, product }) => `${brand} oder ${rival} ${product}`,
    ({ what }) => `${what} Preisvergleich`,
    ({ product, year }) => `${product} Testsieger ${year}`,
    ({ what }) => `${what} Forum Meinungen`,
  ],
};
/** Share of answers without a web search whose planned sub-search is reported all the same. */
const PLANNED_SHARE = 0.2;

/** No query occurs twice in one answer. */
export function subSearchesOf(answer: AiAnswer): SubSearch[] {
  const { property, prompt, locale, period, hasWebSearch } = answer;
  const key = mix(mix(answer.key, 0xf0), Math.floor(period.number / 3));
  const count = hasWebSearch ? 1 + below(key, 4) : share(key) < PLANNED_SHARE ? 1 : 0;
  const frames = FRAMES[locale.language];
  const demand = 1 + 0.6 * season(prompt.phrase.product.category.peakMonth, period.start);
  const parts = {
    what: phraseText(prompt.phrase, locale.language),
    product: prompt.phrase.product.words[locale.language],
    brand: property.brand,
    rival: rivalOf(property, prompt.key)?.siteName ?? 'Fellmark',
    year: period.start.slice(0, 4),
  };
  // An odd step through eight frames visits none twice.
  const first = below(mix(key, 1), frames.length);
  const step = 1 + 2 * below(mix(key, 2), frames.length / 2);
  return Array.from({ length: count }, (_, index) => ({
    query: (frames[(first + index * step) % frames.length]?.(parts) ?? parts.what).toLowerCase(),
    position: index + 1,
    searches: hasWebSearch ? Math.round(1 + (1 + below(mix(key, 10 + index), 3)) * demand) : 0,
    isOnWeb: hasWebSearch,
  }));
}
