// Whether datasets match where boards join them: the same words, spelled alike, in the columns of both.
import type { Heard } from './ask.ts';
import { textsOf } from './values.ts';
import { wordsOf } from './vocabularies.ts';

export type JoinReport = Readonly<{
  datasets: readonly [string, string];
  column: string;
  /** Number of distinct values of each dataset; `met`: of both. */
  values: readonly [number, number];
  met: number;
  /** Number of unmatched values that would match without case, signs and endings. */
  near: number;
  /** Pairs of similar vocabulary words. */
  pairs: readonly string[];
  finding: string | null;
}>;

const WITH_ANSWERS = ['ai_search_brands', 'ai_search_citations', 'ai_search_fan_out', 'ai_search_sentiments'] as const;
const COLUMNS = ['ai_search_engine', 'locode', 'language', 'persona', 'topic', 'prompt', 'web_property_id'] as const;
const ANSWERS = 'ai_search_response';

export function reportOnJoins(all: readonly Heard[]): JoinReport[] {
  const answers = all.find(({ question }) => question.dataset.name === ANSWERS);
  if (!answers || answers.rows.length === 0) return [];
  return all
    .filter(({ question, rows }) => rows.length > 0 && (WITH_ANSWERS as readonly string[]).includes(question.dataset.name))
    .flatMap((other) => COLUMNS.map((column) => compare(answers, other, column)));
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

function compare(answers: Heard, other: Heard, column: string): JoinReport {
  const here = new Set(textsOf(answers, column));
  const there = new Set(textsOf(other, column));
  const met = [...here].filter((value) => there.has(value)).length;
  const alone = [...here].filter((value) => !there.has(value));
  const aloneThere = [...there].filter((value) => !here.has(value));
  const isVocabulary = wordsOf(column, here) !== undefined && wordsOf(column, there) !== undefined;
  const near = alone.flatMap((value) => {
    const match = aloneThere.find((each) => isNear(lettersOf(value), lettersOf(each)));
    return match === undefined ? [] : [`${value} / ${match}`];
  });
  const name = other.question.dataset.name;
  return {
    datasets: [ANSWERS, name],
    column,
    values: [here.size, there.size],
    met,
    near: near.length,
    pairs: isVocabulary ? near : [],
    finding: tell(column, name, { here: here.size, there: there.size, met, near: isVocabulary ? near : [], nearCount: near.length }),
  };
}

const isNear = (a: string, b: string): boolean => a !== '' && b !== '' && (a.startsWith(b) || b.startsWith(a));

type Counts = Readonly<{ here: number; there: number; met: number; near: readonly string[]; nearCount: number }>;

function tell(column: string, dataset: string, { here, there, met, near, nearCount }: Counts): string | null {
  if (here === 0 || there === 0) return null;
  if (nearCount > 0) {
    const which = near.length > 0 ? `: ${near.join(', ')}` : '';
    return `${column}: ${nearCount} of ${here} values of ${ANSWERS} are spelled differently in ${dataset}${which}`;
  }
  return met === 0 ? `${column}: no value of ${ANSWERS} is in ${dataset}` : null;
}
