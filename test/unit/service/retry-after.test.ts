import { describe, expect, it } from 'vitest';
import { MAX_RETRY_AFTER_MS, parseRetryAfter } from '../../../src/service/retry-after.ts';

// Friday, 6 November 2026, 08:49:37 GMT
const clock = { now: () => new Date(Date.UTC(2026, 10, 6, 8, 49, 37)), sleep: async () => {} };

describe('parseRetryAfter', () => {
  it.each([
    ['30', 30_000],
    [' 7 ', 7_000],
    ['1.5', 1_500],
    ['Fri, 06 Nov 2026 08:50:07 GMT', 30_000],
    ['Friday, 06-Nov-26 08:50:07 GMT', 30_000],
    ['Fri Nov  6 08:50:07 2026', 30_000],
    ['999999999999', MAX_RETRY_AFTER_MS],
    ['Fri, 06 Nov 2099 08:50:07 GMT', MAX_RETRY_AFTER_MS],
  ])('reads %j as %d ms', (header, expected) => {
    expect(parseRetryAfter({ 'retry-after': header }, clock)).toBe(expected);
  });

  it.each([
    ['behind', 'Fri, 06 Nov 2026 07:00:30 GMT', 'Fri, 06 Nov 2026 07:00:00 GMT'],
    ['ahead', 'Fri, 06 Nov 2026 23:00:30 GMT', 'Fri, 06 Nov 2026 23:00:00 GMT'],
  ])('counts a date from the clock of the service, which is %s', (_how, until, date) => {
    expect(parseRetryAfter({ 'retry-after': until, date }, clock)).toBe(30_000);
  });

  it('counts a date from its own clock where the service sends no time', () => {
    expect(parseRetryAfter({ 'retry-after': 'Fri, 06 Nov 2026 08:50:07 GMT', date: 'today' }, clock)).toBe(30_000);
  });

  it.each([undefined, '', 'soon', '-5', 'NaN', '1e3', `${'2026'.repeat(100)}x`, '0', '0.0', 'Fri, 06 Nov 2026 08:00:00 GMT'])(
    'ignores %j',
    (header) => {
      expect(parseRetryAfter({ 'retry-after': header }, clock)).toBeUndefined();
    },
  );

  it('takes the first of several headers', () => {
    expect(parseRetryAfter({ 'retry-after': ['3', '90'] }, clock)).toBe(3_000);
  });
});
