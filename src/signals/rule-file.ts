// A rule is one file, signals/<rule>.sql: a header, then one SELECT that examines a week of an account. docs/signals.md describes both.
import { z } from 'zod';
import { namesAmong, parseHeader, wholeNumber } from '../dashboards/sql-header.ts';
import { compileStatement } from '../postgres/named-parameters.ts';

export type Rule = Readonly<{
  name: string;
  title: string;
  /** The question that the rule answers. */
  question: string;
  /** The text for signals that are only counted: `more searches have left the first 3`. */
  more: string;
  computed: string;
  /** Where to read what a signal is about: a board, or one of its panels, such as `search` or `ai-visibility/citation-share`. */
  from: string;
  /** Datasets that the rule reads. It can say something once the weeks of all of them are published. */
  datasets: readonly string[];
  /** Number of weeks that the rule reads; its signals are about the newest of them. */
  weeks: number;
  /** Names of the thresholds that the rule takes as parameters besides account and week. */
  thresholds: readonly string[];
  order: number;
  text: string;
  /** Names of the parameters $1, $2 ... in `text`. */
  parameters: readonly string[];
}>;

/** By default a rule compares a week with the week before it. */
const USUAL_WEEKS = 2;
const MOST_WEEKS = 13;

export type RuleSource = Readonly<{
  name: string;
  source: string;
  datasets: readonly string[];
  thresholds: readonly string[];
  places: readonly string[];
}>;

const headerOf = ({ datasets, thresholds, places }: RuleSource) => ({
  Title: z.string(),
  Question: z.string(),
  More: z.string(),
  From: z.string().refine((from) => places.includes(from.split('?')[0] ?? ''), {
    error: ({ input }) => `"${input}" is no board, and no panel of one, such as rankings/visibility`,
  }),
  Computed: z.string(),
  Datasets: namesAmong(datasets, 'a dataset'),
  Weeks: wholeNumber(USUAL_WEEKS, MOST_WEEKS).default(USUAL_WEEKS),
  Thresholds: namesAmong(thresholds, 'a threshold').default([]),
  Order: wholeNumber(),
});

/** Parses a rule. Calls `fault(line, text)` for each mistake, and returns undefined if there is one. */
export function parseRule(rule: RuleSource, fault: (line: number, text: string) => void): Rule | undefined {
  let isFaultless = true;
  const tell = (line: number, problem: string): void => {
    isFaultless = false;
    fault(line, problem);
  };
  const { values, readable, sql, sqlLine } = parseHeader(rule.source, headerOf(rule), tell);
  const { text, parameters } = compileStatement(sql);
  const given = ['account', 'week', ...(readable.Thresholds ?? [])];
  for (const each of parameters)
    if (!given.includes(each)) tell(sqlLine + 1, `SQL: :${each} is not among account, week and the Thresholds of the header`);
  for (const each of given) if (!parameters.includes(each)) tell(sqlLine + 1, `SQL: :${each} is not used`);
  if (!values || !isFaultless) return undefined;
  const { Title, Question, More, From, Computed, Datasets, Weeks, Thresholds, Order } = values;
  const words = { title: Title, question: Question, more: More, from: From, computed: Computed };
  return { name: rule.name, ...words, datasets: Datasets, weeks: Weeks, thresholds: Thresholds, order: Order, text, parameters };
}
