// The service as three calls: submit, poll, paginate. Interprets the state for each; call-service.ts does the transport.
// Source: service specification, "Flow rules" and "States and transitions".
import type { Dispatcher } from 'undici';
import { BufferPool } from '../codec/buffer-pool.ts';
import { closeRows } from '../codec/page-rows.ts';
import type { Connection } from '../config/settings.ts';
import type { Clock } from '../core/clock.ts';
import { ExecutionFailedError, ProtocolError, RejectedError } from '../core/errors.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { findRoute, type Proxies } from '../egress/route.ts';
import type { Page, PollAnswer, SubmitAnswer } from './answers.ts';
import { createAuthorize } from './auth.ts';
import { type CallObserver, type CallSettings, callService, type RecordAnswer, type ServiceCall } from './call-service.ts';
import { type ClientOptions, DEFAULT_CLIENT_OPTIONS } from './client-options.ts';
import { endSentence } from './excerpt.ts';
import { readPage } from './execution-record.ts';
import { readFailureText } from './failure-text.ts';
import { openPools, shareAgent } from './http-pools.ts';
import type { ConnectionLimiter } from './limiters.ts';
import { nameOperation, type Operation, type OperationName, operationOn } from './operation.ts';
import type { PaginateBody, PollBody, SubmitBody } from './wire.ts';

/** Maximum characters of a failure message that is passed on. */
const FAILURE_LENGTH = 500;

const NO_SUCH_EXECUTION = 'searchmill-check';

type NamedDataset = Pick<Dataset, 'name'>;

export interface ServiceClient {
  /**
   * Begins a query. An answer that is COMPLETED at once is treated like IN_PROGRESS: polling then returns its pages.
   * @throws ProtocolError, not retryable and with an unknown outcome, when the answer has no executionId that can be stored; and what
   * callService throws.
   */
  submit(dataset: NamedDataset, body: SubmitBody, call: ServiceCall): Promise<SubmitAnswer>;
  /** Asks for the state of a query. A completed one comes with its first page. @throws ProtocolError and what callService throws. */
  poll(dataset: NamedDataset, executionId: string, call: ServiceCall): Promise<PollAnswer>;
  /**
   * Reads the page that a token names.
   * @throws ExecutionFailedError on FAILED; ProtocolError when the query is IN_PROGRESS again; what callService throws.
   */
  paginate(dataset: NamedDataset, page: PaginateBody & { pageSize: number }, call: ServiceCall): Promise<Page>;
  /**
   * Polls an execution that does not exist: any answer about it proves that the service is reachable and accepts the credential. Spends no
   * submit. @throws what callService throws when the service did not look at the request.
   */
  probe(dataset: NamedDataset, call: ServiceCall): Promise<void>;
  /** Closes the connections; calls in flight fail. */
  close(): Promise<void>;
}

export type ServiceClientSettings = Readonly<{
  connection: Connection;
  limiter: ConnectionLimiter;
  clock: Clock;
  proxies: Proxies;
  /** Replaces the client's own connection pools; the caller closes it. */
  httpAgent?: Dispatcher;
  options?: Partial<ClientOptions>;
  /** Memory for answers, shared by all clients that get the same pool; by default the client has its own. */
  buffers?: BufferPool | undefined;
  observer?: CallObserver | undefined;
  /** Monotonic clock in milliseconds, for durations; default performance.now(). */
  monotonicMs?: () => number;
}>;

