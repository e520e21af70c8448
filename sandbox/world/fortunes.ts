// Events that affect whole sites and markets over the weeks, so that charts show something: our bad week, a rising competitor, bad press,
// seasons. Everything is a function of the week alone, so a demo of any 13 weeks shows each of them.
import type { IsoDate } from '../../src/core/weeks.ts';
import { below, drift, mix, share } from './hash.ts';
import { numberOfWeek } from './reported-weeks.ts';
import type { Story } from './stories.ts';

/** Period of our sites' slumps. Any 13 weeks contain one with other weeks before and after it. */
const SLUMP_EVERY_WEEKS = 9;
const SLUMP_AT = 1;
/** Share of the slump in its week and the following ones. */
const SLUMP_COURSE = [1, 0.5, 0.2];

/** Every half year another competitor begins to rise, for nine months; then it slowly loses what it gained. */
const RISE_EVERY_WEEKS = 26;
const RISE_WEEKS = 39;
const RISE_AT = 3;

const TIDE_WEEKS = 7;

/** Every week one of the first assistants finds bad press about one of our brands; a part of it remains the week after. */
const OUTCRY_COURSE = [1, 0.3];
const OUTCRY_ASSISTANTS = 4;

/** Depth of our sites' slump, 0 to 1. Other stories than the incident have none. */
export function slumpIn({ name }: Story, week: number): number {
  return name === 'incident' ? slump(week) : 0;
}

/** The same in the usual world. */
export function slump(week: number): number {
  return SLUMP_COURSE[modulo(Math.floor(week) - SLUMP_AT, SLUMP_EVERY_WEEKS)] ?? 0;
}

/** What the company's people know about days in these weeks, which are given by their first days. A story happens in the newest. */
export function knownEvents(story: Story['name'], weeks: readonly IsoDate[]): Readonly<{ day: IsoDate; text: string }>[] {
  if (story === 'growth')
    return weeks.slice(-1).map((day) => ({ day, text: 'We track a third more keywords and prompts from this week on' }));
  if (story !== 'incident') return [];
  const text = 'The robots.txt of a test system kept search engines and assistants out of our shops for four days';
  return weeks.filter((week) => slump(numberOfWeek(week)) === 1).map((day) => ({ day, text }));
}

/** How much the assistant number `assistant` (from 0) speaks against one of our brands, 0 to 1. */
export function outcry(brandKey: number, assistant: number, week: number): number {
  const heard = (age: number): boolean => below(mix(mix(brandKey, 0x0c), Math.floor(week) - age), OUTCRY_ASSISTANTS) === assistant;
  return Math.max(...OUTCRY_COURSE.map((left, age) => (heard(age) ? left : 0)));
}

/** How far the competitor number `rival` (from 0) of `rivals` has risen, 0 to 1. */
export function rise(rival: number, rivals: number, week: number): number {
  const cycle = RISE_EVERY_WEEKS * Math.max(2, rivals);
  const at = modulo(week - RISE_AT - RISE_EVERY_WEEKS * (rival - 1), cycle);
  return at < RISE_WEEKS ? smooth(at / RISE_WEEKS) : 1 - smooth((at - RISE_WEEKS) / (cycle - RISE_WEEKS));
}

type Circumstances = Readonly<{ siteKey: number; rivals: number; week: number; story: Story }>;

/** Temporary addition to a site's score in search results. Sites from 1 on are `rivals`. */
export function fortune(site: number, { siteKey, rivals, week, story }: Circumstances): number {
  const tide = 0.06 * drift(siteKey, week, TIDE_WEEKS) + 0.03 * (share(mix(siteKey, Math.floor(week))) - 0.5);
  if (site === 0) return tide - 0.36 * slumpIn(story, week);
  return site <= rivals ? tide + 0.9 * (rise(site - 1, rivals, week) - 0.5) : tide;
}

/** -1 to 1: how much a subject is in season whose demand peaks in the month `peakMonth` (1 to 12). */
export function season(peakMonth: number, day: IsoDate): number {
  const month = Number(day.slice(5, 7)) + (Number(day.slice(8, 10)) - 15) / 30;
  return Math.cos(((month - peakMonth) / 12) * 2 * Math.PI);
}

function smooth(t: number): number {
  return t * t * (3 - 2 * t);
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
