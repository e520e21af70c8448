// One POST over an undici dispatcher: bytes out, bytes in. Uses undici's lowest interface, because only there the moment just before the
// first byte is written is visible, and that moment alone decides whether a call was made.
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { describeTooLarge, encodingsOf, MAX_ERROR_BYTES } from '../codec/answer-body.ts';
import { type Body, BodySink } from '../codec/body-sink.ts';
import type { BufferPool } from '../codec/buffer-pool.ts';
import { type BodyCollector, RowCutter } from '../codec/row-cutter.ts';
import { watchAbort } from '../core/abort-watch.ts';
import { SECOND } from '../core/clock.ts';
import { CancelledError } from '../core/errors.ts';

export type HttpPost = Readonly<{
  origin: string;
  /** Path and query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  headersTimeoutMs: number;
  /** Longest pause between two pieces of the body, in milliseconds. */
  bodyTimeoutMs: number;
  /** From dispatch to the last byte, in milliseconds; a server that sends very slowly must not hold a call for ever. */
  totalTimeoutMs: number;
  /** Minimum speed of a slow answer, so that it does not hold a slot for long. Without it, any answer is waited for. */
  pace?: Pace | undefined;
  /**
   * Maximum bytes that are kept of the body: as received if it is compressed, else without rows of more than `maxRowBytes`. Of the body of
   * an error, MAX_ERROR_BYTES are read.
   */
  maxResponseBytes: number;
  maxRowBytes: number;
  /** Source of the memory for the body. */
  buffers: BufferPool;
  /** Called when the connection is open and nothing has been written; an error it throws ends the exchange unsent. */
  beforeWrite: () => void;
  /** Called when an answer begins, which proves that the request arrived. */
  onArrival: () => void;
  signal?: AbortSignal | undefined;
  /** How long an exchange in flight may continue after `signal` aborts, in milliseconds; Infinity: to its end. */
  cancelGraceMs: number;
}>;

/**
 * Once a call has taken `afterMs`, an answer is abandoned if it has not begun, or if it brings less than `bytesPerSecond` in any `spanMs`
 * of its body.
 */
export type Pace = Readonly<{ afterMs: number; spanMs: number; bytesPerSecond: number }>;

export type HttpAnswer = Readonly<{ status: number; headers: IncomingHttpHeaders; body: Body }>;

/** Ends an exchange for a reason of our own; the message is shown to people. */
export class ExchangeAbandonedError extends Error {}

/** Ends an exchange whose answer has begun, and is larger than the limit. */
export class AnswerTooLargeError extends ExchangeAbandonedError {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/**
 * Sends the request and collects the answer, whatever its status. The body of an error may be incomplete.
 * @throws CancelledError when aborted; ExchangeAbandonedError on the total timeout, a slow answer or a body that is too large; else what
 * undici reports or `beforeWrite` throws.
 */
export function exchange(dispatcher: Dispatcher, post: HttpPost): Promise<HttpAnswer> {
  if (post.signal?.aborted) return Promise.reject(new CancelledError());
  return new Promise((resolve, reject) => {
    const collector = new AnswerCollector(post, resolve, reject);
    const { origin, path, headers, body, headersTimeoutMs, bodyTimeoutMs } = post;
    dispatcher.dispatch(
      { origin, path, method: 'POST', headers: { ...headers }, body, headersTimeout: headersTimeoutMs, bodyTimeout: bodyTimeoutMs },
      collector,
    );
  });
}

class AnswerCollector implements Dispatcher.DispatchHandler {
  readonly #post: HttpPost;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (error: Error) => void;
  readonly #totalTimer: NodeJS.Timeout;
  readonly #stopWatching: () => void;
  #graceTimer: NodeJS.Timeout | undefined;
  #paceTimer: NodeJS.Timeout | undefined;
  /** Set when writing begins. */
  #controller: Dispatcher.DispatchController | undefined;
  #abandonedBecause: Error | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #body: BodyCollector;
  #respondedAtMs: number | undefined;
  /** Bytes of the body received, and those of them when the pace was last checked. */
  #received = 0;
  #receivedBefore = 0;
  /** The answer is already resolved; the rest of it is not needed. */
  #isCut: boolean = false;

