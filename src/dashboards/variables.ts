// The variables that panels may have. One definition serves the form on the pages, the check of what the URL says, and Grafana.

import { nameSome } from '../core/name-some.ts';
import { isIsoDate } from '../core/weeks.ts';

/** Kinds of prompts. They stand before the prompt, of which those are offered that they choose. */
const KINDS = ['persona', 'intent', 'prompt_group'] as const;
const SEVERAL = ['web_property', 'engine', 'country', 'device', 'keyword_group', 'own', 'competitor', 'assistant'] as const;

/** In the order of the form. */
export const VARIABLE_NAMES = [
  'account',
  'keyword',
  'page',
  'site',
  'topic',
  ...KINDS,
  'prompt',
  ...SEVERAL,
  'branded',
  'topics',
  'week',
  'before',
  'weeks',
  'compare',
  'top_n',
  'weighted',
  'rank',
] as const;
export type VariableName = (typeof VARIABLE_NAMES)[number];

/** Those of which several values may be chosen, which panels get as an array. */
export const MANY_NAMES = [...KINDS, ...SEVERAL, 'topics'] as const satisfies readonly VariableName[];
export type ManyName = (typeof MANY_NAMES)[number];

/** Null is no value: all. */
export type Values = Readonly<{ [Name in VariableName]?: (Name extends ManyName ? readonly string[] : string) | null }>;

/** What is chosen where a column has nothing. */
export const NONE = '(none)';

export type Option = Readonly<{ value: string; label: string }>;

export type Variable = Readonly<{
  label: string;
  /** The type that panels cast it to. */
  type: 'bigint' | 'integer' | 'text' | 'boolean';
  /** It is a date. */
  isDate?: boolean;
  /** Most characters of a text, where it may be longer than usual. */
  longest?: number;
  /** What may be chosen: these; those that dashboards/variables/<name>.sql returns; or a span of weeks (search_reports.span_of). */
  choice: Readonly<{ kind: 'fixed'; options: readonly Option[] } | { kind: 'query' } | { kind: 'span'; most: number }>;
  /** What several of them are called, where several may be chosen: the address repeats the name. */
  plural?: string;
  /** What the choice of no value is called, which panels get as NULL; without it a value is required. */
  allLabel?: string;
  /** False of what panels compare with: figures count no less for it. */
  isFilter?: false;
  /** What one must know to choose, a sentence each. */
  explained?: readonly string[];
  /** What holds when the URL does not name the variable: null is NULL, 'first' the first that the query returns. */
  default: string | null | Readonly<{ first: true }>;
}>;

const fixed = (...pairs: readonly (readonly [value: string, label: string])[]): Variable['choice'] => ({
  kind: 'fixed',
  options: pairs.map(([value, label]) => ({ value, label })),
});

const several = (label: string, plural: string, type: Variable['type'] = 'text'): Variable => ({
  label,
  type,
  plural,
  choice: { kind: 'query' },
  allLabel: 'all',
  default: null,
});

