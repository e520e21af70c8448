// What an answer thinks of the brands it mentions: category, value, score, and where it has them, words and source.
import { type AiAnswer, mentionedEntities, mentionedRivals } from './ai-answer.ts';
import { type Citation, citationsOf } from './citations.ts';
import { below, drift, mix, pick, share } from './hash.ts';
import { OPINIONS, SENTIMENT_VALUES, type SentimentValue } from './opinions.ts';

export type Sentiment = Readonly<{
  brand: string;
  value: SentimentValue;
  /** Positive, neutral and negative have the numbers that are documented publicly. */
  score: string;
  category: string;
  snippet: string | null;
  source: Citation | undefined;
}>;

const WORDLESS_SHARE = 0.08;
const SOURCED_SHARE = 0.6;
const SCORES: Readonly<Record<SentimentValue, number>> = { positive: 10, neutral: 5, negative: 1 };

/** A brand has at most one sentiment of a category in one answer. */
export function sentimentsOf(answer: AiAnswer): Sentiment[] {
  const brands = mentionedRivals(answer).map((rival) => rival.siteName);
  if (mentionedEntities(answer).length > 0) brands.unshift(answer.property.brand);
  const citations = citationsOf(answer);
  return brands.flatMap((brand, index) => sentimentsOn(brand, mix(mix(answer.key, 0x5a), index), answer, citations));
}

function sentimentsOn(brand: string, key: number, { locale, period }: AiAnswer, citations: readonly Citation[]): Sentiment[] {
  const weekKey = mix(key, period.number);
  const mood = 0.6 + 0.25 * drift(key, period.number, 11);
  // An odd step through eight categories meets none twice.
  const first = below(key, OPINIONS.length);
  const step = 1 + 2 * below(mix(key, 1), OPINIONS.length / 2);
  return Array.from({ length: below(weekKey, 4) }, (_, index) => {
    const own = mix(weekKey, 10 + index);
    const roll = share(own);
    const value = roll < mood ? 'positive' : roll < mood + (1 - mood) / 2 ? 'neutral' : 'negative';
    const category = OPINIONS[(first + index * step) % OPINIONS.length];
    const isSourced = citations.length > 0 && share(mix(own, 1)) < SOURCED_SHARE;
    return {
      brand,
      value,
      score: String(SCORES[value]),
      category: category?.name ?? '',
      snippet: share(mix(own, 3)) < WORDLESS_SHARE ? null : (category?.[value][locale.language].replace('{brand}', brand) ?? null),
      source: isSourced ? pick(citations, mix(own, 4)) : undefined,
    };
  });
}

/** One sentence about a brand, for the text of an answer. */
export function remarkOn(brand: string, key: number, language: AiAnswer['locale']['language']): string {
  const value = pick(SENTIMENT_VALUES, mix(key, 1));
  return pick(OPINIONS, key)[value][language].replace('{brand}', brand);
}
