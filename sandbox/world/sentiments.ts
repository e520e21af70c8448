// The opinions in an answer about the brands it mentions: category, value, score and, if present, words and source.
import { type AiAnswer, mentionedEntities, mentionedRivals } from './ai-answer.ts';
import { type Citation, citationsOf } from './citations.ts';
import { outcry, rise, slumpIn } from './fortunes.ts';
import { below, drift, hashText, mix, pick, share } from './hash.ts';
import { AI_ENGINES } from './markets.ts';
import { fillIn, OPINIONS, SENTIMENT_VALUES, type SentimentValue } from './opinions.ts';
import type { WebProperty } from './world.ts';

export type Sentiment = Readonly<{
  brand: string;
  value: SentimentValue;
  /** Publicly documented numbers for positive, neutral and negative. */
  score: string;
  category: string;
  snippet: string | null;
  source: Citation | undefined;
}>;

const WORDLESS_SHARE = 0.08;
const SOURCED_SHARE = 0.6;
const SCORES: Readonly<Record<SentimentValue, number>> = { positive: 10, neutral: 5, negative: 1 };

/** A brand has at most one sentiment per category in one answer. */
export function sentimentsOf(answer: AiAnswer): Sentiment[] {
  const { property, engine, period } = answer;
  const brands = mentionedRivals(answer).map((rival) => ({ name: rival.siteName, site: property.domains.indexOf(rival) }));
  if (mentionedEntities(answer).length > 0) brands.unshift({ name: property.brand, site: 0 });
  const citations = citationsOf(answer);
  return brands.flatMap(({ name, site }) => {
    const general = moodOf(name, site, property, period.number);
    const mood = site === 0 ? general - 0.6 * outcry(property.key, AI_ENGINES.indexOf(engine), period.number) : general;
    return sentimentsOn({ brand: name, mood }, mix(mix(answer.key, 0x5a), site), answer, citations);
  });
}

/** Share of positive opinions about a brand: higher while it rises, lower in our bad week. */
function moodOf(brand: string, site: number, { story, trackedDomains }: WebProperty, week: number): number {
  const key = hashText(brand);
  const now = site === 0 ? 0.74 - 0.22 * slumpIn(story, week) : 0.22 + 0.2 * share(key) + 0.4 * rise(site - 1, trackedDomains - 1, week);
  return now + 0.06 * drift(key, week, 6);
}

type Subject = Readonly<{ brand: string; mood: number }>;

function sentimentsOn({ brand, mood: general }: Subject, key: number, answer: AiAnswer, citations: readonly Citation[]): Sentiment[] {
  const { locale, period, prompt } = answer;
  const weekKey = mix(key, period.number);
  const mood = general + 0.15 * drift(key, period.number, 11);
  // An odd step through eight categories visits none twice.
  const first = below(key, OPINIONS.length);
  const step = 1 + 2 * below(mix(key, 1), OPINIONS.length / 2);
  return Array.from({ length: below(weekKey, 4) }, (_, index) => {
    const own = mix(weekKey, 10 + index);
    const roll = share(own);
    const value = roll < mood ? 'positive' : roll < mood + (1 - mood) / 2 ? 'neutral' : 'negative';
    const category = OPINIONS[(first + index * step) % OPINIONS.length];
    const sentence = category && pick(category[value], mix(own, 5));
    const products = prompt.phrase.product.words[locale.language];
    const isSourced = citations.length > 0 && share(mix(own, 1)) < SOURCED_SHARE;
    return {
      brand,
      value,
      score: String(SCORES[value]),
      category: category?.name ?? '',
      snippet: share(mix(own, 3)) < WORDLESS_SHARE ? null : sentence ? fillIn(sentence, locale.language, brand, products) : null,
      source: isSourced ? pick(citations, mix(own, 4)) : undefined,
    };
  });
}

/** One sentence about a brand, for the text of an answer. */
export function remarkOn(brand: string, key: number, { locale, prompt }: AiAnswer): string {
  const value = pick(SENTIMENT_VALUES, mix(key, 1));
  return fillIn(pick(pick(OPINIONS, key)[value], mix(key, 2)), locale.language, brand, prompt.phrase.product.words[locale.language]);
}