/** @throws ConfigurationError when the credential cannot be sent in a header. */
export function createServiceClient({
  connection,
  limiter,
  clock,
  proxies,
  httpAgent,
  observer,
  ...rest
}: ServiceClientSettings): ServiceClient {
  const options = { ...DEFAULT_CLIENT_OPTIONS, ...rest.options };
  const baseUrl = new URL(connection.baseUrl);
  const { proxy } = findRoute(proxies, connection.baseUrl);
  const authorize = createAuthorize(connection, clock);
  const pools = httpAgent ? shareAgent(httpAgent) : openPools(baseUrl.origin, limiter, options, proxy);
  const settings: CallSettings = {
    origin: baseUrl.origin,
    pathPrefix: baseUrl.pathname.replace(/\/+$/, ''),
    limiter,
    dispatchers: pools.dispatchers,
    proxy,
    authorize,
    clock,
    buffers: rest.buffers ?? new BufferPool(),
    monotonicMs: rest.monotonicMs ?? (() => performance.now()),
    options,
    observer,
  };
  const send = async (name: OperationName, dataset: NamedDataset, body: SubmitBody | PollBody | PaginateBody, call: ServiceCall) => {
    const operation = operationOn(name, dataset, connection, call.context);
    return { operation, ...(await callService(settings, operation, body, call)) };
  };
  return {
    async submit(dataset, body, call) {
      const answer = await send('submit', dataset, body, call);
      closeRows(answer.body.rows);
      const { operation, record } = answer;
      const requestId = record.requestId ?? null;
      if (record.executionState === 'FAILED')
        return { state: 'failed', executionId: record.executionId || null, message: failureOf(answer), requestId };
      if (!record.executionId) {
        const message = `${nameOperation(operation)}: the service took the query but gave no executionId that can be kept, so it cannot be read.`;
        throw new ProtocolError(message, { context: contextOf(answer), isOutcomeUnknown: true, isLasting: true });
      }
      return { state: 'accepted', executionId: record.executionId, requestId };
    },
    async poll(dataset, executionId, call) {
      const answer = await send('poll', dataset, { executionId }, call);
      const { record } = answer;
      if (record.executionState === 'COMPLETED') return { state: 'completed', page: toPage(answer, executionId) };
      closeRows(answer.body.rows);
      checkExecution(answer, executionId);
      const requestId = record.requestId ?? null;
      if (record.executionState === 'IN_PROGRESS') return { state: 'in_progress', requestId };
      return { state: 'failed', message: failureOf(answer), requestId };
    },
    async paginate(dataset, page, call) {
      const answer = await send('paginate', dataset, page, call);
      const { operation, record } = answer;
      if (record.executionState === 'COMPLETED') return toPage(answer, page.executionId);
      closeRows(answer.body.rows);
      checkExecution(answer, page.executionId);
      if (record.executionState === 'FAILED') throw failed(answer);
      throw new ProtocolError(`${nameOperation(operation)}: the service reports IN_PROGRESS for an execution that it had completed.`, {
        context: contextOf(answer),
      });
    },
    async probe(dataset, call) {
      try {
        const { body } = await send('poll', dataset, { executionId: NO_SUCH_EXECUTION }, call);
        closeRows(body.rows);
      } catch (error) {
        if (!(error instanceof RejectedError || error instanceof ProtocolError)) throw error;
      }
    },
    close: pools.close,
  };
}

type OperationAnswer = RecordAnswer & Readonly<{ operation: Operation }>;

function toPage(answer: OperationAnswer, executionId: string): Page {
  try {
    checkExecution(answer, executionId);
    const reading = readPage(answer.record, answer.body, answer.timing);
    if ('page' in reading) return reading.page;
    throw new ProtocolError(`${nameOperation(answer.operation)}: the service answered ${reading.problem}.`, { context: contextOf(answer) });
  } catch (error) {
    closeRows(answer.body.rows);
    throw error;
  }
}

/** Rejects an answer about another execution, which must not end up in this one's table. */
function checkExecution(answer: OperationAnswer, executionId: string): void {
  const answered = answer.record.executionId;
  if (!answered || answered === executionId) return;
  const message = `${nameOperation(answer.operation)}: the service answered about another execution than it was asked about.`;
  throw new ProtocolError(message, { context: contextOf(answer) });
}

/** Why a query failed, safe to show; null when the service does not say. */
function failureOf({ body, show }: OperationAnswer): string | null {
  const text = readFailureText(body.value);
  return (text !== null && show(text, FAILURE_LENGTH)) || null;
}

function failed(answer: OperationAnswer): ExecutionFailedError {
  const reason = endSentence(failureOf(answer) ?? 'without a reason');
  return new ExecutionFailedError(`${nameOperation(answer.operation)}: the query ended in FAILED: ${reason}`, {
    context: contextOf(answer),
  });
}

function contextOf({ operation, record }: OperationAnswer): Operation['context'] {
  return record.requestId ? { ...operation.context, requestId: record.requestId } : operation.context;
}
