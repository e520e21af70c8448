// What follows an error: one table of rules for submits, one for all other steps. The first rule that fits applies. Pure: errors.ts
// defines the kinds of errors, failures.ts applies an outcome, and docs/architecture.md shows both tables.
import { MINUTE, SECOND } from '../core/clock.ts';
import {
  CancelledError,
  type ErrorCode,
  ExecutionFailedError,
  isPassing,
  LostLeaseError,
  ProtocolError,
  RateLimitedError,
  RejectedError,
  SearchmillError,
  ServiceUnavailableError,
  StoreError,
  UnauthorizedError,
} from '../core/errors.ts';
import type { SubmitOutcome } from '../ledger/executions.ts';
import type { EndState, LiveState } from '../ledger/states.ts';
import { isStagingUnusable } from '../postgres/store-errors.ts';

/** What the ledger knows about an execution besides its state. */
export type Counts = Readonly<{
  errorsInRow: number;
  /** The ledger has no page although the step had staging: a fail-over lost commits. */
  isLedgerBehind?: boolean;
}>;

/** What a wait grows with: errors in a row, submits spent, submits with unknown outcome, or time without progress. */
export type Growth = 'errors' | 'spent' | 'unknown' | 'time' | 'nothing';
/**
 * A wait of `baseMs` that doubles up to `maxMs`; jitter shortens it by up to half. With `grows: 'nothing'` it is random between `baseMs`
 * and `maxMs`. With `isAsked`, the service's Retry-After takes precedence. With `isAtOnceFirst`, the first repeat does not wait.
 */
export type Wait = Readonly<{ baseMs: number; maxMs: number; grows: Growth; isAsked?: boolean; isAtOnceFirst?: boolean }>;

export type Outcome =
  /** Another process holds the execution: nothing is written. */
  | Readonly<{ kind: 'nothing' }>
  /** The lease is given back, and the execution is due as before. */
  | Readonly<{ kind: 'give-back'; waitsFor?: string }>
  /** The step is retried. `isCounted`: it counts as an error in a row and is reported. `isShared`: the job's other submits wait too. */
  | Readonly<{ kind: 'wait'; wait: Wait; isCounted: boolean; isShared?: boolean; waitsFor?: string }>
  /** The execution ends. Without `again` its slice waits for the next tick. `isUnlimited`: max_submits does not apply. */
  | Readonly<{
      kind: 'end';
      state: Extract<EndState, 'failed' | 'abandoned'>;
      submit?: SubmitOutcome;
      again?: Wait;
      isUnlimited?: boolean;
      code?: ErrorCode;
      reason?: string;
    }>;

type Rule = Readonly<{
  /** The error in words, for the table. */
  when: string;
  /** Only for submits: what is known about the query. */
  known?: string;
  fits: (error: unknown, counts: Counts, state: LiveState) => boolean;
  outcome: Outcome;
}>;

/** Thrown for a submit whose process ended, or could not use the database, before it recorded an answer. */
export class LostSubmitError extends SearchmillError {
  constructor() {
    super('service_unavailable', true, 'its process ended, or could not use the database, before it recorded an answer');
  }
}

/** Thrown when a probe is not answered. A probe precedes the next submit after an unanswered one; it spends no submit. */
export class UnansweredProbeError extends ServiceUnavailableError {}

const STEP_AGAIN: Wait = { baseMs: 2 * SECOND, maxMs: 5 * MINUTE, grows: 'errors' };
/** For a database outage, which is not the execution's fault: a load continues within a minute after the database is back. */
const STORE_AGAIN: Wait = { baseMs: 2 * SECOND, maxMs: 30 * SECOND, grows: 'time' };
const SUBMIT_AGAIN: Wait = { baseMs: 5 * SECOND, maxMs: 5 * MINUTE, grows: 'errors', isAsked: true };
/** A query without a result is submitted again after this wait, which grows with each submit of the slice in 24 hours. */
export const ASK_AGAIN: Wait = { baseMs: 10 * SECOND, maxMs: 30 * MINUTE, grows: 'spent' };
export const AT_ONCE: Wait = { baseMs: 0, maxMs: 0, grows: 'nothing' };
/** The first unanswered submit is repeated at once: usually a connection was cut. */
const UNKNOWN_AGAIN: Wait = { baseMs: 30 * SECOND, maxMs: 10 * MINUTE, grows: 'unknown', isAtOnceFirst: true };
/** Retries of a call after an invalid answer. After that a new query is submitted. */
const MAX_NONSENSE_IN_ROW = 4;
/** Retries of a refused call: a new executionId or token may not have reached all of the service yet. A retry costs no submit. */
const MAX_REFUSALS_IN_ROW = 3;

