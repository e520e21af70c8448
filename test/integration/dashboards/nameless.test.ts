// Rows whose grouping columns are NULL or empty: every panel names what has no name, and counts it.
import { expect, it } from 'vitest';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import type { Values } from '../../../src/dashboards/variables.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import { insertOwnDomains } from '../../support/account-settings.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
import { storeReports } from '../../support/stored-weeks.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { type WireValues, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const boards = { rankings: asksOf(() => ledger.pool, 'rankings'), 'ai-visibility': asksOf(() => ledger.pool, 'ai-visibility') };
const BEFORE = '2026-11-01';

/** What is measured or decides what is counted; all else is without a value. */
const MEASURES: Readonly<Record<string, WireValues>> = {
  keyword_rankings: { rank_standard: '1', average_search_volume: '10', keyword_group_names: 'Group' },
  highest_ranking_url_per_keyword: {},
  // Without a name nobody knows what is ours.
  ai_search_brands: { brand_or_product_attribution: 'You', brand_or_product_name: 'Acme' },
  ai_search_citations: {},
  ai_search_fan_out: { amount_of_searches: '1' },
  ai_search_sentiments: { sentiment_value: 'Positive' },
  ai_search_response: { ai_response: 'An answer.' },
};

const NAMED: readonly (readonly [keyof typeof boards, panel: string, expected: Readonly<Record<string, string>>])[] = [
  ['rankings', 'market-share', { site: '(no page)', share: '10.00' }],
  ['rankings', 'visibility', { engine: '(none)', share: '0.00' }],
  ['rankings', 'average-place', { market: '(none), (none)', reason: 'no search finds us' }],
  ['rankings', 'groups', { keyword_group: 'Group', searches: '1' }],
  ['ai-visibility', 'mention-rate', { assistant: '(none)', percent: '100.0' }],
  ['ai-visibility', 'topic-gap', { assistant: '(none)', topic: '(none)', percent: '100.0' }],
  ['ai-visibility', 'citation-share', { site: '(no page)', percent: '100.00' }],
  ['ai-visibility', 'attribution-mix', { attribution: '(none)', percent: '100.0' }],
  ['ai-visibility', 'cited-pages-others', { url: '(no page)', citations: '1', change: '0' }],
  ['ai-visibility', 'sentiment-score', { brand: '(none)', sentiment_score: '100.0', mentions: '1' }],
  ['ai-visibility', 'fan-out', { query: '(none)', times: '1' }],
];

async function loadNameless(blank: null | ''): Promise<Values> {
  const account = jobOf().accountId;
  await insertOwnDomains(ledger.pool, account, 'nowhere.example');
  for (const dataset of DATASETS) {
    const job = jobOf({ dataset, accountId: account, since: BEFORE });
    const texts = Object.fromEntries(dataset.columns.filter(({ pg }) => pg === 'text').map(({ name }) => [name, blank]));
    const values = { ...texts, ...MEASURES[dataset.name] };
    for (const week of [BEFORE, WEEK.start] as const)
      await loadWindow(
        ledger.pool,
        job,
        [values, values].map((row) => wireRow(job, row, week)),
        windowOfWeeks(week, 1),
      );
    await recordJob(ledger.pool, job, WEEK.start);
  }
  await storeReports(ledger.pool);
  return { account: String(account), weeks: '13', top_n: '10', weighted: 'true', rank: 'standard' };
}

it.each([null, ''] as const)(
  'with %j in every text that rows are grouped by, each such text is one line with its figures',
  async (blank) => {
    const values = await loadNameless(blank);
    for (const [board, panel, expected] of NAMED) {
      const shown = (await boards[board](panel, values)).filter(({ week }) => week === undefined || week === WEEK.start);
      expect(
        shown
          .filter((row) => Object.keys(expected).every((name) => row[name] !== null))
          .map((row) => Object.fromEntries(Object.keys(expected).map((name) => [name, row[name]]))),
        panel,
      ).toEqual([expected]);
    }
  },
);
