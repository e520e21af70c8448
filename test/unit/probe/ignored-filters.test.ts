import { expect, it } from 'vitest';
import { keywordRankings } from '../../../src/datasets/keyword-rankings.ts';
import { reportOn } from '../../../src/probe/report.ts';
import { jobOf } from '../../support/jobs.ts';
import { schemaOf, wireRow } from '../../support/wire-rows.ts';

/** What a probe finds in rows of these devices when it asked with these filters. */
function findingsFor(filters: Record<string, unknown>, devices: readonly string[]): readonly string[] {
  const job = jobOf({ dataset: keywordRankings });
  const heard = {
    question: { dataset: keywordRankings, accountId: 1, filters },
    calls: [],
    readyMs: 1,
    schema: schemaOf(keywordRankings),
    rows: devices.map((device) => wireRow(job, { device, query: 'boots', time_period_start: '2026-11-08' })),
    pages: [],
    pageRows: [devices.length],
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
