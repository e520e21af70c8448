// All kinds of errors. The code that creates an error decides whether it is `retryable`.
// The pipeline records in the ledger what follows (failures.ts); BullMQ never sees an error and never retries.
import { inspect } from 'node:util';

/** Which piece of work an error belongs to; only identifiers, never a credential or a row's content. */
export type ErrorContext = Readonly<{
  job?: string;
  dataset?: string;
  connection?: string;
  window?: string;
  slice?: string;
  execution?: string;
  page?: number;
  requestId?: string;
  /** The service's executionId. */
  remoteExecutionId?: string;
  status?: number;
}>;

export type ErrorCode =
  | 'configuration'
  | 'service_unavailable'
  | 'rate_limited'
  | 'unauthorized'
  | 'rejected'
  | 'execution_failed'
  | 'protocol'
  | 'lost_lease'
  | 'store'
  | 'cancelled';

export type ErrorOptions = Readonly<{ context?: ErrorContext; cause?: unknown; retryAfterMs?: number }>;

/** Base class: `code` names the kind, `retryable` says whether the same step may be tried again later. */
export class SearchmillError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly context: ErrorContext;
  /** Milliseconds that the other side asked us to wait, if it did. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, retryable: boolean, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.retryable = retryable;
    this.context = options.context ?? {};
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A kind of error that has only its code. */
function errorOf(code: ErrorCode, retryable: boolean) {
  return class extends SearchmillError {
    constructor(message: string, options?: ErrorOptions) {
      super(code, retryable, message, options);
    }
  };
}

/** Thrown for faults that only a person can correct: environment, YAML, command line, rights, missing tables, a clock that is ahead. */
export class ConfigurationError extends errorOf('configuration', false) {}

/**
 * Thrown when no usable answer came: not reached, timed out, 5xx, 408, 425, a redirect, an unreadable body; or permits expired.
 */
export class ServiceUnavailableError extends SearchmillError {
  /** Whether the request may have reached the service: then a submit may be spent. */
  readonly isOutcomeUnknown: boolean;

  constructor(message: string, options: ErrorOptions & { isOutcomeUnknown: boolean }) {
    super('service_unavailable', true, message, options);
    this.isOutcomeUnknown = options.isOutcomeUnknown;
  }
}

/** Thrown when the permit of a call expired before the call could be sent: the machine or the ledger is slow. */
export class StalePermitError extends ServiceUnavailableError {
  constructor(message: string, options: ErrorOptions) {
    super(message, { ...options, isOutcomeUnknown: false });
  }
}

/**
 * Thrown on HTTP 429, and when no permit is available in time; `context.status` is then not set. `retryAfterMs` says how long to wait,
 * if that is known.
 */
export class RateLimitedError extends errorOf('rate_limited', true) {}

/** Thrown on HTTP 401 (the credential is refused) and 403 (it may not do this). */
export class UnauthorizedError extends errorOf('unauthorized', true) {}

/** Thrown on HTTP 400 and other 4xx: the service read the request and refused it. */
export class RejectedError extends SearchmillError {
  /** The service's own error code, such as INVALID_PARAMETERS, if its body had one. */
  readonly serviceCode: string | undefined;

  constructor(message: string, options: ErrorOptions & { serviceCode?: string | undefined } = {}) {
    super('rejected', false, message, options);
    this.serviceCode = options.serviceCode;
  }
}

/** Thrown when the service says the query itself ended in `FAILED`. */
export class ExecutionFailedError extends errorOf('execution_failed', false) {}

/** Thrown when an answer breaks the specification (a state without its fields, a repeated page token). */
export class ProtocolError extends SearchmillError {
  /** Whether the service may have begun the query: true for a submit whose answer makes no sense. */
  readonly isOutcomeUnknown: boolean;
  /**
   * Whether asking again would bring the same: pages that lead in a circle, which each step would follow a little further; or a
   * submit that was taken under no usable executionId, which spends one each time.
   */
  readonly isLasting: boolean;

  constructor(message: string, options: ErrorOptions & { isOutcomeUnknown?: boolean; isLasting?: boolean } = {}) {
    super('protocol', true, message, options);
    this.isOutcomeUnknown = options.isOutcomeUnknown ?? false;
    this.isLasting = options.isLasting ?? false;
  }
}

/** Thrown when another worker has taken over the execution, or it was cancelled: stop at once, write nothing. */
export class LostLeaseError extends errorOf('lost_lease', false) {}

/** Thrown when Postgres or Redis cannot be used right now (`retryable`) or refuses permanently. */
export class StoreError extends SearchmillError {
  constructor(message: string, options: ErrorOptions & { retryable: boolean }) {
    super('store', options.retryable, message, options);
  }
}

/** Whether it is a temporary failure of a store, so that the same may be tried again. */
export function isPassing(error: unknown): boolean {
  return error instanceof StoreError && error.retryable;
}

/** Thrown inside a wait or a call when the process is asked to stop. */
export class CancelledError extends SearchmillError {
  constructor(message = 'stopped before it was finished') {
    super('cancelled', true, message);
  }
}

/** The message of anything thrown, and of its causes if they add something, on one line. Never throws. */
export function describeError(error: unknown): string {
  const seen: Error[] = [];
  let text = error instanceof Error ? '' : inspectThrown(error);
  for (let next: unknown = error; next instanceof Error && !seen.includes(next); next = next.cause) {
    const own = next.message || (next as NodeJS.ErrnoException).code || next.name;
    if (seen.at(-1)?.message.includes(own)) break;
    if (seen.length > 0) text += text.endsWith('.') ? ` (${own})` : `: ${own}`;
    else text = own;
    seen.push(next);
  }
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

function inspectThrown(thrown: unknown): string {
  return typeof thrown === 'object' && thrown !== null ? inspect(thrown) : String(thrown);
}
