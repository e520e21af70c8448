import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SlidingLimit, SlidingPeak } from '../../../../sandbox/protocol/sliding-window.ts';

/** Times of calls, in order, some at the same millisecond, some exactly a minute apart. */
const times = fc.array(fc.oneof(fc.nat({ max: 30_000 }), fc.constantFrom(0, 1, 20_000, 59_999, 60_000)), { maxLength: 60 }).map((gaps) => {
  let at = 1_800_000_000_000;
  return gaps.map((gap) => (at += gap));
});

/** How many of `all` are in the 60 seconds up to and including `at`. */
function inMinute(all: readonly number[], at: number): number {
  return all.filter((time) => time > at - 60_000 && time <= at).length;
}

test('a call is accepted exactly when fewer than the limit were in the last 60 seconds', () => {
  fc.assert(
    fc.property(times, fc.integer({ min: 1, max: 6 }), (calls, limit) => {
      const window = new SlidingLimit(limit);
      const accepted: number[] = [];
      for (const at of calls) {
        const isFree = inMinute(accepted, at) < limit;
        const waitMs = window.take(at);
        expect(waitMs === 0).toBe(isFree);
        if (isFree) accepted.push(at);
        // The wait is exact: a millisecond before it is over there is no room, then there is.
        else {
          expect(inMinute(accepted, at + waitMs - 1)).toBe(limit);
          expect(inMinute(accepted, at + waitMs)).toBeLessThan(limit);
        }
      }
    }),
  );
});

test('the peak is the most calls that were in any 60 seconds', () => {
  fc.assert(
    fc.property(times, (calls) => {
      const window = new SlidingPeak();
      for (const at of calls) window.add(at);
      expect(window.peak).toBe(Math.max(0, ...calls.map((at) => inMinute(calls, at))));
    }),
  );
});

test('the peak stays right over many more calls than are remembered', () => {
  const window = new SlidingPeak();
  for (let call = 0; call < 50_000; call++) window.add(call * 100);
  expect(window.peak).toBe(600);
});
