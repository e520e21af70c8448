import { describe, expect, it } from 'vitest';
import * as errors from '../../../src/core/errors.ts';
import type { LiveState } from '../../../src/ledger/states.ts';
import {
  AT_ONCE,
  LostSubmitError,
  type Outcome,
  outcomeOf,
  STEP_RULES,
  SUBMIT_RULES,
  UnansweredProbeError,
} from '../../../src/pipeline/outcome.ts';

const status = (code: number) => ({ context: { status: code } });
const unanswered = (code?: number) => new errors.ServiceUnavailableError('x', { isOutcomeUnknown: true, ...(code && status(code)) });
const notSent = new errors.ServiceUnavailableError('x', { isOutcomeUnknown: false });
const away = new errors.StoreError('x', { retryable: true });
const refusedByStore = new errors.StoreError('x', { retryable: false });
const noStaging = Object.assign(new Error('relation "searchmill_staging.execution_1" does not exist'), { code: '42P01' });
const stagingGone = new errors.StoreError(noStaging.message, { retryable: false, cause: noStaging });
const lasting = new errors.ProtocolError('x', { isLasting: true });
const nonsense = new errors.ProtocolError('x');

/** What an outcome comes to, in one word or a few. */
function sum(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'wait':
      return ['wait', ...(outcome.isCounted ? ['counted'] : []), ...(outcome.isShared ? ['shared'] : []), outcome.wait.grows].join(' ');
    case 'end': {
      const { state, submit, again, isUnlimited } = outcome;
      return [state, ...(submit ? [submit] : []), again ? 'again' : 'until the tick', ...(isUnlimited === true ? ['unlimited'] : [])].join(
        ' ',
      );
    }
    default:
      return outcome.kind;
  }
}

type Row = readonly [what: string, error: unknown, sum: string, state?: LiveState, errorsInRow?: number];

describe('what follows an error of a submit', () => {
  const rows: readonly Row[] = [
    ['a lost lease', new errors.LostLeaseError('x'), 'nothing'],
    ['no slot in time', new errors.RateLimitedError('x', { retryAfterMs: 1 }), 'give-back'],
    ['a stop', new errors.CancelledError(), 'give-back'],
    ['429', new errors.RateLimitedError('x', status(429)), 'wait errors'],
    ['401', new errors.UnauthorizedError('x', status(401)), 'wait errors'],
    ['a probe without an answer', new UnansweredProbeError('x', { isOutcomeUnknown: false }), 'wait counted shared errors', 'planned'],
    ['403', new errors.UnauthorizedError('x', status(403)), 'wait counted shared errors'],
    ['500', unanswered(500), 'wait counted shared errors'],
    ['503', unanswered(503), 'wait counted shared errors'],
    ['a redirect', new errors.ServiceUnavailableError('x', { isOutcomeUnknown: false, ...status(302) }), 'wait counted shared errors'],
    ['no connection', notSent, 'wait counted errors'],
    ['a database that is away before it is sent', away, 'wait time'],
    ['a database that refuses before it is sent', refusedByStore, 'wait counted errors'],
    ['400', new errors.RejectedError('x', status(400)), 'failed refused until the tick'],
    ['FAILED', new errors.ExecutionFailedError('x'), 'failed accepted again'],
    [
      '202 without an executionId',
      new errors.ProtocolError('x', { isLasting: true, isOutcomeUnknown: true }),
      'abandoned unreadable again',
    ],
    ['202 that is not JSON', new errors.ProtocolError('x', { isOutcomeUnknown: true, ...status(202) }), 'abandoned unreadable again'],
    ['200 in an encoding nobody offered', unanswered(200), 'abandoned unreadable again'],
    ['a defect before the intent', new TypeError('x'), 'wait counted errors', 'planned'],
    ['the death of its process', new LostSubmitError(), 'abandoned lost again unlimited'],
    ['a cut connection', unanswered(), 'abandoned unanswered again unlimited'],
    ['502', unanswered(502), 'abandoned unanswered again unlimited'],
    ['408', unanswered(408), 'abandoned unanswered again unlimited'],
  ];
  for (const [what, error, expected, state = 'submitting'] of rows)
    it(what, () => expect(sum(outcomeOf(state, error, { errorsInRow: 0 }))).toBe(expected));

  it('has a row for each of its rules', () => {
    const met = rows.map(([, error, , state = 'submitting']) => outcomeOf(state, error, { errorsInRow: 0 }));
    for (const { when, outcome } of SUBMIT_RULES) expect(met, when).toContain(outcome);
  });
});

