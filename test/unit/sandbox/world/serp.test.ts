import { describe, expect, test } from 'vitest';
import { DEFAULT_ACCOUNTS } from '../../../../sandbox/world/accounts.ts';
import { keywordAt } from '../../../../sandbox/world/keywords.ts';
import { resultCount, type Search, Serp } from '../../../../sandbox/world/serp.ts';
import { resolveSizes, SIZE_BOUNDS } from '../../../../sandbox/world/sizes.ts';
import { createWorld } from '../../../../sandbox/world/world.ts';

describe.each([
  { resultsPerKeyword: 1, competitors: 0 },
  { resultsPerKeyword: 10, competitors: 4 },
  { resultsPerKeyword: SIZE_BOUNDS.resultsPerKeyword[1], competitors: SIZE_BOUNDS.competitors[1] },
])('a result page of up to $resultsPerKeyword results with $competitors competitors', (changes) => {
  const sizes = resolveSizes('small', changes);
  const world = createWorld({ seed: 3, sizes, duplicates: 0, accounts: DEFAULT_ACCOUNTS });
  const serp = new Serp(sizes.resultsPerKeyword, 1 + sizes.competitors);

  function* searches(): Generator<Search> {
    for (const property of world.propertiesByAccount.get(12345) ?? [])
      for (const place of world.places)
        for (const device of world.devices)
          for (let index = 0; index < 20; index++)
            for (const week of [2900, 2901, 2967])
              yield { property, keywordKey: keywordAt(property.key, index).key, place, device, week, favour: 0 };
  }

  test('is full, and as long as the count that is made without laying it out', () => {
    const lengths = new Set<number>();
    for (const search of searches()) {
      serp.lay(search);
      expect(serp.count).toBe(resultCount(search, sizes.resultsPerKeyword));
      lengths.add(serp.count);
    }
    expect(Math.max(...lengths)).toBe(sizes.resultsPerKeyword);
    expect(Math.min(...lengths)).toBe(Math.max(1, sizes.resultsPerKeyword - 2));
  });

  test('has every page of every site at most once', () => {
    for (const search of searches()) {
      serp.lay(search);
      const pages = Array.from({ length: serp.count }, (_, at) => `${serp.domain[at]} ${serp.page[at]}`);
      expect(new Set(pages).size).toBe(serp.count);
    }
  });

  test('is the same whatever was laid out before', () => {
    const all = [...searches()];
    const layoutOf = (search: Search) => {
      serp.lay(search);
      return [...serp.domain.slice(0, serp.count), ...serp.type.slice(0, serp.count), ...serp.rankStandard.slice(0, serp.count)];
    };
    const forwards = all.map(layoutOf);
    const backwards = all.toReversed().map(layoutOf).toReversed();
    expect(backwards).toEqual(forwards);
  });
});
