// One call, from its position in the queue to a readable execution record: waits for a permit, sends once, reads the
// answer, tells the budget what it means for the pauses. Never tries again: each try needs a permit of its own, and
// whether there is one more is the ledger's decision.
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { JsonBody } from '../codec/answer-body.ts';
import { ACCEPTED_ENCODINGS, MAX_ERROR_BYTES, readBody } from '../codec/answer-body.ts';
import type { BufferPool } from '../codec/buffer-pool.ts';
import { closeRows } from '../codec/page-rows.ts';
import type { Clock } from '../core/clock.ts';
import { CancelledError, type ErrorCode, ProtocolError, SearchmillError, StoreError } from '../core/errors.ts';
import type { CallKind } from '../core/limits.ts';
import type { Secret } from '../core/secret.ts';
import type { HttpProxy } from '../egress/route.ts';
import type { CallTiming } from './answers.ts';
import type { Authorize } from './auth.ts';
import type { ClientOptions } from './client-options.ts';
import { excerpt } from './excerpt.ts';
import { readRecord } from './execution-record.ts';
import { exchange, type HttpAnswer } from './http-exchange.ts';
import type { ConnectionLimiter } from './limiters.ts';
import { nameOperation, noteUnknownOutcome, type Operation } from './operation.ts';
import { type CallWish, type Permit, StalePermitError } from './permit.ts';
import { type AnsweredCall, explainRefusal, isAboutTheCall } from './refusal.ts';
import { parseRetryAfter } from './retry-after.ts';
import { explainTransportFailure } from './transport-failure.ts';
import { type ExecutionRecord, JSON_CONTENT_TYPE } from './wire.ts';

/** Longest requestId that is kept, in characters. */
const REQUEST_ID_LENGTH = 100;

/**
 * How a call is to be made. Its signal takes it out of the queue, or ends it after ClientOptions.cancelGraceMs when it is under way. A
 * submit that was sent is waited for, since only its answer tells the executionId.
 */
export type ServiceCall = CallWish &
  Readonly<{
    /**
     * Runs each time the call has a permit, before anything is sent: once, unless a permit went stale. The call may still end
     * unsent (cancelled, no further permit in time, no connection); its error says so.
     */
    onPermit?: (() => Promise<void>) | undefined;
    /** Runs when the whole answer has come, before anything is done with it. Must not throw. */
    onAnswered?: (() => Promise<void>) | undefined;
  }>;

/** How a call that was tried ended: by its answer or by the code of its error. */
export type CallOutcome = 'ok' | ErrorCode | 'defect';

/** Told of every call that was tried; calls that never got a permit were none. */
export interface CallObserver {
  onCall(operation: Operation, outcome: CallOutcome, waitedMs: number, durationMs: number): void;
  /** Told of every answer that came whole. `record` is its body where that is an execution record, without its rows; else undefined. */
  onAnswer?(operation: Operation, answer: Readonly<{ status: number; headers: IncomingHttpHeaders; record: unknown }>): void;
}

/** What calls of one connection share. */
export type CallSettings = Readonly<{
  /** Origin of the base URL, and its path without a trailing slash. */
  origin: string;
  pathPrefix: string;
  limiter: ConnectionLimiter;
  dispatchers: Readonly<Record<CallKind, Dispatcher>>;
  proxy: HttpProxy | undefined;
  authorize: Authorize;
  clock: Clock;
  monotonicMs: () => number;
  options: ClientOptions;
  observer: CallObserver | undefined;
  /** Memory for answers. */
  buffers: BufferPool;
}>;

/** A readable execution record, its requestId fit to be shown; the body it came in; and how to show other text from it. */
export type RecordAnswer = Readonly<{ record: ExecutionRecord; body: JsonBody; show: AnsweredCall['show']; timing: CallTiming }>;

type PermittedCall = Readonly<{ operation: Operation; payload: string; permit: Permit; signal: AbortSignal | undefined }>;
type Answered = Readonly<{ answer: HttpAnswer; retryAfterMs: number | undefined; secrets: readonly Secret[] }>;

/**
 * Makes the call and returns the execution record it was answered with, whatever the state and the HTTP status.
 * Throws the kinds of src/core/errors.ts. Those that have `isOutcomeUnknown` say whether the service may have begun what was asked.
 */
export async function callService(settings: CallSettings, operation: Operation, body: unknown, call: ServiceCall): Promise<RecordAnswer> {
  const { limiter, monotonicMs, observer } = settings;
  const payload = JSON.stringify(body);
  let tried: CallTiming | undefined;
  let outcome: CallOutcome = 'ok';
  const wish = { ...call, context: operation.context };
  try {
    const answered = await limiter[operation.kind].run(wish, async (permit) => {
      await call.onPermit?.();
      const startedMs = monotonicMs();
      let isStale = false;
      try {
        return await send(settings, { operation, payload, permit, signal: call.signal });
      } catch (error) {
        isStale = error instanceof StalePermitError;
        throw error;
      } finally {
        tried = isStale ? undefined : { waitedMs: permit.waitedMs, durationMs: monotonicMs() - startedMs };
      }
    });
    await call.onAnswered?.();
    const { status, headers } = answered.answer;
    const tell = (record: unknown): void => observer?.onAnswer?.(operation, { status, headers, record });
    const answer = await readAnswer(settings, operation, answered).catch((error: unknown) => {
      tell(undefined);
      throw error;
    });
    tell(answer.body.value);
    return { ...answer, timing: tried ?? { waitedMs: 0, durationMs: 0 } };
  } catch (thrown) {
    const error = tried && thrown instanceof StoreError ? explainNoRoom(operation, thrown) : thrown;
    outcome = error instanceof SearchmillError ? error.code : 'defect';
    throw error;
  } finally {
    if (tried) observer?.onCall(operation, outcome, tried.waitedMs, tried.durationMs);
  }
}

