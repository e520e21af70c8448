// Every fault that the sandbox can cause: its parameters, and the calls at which it can occur.
// docs/sandbox.md, "Faults", describes them for authors of plans.
import { z } from 'zod';
import type { Call } from '../protocol/observations.ts';
import { columnNames, mapping, milliseconds, oneOf, portion, status, text, weeks, whole } from './fields.ts';

/** Retry-After header: a number of seconds, or the date they lead to. No header when not given. */
const retryAfter = { retry_after: whole(0, 86_400).optional(), as: oneOf(['seconds', 'date']).default('seconds') };
/** Which rows of an answer: its first `rows`, or a `share` of all. Both go by row number, not by page. */
const rowChoice = { rows: whole(1).optional(), share: portion().optional(), from_page: whole(1).default(1) };

export const BAD_VALUES = [
  'not_a_number',
  'too_large',
  'not_a_date',
  'not_a_boolean',
  'nul',
  'lone_surrogate',
  'nested',
  'short_row',
  'long_number',
  'deep',
  'deep_row',
  'deep_extra',
] as const;

/** Unusually written but valid values: their rows are published. */
export const ODD_VALUES = [
  'decimal_integer',
  'exponent_integer',
  'number_in_text',
  'not_a_number',
  'infinity',
  'minus_infinity',
  'comma_in_name',
  'upper_case',
  'other_spelling',
] as const;

