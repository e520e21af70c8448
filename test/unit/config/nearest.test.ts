import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearestName, nearestNames } from '../../../src/config/nearest.ts';

const word = fc.string({ maxLength: 8, unit: fc.constantFrom('a', 'b', 'c') });

describe('the edit distance', () => {
  it.each([
    ['devices', 'devices', 0],
    ['', 'any', 3],
    ['device', 'devices', 1],
    ['DEKSTOP', 'DESKTOP', 1],
    ['page-size', 'page_size', 1],
    ['kitten', 'sitting', 3],
  ])('from %j to %j is %i', (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance);
  });

  it('is zero for equal words only, the same both ways, and at most the longer word', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b);
        expect(distance === 0).toBe(a === b);
        expect(editDistance(b, a)).toBe(distance);
        expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });
});

describe('the nearest name', () => {
  it.each([
    ['acount_id', 'account_id'],
    ['weeksPerQuery', 'weeks_per_query'],
    ['desktop', 'DESKTOP'],
    ['smartfone', 'SMARTPHONE'],
  ])('to %s is %s', (written, meant) => {
    expect(nearestName(written, ['DESKTOP', 'SMARTPHONE', 'account_id', 'weeks_per_query'])).toBe(meant);
  });

  it.each(['TABLET', 'all', 'xyz', ''])('does not exist for %j, which is like none of them', (written) => {
    expect(nearestName(written, ['DESKTOP', 'SMARTPHONE', 'any'])).toBeUndefined();
  });
});

it('names the nearest of many, those that have the text in them first', () => {
  const known = ['other', 'running shoes for women', 'trail shoes', 'boots'];
  expect(nearestNames('RUNNING SHOES', known, 2)).toEqual(['running shoes for women', 'trail shoes']);
  expect(nearestNames('x', known)).toHaveLength(4);
  expect(nearestNames('x', [])).toEqual([]);
});
