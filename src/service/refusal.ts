// Turns an answer that is not an execution record into the matching error, and decides what may be retried.
// Source: service specification, "Errors"; its table names 400, 401, 429 and 500, but gateways send others.

import type { ReadBody } from '../codec/answer-body.ts';
import { SECOND } from '../core/clock.ts';
import {
  type ErrorOptions,
  ProtocolError,
  RateLimitedError,
  RejectedError,
  type SearchmillError,
  ServiceUnavailableError,
  UnauthorizedError,
} from '../core/errors.ts';
import { stepOfCredential } from '../core/supervisor.ts';
import type { HttpProxy } from '../egress/route.ts';
import { describeUnknownUser } from '../egress/tunnel.ts';
import { endSentence } from './excerpt.ts';
import { readFailureText } from './failure-text.ts';
import type { HttpAnswer } from './http-exchange.ts';
import { nameOperation, noteUnknownOutcome, type Operation } from './operation.ts';
import { errorBodySchema } from './wire.ts';

/** Maximum characters of a 400's message that are passed on. */
const MESSAGE_LENGTH = 500;
const CODE_LENGTH = 80;

/** An answer with what is needed to describe it. */
export type AnsweredCall = Readonly<{
  operation: Operation;
  answer: HttpAnswer;
  body: ReadBody;
  retryAfterMs: number | undefined;
  proxy: HttpProxy | undefined;
  /** Makes text from the service safe for a message. */
  show: (text: string, length?: number) => string;
}>;

/** Statuses that concern the call itself, whatever the body says. */
export function isAboutTheCall(status: number): boolean {
  return status === 401 || status === 403 || status === 407 || status === 429 || (status >= 300 && status < 400);
}

/** The error for an answer that is not an execution record; `problem` says why not, for statuses that should carry one. */
export function explainRefusal(call: AnsweredCall, problem: string): SearchmillError {
  const { operation, answer, retryAfterMs } = call;
  const { status } = answer;
  const begin = `${nameOperation(operation)}:`;
  const options: ErrorOptions = {
    context: { ...operation.context, status, ...requestIdOf(call) },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  if (status < 300) return explainNonsense(call, problem, options);
  if (status < 400) {
    // These redirects ask for the request to be repeated elsewhere, so nothing was begun; 303 means the opposite.
    const isOutcomeUnknown = ![301, 302, 307, 308].includes(status);
    const message = `${begin} the service answered with a redirect (${status})${describeLocation(call)}, which is not followed. Correct base_url.`;
    return new ServiceUnavailableError(message, { ...options, isOutcomeUnknown });
  }
  if (status === 401) {
    return new UnauthorizedError(
      `${begin} the service refused the credential (401${quote(call)}). Check the token, or key and secret, of this connection, and that they are for ${operation.baseUrl}; ${stepOfCredential()}.`,
      options,
    );
  }
  if (status === 403) {
    return new UnauthorizedError(
      `${begin} the credential is not allowed to do this (403${quote(call)}). Check its rights, and the account of the job.`,
      options,
    );
  }
  if (status === 407) {
    const who = call.proxy
      ? `the proxy ${call.proxy.name} ${describeUnknownUser(call.proxy)}`
      : 'a proxy asks for a user and password (407)';
    return new ServiceUnavailableError(`${begin} ${who}. Nothing was sent to the service.`, { ...options, isOutcomeUnknown: false });
  }
  if (status === 429) {
    const when = retryAfterMs === undefined ? '' : ` and to come back in ${Math.ceil(retryAfterMs / SECOND)} s`;
    return new RateLimitedError(
      `${begin} the service asked for fewer calls (429)${when}. Calls of this connection pause; nothing was begun.`,
      options,
    );
  }
  if (status >= 500 || status === 408 || status === 425) {
    const message = `${begin} the service cannot answer now (${status}${quote(call)}).${noteUnknownOutcome(operation)}`;
    return new ServiceUnavailableError(message, { ...options, isOutcomeUnknown: true });
  }
  return explainRejection(call, options);
}

/** A success status with an unreadable body. The query may have begun. */
function explainNonsense(call: AnsweredCall, problem: string, options: ErrorOptions): SearchmillError {
  const { operation, answer, body } = call;
  const begin = `${nameOperation(operation)}: the service answered ${answer.status}, but`;
  const end = `${quote(call, '; it begins: ')}.${noteUnknownOutcome(operation)}`;
  if (body.kind === 'json')
    return new ProtocolError(`${begin} not with an execution record (${call.show(problem)})${end}`, { ...options, isOutcomeUnknown: true });
  return body.kind === 'nonsense'
    ? new ProtocolError(`${begin} ${problem}${end}`, { ...options, isOutcomeUnknown: true })
    : new ServiceUnavailableError(`${begin} ${problem}${end}`, { ...options, isOutcomeUnknown: true });
}

function explainRejection(call: AnsweredCall, options: ErrorOptions): RejectedError {
  const { operation, answer, body, show } = call;
  const begin = `${nameOperation(operation)}: the service rejected the request (${answer.status}`;
  const value = body.kind === 'json' ? body.body.value : undefined;
  const parsed = errorBodySchema.safeParse(value);
  const advice = operation.name === 'submit' ? ' Correct the filters, account or period of the job.' : '';
  if (!parsed.success) {
    const text = readFailureText(value);
    const end = text === null ? `${quote(call)}).` : `): ${endSentence(show(text, MESSAGE_LENGTH))}`;
    return new RejectedError(`${begin}${end}${advice}`, options);
  }
  const serviceCode = show(parsed.data.error, CODE_LENGTH);
  const reason = endSentence(show(parsed.data.message, MESSAGE_LENGTH));
  return new RejectedError(`${begin} ${serviceCode}): ${reason}${advice}`, { ...options, serviceCode });
}

/** The beginning of the body in quotes, or an empty string. */
function quote({ body, show }: AnsweredCall, before = ': '): string {
  const text = body.kind === 'json' ? body.body.text : body.kind === 'unreadable' ? '' : body.text;
  const shown = show(text);
  return shown === '' ? '' : `${before}"${shown}"`;
}

/** The target of a redirect, without its query, which may contain a credential. */
function describeLocation({ answer, operation, show }: AnsweredCall): string {
  const { location } = answer.headers;
  if (location === undefined) return '';
  try {
    const { protocol, host, pathname } = new URL(location, 'http://same-origin.invalid');
    const isElsewhere = host !== 'same-origin.invalid';
    return ` to ${show(isElsewhere ? `${protocol}//${host}${pathname}` : pathname)} instead of ${operation.path}`;
  } catch {
    return '';
  }
}

function requestIdOf({ body, show }: AnsweredCall): { requestId?: string } {
  const value = body.kind === 'json' ? body.body.value : undefined;
  if (typeof value !== 'object' || value === null || !('requestId' in value) || typeof value.requestId !== 'string') return {};
  return { requestId: show(value.requestId, CODE_LENGTH) };
}
