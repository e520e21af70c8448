import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import {
  compareFilters,
  describeFilters,
  describeShrinkage,
  findShrunkWeeks,
  nameFilters,
  quoteValue,
} from '../../../src/pipeline/shrinkage.ts';

const PERIOD = { period: { start: 'start_date', end: 'end_date' } };

/** The weeks, from 0, to which the rule objects. */
function shrunk(published: readonly number[], staged: readonly number[], { minKeepShare = 0.5, mayShrink = false } = {}): number[] {
  const { start: windowStart, end: windowEnd } = windowOfWeeks('2026-10-18', published.length);
  return findShrunkWeeks({ minKeepShare, mayShrink, windowStart, windowEnd }, staged, published).map(({ index }) => index);
}

describe('the rule on shrinking', () => {
  it('objects exactly below the share to keep', () => {
    expect(shrunk([100], [50])).toEqual([]);
    expect(shrunk([100], [49])).toEqual([0]);
    expect(shrunk([1], [1])).toEqual([]);
  });

  it('looks at each week by itself: others do not make up for a week that vanishes', () => {
    expect(shrunk([10, 10, 10, 10], [10, 0, 100, 4])).toEqual([1, 3]);
  });

  it('objects to an empty answer that replaces any rows, even if nothing must be kept', () => {
    expect(shrunk([1], [0], { minKeepShare: 0 })).toEqual([0]);
  });

  it('accepts an empty answer if nothing was published before', () => {
    expect(shrunk([0, 5], [0, 5])).toEqual([]);
  });

  it('lets fewer rows pass that were approved with the plan, but no week without rows', () => {
    expect(shrunk([100, 100], [1, 0], { mayShrink: true })).toEqual([1]);
  });

  it('never objects to growth', () => {
    const counts = fc.array(fc.tuple(fc.nat(10_000), fc.nat(10_000)), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(counts, fc.double({ min: 0, max: 1, noNaN: true }), (weeks, minKeepShare) => {
        const before = weeks.map(([rows]) => rows);
        const after = weeks.map(([rows, more]) => rows + more);
        expect(shrunk(before, after, { minKeepShare })).toEqual([]);
      }),
    );
  });
});

describe('filters that are compared', () => {
  const before = { account_id: 1, start_date: '2026-11-01', end_date: '2026-11-07', countries: ['US', 'DE'], devices: ['DESKTOP'] };

  it('are the same over another window and in another order', () => {
    const now = { ...before, start_date: '2026-11-08', end_date: '2026-11-14', countries: ['DE', 'US', 'US'] };
    expect(compareFilters(PERIOD, before, now)).toBeUndefined();
  });

  it('are named where they differ, without those that are not set', () => {
    const { devices, ...rest } = before;
    expect(compareFilters(PERIOD, before, { ...rest, countries: ['US'], min_rank: 1 })).toEqual({
      before: { countries: ['US', 'DE'], devices },
      now: { countries: ['US'], min_rank: 1 },
    });
  });
});

describe('what is said of rows that would vanish', () => {
  const week = { week: '2026-11-08', index: 0, before: 257, after: 0 };

  it('is how many they are, which filters applied then and now, and which values they have', () => {
    const filters = { before: { ai_search_engines: ['chatgpt'] }, now: { ai_search_engines: ['ChatGPT'], topics: ['Shoes'] } };
    const vanishing = [
      { what: 'engines', column: 'ai_search_engine', values: [{ value: 'chatgpt', before: 257, after: 0 }], more: 0 },
      {
        what: 'locations',
        column: 'locode',
        values: [
          { value: 'US', before: 250, after: 0 },
          { value: null, before: 7, after: 0 },
        ],
        more: 3,
      },
    ];
    expect(describeShrinkage({ weeks: [week], filters, vanishing }, 1, 0.5)).toBe(
      '0 rows would replace 257; min_keep is 0.5. ' +
        'The filters have changed: ai_search_engines was [chatgpt], is [ChatGPT], topics was not set, is [Shoes]. ' +
        'Rows that would vanish: engines chatgpt 257 -> 0; locations US 250 -> 0, none 7 -> 0 and 3 more',
    );
  });

  it('names the weeks of an answer for several', () => {
    const weeks = [week, { week: '2026-11-22', index: 2, before: 100, after: 20 }];
    expect(describeShrinkage({ weeks, vanishing: [] }, 4, 0.5)).toBe(
      'too few rows in 2 of 4 weeks: 0 would replace 257 in the week of 2026-11-08, 20 would replace 100 in the week of 2026-11-22; min_keep is 0.5',
    );
  });

  it('is short and printable, whatever the values are: in long lists the differences come first', () => {
    const many = Array.from({ length: 1000 }, (_, i) => `prompt ${i}`);
    const filters = { before: { prompts: [...many, 'the last'] }, now: { prompts: many } };
    const values = [{ value: `\u001b[31m${'x'.repeat(500)}`, before: 1, after: 0 }];
    const text = describeShrinkage({ weeks: [week], filters, vanishing: [{ what: 'brands', column: 'b', values, more: 0 }] }, 1, 0.5);
    expect(text).toContain('prompts was [the last, prompt 0, prompt 1, prompt 2, prompt 3 and 996 more]');
    expect(text).not.toMatch(/\p{C}/u);
    expect(text.length).toBeLessThan(500);
  });
});

describe('filters in a message', () => {
  it('are named with their values, but for the one that every submit has', () => {
    expect(nameFilters({ collection_frequency: 'WEEKLY', devices: ['DESKTOP', 'MOBILE'], min_rank: 3 })).toBe(
      'devices [DESKTOP, MOBILE], min_rank 3',
    );
    expect(nameFilters({ collection_frequency: 'WEEKLY' })).toBe('');
  });

  it('have first what the other side lacks', () => {
    expect(describeFilters({ before: { countries: ['US', 'DE'] }, now: { countries: ['DE', 'FR'], limit: 5 } })).toBe(
      'countries was [US, DE], is [FR, DE], limit was not set, is 5',
    );
    expect(describeFilters({ before: { countries: 'US' }, now: { countries: ['DE', 'US'] } })).toBe('countries was US, is [DE, US]');
  });

  it('are cut, as texts or as JSON', () => {
    expect([quoteValue('a'.repeat(99)).length, quoteValue({ a: 1 })]).toEqual([60, '{"a":1}']);
  });
});
