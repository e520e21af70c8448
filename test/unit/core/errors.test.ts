import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as errors from '../../../src/core/errors.ts';

const { describeError } = errors;

describe('the kinds of errors', () => {
  it.each([
    [new errors.ConfigurationError('x'), 'configuration', false],
    [new errors.ServiceUnavailableError('x', { isOutcomeUnknown: true }), 'service_unavailable', true],
    [new errors.RateLimitedError('x'), 'rate_limited', true],
    [new errors.UnauthorizedError('x'), 'unauthorized', true],
    [new errors.RejectedError('x'), 'rejected', false],
    [new errors.ExecutionFailedError('x'), 'execution_failed', false],
    [new errors.ProtocolError('x'), 'protocol', true],
    [new errors.LostLeaseError('x'), 'lost_lease', false],
    [new errors.StoreError('x', { retryable: true }), 'store', true],
    [new errors.StoreError('x', { retryable: false }), 'store', false],
    [new errors.CancelledError(), 'cancelled', true],
  ])('%s has code %s, and retryable is %s', (error, code, retryable) => {
    expect(error).toBeInstanceOf(errors.SearchmillError);
    expect(error).toMatchObject({ code, retryable, name: error.constructor.name, context: {} });
  });

  it('keep their context, their cause and how long to wait', () => {
    const cause = new Error('deep');
    const error = new errors.RateLimitedError('slow down', { context: { job: 'a', status: 429 }, cause, retryAfterMs: 1500 });
    expect(error).toMatchObject({ context: { job: 'a', status: 429 }, cause, retryAfterMs: 1500 });
  });
});

describe('the description of an error', () => {
  it('names the causes, each once, outermost first', () => {
    const error = new Error('publishing failed', { cause: new Error('connection lost', { cause: new Error('ECONNRESET') }) });
    expect(describeError(error)).toBe('publishing failed: connection lost: ECONNRESET');
  });

  it('puts a cause into brackets after a message that is a whole sentence', () => {
    const error = new Error('no usable answer. Nothing was sent.', { cause: new Error('socket hang up') });
    expect(describeError(error)).toBe('no usable answer. Nothing was sent. (socket hang up)');
  });

  it('leaves out a cause whose message the error repeats', () => {
    const cause = new Error('connection lost');
    expect(describeError(new Error('the store: connection lost', { cause }))).toBe('the store: connection lost');
  });

  it('is one line that Postgres can store, whatever the messages hold', () => {
    expect(describeError(new Error('a\nb\r\n  c\t', { cause: new Error('d\n\0\x1be') }))).toBe('a b c : d e');
  });

  it('falls back to the code, then the name, of an error without a message', () => {
    expect(describeError(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
    expect(describeError(new TypeError())).toBe('TypeError');
  });

  it('names a cause that has only a code', () => {
    const cause = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    expect(describeError(new Error('no connection', { cause }))).toBe('no connection: ECONNREFUSED');
  });

  it('ends for errors that are each other\u2019s cause', () => {
    const first = new Error('first');
    const second = new Error('second', { cause: first });
    first.cause = second;
    expect(describeError(first)).toBe('first: second');
  });

  it('is a string for anything that can be thrown', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true }), (thrown) => {
        expect(describeError(thrown)).toBeTypeOf('string');
        expect(describeError(new Error('x', { cause: thrown }))).toMatch(/^x/);
      }),
    );
    expect(describeError(Symbol('s'))).toBe('Symbol(s)');
    expect(describeError(undefined)).toBe('undefined');
  });
});
