// The errors of calls that a limiter never sent, with advice.

import { SECOND } from '../core/clock.ts';
import { type ErrorContext, RateLimitedError, StalePermitError } from '../core/errors.ts';
import { type CallKind, PERMIT_VALID_MS } from '../core/limits.ts';
import { stepOfCredential } from '../core/supervisor.ts';
import type { SlotsTaken } from './budget.ts';

/** No permit is available within the time that the call may wait. */
export function refuseWait(
  kind: CallKind,
  pausedBecause: SlotsTaken['pausedBecause'],
  waitMs: number,
  context: ErrorContext,
): RateLimitedError {
  const reason =
    pausedBecause === 'unauthorized'
      ? `calls are paused because the service refused the credential (401); correct it (${stepOfCredential()}), or wait for the next probe`
      : pausedBecause === 'rate_limited'
        ? 'calls are paused because the service asked for fewer (429)'
        : `the allowed ${kind} calls per minute are used up`;
  const message = `${reason}; the next ${kind} may go in ${(waitMs / SECOND).toFixed(1)} s; nothing was sent`;
  return new RateLimitedError(message, { context, retryAfterMs: waitMs });
}

export function giveUpStale(kind: CallKind, times: number, context: ErrorContext): StalePermitError {
  const message =
    `the ${kind} could not be sent within ${PERMIT_VALID_MS} ms of its permission, ${times} times in a row; ` +
    'nothing was sent: the ledger answers or the service connects too slowly, or this machine is overloaded';
  return new StalePermitError(message, { context });
}
