// What may be chosen on boards of questions at random: one value, several, what has no value, and what nothing is known of.
import fc from 'fast-check';
import { addDays, type IsoDate } from '../../src/core/weeks.ts';
import type { Values } from '../../src/dashboards/variables.ts';
import { QUESTION_WEEKS } from './questions.ts';

const [FIRST, SECOND, THIRD] = QUESTION_WEEKS;
const many = (...lists: readonly (readonly string[])[]): fc.Arbitrary<readonly string[] | null> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 2, arbitrary: fc.constantFrom(...lists) });
const mostly = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: others.length, arbitrary: fc.constant(usual) }, { weight: others.length, arbitrary: fc.constantFrom(...others) });

/** A value for every variable but the account. */
export const choices: fc.Arbitrary<Values> = fc.record({
  measure: fc.constantFrom('visibility', 'average_place', 'mention_rate', 'sentiment', 'citation_share'),
  keyword: fc.constantFrom('a', 'b', 'never searched'),
  page: fc.constantFrom('acme.example/a', 'rival.example/b', 'never.example/x'),
  site: fc.constantFrom('acme.example', 'rival.example', 'never.example'),
  topic: fc.constantFrom('gear', 'shoes', 'never asked'),
  prompt: fc.constantFrom('p1', 'p2', 'never asked'),
  web_property: many(['1'], ['1', '2'], ['(none)'], ['2', '(none)']),
  engine: mostly<readonly string[] | null>(null, ['GOOGLE'], ['BING', '(none)']),
  country: many(['US'], ['US', 'DE'], ['(none)']),
  device: many(['DESKTOP'], ['DESKTOP', 'SMARTPHONE']),
  keyword_group: mostly<readonly string[] | null>(null, ['two'], ['one', '(none)']),
  own: mostly<readonly string[] | null>(null, ['acme.example']),
  competitor: mostly<readonly string[] | null>(null, ['rival.example'], ['never.example']),
  assistant: many(['chatgpt'], ['chatgpt', 'gemini'], ['(none)']),
  branded: fc.constantFrom(null, 'unbranded', 'branded'),
  topics: mostly<readonly string[] | null>(null, ['gear'], ['shoes', '(none)']),
  week: mostly<string | null>(null, ...QUESTION_WEEKS),
  before: mostly<string | null>(null, FIRST, SECOND),
  weeks: mostly('13', '1', '2', 'year', `${FIRST}..${SECOND}`, '2025-01-05..2025-03-02'),
  compare: mostly('week', 'month', 'year', FIRST, THIRD),
  top_n: fc.constantFrom('1', '3', '5', '10', '20'),
  weighted: fc.constantFrom('true', 'false'),
  rank: fc.constantFrom('standard', 'true'),
});

/** The places in QUESTION_WEEKS of the weeks that a span shows. */
export function shownWeeks({ weeks }: Values): readonly number[] {
  const all = QUESTION_WEEKS.map((_, at) => at);
  if (!weeks || weeks === 'year') return all;
  if (!weeks.includes('..')) return all.slice(-Number(weeks));
  const [since = '', until = ''] = weeks.split('..');
  return all.filter((at) => (QUESTION_WEEKS[at] ?? '') >= since && (QUESTION_WEEKS[at] ?? '') <= until);
}

/** The day of the week that another is compared with. */
export function weekCompared(week: string, { compare }: Values): string {
  if (compare === 'month') return addDays(week as IsoDate, -28);
  if (compare === 'year') return addDays(week as IsoDate, -364);
  return !compare || compare === 'week' ? addDays(week as IsoDate, -7) : compare;
}