const FAULT_SCHEMAS = {
  // The gateway answers, and the backend does not receive the call.
  too_many: mapping({ kind: z.literal('too_many'), ...retryAfter }),
  storm: mapping({ kind: z.literal('storm'), for_ms: milliseconds(1), ...retryAfter }),
  error: mapping({
    kind: z.literal('error'),
    status: whole(500, 599).default(500),
    message: oneOf(['plain', 'deep', 'long', 'control_characters']).default('plain'),
    size: whole(1).default(20_000),
  }),
  bad_gateway: mapping({ kind: z.literal('bad_gateway') }),
  unavailable: mapping({ kind: z.literal('unavailable'), ...retryAfter }),
  unauthorized: mapping({ kind: z.literal('unauthorized'), for_ms: milliseconds(1).optional(), calls: whole(1).optional() }),
  redirect: mapping({
    kind: z.literal('redirect'),
    status: z.literal([301, 302, 303, 307, 308], { error: 'must be one of 301, 302, 303, 307, 308' }).default(302),
    to: text().default('http://elsewhere.invalid/'),
  }),
  rejected: mapping({
    kind: z.literal('rejected'),
    status: whole(400, 499).default(400),
    body: oneOf(['json', 'html', 'empty']).default('json'),
    connection: oneOf(['keep', 'close']).default('keep'),
  }),
  reset_before: mapping({ kind: z.literal('reset_before') }),

  // The call does its work, and its answer is damaged on the way back.
  lost_submit: mapping({ kind: z.literal('lost_submit') }),
  reset_in_body: mapping({ kind: z.literal('reset_in_body') }),
  truncated: mapping({ kind: z.literal('truncated'), body: oneOf(['content_length', 'chunked']).default('content_length') }),
  not_json: mapping({ kind: z.literal('not_json'), body: oneOf(['html', 'garbage']).default('html') }),
  empty_body: mapping({ kind: z.literal('empty_body') }),
  stall_headers: mapping({ kind: z.literal('stall_headers'), ms: milliseconds(1).optional() }),
  stall_body: mapping({ kind: z.literal('stall_body'), ms: milliseconds(1).optional() }),
  slow: mapping({ kind: z.literal('slow'), ms: milliseconds(1) }),
  drip: mapping({ kind: z.literal('drip'), bytes: whole(1).default(1), every_ms: milliseconds(1).default(10_000) }),
  interim: mapping({
    kind: z.literal('interim'),
    status: z.literal([100, 102, 103], { error: 'must be one of 100, 102, 103' }).default(100),
    times: whole(1, 1_000_000).default(1),
  }),
  bomb: mapping({
    kind: z.literal('bomb'),
    status: status().default(200),
    mib: whole(1, 4096).default(244),
    shape: oneOf(['list', 'text', 'nested']).default('list'),
  }),

  // The execution goes wrong.
  failed: mapping({
    kind: z.literal('failed'),
    status: status().default(200),
    message: z.string({ error: 'must be a text, or null for none' }).nullable().default('the query ran out of memory'),
    message_times: whole(1).default(1),
    message_in: oneOf(['message', 'errorMessage', 'error', 'errors']).default('message'),
  }),
  stuck: mapping({ kind: z.literal('stuck'), polls: whole(1).optional() }),
  expired_id: mapping({ kind: z.literal('expired_id') }),
  rejected_id: mapping({ kind: z.literal('rejected_id') }),
  lower_case: mapping({ kind: z.literal('lower_case') }),
  wrong_status: mapping({ kind: z.literal('wrong_status'), in_progress: status().default(200), completed: status().default(202) }),

  // Page tokens are wrong.
  repeated_token: mapping({ kind: z.literal('repeated_token') }),
  cyclic_token: mapping({ kind: z.literal('cyclic_token') }),
  empty_page: mapping({ kind: z.literal('empty_page') }),
  odd_token: mapping({ kind: z.literal('odd_token'), value: oneOf(['nul', 'long']), size: whole(1).default(100_000) }),

  // The content of pages is wrong.
  row_count: mapping({
    kind: z.literal('row_count'),
    count: oneOf(['absent', 'wrong', 'changing', 'above_limit']),
    by: z.int({ error: 'must be a whole number' }).default(1),
  }),
  missing_rows: mapping({ kind: z.literal('missing_rows'), ...rowChoice }),
  bad_value: mapping({
    kind: z.literal('bad_value'),
    value: oneOf(BAD_VALUES),
    column: text().optional(),
    size: whole(1).optional(),
    ...rowChoice,
  }),
  odd_value: mapping({ kind: z.literal('odd_value'), value: oneOf(ODD_VALUES), column: text().optional(), ...rowChoice }),
  missing_field: mapping({
    kind: z.literal('missing_field'),
    field: oneOf(['schema', 'results', 'nextPageId']),
    as: oneOf(['absent', 'null', 'empty']).default('absent'),
    pages: oneOf(['all', 'later', 'last', 'without_rows']).default('all'),
  }),
  endless_pages: mapping({
    kind: z.literal('endless_pages'),
    afterwards: oneOf(['rows_again', 'no_rows']).default('rows_again'),
    circle: whole(1).optional(),
  }),
  ignored_section: mapping({
    kind: z.literal('ignored_section'),
    mib: whole(1, 256).default(40),
    place: oneOf(['before', 'behind']).default('before'),
  }),
  drift: mapping({
    kind: z.literal('drift'),
    change: oneOf(['new_column', 'missing_column', 'reordered', 'renamed_type', 'untyped']),
    column: text().optional(),
    type: text().optional(),
    from_page: whole(1).default(1),
  }),

  // The underlying data changes.
  restate: mapping({
    kind: z.literal('restate'),
    number: whole(1).default(1),
    share: portion().default(0.1),
    vanish: portion().default(0),
    appear: portion().default(0),
    columns: columnNames(),
    weeks: weeks(),
  }),
  empty_answer: mapping({ kind: z.literal('empty_answer'), weeks: weeks() }),
  shrink: mapping({ kind: z.literal('shrink'), keep: portion(), weeks: weeks() }),
  whole_period: mapping({ kind: z.literal('whole_period') }),
  misspell: mapping({
    kind: z.literal('misspell'),
    column: text().default('ai_search_engine'),
    from: text().default('chatgpt'),
    to: text().default('chatgptsearch'),
    weeks: weeks(),
  }),
  ignored_filter: mapping({ kind: z.literal('ignored_filter'), field: text() }),
};

export type FaultKind = keyof typeof FAULT_SCHEMAS;
export type FaultOf<K extends FaultKind> = Readonly<z.infer<(typeof FAULT_SCHEMAS)[K]>>;
export type Fault = { [K in FaultKind]: FaultOf<K> }[FaultKind];
/** As written in a plan: the kind alone, or a mapping without fields that have defaults. */
export type FaultInput = FaultKind | { [K in FaultKind]: Readonly<z.input<(typeof FAULT_SCHEMAS)[K]>> }[FaultKind];
export const FAULT_KINDS = Object.keys(FAULT_SCHEMAS) as FaultKind[];

