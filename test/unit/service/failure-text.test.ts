import { describe, expect, it } from 'vitest';
import { readFailureText } from '../../../src/service/failure-text.ts';

describe('readFailureText', () => {
  it.each([
    [{}, null],
    [null, null],
    [['a'], null],
    [{ message: '  ' }, null],
    [{ error: null, message: {}, errors: [], details: [null, ''] }, null],
    [{ requestId: 'r', results: [['a']], prompt: 'x' }, null],
    [{ message: 'too much' }, 'too much'],
    [{ error: 'TIMEOUT', message: 'too much' }, 'TIMEOUT: too much'],
    [{ error: { code: 7 } }, '{"code":7}'],
    [{ error: { code: 7, message: 'too much' } }, '7: too much'],
    [{ errorMessage: 'too much' }, 'too much'],
    [{ error_message: 'too much', errorCode: 'E7' }, 'E7: too much'],
    [{ error: true, message: 'too much' }, 'too much'],
    [{ error: { error: { message: 'too much' } } }, 'too much'],
    [{ errors: [{ message: 'too much' }, { message: 'too late' }, 'too bad'] }, 'too much; too late; too bad'],
    [{ message: 'too much', errors: [{ message: 'too much' }] }, 'too much'],
    [{ title: 'Timeout', detail: 'too much', status: 504 }, 'Timeout: too much'],
    [{ message: 'too much', details: { reason: 'rows', limit: 5 } }, 'too much: rows'],
    [{ message: 'too much', details: { rows: 5 } }, 'too much: {"rows":5}'],
    [{ failureReason: 'too much', cause: { message: 'rows' } }, 'too much: rows'],
  ])('of %j is %j', (body, expected) => {
    expect(readFailureText(body)).toBe(expected);
  });

  it('is bounded for bodies of any length and depth', () => {
    const errors = Array.from({ length: 1_000 }, (_, number) => ({ message: `no. ${number}` }));
    expect(readFailureText({ errors })).toBe(Array.from({ length: 10 }, (_, number) => `no. ${number}`).join('; '));
    for (const depth of [20, 100_000]) {
      const open = '{"error":'.repeat(depth);
      const body: unknown = JSON.parse(`{"message":"too deep","error":${open}"inside"${'}'.repeat(depth)}}`);
      expect(readFailureText(body)).toContain('too deep');
    }
  });
});
