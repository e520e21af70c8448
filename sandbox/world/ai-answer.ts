// One assistant's answer to one prompt in one week: whether it was collected, whether the web was searched, whom it mentions. The rows of all five AI
// datasets are derived from it, so they are consistent: a cited page can have a sentiment, a mentioned brand is in the text.
import type { Entity } from './accounts.ts';
import type { Domain } from './domains.ts';
import { rise, season, slumpIn } from './fortunes.ts';
import { drift, hashText, mix, share } from './hash.ts';
import type { AiEngine, AiLocale } from './markets.ts';
import type { Prompt } from './prompts.ts';
import type { ReportedPeriod } from './reported-weeks.ts';
import { regardIn } from './stories.ts';
import type { WebProperty } from './world.ts';

/** `key` depends on prompt, engine and locale but not on the week. */
export type AiAnswer = Readonly<{
  key: number;
  property: WebProperty;
  prompt: Prompt;
  promptText: string;
  engine: AiEngine;
  locale: AiLocale;
  /** When it was collected. */
  reported: ReportedPeriod;
  /** The period that decides what it is like: usually the same (see stories.ts). */
  period: ReportedPeriod;
  /** How much more likely than usual it names us, usually 0 (see stories.ts). */
  favour: number;
  /** False when the full text was lost; mentions and citations are then known from its preview. */
  isCollected: boolean;
  hasWebSearch: boolean;
}>;

const LOST_SHARE = 0.015;
const DRIFT_WEEKS = 7;

/** The answer before it is examined: what depends on the question alone. */
export function answerTo(question: Omit<AiAnswer, 'isCollected' | 'hasWebSearch'>): AiAnswer {
  const weekKey = mix(question.key, question.period.number);
  return {
    ...question,
    isCollected: share(mix(weekKey, 1)) >= LOST_SHARE,
    hasWebSearch: share(mix(weekKey, 2)) < question.engine.webSearchShare,
  };
}

/** The company's own brands and products in the answer, in list order. */
export function mentionedEntities({ key, prompt, property, engine, period, favour }: AiAnswer): Entity[] {
  const regard = 0.36 * engine.regard * regardIn(property.story, engine, period.number);
  const openness = prompt.type === 'branded' ? 0.75 + 0.15 * engine.regard : regard * standingIn(prompt, property, period) + favour;
  return property.entities.filter((_, index) =>
    isMentioned(mix(key, 100 + index), period.number, index === 0 ? openness : openness * 0.35),
  );
}

/** The competitors in the answer, in list order. */
export function mentionedRivals({ key, property, period }: AiAnswer): Domain[] {
  const rivals = property.domains.slice(1, property.trackedDomains);
  return rivals.filter((rival, index) => {
    const likelihood = rival.authority * (0.35 + 0.5 * rise(index, rivals.length, period.number));
    return isMentioned(mix(key, 200 + index), period.number, likelihood);
  });
}

/** How well the company is known for a topic, around 1: better in its season, worse in a bad week. */
function standingIn({ topic, phrase }: Prompt, property: WebProperty, { start, number }: ReportedPeriod): number {
  const known = 0.5 + share(mix(property.key, hashText(topic)));
  return known * (1 + 0.2 * season(phrase.product.category.peakMonth, start)) * (1 - 0.4 * slumpIn(property.story, number));
}

/** Mentions change slowly: a stable inclination, plus drift and a little chance, is compared with a likelihood. */
function isMentioned(key: number, week: number, likelihood: number): boolean {
  return share(key) + 0.15 * drift(key, week, DRIFT_WEEKS) + 0.06 * (share(mix(key, Math.floor(week))) - 0.5) < likelihood;
}
