// One call, from its place in the queue to a validated execution record: waits for a permit, sends once, reads the answer, and tells the
// budget about pauses. Never retries: each attempt needs its own permit, and the ledger decides whether there is another attempt.
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
import type { RefusedCall } from './budget.ts';
import type { ClientOptions } from './client-options.ts';
import { excerpt } from './excerpt.ts';
import { readRecord } from './execution-record.ts';
import { exchange, type HttpAnswer } from './http-exchange.ts';
import type { ConnectionLimiter } from './limiters.ts';
import { nameOperation, noteUnknownOutcome, type Operation } from './operation.ts';
import { type CallWish, ExpiredPermitError, type Permit } from './permit.ts';
import { type AnsweredCall, explainRefusal, isAboutTheCall } from './refusal.ts';
import { parseRetryAfter } from './retry-after.ts';
import { explainTransportFailure } from './transport-failure.ts';
import { type ExecutionRecord, JSON_CONTENT_TYPE } from './wire.ts';

/** Longest requestId that is kept, in characters. */
const REQUEST_ID_LENGTH = 100;

/**
 * How to make a call. Aborting its signal removes it from the queue, or ends it after ClientOptions.cancelGraceMs when it is in flight. A
 * submit that was sent runs to its end, because only its answer tells the executionId.
 */
export type ServiceCall = CallWish &
  Readonly<{
    /**
     * Runs each time the call has a permit, before anything is sent: once, unless a permit went stale. The call may still end
     * unsent (cancelled, no further permit in time, no connection); its error says so.
     */
    onPermit?: (() => Promise<void>) | undefined;
    /** Runs when the complete answer has arrived, before it is processed. Must not throw. */
    onAnswered?: (() => Promise<void>) | undefined;
  }>;

/** How an attempted call ended: answered, or the code of its error. */
export type CallOutcome = 'ok' | ErrorCode | 'defect';

/** Notified of every attempted call; a call that never got a permit was not attempted. */
export interface CallObserver {
  onCall(operation: Operation, outcome: CallOutcome, waitedMs: number, durationMs: number): void;
  /** Notified of every complete answer. `record` is its body without rows if that is an execution record; else undefined. */
  onAnswer?(operation: Operation, answer: Readonly<{ status: number; headers: IncomingHttpHeaders; record: unknown }>): void;
}

/** Settings that all calls of one connection share. */
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

/** A validated execution record whose requestId is safe to show; its body; and a function that makes other text from it safe to show. */
export type RecordAnswer = Readonly<{ record: ExecutionRecord; body: JsonBody; show: AnsweredCall['show']; timing: CallTiming }>;

type PermittedCall = Readonly<{ operation: Operation; payload: string; permit: Permit; signal: AbortSignal | undefined }>;
type Answered = Readonly<{ answer: HttpAnswer; retryAfterMs: number | undefined; secrets: readonly Secret[] }>;

/**
 * Makes the call and returns the execution record in the answer, whatever the state and the HTTP status.
 * Throws the errors of src/core/errors.ts. `isOutcomeUnknown`, where an error has it, says whether the service may have begun the work.
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
        isStale = error instanceof ExpiredPermitError;
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

/** There was no room for the answer. A poll or page is asked again; a submit was answered, so it is spent. */
function explainNoRoom(operation: Operation, error: StoreError): SearchmillError {
  if (operation.name !== 'submit') return error;
  const message = `${nameOperation(operation)}: the service answered, but ${error.message}.${noteUnknownOutcome(operation)}`;
  return new ProtocolError(message, { context: operation.context, cause: error, isOutcomeUnknown: true });
}

/** Sends once, and reports the answer to the budget before its slot in the queue is freed. */
async function send(settings: CallSettings, { operation, payload, permit, signal }: PermittedCall): Promise<Answered> {
  const { clock, options, proxy } = settings;
  const credentials = settings.authorize();
  const secrets = [...credentials.secrets, ...(proxy?.secrets ?? [])];
  let isSent = false;
  const permittedMs = settings.monotonicMs();
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
      maxRowBytes: options.maxRowBytes,
      buffers: settings.buffers,
      beforeWrite: () => {
        if (!permit.isFresh()) throw new ExpiredPermitError();
        isSent = true;
      },
      onArrival: permit.noteArrival,
      signal,
      cancelGraceMs: operation.name === 'submit' ? Number.POSITIVE_INFINITY : options.cancelGraceMs,
    });
  } catch (error) {
    // A StoreError concerns this machine: there was no room for the answer.
    if (error instanceof ExpiredPermitError || error instanceof CancelledError || error instanceof StoreError) throw error;
    throw explainTransportFailure(operation, error, { host: new URL(settings.origin).host, proxy, isSent, secrets });
  }
  const retryAfterMs = parseRetryAfter(answer.headers, clock);
  const call = { kind: operation.kind, ageMs: settings.monotonicMs() - permittedMs };
  await notePauses(settings.limiter, answer.status, { permit, retryAfterMs, call });
  return { answer, retryAfterMs, secrets };
}

/** Reports to the budget what an answer means for its pauses, judged by its status alone. */
async function notePauses(
  { pauses }: ConnectionLimiter,
  status: number,
  { permit, retryAfterMs, call }: Readonly<{ permit: Permit; retryAfterMs: number | undefined; call: RefusedCall }>,
): Promise<void> {
  if (status === 429) await pauses.noteRateLimited(permit.pauseNumber, retryAfterMs, call);
  else if (status === 401) await pauses.noteUnauthorized();
  // The service accepted the credential and read the request. 403 and 408 do not prove that, nor do gateways (3xx, 5xx) and proxies (407).
  else if (status < 300 || (status >= 400 && status < 500 && ![403, 407, 408, 425].includes(status)))
    await pauses.noteAccepted(permit.pauseNumber);
}

async function readAnswer(
  settings: CallSettings,
  operation: Operation,
  { answer, retryAfterMs, secrets }: Answered,
): Promise<Omit<RecordAnswer, 'timing'>> {
  const { buffers, options } = settings;
  const encoding = answer.headers['content-encoding'];
  const body = await (answer.status < 300
    ? readBody(answer.body, { encoding, buffers, maxBytes: options.maxResponseBytes, maxRowBytes: options.maxRowBytes })
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
  // The requestId goes into logs, errors and the ledger.
  const record = { ...reading.record, requestId: requestId ? show(requestId, REQUEST_ID_LENGTH) : null };
  return { record, body: body.body, show };
}
