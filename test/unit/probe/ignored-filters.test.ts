import { expect, it } from 'vitest';
import { datasetNamed, type KnownDataset } from '../../../src/datasets/index.ts';
import { keywordRankings } from '../../../src/datasets/keyword-rankings.ts';
import { reportOn } from '../../../src/probe/report.ts';
import { jobOf } from '../../support/jobs.ts';
import { schemaOf, wireRow } from '../../support/wire-rows.ts';

/** What a probe finds in rows of these devices when it asked with these filters. */
const findingsFor = (filters: Record<string, unknown>, devices: readonly string[]): readonly string[] =>
  findingsIn(
    keywordRankings,
    filters,
    devices.map((device) => ({ device, query: 'boots' })),
  );

function findingsIn(dataset: KnownDataset, filters: Record<string, unknown>, cells: readonly Record<string, string>[]): readonly string[] {
  const job = jobOf({ dataset });
  const heard = {
    question: { dataset, accountId: 1, filters },
    calls: [],
    readyMs: 1,
    schema: schemaOf(dataset),
    rows: cells.map((each) => wireRow(job, { ...each, time_period_start: '2026-11-08' })),
    pages: [],
    pageRows: [cells.length],
    problem: null,
  };
  return reportOn(heard).findings.filter((finding) => finding.includes('makes no difference'));
}

it('a filter that should have excluded rows is reported, without any value', () => {
  expect(findingsFor({ devices: ['MOBILE'] }, ['DESKTOP', 'MOBILE', 'DESKTOP'])).toEqual([
    'devices makes no difference: 2 of 3 rows have other values than it asks for',
  ]);
});

it('filters that rows keep to are not, nor those that exclude no rows by their values', () => {
  expect(findingsFor({ devices: ['MOBILE'] }, ['MOBILE'])).toEqual([]);
  expect(findingsFor({ devices: ['mobile', 'DESKTOP'], min_rank: 1 }, ['MOBILE', 'DESKTOP'])).toEqual([]);
  expect(findingsFor({}, ['MOBILE', 'DESKTOP'])).toEqual([]);
});

it.each([
  ['ai_search_brands', { brand_or_product_attributions: ['You'] }, 'brand_or_product_attribution', ['you', 'Partner']],
  ['ai_search_brands', { intents: ['informational'] }, 'intent', ['Informational', 'navigational']],
  ['ai_search_brands', { prompts_groups: ['Boots'] }, 'prompt_group_names', ['Shoes, Boots', 'Shoes']],
  ['ai_search_citations', { citation_attributions: ['SEO Competitor'] }, 'citation_attribution', ['SEO_COMPETITOR', 'Other']],
  ['ai_search_sentiments', { sentiment_values: ['negative'] }, 'sentiment_value', ['NEGATIVE', 'positive']],
  ['ai_search_sentiments', { sentiment_source_domains: ['a.example'] }, 'sentiment_source_domain', ['www.a.example', 'b.example']],
  ['keyword_rankings', { min_rank: 3 }, 'rank_standard', ['3', '2']],
  ['keyword_rankings', { max_rank: 10 }, 'rank_standard', ['10', '11']],
  ['keyword_rankings', { keyword_group_ids: [12] }, 'keyword_group_ids', ['7,12', '112']],
])(
  'a filter of %s whose comparison is unknown is reported if a row cannot be meant: %j',
  (name, filters, column, [inside = '', outside = '']) => {
    const [[filter] = []] = Object.entries(filters);
    const findings = (cells: readonly string[]): readonly string[] =>
      findingsIn(
        datasetNamed(name),
        filters,
        cells.map((cell) => ({ [column]: cell })),
      );
    expect(findings([inside, ''])).toEqual([]);
    expect(findings([inside, outside])).toEqual([`${filter} makes no difference: 1 of 2 rows have other values than it asks for`]);
  },
);