const KINDS_WANTED = `must be a fault, such as too_many or { kind: too_many, retry_after: 2 }; kinds are ${FAULT_KINDS.join(', ')}`;
type Schemas = (typeof FAULT_SCHEMAS)[FaultKind];

/** A fault as a mapping with its `kind`; a kind alone stands for a mapping with defaults. */
export const faultSchema = z.preprocess(
  (value) => (typeof value === 'string' ? { kind: value } : value),
  z.discriminatedUnion('kind', Object.values(FAULT_SCHEMAS) as [Schemas, ...Schemas[]], { error: KINDS_WANTED }),
);

/** The stages that a call passes, in order, and the faults of each. */
const KINDS_BY_STAGE = {
  /** The gateway answers instead of the backend. */
  gateway: ['too_many', 'storm', 'error', 'bad_gateway', 'unavailable', 'unauthorized', 'redirect', 'rejected', 'reset_before'],
  /** The answer is damaged on its way back. */
  delivery: [
    'lost_submit',
    'reset_in_body',
    'truncated',
    'not_json',
    'empty_body',
    'stall_headers',
    'stall_body',
    'slow',
    'drip',
    'interim',
    'bomb',
  ],
  /** The submit asks about data that has been revised. */
  truth: ['restate', 'empty_answer', 'shrink', 'whole_period', 'misspell', 'ignored_filter'],
  /** The execution goes wrong. */
  execution: ['failed', 'stuck', 'expired_id', 'rejected_id'],
  /** The page token is wrong. */
  tokens: ['repeated_token', 'cyclic_token', 'empty_page', 'odd_token'],
  /** The content of the page is wrong. */
  content: ['row_count', 'missing_rows', 'bad_value', 'odd_value', 'missing_field', 'endless_pages', 'ignored_section', 'drift'],
  /** The HTTP status does not match the state, or the state is written in lower case. */
  status: ['wrong_status', 'lower_case'],
} as const satisfies Readonly<Record<string, readonly FaultKind[]>>;

export type Stage = keyof typeof KINDS_BY_STAGE;
export type FaultOfStage<S extends Stage> = FaultOf<(typeof KINDS_BY_STAGE)[S][number]>;

export function isOfStage<S extends Stage>(fault: Fault, stage: S): fault is FaultOfStage<S> & Fault {
  const kinds: readonly FaultKind[] = KINDS_BY_STAGE[stage];
  return kinds.includes(fault.kind);
}

/** Kinds of calls at which a fault is possible, and those meant by a rule that names none. */
type Calls = Readonly<{ possible: readonly Call[]; meant: readonly Call[] }>;

const ANY: readonly Call[] = ['submit', 'poll', 'page'];
const READ: readonly Call[] = ['poll', 'page'];
const anywhere: Calls = { possible: ANY, meant: ANY };
const only = (...calls: readonly Call[]): Calls => ({ possible: calls, meant: calls });
/** At a submit, it affects all pages of its execution; at a read, that one answer. */
const content: Calls = { possible: ANY, meant: ['submit'] };

const CALLS: Readonly<Partial<Record<FaultKind, Calls>>> = {
  lost_submit: only('submit'),
  failed: { possible: ANY, meant: ['poll'] },
  stuck: { possible: ['submit', 'poll'], meant: ['poll'] },
  expired_id: only('poll', 'page'),
  rejected_id: only('poll', 'page'),
  wrong_status: { possible: ANY, meant: READ },
  repeated_token: only('page'),
  cyclic_token: only('page'),
  empty_page: { possible: READ, meant: ['page'] },
  odd_token: { possible: ANY, meant: ['page'] },
  endless_pages: only('submit'),
  ignored_section: only('poll', 'page'),
  row_count: content,
  missing_rows: content,
  bad_value: content,
  odd_value: content,
  missing_field: content,
  drift: content,
  restate: only('submit'),
  empty_answer: only('submit'),
  shrink: only('submit'),
  whole_period: only('submit'),
  misspell: only('submit'),
  ignored_filter: only('submit'),
};

export function callsMeeting(kind: FaultKind): Calls {
  return CALLS[kind] ?? anywhere;
}
