// The variables that panels may have. The same definitions are used for the form on the pages, the checks of the URL, and Grafana.

import { bareDomain } from '../core/bare-domain.ts';
import { nameSome } from '../core/name-some.ts';
import { isIsoDate } from '../core/weeks.ts';

/** Variables that filter prompts. They come before `prompt`, since its options depend on them. */
const KINDS = ['persona', 'intent', 'prompt_group'] as const;
const SEVERAL = ['web_property', 'engine', 'country', 'device', 'keyword_group', 'competitor', 'assistant'] as const;

/** In the order of the form. */
export const VARIABLE_NAMES = [
  'account',
  'measure',
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

/** Variables that may have several values; panels get them as an array. */
export const MANY_NAMES = [...KINDS, ...SEVERAL, 'topics'] as const satisfies readonly VariableName[];
export type ManyName = (typeof MANY_NAMES)[number];

/** Values by variable; null means all. */
export type Values = Readonly<{ [Name in VariableName]?: (Name extends ManyName ? readonly string[] : string) | null }>;

/** The option for rows whose column is empty. */
export const NONE = '(none)';

export type Option = Readonly<{ value: string; label: string }>;

export type Variable = Readonly<{
  label: string;
  /** The SQL type of the variable; panels cast those with several values to text[]. */
  type: 'bigint' | 'integer' | 'text' | 'boolean';
  /** True if its values are dates. */
  isDate?: boolean;
  /** Most characters of a text, if more than MAX_TEXT. */
  longest?: number;
  /** Its options: fixed ones; those that dashboards/variables/<name>.sql returns; or a span of weeks (search_reports.span_of). */
  choice: Readonly<{ kind: 'fixed'; options: readonly Option[] } | { kind: 'query' } | { kind: 'span'; most: number }>;
  /** The plural of the label, set if several values may be chosen. The address then repeats the name. */
  plural?: string;
  /** The label for no value, which panels get as NULL. Without it a value is required. */
  allLabel?: string;
  /** False for a variable that panels only compare with, and that does not filter figures. */
  isFilter?: false;
  /** The spelling that panels compare, of a value as others spell it. */
  spell?: (value: string) => string;
  /** Explanations of the options, one sentence each or a few. */
  explained?: readonly string[];
  /** The value when the URL does not have the variable: a text, null for NULL, or the first option that the query returns. */
  default: string | null | Readonly<{ first: true }>;
}>;

/** Variables of one thing. A board that is not about it may have one as `keyword = all`: links choose it, and its options are not read. */
export const THINGS: readonly VariableName[] = ['keyword', 'page', 'site', 'topic', 'prompt'];

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
  measure: { label: 'Figure', type: 'text', choice: { kind: 'query' }, default: { first: true } },
  keyword: { label: 'Keyword', type: 'text', choice: { kind: 'query' }, default: { first: true } },
  page: { label: 'Page', type: 'text', choice: { kind: 'query' }, longest: 2_000, default: { first: true } },
  site: { label: 'Site', type: 'text', choice: { kind: 'query' }, spell: bareDomain, default: { first: true } },
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
  competitor: { ...several('Competitors', 'sites'), allLabel: 'as configured', isFilter: false, spell: bareDomain },
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
    choice: fixed(['true', 'by volume'], ['false', 'every search alike']),
    default: 'true',
  },
  rank: {
    label: 'Rank',
    type: 'text',
    choice: fixed(['standard', 'standard'], ['true', 'true']),
    explained: [
      'Standard: the place among links, answer boxes, news and videos. Universal results take no place.',
      'True: universal results take a place as well, as a person sees them.',
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

/** The SQL type that panels cast a variable to. */
export const castOf = (name: VariableName): string => (isManyName(name) ? 'text[]' : VARIABLES[name].type);

/** The fault of a value that is not among the options; undefined if it is. */
export function findUnknown(given: string, options: readonly Option[]): string | undefined {
  const known = options.map(({ value }) => value);
  if (known.includes(given)) return undefined;
  if (known.length === 0) return `${given} is unknown; there is nothing to choose from`;
  return `${given} is unknown; expected one of ${nameSome(known, MAX_NAMED)}`;
}

const MAX_NAMED = 20;
const MAX_TEXT = 500;

/** The fault in the form of a variable's value, as `expected ...`; undefined if there is none. */
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

/** The two days of a span, of which one may be empty; undefined for any other value. */
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