describe('what follows an error of a poll, a page or a publish', () => {
  const rows: readonly Row[] = [
    ['a lost lease', new errors.LostLeaseError('x'), 'nothing'],
    ['a stop', new errors.CancelledError(), 'give-back'],
    ['staging that is gone', stagingGone, 'abandoned again'],
    ['FAILED', new errors.ExecutionFailedError('x'), 'failed again'],
    ['400 after two errors', new errors.RejectedError('x', status(400)), 'wait counted errors', 'loading', 2],
    ['400 after three errors', new errors.RejectedError('x', status(400)), 'abandoned again', 'loading', 3],
    ['pages without end', lasting, 'abandoned again'],
    ['nonsense after three errors', nonsense, 'wait counted errors', 'loading', 3],
    ['nonsense after four errors', nonsense, 'abandoned again', 'loading', 4],
    ['429', new errors.RateLimitedError('x', status(429)), 'wait nothing'],
    ['401', new errors.UnauthorizedError('x', status(401)), 'wait nothing'],
    ['403', new errors.UnauthorizedError('x', status(403)), 'wait nothing'],
    ['a database that is away', away, 'wait time', 'staged'],
    ['a database that refuses', refusedByStore, 'wait counted errors', 'staged'],
    ['503', unanswered(503), 'wait counted errors', 'in_progress', 9],
    ['a reset', unanswered(), 'wait counted errors'],
    ['a defect', new TypeError('x'), 'wait counted errors'],
  ];
  for (const [what, error, expected, state = 'loading', errorsInRow = 0] of rows)
    it(what, () => expect(sum(outcomeOf(state, error, { errorsInRow }))).toBe(expected));

  it('has a row for each of its rules', () => {
    const met = rows.map(([, error, , state = 'loading', errorsInRow = 0]) => outcomeOf(state, error, { errorsInRow }));
    for (const { when, outcome } of STEP_RULES) expect(met, when).toContain(outcome);
  });

  it('staging that is gone while the ledger has its pages, as after a fail-over, begins again with the same execution', () => {
    expect(sum(outcomeOf('loading', stagingGone, { errorsInRow: 0, isLedgerBehind: true }))).toBe('wait counted errors');
  });
});

describe('the waits after errors', () => {
  /** For example `2 s to 300 s errors`; what the service asks for goes first, and the first repeat may be at once. */
  const waitOf = (outcome: Outcome): string => {
    const wait = outcome.kind === 'wait' ? outcome.wait : outcome.kind === 'end' ? outcome.again : undefined;
    if (!wait) return 'none';
    const { baseMs, maxMs, grows, isAsked, isAtOnceFirst } = wait;
    return [
      `${baseMs / 1000} s to ${maxMs / 1000} s ${grows}`,
      ...(isAsked ? ['asked'] : []),
      ...(isAtOnceFirst ? ['at once first'] : []),
    ].join(', ');
  };
  const AGAIN = '5 s to 300 s errors, asked';
  const ASKED_ANEW = '10 s to 1800 s spent';

  it.each<[what: string, error: unknown, wait: string, state?: LiveState, errorsInRow?: number]>([
    ['429 of a submit', new errors.RateLimitedError('x', status(429)), AGAIN],
    ['403 of a submit', new errors.UnauthorizedError('x', status(403)), AGAIN],
    ['no connection for a submit', notSent, AGAIN],
    ['400 of a submit', new errors.RejectedError('x', status(400)), 'none'],
    ['FAILED of a submit', new errors.ExecutionFailedError('x'), ASKED_ANEW],
    ['a database that is away before a submit', away, '2 s to 30 s time'],
    ['a database that refuses before a submit', refusedByStore, '2 s to 300 s errors'],
    ['a submit whose process died', new LostSubmitError(), '30 s to 600 s unknown, at once first'],
    ['502 of a submit', unanswered(502), '30 s to 600 s unknown, at once first'],
    ['a submit that is redirected', unanswered(300), '30 s to 600 s unknown, at once first'],
    ['a submit that is answered with 299', unanswered(299), ASKED_ANEW],
    ['429 of a page', new errors.RateLimitedError('x', status(429)), '1 s to 2 s nothing, asked', 'loading'],
    ['401 of a page', new errors.UnauthorizedError('x', status(401)), '60 s to 60 s nothing', 'loading'],
    ['503 of a page', unanswered(503), '2 s to 300 s errors', 'loading'],
    ['a database that is away', away, '2 s to 30 s time', 'staged'],
    ['nonsense in a row', nonsense, ASKED_ANEW, 'loading', 4],
  ])('%s', (_, error, wait, state = 'submitting', errorsInRow = 0) => {
    expect(waitOf(outcomeOf(state, error, { errorsInRow }))).toBe(wait);
  });

  it('are none where a load is submitted again at once', () => {
    expect(AT_ONCE).toEqual({ baseMs: 0, maxMs: 0, grows: 'nothing' });
  });

  it('come with a reason where the last of several errors ends a load', () => {
    expect(outcomeOf('loading', nonsense, { errorsInRow: 4 })).toMatchObject({
      reason: expect.stringContaining('at least 5 steps in a row') as string,
    });
  });

  it('may be tried again: a submit whose outcome nobody recorded', () => {
    expect(new LostSubmitError()).toMatchObject({ code: 'service_unavailable', retryable: true });
  });
});
