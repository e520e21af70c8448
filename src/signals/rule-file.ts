// A rule is one file, signals/<rule>.sql: a header of "-- Key: value" lines, then one SELECT that examines a week of an account.
// docs/signals.md describes both. Mistakes are reported with file and key.
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

const KEYS = ['Title', 'Question', 'More', 'From', 'Computed', 'Datasets', 'Weeks', 'Thresholds', 'Order'] as const;
type Key = (typeof KEYS)[number];
const OPTIONAL: readonly Key[] = ['Weeks', 'Thresholds'];
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

/** Parses a rule. Calls `tell` for each mistake, and returns undefined if there is one. */
export function parseRule({ name, source, datasets, thresholds, places }: RuleSource, tell: (problem: string) => void): Rule | undefined {
  let isSound = true;
  const fail = (problem: string): void => {
    isSound = false;
    tell(problem);
  };
  const header = readHeader(source, fail);
  for (const key of KEYS) if (!header.has(key) && !OPTIONAL.includes(key)) fail(`${key}: is missing`);
  const listOf = (key: Key): string[] => (header.get(key) ?? '').split(',').flatMap((item) => item.trim() || []);
  const [own, needed] = [listOf('Datasets'), listOf('Thresholds')];
  for (const each of own) if (!datasets.includes(each)) fail(`Datasets: "${each}" is not a dataset`);
  for (const each of needed) if (!thresholds.includes(each)) fail(`Thresholds: "${each}" is none; they are ${thresholds.join(', ')}`);
  const from = header.get('From') ?? '';
  if (!places.includes(from.split('?')[0] ?? '')) fail(`From: "${from}" is no board, and no panel of one, such as rankings/visibility`);
  const { text, parameters } = compileStatement(source);
  const given = ['account', 'week', ...needed];
  for (const each of parameters)
    if (!given.includes(each)) fail(`SQL: :${each} is not among account, week and the Thresholds of the header`);
  for (const each of given) if (!parameters.includes(each)) fail(`SQL: :${each} is not used`);
  const order = Number(header.get('Order'));
  if (!Number.isInteger(order)) fail('Order: expected a whole number');
  const weeks = Number(header.get('Weeks') ?? USUAL_WEEKS);
  if (!Number.isInteger(weeks) || weeks < USUAL_WEEKS || weeks > MOST_WEEKS)
    fail(`Weeks: expected a whole number from ${USUAL_WEEKS} to ${MOST_WEEKS}`);
  const written = (key: Key): string => header.get(key) ?? '';
  const words = { title: written('Title'), question: written('Question'), more: written('More'), from, computed: written('Computed') };
  return isSound ? { name, ...words, datasets: own, weeks, thresholds: needed, order, text, parameters } : undefined;
}

/** Reads the header. A line indented by three or more spaces continues the entry before it. */
function readHeader(source: string, fail: (problem: string) => void): Map<Key, string> {
  const header = new Map<Key, string>();
  let last: Key | undefined;
  for (const line of source.split('\n')) {
    if (!line.startsWith('--')) break;
    const [, written, value = ''] = /^-- ([A-Za-z]+): (.*)$/.exec(line) ?? [];
    const key = KEYS.find((each) => each === written);
    if (key) {
      if (header.has(key)) fail(`${key}: is there twice`);
      header.set(key, value.trim());
      last = key;
    } else if (last && /^-- {3,}\S/.test(line)) header.set(last, `${header.get(last)} ${line.slice(2).trim()}`);
    else fail(`"${line}" is not a line of a header; its keys are ${KEYS.join(', ')}`);
  }
  return header;
}
