// Every fault the sandbox can put in a client's way: what it can be told, and at which calls it can be met.
// docs/sandbox.md, "Faults", describes each to those who write plans.
import { z } from 'zod';
import type { Call } from '../protocol/observations.ts';
import { mapping, milliseconds, oneOf, portion, status, text, weeks, whole } from './fields.ts';

/** Header Retry-After: so many seconds, as a number or as the date they lead to. None when not given. */
const retryAfter = { retry_after: whole(0, 86_400).optional(), as: oneOf(['seconds', 'date']).default('seconds') };
/** Which rows of an answer: its first `rows`, or a `share` of all, by their number and not by their page. */
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
] as const;

const FAULT_SCHEMAS = {
  // The gateway answers, and the backend never hears of the call.
  too_many: mapping({ kind: z.literal('too_many'), ...retryAfter }),
  storm: mapping({ kind: z.literal('storm'), for_ms: milliseconds(1), ...retryAfter }),
  error: mapping({ kind: z.literal('error'), status: whole(500, 599).default(500) }),
  bad_gateway: mapping({ kind: z.literal('bad_gateway') }),
  unavailable: mapping({ kind: z.literal('unavailable'), ...retryAfter }),
  unauthorized: mapping({ kind: z.literal('unauthorized'), for_ms: milliseconds(1).optional(), calls: whole(1).optional() }),
  redirect: mapping({
    kind: z.literal('redirect'),
    status: whole(301, 308).default(302),
    to: text().default('http://elsewhere.invalid/'),
  }),
  reset_before: mapping({ kind: z.literal('reset_before') }),

  // The call does its work, and its answer is spoilt on the way back.
  lost_submit: mapping({ kind: z.literal('lost_submit') }),
  reset_in_body: mapping({ kind: z.literal('reset_in_body') }),
  truncated: mapping({ kind: z.literal('truncated'), body: oneOf(['content_length', 'chunked']).default('content_length') }),
  not_json: mapping({ kind: z.literal('not_json'), body: oneOf(['html', 'garbage']).default('html') }),
  empty_body: mapping({ kind: z.literal('empty_body') }),
  stall_headers: mapping({ kind: z.literal('stall_headers'), ms: milliseconds(1).optional() }),
  stall_body: mapping({ kind: z.literal('stall_body'), ms: milliseconds(1).optional() }),
  slow: mapping({ kind: z.literal('slow'), ms: milliseconds(1) }),

  // The execution goes wrong.
  failed: mapping({
    kind: z.literal('failed'),
    status: status().default(200),
    message: z.string({ error: 'must be a text, or null for none' }).nullable().default('the query ran out of memory'),
  }),
  stuck: mapping({ kind: z.literal('stuck'), polls: whole(1).optional() }),
  expired_id: mapping({ kind: z.literal('expired_id') }),
  rejected_id: mapping({ kind: z.literal('rejected_id') }),
  wrong_status: mapping({ kind: z.literal('wrong_status'), in_progress: status().default(200), completed: status().default(202) }),

  // Pages lead astray.
  repeated_token: mapping({ kind: z.literal('repeated_token') }),
  cyclic_token: mapping({ kind: z.literal('cyclic_token') }),
  empty_page: mapping({ kind: z.literal('empty_page') }),

  // The content of pages is not what it should be.
  row_count: mapping({
    kind: z.literal('row_count'),
    count: oneOf(['absent', 'wrong', 'changing']),
    by: z.int({ error: 'must be a whole number' }).default(1),
  }),
  missing_rows: mapping({ kind: z.literal('missing_rows'), ...rowChoice }),
  bad_value: mapping({ kind: z.literal('bad_value'), value: oneOf(BAD_VALUES), column: text().optional(), ...rowChoice }),
  drift: mapping({
    kind: z.literal('drift'),
    change: oneOf(['new_column', 'missing_column', 'reordered', 'renamed_type']),
    column: text().optional(),
    type: text().optional(),
    from_page: whole(1).default(1),
  }),

  // The truth itself changes.
  restate: mapping({
    kind: z.literal('restate'),
    number: whole(1).default(1),
    share: portion().default(0.1),
    vanish: portion().default(0),
    appear: portion().default(0),
    weeks: weeks(),
  }),
  empty_answer: mapping({ kind: z.literal('empty_answer'), weeks: weeks() }),
  shrink: mapping({ kind: z.literal('shrink'), keep: portion(), weeks: weeks() }),
};

export type FaultKind = keyof typeof FAULT_SCHEMAS;
export type FaultOf<K extends FaultKind> = Readonly<z.infer<(typeof FAULT_SCHEMAS)[K]>>;
export type Fault = { [K in FaultKind]: FaultOf<K> }[FaultKind];
export const FAULT_KINDS = Object.keys(FAULT_SCHEMAS) as FaultKind[];

const KINDS_WANTED = `must be a fault, such as too_many or { kind: too_many, retry_after: 2 }; kinds are ${FAULT_KINDS.join(', ')}`;
type Schemas = (typeof FAULT_SCHEMAS)[FaultKind];

/** A fault as a mapping with its `kind`; the kind alone stands for one with nothing else said. */
export const faultSchema = z.preprocess(
  (value) => (typeof value === 'string' ? { kind: value } : value),
  z.discriminatedUnion('kind', Object.values(FAULT_SCHEMAS) as [Schemas, ...Schemas[]], { error: KINDS_WANTED }),
);

/** Where on its way a call meets a fault. Earlier stages come first. */
export type Stage = 'gateway' | 'delivery' | 'truth' | 'execution' | 'tokens' | 'content';

type Encounter = Readonly<{
  stage: Stage;
  /** Kinds of calls the fault makes sense at. */
  calls: readonly Call[];
  /** Those a rule means that names none. */
  byDefault?: readonly Call[];
}>;

const ANY: readonly Call[] = ['submit', 'poll', 'page'];
const READ: readonly Call[] = ['poll', 'page'];
const gateway: Encounter = { stage: 'gateway', calls: ANY };
const delivery: Encounter = { stage: 'delivery', calls: ANY };
/** At a submit, all pages of the execution; at a read, this one answer. */
const content: Encounter = { stage: 'content', calls: ANY, byDefault: ['submit'] };
const truth: Encounter = { stage: 'truth', calls: ['submit'] };

export const ENCOUNTERS: Readonly<Record<FaultKind, Encounter>> = {
  too_many: gateway,
  storm: gateway,
  error: gateway,
  bad_gateway: gateway,
  unavailable: gateway,
  unauthorized: gateway,
  redirect: gateway,
  reset_before: gateway,
  lost_submit: { stage: 'delivery', calls: ['submit'] },
  reset_in_body: delivery,
  truncated: delivery,
  not_json: delivery,
  empty_body: delivery,
  stall_headers: delivery,
  stall_body: delivery,
  slow: delivery,
  failed: { stage: 'execution', calls: ANY, byDefault: ['poll'] },
  stuck: { stage: 'execution', calls: ['submit', 'poll'], byDefault: ['poll'] },
  expired_id: { stage: 'execution', calls: READ },
  rejected_id: { stage: 'execution', calls: READ },
  wrong_status: { stage: 'execution', calls: ANY, byDefault: READ },
  repeated_token: { stage: 'tokens', calls: ['page'] },
  cyclic_token: { stage: 'tokens', calls: ['page'] },
  empty_page: { stage: 'tokens', calls: READ, byDefault: ['page'] },
  row_count: content,
  missing_rows: content,
  bad_value: content,
  drift: content,
  restate: truth,
  empty_answer: truth,
  shrink: truth,
};
