// The stories of the demo: three invented worlds, each with one piece of news that boards must tell, and false ones that they must not.
//
// - incident: the usual world. A bad week of ours takes places and mentions, which come back within weeks (fortunes.ts says when).
// - assistant: one assistant stops naming us in answers to prompts that do not, and another begins, in the same week.
// - growth: a third more keywords and prompts are tracked from one week on. All else of that week is as in the week before, and the added ones
//   find us more often: the figures rise although nothing has happened.
import { addDays } from '../../src/core/weeks.ts';
import type { AiEngine } from './markets.ts';
import type { ReportedPeriod } from './reported-weeks.ts';

export const STORIES = ['incident', 'assistant', 'growth'] as const;
export type StoryName = (typeof STORIES)[number];

/** A story, and the number of the week in which it happens. */
export type Story = Readonly<{ name: StoryName; week: number }>;

/** By the name of an assistant: how much more than usual it names us from the story's week on, and before. */
const REGARDS: Readonly<Record<string, Readonly<{ before: number; after: number }>>> = {
  perplexity: { before: 1, after: 0 },
  gemini: { before: 0, after: 2 },
};

/** One more for every three. */
const GROWTH = 3;
/** How much better than others the added ones find us: of a score or likelihood from 0 to 1. */
const FAVOUR = 0.3;

const hasHappened = (story: Story, week: number): boolean => Math.floor(week) >= story.week;

/** The factor of how often an assistant names us in answers to unbranded prompts. */
export function regardIn(story: Story, { name }: AiEngine, week: number): number {
  const regard = story.name === 'assistant' ? REGARDS[name] : undefined;
  return regard === undefined ? 1 : hasHappened(story, week) ? regard.after : regard.before;
}

/** How many keywords or prompts are ever tracked, of as many in the first week. */
export function mostTracked({ name }: Story, first: number): number {
  return name === 'growth' ? first + Math.floor(first / GROWTH) : first;
}

/** Whether the keyword or prompt number `index` is tracked in a week, of `first` in the first one. */
export function isTracked(story: Story, index: number, first: number, week: number): boolean {
  return index < first || hasHappened(story, week);
}

export const favourOf = (index: number, first: number): number => (index < first ? 0 : FAVOUR);

/** The period that decides what a period is like: in the story growth, from its week on, that of a week before. */
export function likePeriod(story: Story, period: ReportedPeriod): ReportedPeriod {
  if (story.name !== 'growth' || !hasHappened(story, period.number)) return period;
  return { ...period, number: period.number - 1, start: addDays(period.start, -7), end: addDays(period.end, -7) };
}