  constructor(post: HttpPost, resolve: (answer: HttpAnswer) => void, reject: (error: Error) => void) {
    this.#post = post;
    this.#body = new BodySink(post.buffers);
    this.#resolve = resolve;
    this.#reject = reject;
    this.#totalTimer = setTimeout(
      () => this.#abandon(new ExchangeAbandonedError(`no complete answer within ${post.totalTimeoutMs} ms`)),
      post.totalTimeoutMs,
    );
    this.#stopWatching = watchAbort(post.signal, () => this.#cancel());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici passes what is thrown here to onResponseError and keeps the connection, with nothing written to it.
    if (this.#abandonedBecause) throw this.#abandonedBecause;
    this.#post.beforeWrite();
    this.#controller = controller;
    const { pace } = this.#post;
    if (pace) this.#paceTimer = setTimeout(() => this.#checkPace(pace), pace.afterMs);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#post.onArrival();
    if (status < 200) return;
    this.#respondedAtMs = performance.now();
    this.#status = status;
    this.#headers = headers;
    // The sink is still empty.
    if (!this.#isError && encodingsOf(headers['content-encoding']).length === 0)
      this.#body = new RowCutter(new BodySink(this.#post.buffers), this.#post.maxRowBytes);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isError && this.#body.bytes + chunk.length > MAX_ERROR_BYTES) {
      this.#body.write(chunk.subarray(0, MAX_ERROR_BYTES - this.#body.bytes));
      this.#isCut = true;
      this.onResponseEnd();
      // Closes the connection: it could be reused only after reading the rest.
      controller.abort(new ExchangeAbandonedError('its answer was read as far as it matters'));
    } else this.#keep(chunk);
  }

  #keep(chunk: Buffer): void {
    this.#received += chunk.length;
    try {
      this.#body.write(chunk);
    } catch (error) {
      this.#abandon(error as Error);
      return;
    }
    const { maxResponseBytes } = this.#post;
    if (this.#body.bytes > maxResponseBytes) this.#abandon(new AnswerTooLargeError(describeTooLarge(maxResponseBytes), this.#status));
  }

  onResponseEnd(): void {
    this.#settle();
    this.#resolve({ status: this.#status, headers: this.#headers, body: this.#body.finish() });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isCut) return;
    this.#settle();
    // The status of an error is enough, even if the rest of its answer was lost.
    if (this.#isError && !(this.#abandonedBecause instanceof CancelledError)) {
      this.#resolve({ status: this.#status, headers: this.#headers, body: this.#body.finish() });
      return;
    }
    this.#body.discard();
    this.#reject(error);
  }

  #checkPace(pace: Pace): void {
    const { afterMs, spanMs, bytesPerSecond } = pace;
    const untilSpanMs = this.#respondedAtMs === undefined ? 0 : this.#respondedAtMs + spanMs - performance.now();
    if (untilSpanMs <= 0) {
      if ((this.#received - this.#receivedBefore) * SECOND < bytesPerSecond * spanMs) {
        const slow = `no complete answer within ${afterMs} ms, and it comes at less than ${bytesPerSecond} bytes a second`;
        this.#abandon(
          new ExchangeAbandonedError(this.#respondedAtMs === undefined ? `it did not begin to answer within ${afterMs} ms` : slow),
        );
        return;
      }
      this.#receivedBefore = this.#received;
    }
    this.#paceTimer = setTimeout(() => this.#checkPace(pace), untilSpanMs > 0 ? untilSpanMs : spanMs);
  }

  get #isError(): boolean {
    return this.#status >= 300;
  }

  #cancel(): void {
    const { cancelGraceMs } = this.#post;
    if (!this.#controller) this.#abandon(new CancelledError());
    else if (cancelGraceMs !== Number.POSITIVE_INFINITY) {
      this.#graceTimer = setTimeout(() => this.#abandon(new CancelledError()), cancelGraceMs);
    }
  }

  #abandon(reason: Error): void {
    this.#abandonedBecause = reason;
    if (this.#controller) {
      this.#controller.abort(reason);
      return;
    }
    // Still connecting: undici has nothing to abort yet; onRequestStart will throw when it is connected.
    this.#settle();
    this.#reject(reason);
  }

  #settle(): void {
    clearTimeout(this.#totalTimer);
    clearTimeout(this.#graceTimer);
    clearTimeout(this.#paceTimer);
    this.#stopWatching();
  }
}
