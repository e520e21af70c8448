import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countBetween, maxInWindow, median, medianRatio } from '../../../bench/support/statistics.ts';

const times = fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 60 });

describe('median', () => {
  it('is the value in the middle, or the mean of the two in the middle', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([7])).toBe(7);
  });

  it('refuses an empty list', () => {
    expect(() => median([])).toThrow(RangeError);
  });

  it('has as many values above as below, and leaves the list as it was', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) => {
        const before = [...values];
        const middle = median(values);
        expect(values.filter((value) => value < middle).length).toBeLessThanOrEqual(values.length / 2);
        expect(values.filter((value) => value > middle).length).toBeLessThanOrEqual(values.length / 2);
        expect(values).toEqual(before);
      }),
    );
  });
});

describe('medianRatio', () => {
  it('compares neighbours, so that a slow stretch of the machine hits both', () => {
    // The ratio of the medians would be 10 / 20.
    expect(medianRatio([10, 100, 10], [5, 50, 20])).toBe(2);
  });

  it('refuses lists that cannot be paired', () => {
    expect(() => medianRatio([1, 2], [1])).toThrow(RangeError);
  });
});

describe('maxInWindow', () => {
  it('finds the fullest span wherever it begins', () => {
    expect(maxInWindow([0, 10, 55, 58, 61, 64, 119], 60)).toBe(5);
  });

  it('does not count a time together with one that lies a whole window before it', () => {
    expect(maxInWindow([0, 60], 60)).toBe(1);
    expect(maxInWindow([0, 59], 60)).toBe(2);
  });

  it('counts each of simultaneous times, and none in an empty list', () => {
    expect(maxInWindow([7, 7, 7], 60)).toBe(3);
    expect(maxInWindow([], 60)).toBe(0);
  });

  it('agrees with counting the span before every time, in any order', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 120 }), (list, windowMs) => {
        const counted = list.map((last) => list.filter((time) => time <= last && time > last - windowMs).length);
        expect(maxInWindow(list, windowMs)).toBe(Math.max(0, ...counted));
      }),
    );
  });
});

describe('countBetween', () => {
  it('includes the start of a span and not its end, so that neighbouring spans count each time once', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 0, max: 500 }), (list, middle) => {
        expect(countBetween(list, 0, middle) + countBetween(list, middle, 501)).toBe(list.length);
      }),
    );
  });
});
