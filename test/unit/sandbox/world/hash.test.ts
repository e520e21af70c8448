import { describe, expect, test } from 'vitest';
import { below, drift, hashText, mix, pick, share } from '../../../../sandbox/world/hash.ts';

const NUMBERS = Array.from({ length: 20_000 }, (_, index) => index);

describe('mix', () => {
  test('gives neighbours keys that have nothing in common, for any of its two numbers', () => {
    for (const keys of [NUMBERS.map((n) => mix(7, n)), NUMBERS.map((n) => mix(n, 7)), NUMBERS.map((n) => mix(mix(7, n), n + 1))]) {
      expect(new Set(keys).size).toBeGreaterThan(19_990);
      const buckets = new Array<number>(20).fill(0);
      for (const key of keys) buckets[below(key, 20)] = (buckets[below(key, 20)] ?? 0) + 1;
      for (const count of buckets) expect(Math.abs(count - 1000)).toBeLessThan(150);
    }
  });

  test('is the same on every machine and in every release, so that a seed keeps its invented company', () => {
    expect([mix(0, 0), mix(1, 2), mix(-5, 1_000_000), hashText('sandbox')]).toMatchInlineSnapshot(`
      [
        1622709315,
        1668479420,
        953480231,
        -1205768586,
      ]
    `);
  });
});

test('share lies in [0, 1), also for negative keys', () => {
  for (const key of [0, -1, 0x7fffffff, -0x80000000]) {
    expect(share(key)).toBeGreaterThanOrEqual(0);
    expect(share(key)).toBeLessThan(1);
  }
});

test('hashText tells similar texts apart', () => {
  expect(new Set(['', 'a', 'b', 'aa', 'ab', 'ba', 'ä', 'DE BER', 'DE-BER'].map(hashText)).size).toBe(9);
});

test('picking from nothing is an error', () => {
  expect(pick(['x'], 123)).toBe('x');
  expect(() => pick([], 123)).toThrow(RangeError);
});

describe('drift', () => {
  test('stays between -1 and 1 and moves in small steps', () => {
    for (const key of NUMBERS.slice(0, 200).map((n) => mix(n, 3))) {
      const weeks = Array.from({ length: 120 }, (_, week) => drift(key, week + 2800, 9));
      expect(Math.max(...weeks.map(Math.abs))).toBeLessThanOrEqual(1);
      const steps = weeks.slice(1).map((value, index) => Math.abs(value - (weeks[index] ?? 0)));
      expect(Math.max(...steps)).toBeLessThan(0.35);
      expect(Math.max(...weeks) - Math.min(...weeks)).toBeGreaterThan(0.3);
    }
  });

  test('turns in different weeks for different keys', () => {
    const turning = NUMBERS.slice(0, 100).map((n) => mix(n, 4) >>> 0);
    expect(new Set(turning.map((key) => below(key, 9))).size).toBe(9);
  });
});