const statusOf = (error: unknown): number | undefined => (error instanceof SearchmillError ? error.context.status : undefined);
/** Whether the query was certainly not begun: it was not sent, or the answer says so, as 500 and 503 do. 502 and 504 do not. */
const isUnspent = (error: unknown): boolean =>
  error instanceof ServiceUnavailableError && (!error.isOutcomeUnknown || statusOf(error) === 500 || statusOf(error) === 503);
const isForbidden = (error: unknown): boolean => error instanceof UnauthorizedError && statusOf(error) === 403;
const isAnswered = (error: unknown): boolean => {
  const status = statusOf(error);
  return error instanceof ProtocolError || (error instanceof ServiceUnavailableError && status !== undefined && status < 300);
};

export const SUBMIT_RULES: readonly Rule[] = [
  {
    when: 'its lease is lost, or the load was cancelled',
    known: 'left to its holder',
    fits: (error) => error instanceof LostLeaseError,
    outcome: { kind: 'nothing' },
  },
  {
    when: 'no slot within 250 ms',
    known: 'not sent',
    fits: (error) => error instanceof RateLimitedError && statusOf(error) === undefined,
    outcome: { kind: 'give-back', waitsFor: 'a free submit on' },
  },
  { when: 'asked to stop', known: 'not sent', fits: (error) => error instanceof CancelledError, outcome: { kind: 'give-back' } },
  {
    when: '429, 401: the connection pauses, except for a slow probe',
    known: 'not begun',
    fits: (error) => error instanceof RateLimitedError || (error instanceof UnauthorizedError && !isForbidden(error)),
    outcome: { kind: 'wait', wait: SUBMIT_AGAIN, isCounted: false },
  },
  {
    when: 'no answer to the probe that follows a submit without an answer',
    known: 'not sent',
    fits: (error) => error instanceof UnansweredProbeError,
    outcome: { kind: 'wait', wait: SUBMIT_AGAIN, isCounted: true, isShared: true },
  },
  {
    when: '403, 500, 503, redirect; 407 of a proxy',
    known: 'not begun',
    fits: (error) => isForbidden(error) || (isUnspent(error) && statusOf(error) !== undefined),
    outcome: { kind: 'wait', wait: SUBMIT_AGAIN, isCounted: true, isShared: true },
  },
  {
    when: 'service not reached, or no tunnel through a proxy',
    known: 'not sent',
    fits: isUnspent,
    outcome: { kind: 'wait', wait: SUBMIT_AGAIN, isCounted: true },
  },
  {
    when: 'database away before the request leaves',
    known: 'not sent',
    fits: isPassing,
    outcome: { kind: 'wait', wait: STORE_AGAIN, isCounted: false },
  },
  {
    when: 'database refuses for good',
    known: 'not sent',
    fits: (error) => error instanceof StoreError,
    outcome: { kind: 'wait', wait: STEP_AGAIN, isCounted: true },
  },
  {
    when: 'other 4xx',
    known: 'refused',
    fits: (error) => error instanceof RejectedError,
    outcome: { kind: 'end', state: 'failed', submit: 'refused', reason: 'the service refused the submit' },
  },
  {
    when: 'FAILED',
    known: 'spent',
    fits: (error) => error instanceof ExecutionFailedError,
    outcome: { kind: 'end', state: 'failed', submit: 'accepted', again: ASK_AGAIN },
  },
  {
    when: 'a 2xx that is unreadable, has no storable executionId, or is too large for the room here',
    known: 'spent',
    fits: isAnswered,
    outcome: { kind: 'end', state: 'abandoned', submit: 'unreadable', again: ASK_AGAIN },
  },
  {
    when: 'our own defect before the intent is written',
    known: 'not sent',
    fits: (_error, _counts, state) => state === 'planned',
    outcome: { kind: 'wait', wait: STEP_AGAIN, isCounted: true },
  },
  {
    when: 'its process died',
    known: 'unknown',
    fits: (error) => error instanceof LostSubmitError,
    outcome: {
      kind: 'end',
      state: 'abandoned',
      submit: 'lost',
      again: UNKNOWN_AGAIN,
      isUnlimited: true,
      reason: 'the outcome of the submit is not known',
    },
  },
  {
    when: '502, 504, 408, connection cut, no answer in time',
    known: 'unknown',
    fits: () => true,
    outcome: {
      kind: 'end',
      state: 'abandoned',
      submit: 'unanswered',
      again: UNKNOWN_AGAIN,
      isUnlimited: true,
      code: 'service_unavailable',
      reason: 'the outcome of the submit is not known',
    },
  },
];

