import { describe, expect, test } from 'vitest';
import { DEFAULT_ACCOUNTS } from '../../../../sandbox/world/accounts.ts';
import { competitorDomains, publisherDomains, slugOf } from '../../../../sandbox/world/domains.ts';
import { type Keyword, keywordAt, keywordText, pagePath } from '../../../../sandbox/world/keywords.ts';
import { promptAt } from '../../../../sandbox/world/prompts.ts';
import { volumeOf } from '../../../../sandbox/world/search-volume.ts';
import { SIZE_PRESETS } from '../../../../sandbox/world/sizes.ts';
import { LANGUAGES } from '../../../../sandbox/world/words.ts';
import { createWorld, type WebProperty } from '../../../../sandbox/world/world.ts';

const world = createWorld({ seed: 1, sizes: SIZE_PRESETS.medium, duplicates: 0, accounts: DEFAULT_ACCOUNTS });
const [shop] = world.propertiesByAccount.get(12345) ?? [];

function theShop(): WebProperty {
  if (!shop) throw new Error('the default account has a web property');
  return shop;
}

function keywordsOf(count: number): Keyword[] {
  return Array.from({ length: count }, (_, index) => keywordAt(theShop().key, index));
}

describe('keywords', () => {
  test.each(LANGUAGES)('no two are the same in %s, beyond the number of combinations', (language) => {
    const texts = Array.from({ length: 100_000 }, (_, index) => keywordText(keywordAt(theShop().key, index), language).query);
    expect(new Set(texts).size).toBe(100_000);
  });

  test('most are in the group of their category, some in others, a few in none', () => {
    const keywords = keywordsOf(2000);
    const ungrouped = keywords.filter(({ groupIds }) => groupIds === '').length;
    expect(ungrouped).toBeGreaterThan(20);
    expect(ungrouped).toBeLessThan(200);
    expect(keywords.filter(({ groupIds }) => groupIds.includes(',')).length).toBeGreaterThan(200);
    for (const { groupIds, groupNames } of keywords) expect(groupIds.split(',').length).toBe(groupNames.split(',').length);
  });

  test('the two pages of a site have different paths', () => {
    for (const keyword of keywordsOf(200)) {
      const text = keywordText(keyword, 'de');
      expect(pagePath(keyword.key, 0, text)).not.toBe(pagePath(keyword.key, 1, text));
      expect(pagePath(keyword.key, 0, text)).toMatch(/^\/[a-z0-9/-]+$/);
    }
  });
});

describe('prompts', () => {
  test.each(LANGUAGES)('no two are the same in %s', (language) => {
    const texts = Array.from({ length: 20_000 }, (_, index) => promptAt(theShop(), index).text(language));
    expect(new Set(texts).size).toBe(20_000);
  });

  test('branded prompts name the brand, others do not', () => {
    const prompts = Array.from({ length: 500 }, (_, index) => promptAt(theShop(), index));
    for (const prompt of prompts) expect(prompt.text('en').includes('Brightpeak')).toBe(prompt.type === 'branded');
    expect(new Set(prompts.map(({ intent }) => intent)).size).toBe(4);
    expect(prompts.some(({ persona }) => persona === null)).toBe(true);
  });
});

describe('search volumes', () => {
  test('are highest around the month in which the category peaks', () => {
    for (const keyword of keywordsOf(300)) {
      const months = Array.from({ length: 12 }, (_, index) => {
        const weekEnd = `2025-${String(index + 1).padStart(2, '0')}-15`;
        const [, , , approximate, month] = volumeOf(keyword, 1, weekEnd);
        return { searches: Number(approximate), month: Number(String(month).slice(4)) };
      });
      const most = Math.max(...months.map(({ searches }) => searches));
      const peak = keyword.phrase.product.category.peakMonth;
      const distance = (month: number) => Math.min((month - peak + 12) % 12, (peak - month + 12) % 12);
      expect(Math.min(...months.filter(({ searches }) => searches === most).map(({ month }) => distance(month)))).toBeLessThanOrEqual(1);
    }
  });

  test('are of the month before the one the week ends in, across the turn of the year', () => {
    const [keyword] = keywordsOf(1);
    if (!keyword) throw new Error('there is a keyword');
    expect(volumeOf(keyword, 1, '2026-01-03')[4]).toBe('202512');
    expect(volumeOf(keyword, 1, '2026-11-14')[4]).toBe('202610');
  });

  test('a few keywords have no price and no competition', () => {
    const volumes = keywordsOf(1000).map((keyword) => volumeOf(keyword, 1, '2026-11-14'));
    const unpriced = volumes.filter(([, cpc]) => cpc === null);
    expect(unpriced.length).toBeGreaterThan(10);
    expect(unpriced.every(([, , competition]) => competition === null)).toBe(true);
  });
});

describe('domains', () => {
  test('no two are the same, and all are reserved', () => {
    const roots = [...competitorDomains(12), ...publisherDomains(1009, 5)].map(({ rootDomain }) => rootDomain);
    expect(new Set(roots).size).toBe(roots.length);
    for (const root of roots) expect(root).toMatch(/^[a-z0-9-]+\.(example|test)$/);
  });

  test('a longer list begins with the shorter one', () => {
    expect(publisherDomains(300, 5).slice(0, 61)).toEqual(publisherDomains(61, 5));
  });

  test('slugs are plain ASCII', () => {
    expect(slugOf('Große Schlafsäcke für Übernachtungen & mehr!')).toBe('grosse-schlafsaecke-fuer-uebernachtungen-mehr');
  });
});
