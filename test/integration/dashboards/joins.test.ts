// Datasets that spell one thing in two ways: a figure that joins them is a gap that shows both spellings, until an alias makes them one.
import { expect, it } from 'vitest';
import type { Alias, Job } from '../../../src/config/settings.ts';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import { adoptSetting, aliasesOf, competitorsOf } from '../../../src/reports/account-settings.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf, type PanelRow } from '../../support/panels.ts';
import { storeReports } from '../../support/stored-weeks.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';
import { findWrongWeeks } from '../../support/wrong-weeks.ts';

const ledger = useLedger();
const WEEK = '2026-11-08';
const ask = asksOf(() => ledger.pool, 'ai-visibility');

type Asked = Readonly<Partial<Record<string, string>>>;

const USUAL = { ai_search_engine: 'chatgpt', locode: 'US', language: 'en_US', topic: 'gear' };
const prompts = (count: number, asked: Asked = {}): Asked[] =>
  Array.from({ length: count }, (_, at) => ({ ...USUAL, prompt: `prompt ${at}`, ...asked }));

/** Loads a week of answers, of brands that are ours in them, and of citations. */
async function load(answers: readonly Asked[], brands: readonly Asked[], citations: readonly Asked[] = []): Promise<Job> {
  const { pool } = ledger;
  const { accountId } = jobOf();
  const jobs = {
    ai_search_response: answers,
    ai_search_brands: brands.map((row) => ({ ...row, brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' })),
    ai_search_citations: citations.map((row) => ({
      ...row,
      citation_url: 'https://rival.com/',
      citation_domain: 'rival.com',
      citation_attribution: 'SEO Competitor',
      ...row,
    })),
  };
  let last = jobOf({ accountId });
  for (const [dataset, rows] of Object.entries(jobs)) {
    last = jobOf({ accountId, dataset: datasetNamed(dataset), since: WEEK });
    await loadWindow(
      pool,
      last,
      rows.map((row) => wireRow(last, row, WEEK)),
      windowOfWeeks(WEEK, 1),
    );
    await recordJob(pool, last, WEEK);
  }
  await storeReports(pool);
  return last;
}

/** Of the assistants that have answers. */
const mentionRates = async ({ accountId }: Job): Promise<unknown[]> =>
  (await ask('mention-rate', { account: String(accountId), weeks: '13' }))
    .filter(({ reason }) => reason !== 'no answers')
    .map(({ assistant, percent, answers_naming_us: naming, reason }) => ({ assistant, percent, naming, reason }));

const gaps = (assistant: string, reason: string) => [{ assistant, percent: null, naming: null, reason }];

async function alias({ accountId }: Job, ...aliases: Alias[]): Promise<void> {
  await adoptSetting(ledger.pool, String(accountId), aliasesOf(aliases));
  const { rows } = await ledger.pool.query<{ subject: string }>(
    'SELECT DISTINCT subject FROM searchmill.stale_weeks WHERE account_id = $1 ORDER BY 1',
    [accountId],
  );
  expect(rows.map(({ subject }) => subject)).toEqual(['answers', 'citations']);
  await storeReports(ledger.pool);
  expect(await findWrongWeeks(ledger.pool, [accountId], [WEEK])).toEqual([]);
}

it('an engine that brands spell otherwise is a gap that shows both spellings, and an alias mends it', async () => {
  const job = await load(
    prompts(4, { ai_search_engine: 'chatgptsearch' }),
    prompts(3),
    prompts(2, { ai_search_engine: 'ChatGPT (Search)' }),
  );
  expect(await mentionRates(job)).toEqual(
    gaps(
      'chatgptsearch',
      'own brands have engine chatgpt, answers have chatgptsearch (if both are one: aliases: { engine: { chatgptsearch: chatgpt } })',
    ),
  );
  await alias(
    job,
    { kind: 'engine', spelling: 'ChatGPTSearch', meaning: 'chatgpt' },
    { kind: 'engine', spelling: 'ChatGPT (Search)', meaning: 'chatgpt' },
  );
  expect(await mentionRates(job)).toEqual([{ assistant: 'chatgpt', percent: '75.0', naming: '3', reason: null }]);
  expect(await ask('topic-gap', { account: String(job.accountId), weeks: '13' })).toMatchObject([
    { assistant: 'chatgpt', percent: '75.0', best_competitor: 'rival.com' },
  ]);
  const { rows } = await ledger.pool.query(
    'SELECT DISTINCT ai_search_engine AS engine FROM search.ai_search_response WHERE account_id = $1',
    [job.accountId],
  );
  expect(rows).toEqual([{ engine: 'chatgptsearch' }]);
});

it('case, spaces, hyphens and underscores do not keep rows apart', async () => {
  const job = await load(
    prompts(4, { locode: 'US-NYC', language: 'en_US' }),
    prompts(1, { ai_search_engine: 'ChatGPT', locode: 'us NYC', language: 'en-us' }),
  );
  expect(await mentionRates(job)).toEqual([{ assistant: 'chatgpt', percent: '25.0', naming: '1', reason: null }]);
});

it('a language of the answers that brands spell otherwise is a gap, and so is a place', async () => {
  const job = await load(prompts(4, { language: 'en' }), prompts(2), prompts(1));
  const reason = 'own brands have language en_US, 4 of 4 answers have en (if both are one: aliases: { language: { en: en_US } })';
  expect(await mentionRates(job)).toEqual(gaps('chatgpt', reason));
  await alias(job, { kind: 'language', spelling: 'en', meaning: 'en_US' });
  expect(await mentionRates(job)).toEqual([{ assistant: 'chatgpt', percent: '50.0', naming: '2', reason: null }]);
});

it('one engine of several that is spelled otherwise leaves the others their figures', async () => {
  const job = await load(
    [...prompts(4), ...prompts(4, { ai_search_engine: 'aim' })],
    [...prompts(1), ...prompts(2, { ai_search_engine: 'Google AI Mode' })],
  );
  expect(await mentionRates(job)).toEqual([
    ...gaps(
      'aim',
      'own brands have engine Google AI Mode, answers have aim (if both are one: aliases: { engine: { aim: "Google AI Mode" } })',
    ),
    { assistant: 'chatgpt', percent: '25.0', naming: '1', reason: null },
  ]);
});

it('brands of which hardly any finds its answer make a rate that says how many', async () => {
  const job = await load(prompts(20), [...prompts(1), ...prompts(11).map((row) => ({ ...row, prompt: `other ${row.prompt}` }))]);
  expect(await mentionRates(job)).toEqual([
    {
      assistant: 'chatgpt',
      percent: '5.0',
      naming: '1',
      reason: 'of 12 rows of own brands only 1 found an answer: do both jobs ask for the same?',
    },
  ]);
});

it('an engine that names none of our brands is zero where all spellings match', async () => {
  const job = await load([...prompts(4), ...prompts(4, { ai_search_engine: 'gemini' })], prompts(2));
  expect(await mentionRates(job)).toEqual([
    { assistant: 'chatgpt', percent: '50.0', naming: '2', reason: null },
    { assistant: 'gemini', percent: '0.0', naming: '0', reason: null },
  ]);
});

it('the best competitor is a site attributed to competitors or a pinned one; other cited sites are only sites', async () => {
  const site = (citation_domain: string, citation_attribution: string): Asked => ({ citation_domain, citation_attribution });
  const cited = [
    ...prompts(5, site('magazine.example', 'Other')),
    ...prompts(2, site('rival.com', 'SEO Competitor')),
    ...prompts(1, site('shop.pinned.example', 'Other')),
    ...prompts(2, site('acme.com', 'You')),
  ];
  const { accountId } = await load(prompts(4), prompts(1), cited);
  const first = async (): Promise<PanelRow | undefined> => (await ask('topic-gap', { account: String(accountId), weeks: '13' }))[0];
  const most = { most_cited_site: 'magazine.example', site_citation_percent: '50.0' };
  expect(await first()).toMatchObject({ best_competitor: 'rival.com', competitor_citation_percent: '20.0', ...most });
  await adoptSetting(ledger.pool, String(accountId), competitorsOf(['pinned.example']));
  expect(await first()).toMatchObject({ best_competitor: 'shop.pinned.example', competitor_citation_percent: '10.0', ...most });
  await adoptSetting(ledger.pool, String(accountId), competitorsOf(['nobody.example']));
  expect(await first()).toMatchObject({ best_competitor: null, competitor_citation_percent: null, ...most });
});