export const STEP_RULES: readonly Rule[] = [
  { when: 'its lease is lost', fits: (error) => error instanceof LostLeaseError, outcome: { kind: 'nothing' } },
  { when: 'asked to stop', fits: (error) => error instanceof CancelledError, outcome: { kind: 'give-back' } },
  {
    when: 'its staging is gone, or lacks columns',
    fits: (error, { isLedgerBehind }) => isStagingUnusable(error) && !isLedgerBehind,
    outcome: {
      kind: 'end',
      state: 'abandoned',
      again: ASK_AGAIN,
      code: 'store',
      reason: 'its staging table is gone, as after restoring a backup without staging, or lacks columns',
    },
  },
  {
    when: 'FAILED',
    fits: (error) => error instanceof ExecutionFailedError,
    outcome: { kind: 'end', state: 'failed', again: ASK_AGAIN },
  },
  {
    when: 'the fourth refusal in a row (other 4xx)',
    fits: (error, { errorsInRow }) => error instanceof RejectedError && errorsInRow >= MAX_REFUSALS_IN_ROW,
    outcome: { kind: 'end', state: 'abandoned', again: ASK_AGAIN, reason: 'the service no longer accepts the executionId' },
  },
  {
    when: 'endless pages',
    fits: (error) => error instanceof ProtocolError && error.isLasting,
    outcome: { kind: 'end', state: 'abandoned', again: ASK_AGAIN },
  },
  {
    when: 'the fifth answer in a row against the specification',
    fits: (error, { errorsInRow }) => error instanceof ProtocolError && errorsInRow >= MAX_NONSENSE_IN_ROW,
    outcome: {
      kind: 'end',
      state: 'abandoned',
      again: ASK_AGAIN,
      reason: `at least ${MAX_NONSENSE_IN_ROW + 1} steps in a row failed, the last on an answer that makes no sense`,
    },
  },
  {
    when: '429, no slot',
    fits: (error) => error instanceof RateLimitedError,
    outcome: {
      kind: 'wait',
      wait: { baseMs: SECOND, maxMs: 2 * SECOND, grows: 'nothing', isAsked: true },
      isCounted: false,
      waitsFor: 'the call budget of',
    },
  },
  {
    when: '401, 403',
    fits: (error) => error instanceof UnauthorizedError,
    // Meanwhile the call budget probes the credential.
    outcome: {
      kind: 'wait',
      wait: { baseMs: MINUTE, maxMs: MINUTE, grows: 'nothing' },
      isCounted: false,
      waitsFor: 'a valid credential of',
    },
  },
  { when: 'database away', fits: isPassing, outcome: { kind: 'wait', wait: STORE_AGAIN, isCounted: false } },
  {
    when: '5xx, other 4xx, time-out, reset, unreadable; an answer against the specification; the database refuses for good',
    fits: () => true,
    outcome: { kind: 'wait', wait: STEP_AGAIN, isCounted: true },
  },
];

/** The outcome for `error`, thrown by a step of an execution in `state`. */
export function outcomeOf(state: LiveState, error: unknown, counts: Counts): Outcome {
  const rules = state === 'planned' || state === 'submitting' ? SUBMIT_RULES : STEP_RULES;
  const rule = rules.find(({ fits }) => fits(error, counts, state));
  return rule?.outcome ?? { kind: 'wait', wait: STEP_AGAIN, isCounted: true };
}