/** There was no room for an answer. A poll or page is asked again; a submit was answered, and is spent. */
function explainNoRoom(operation: Operation, error: StoreError): SearchmillError {
  if (operation.name !== 'submit') return error;
  const message = `${nameOperation(operation)}: the service answered, but ${error.message}.${noteUnknownOutcome(operation)}`;
  return new ProtocolError(message, { context: operation.context, cause: error, isOutcomeUnknown: true });
}

/** Sends once, and lets the budget know about the answer before its slot in the queue is free. */
async function send(settings: CallSettings, { operation, payload, permit, signal }: PermittedCall): Promise<Answered> {
  const { clock, options, proxy } = settings;
  const credentials = settings.authorize();
  const secrets = [...credentials.secrets, ...(proxy?.secrets ?? [])];
  let isSent = false;
  let answer: HttpAnswer;
  try {
    answer = await exchange(settings.dispatchers[operation.kind], {
      origin: settings.origin,
      path: `${settings.pathPrefix}${operation.path}${credentials.query}`,
      headers: {
        'content-type': JSON_CONTENT_TYPE,
        accept: JSON_CONTENT_TYPE,
        'accept-encoding': options.isCompressionAccepted ? ACCEPTED_ENCODINGS : 'identity',
        'user-agent': 'searchmill',
        ...credentials.headers,
      },
      body: payload,
      headersTimeoutMs: options.headersTimeoutMs,
      bodyTimeoutMs: options.bodyTimeoutMs,
      totalTimeoutMs: options.totalTimeoutMs,
      pace: operation.name === 'submit' ? undefined : options.pace,
      maxResponseBytes: options.maxResponseBytes,
      buffers: settings.buffers,
      beforeWrite: () => {
        if (!permit.isFresh()) throw new StalePermitError();
        isSent = true;
      },
      onArrival: permit.noteArrival,
      signal,
      cancelGraceMs: operation.name === 'submit' ? Number.POSITIVE_INFINITY : options.cancelGraceMs,
    });
  } catch (error) {
    // A StoreError is about this machine: there was no room for the answer.
    if (error instanceof StalePermitError || error instanceof CancelledError || error instanceof StoreError) throw error;
    throw explainTransportFailure(operation, error, { host: new URL(settings.origin).host, proxy, isSent, secrets });
  }
  const retryAfterMs = parseRetryAfter(answer.headers, clock);
  await notePauses(settings.limiter, answer.status, permit, retryAfterMs);
  return { answer, retryAfterMs, secrets };
}

/** What an answer says about the budget, by its status alone. */
async function notePauses({ pauses }: ConnectionLimiter, status: number, permit: Permit, retryAfterMs: number | undefined): Promise<void> {
  if (status === 429) await pauses.noteRateLimited(permit.pauseNumber, retryAfterMs);
  else if (status === 401) await pauses.noteUnauthorized();
  // The service took the credential and looked at the request. 403 and 408 don't say so, nor do gateways (3xx, 5xx) and proxies (407).
  else if (status < 300 || (status >= 400 && status < 500 && ![403, 407, 408, 425].includes(status)))
    await pauses.noteAccepted(permit.pauseNumber);
}

async function readAnswer(
  settings: CallSettings,
  operation: Operation,
  { answer, retryAfterMs, secrets }: Answered,
): Promise<Omit<RecordAnswer, 'timing'>> {
  const { buffers } = settings;
  const encoding = answer.headers['content-encoding'];
  const body = await (answer.status < 300
    ? readBody(answer.body, { encoding, buffers, maxBytes: settings.options.maxResponseBytes })
    : readBody(answer.body, { encoding, buffers, maxBytes: MAX_ERROR_BYTES, isCut: true }));
  const show = (text: string, length?: number): string => excerpt(text, secrets, length);
  const call: AnsweredCall = { operation, answer, body, retryAfterMs, show, proxy: settings.proxy };
  const refuse = (problem: string): Error => {
    if (body.kind === 'json') closeRows(body.body.rows);
    return explainRefusal(call, problem);
  };
  if (isAboutTheCall(answer.status)) throw refuse('');
  if (body.kind !== 'json') throw refuse(body.problem);
  const reading = readRecord(body.body.value);
  if ('problem' in reading) throw refuse(reading.problem);
  const { requestId } = reading.record;
  // It goes into logs, errors and the ledger.
  const record = { ...reading.record, requestId: requestId ? show(requestId, REQUEST_ID_LENGTH) : null };
  return { record, body: body.body, show };
}
