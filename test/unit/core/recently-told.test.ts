import { expect, it } from 'vitest';
import { MINUTE } from '../../../src/core/clock.ts';
import { MAX_REMEMBERED, RecentlyTold } from '../../../src/core/recently-told.ts';

it('the same message is logged once a minute, another one at once', () => {
  let now = 0;
  const told = new RecentlyTold(() => now);
  expect([told.isNews('away'), told.isNews('away'), told.isNews('full')]).toEqual([true, false, true]);
  now = MINUTE - 1;
  expect(told.isNews('away')).toBe(false);
  now = MINUTE;
  expect([told.isNews('away'), told.isNews('away')]).toEqual([true, false]);
});

it('memory is bounded, however many different messages are logged', () => {
  const told = new RecentlyTold(() => 0);
  told.isNews('first');
  for (let at = 1; at < MAX_REMEMBERED; at++) told.isNews(`answer ${at}`);
  expect(told.isNews('first')).toBe(false);
  expect(told.isNews('one more')).toBe(true);
  expect(told.isNews('first')).toBe(true);
  expect(told.isNews(`answer ${MAX_REMEMBERED - 1}`)).toBe(false);
});