/** In the order of the form. */
export const VARIABLES: Readonly<Record<VariableName, Variable>> = {
  account: { label: 'Account', type: 'bigint', choice: { kind: 'query' }, default: { first: true } },
  keyword: { label: 'Keyword', type: 'text', choice: { kind: 'query' }, default: { first: true } },
  page: { label: 'Page', type: 'text', choice: { kind: 'query' }, longest: 2_000, default: { first: true } },
  site: { label: 'Site', type: 'text', choice: { kind: 'query' }, default: { first: true } },
  topic: { label: 'Topic', type: 'text', choice: { kind: 'query' }, default: { first: true } },
  persona: several('Persona', 'personas'),
  intent: several('Intent', 'intents'),
  prompt_group: several('Prompt group', 'prompt groups'),
  prompt: { label: 'Prompt', type: 'text', choice: { kind: 'query' }, longest: 4_000, default: { first: true } },
  web_property: several('Web property', 'web properties', 'bigint'),
  engine: several('Search engine', 'search engines'),
  country: several('Country', 'countries'),
  device: several('Device', 'devices'),
  keyword_group: several('Keyword group', 'keyword groups'),
  own: several('Our sites', 'own sites'),
  competitor: { ...several('Competitors', 'sites'), allLabel: 'as configured', isFilter: false },
  assistant: several('Assistant', 'assistants'),
  branded: {
    label: 'Prompts',
    type: 'text',
    choice: fixed(['unbranded', 'unbranded'], ['branded', 'branded']),
    allLabel: 'all',
    default: 'unbranded',
  },
  topics: several('Topics', 'topics'),
  week: { label: 'Week', type: 'text', choice: { kind: 'query' }, isDate: true, default: { first: true } },
  before: { label: 'Compare with', type: 'text', choice: { kind: 'query' }, isDate: true, allLabel: 'the week before', default: null },
  weeks: { label: 'Weeks', type: 'text', choice: { kind: 'span', most: 520 }, default: '13' },
  compare: { label: 'Compare with', type: 'text', choice: { kind: 'query' }, default: 'week' },
  top_n: {
    label: 'First places',
    type: 'integer',
    choice: fixed(['1', 'first only'], ['3', 'first 3'], ['5', 'first 5'], ['10', 'first 10'], ['20', 'first 20']),
    default: '10',
  },
  weighted: {
    label: 'Weight',
    type: 'boolean',
    choice: fixed(['true', 'by search volume'], ['false', 'every search alike']),
    default: 'true',
  },
  rank: {
    label: 'Rank',
    type: 'text',
    choice: fixed(['standard', 'standard'], ['true', 'true']),
    explained: [
      'Standard: the place among all results of the page, where answer boxes, news and videos also take a place.',
      'True: universal results are counted as well, as a person sees them.',
      'Universal: the place among results of one type only. It is in rank_result_type and is not offered here, since the first video may be far down the page.',
      'A job with result_types: [STANDARD_LINK] loads no results of other types: their places count in both ranks but are missing.',
    ],
    default: 'standard',
  },
};

export function isVariableName(name: string): name is VariableName {
  return (VARIABLE_NAMES as readonly string[]).includes(name);
}

export function isManyName(name: string): name is ManyName {
  return (MANY_NAMES as readonly string[]).includes(name);
}

/** The type that panels cast a variable to. */
export const castOf = (name: VariableName): string => (isManyName(name) ? 'text[]' : VARIABLES[name].type);

/** What is wrong with a value that is not among those that may be chosen. */
export function findUnknown(given: string, options: readonly Option[]): string | undefined {
  const known = options.map(({ value }) => value);
  if (known.includes(given)) return undefined;
  if (known.length === 0) return `${given} is unknown; there is nothing to choose from`;
  return `${given} is unknown; expected one of ${nameSome(known, MAX_NAMED)}`;
}

const MAX_NAMED = 20;
const MAX_TEXT = 500;

/** What is wrong with a value of a variable, as `expected ...`; undefined when nothing is. */
export function findFault({ type, choice, plural, isDate = false, longest = MAX_TEXT }: Variable, value: string): string | undefined {
  if (choice.kind === 'fixed') {
    const allowed = choice.options.map((option) => option.value);
    return allowed.includes(value) ? undefined : `expected one of ${allowed.join(', ')}`;
  }
  if (choice.kind === 'span') return findFaultOfSpan(value, choice.most);
  if (plural !== undefined && value === NONE) return undefined;
  if (type === 'bigint')
    return /^-?\d{1,19}$/.test(value) && BigInt.asIntN(64, BigInt(value)) === BigInt(value) ? undefined : 'expected a whole number';
  if (type === 'integer') return /^-?\d{1,9}$/.test(value) ? undefined : 'expected a whole number';
  if (isDate) return isIsoDate(value) ? undefined : 'expected a date such as 2026-11-08';
  if (value.length > longest) return `expected at most ${longest} characters`;
  return value.includes('\0') ? 'expected text without the character NUL' : undefined;
}

const SPAN = /^(\d{4}-\d\d-\d\d)?\.\.(\d{4}-\d\d-\d\d)?$/;

/** The two days of a span, either of which may be left out; undefined of another. */
export function readDays(span: string): Readonly<{ since: string; until: string }> | undefined {
  const [found, since = '', until = ''] = SPAN.exec(span) ?? [];
  return found === undefined || found === '..' ? undefined : { since, until };
}

function findFaultOfSpan(value: string, most: number): string | undefined {
  if (value === 'year' || (/^\d{1,9}$/.test(value) && Number(value) >= 1 && Number(value) <= most)) return undefined;
  const days = readDays(value);
  const isInOrder =
    days && [days.since, days.until].every((day) => day === '' || isIsoDate(day)) && (!days.until || days.since <= days.until);
  return isInOrder ? undefined : `expected a whole number from 1 to ${most}, year, or two days in order, such as 2026-01-04..2026-06-28`;
}
