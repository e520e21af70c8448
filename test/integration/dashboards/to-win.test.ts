// The board To win: each list has what its rule says and nothing else, says how many there are in all, and follows the filters.
import { expect, it } from 'vitest';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { loadAskedWeeks, loadDatasets, ownDomain, prompt } from '../../support/asked-weeks.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf, columnsOf } from '../../support/panels.ts';
import type { WireValues } from '../../support/wire-rows.ts';

const ledger = useLedger();
const NOW = '2026-11-08';
const ask = asksOf(() => ledger.pool, 'to-win');
const whole = asksOf(() => ledger.pool, 'to-win', { isWhole: true });

const result = (query: string, place: number, more: WireValues = {}): WireValues => ({
  query,
  device: 'DESKTOP',
  search_engine: 'GOOGLE',
  search_engine_country_code: 'US',
  root_domain: 'acme.example',
  normalized_url: `https://www.acme.example/${query}`,
  rank_standard: String(place),
  rank_true: String(place + 1),
  ...more,
});

it('searches within reach: our best place is 4 to 10, the most searched first', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const volume = (of: number) => ({ average_search_volume: String(of) });
  const values = await loadAskedWeeks(ledger.pool, job, [
    {
      week: NOW,
      rows: [
        result('third', 3, volume(900)),
        result('third', 5, volume(900)),
        result('fourth', 4, volume(10)),
        result('tenth', 10, volume(500)),
        result('eleventh', 11, volume(800)),
        result('unknown volume', 7),
        result('of another', 5, { root_domain: 'rival.example' }),
        result('telephone', 6, { device: 'SMARTPHONE' }),
      ],
    },
  ]);
  const shown = await ask('within-reach', values);
  expect(columnsOf(shown, 'query', 'place', 'url')).toEqual([
    ['tenth', '10', 'acme.example/tenth'],
    ['fourth', '4', 'acme.example/fourth'],
    ['telephone', '6', 'acme.example/telephone'],
    ['unknown volume', '7', 'acme.example/unknown volume'],
  ]);
  expect(shown[0]?.notice).toContain('4 of 7 tracked searches.');
  expect(columnsOf(await ask('within-reach', { ...values, device: ['SMARTPHONE'] }), 'query')).toEqual([['telephone']]);
  // By true rank each stands one place lower.
  expect(
    columnsOf(await ask('within-reach', { ...values, rank: 'true' }), 'query')
      .flat()
      .sort(),
  ).toEqual(['fourth', 'telephone', 'third', 'unknown volume']);
});

it('searches within reach: a place that may not be our best one is not told', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const values = await loadAskedWeeks(ledger.pool, job, [{ week: NOW, filters: { min_rank: 4 }, rows: [result('a', 5)] }]);
  expect(await whole('within-reach', values)).toMatchObject([
    { query: null, reason: 'Of no search of what is chosen is our place known.' },
  ]);
});

const us = { brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' };
const cites = (of: string, site: string, attribution = 'Other') =>
  prompt('chatgpt', { prompt: of, citation_url: `https://${site}/a`, citation_domain: site, citation_attribution: attribution });
const speaks = (of: string, brand: string, more: WireValues = {}) =>
  prompt('chatgpt', { prompt: of, sentiment_brand: brand, sentiment_value: 'Positive', sentiment_snippet: `${brand} is good`, ...more });
const answers = (...of: readonly string[]) => of.map((each) => prompt('chatgpt', { prompt: each, ai_response: 'An answer.' }));

/** Named: names us. Others: silent, and what each has. */
async function loadAnswers() {
  return loadDatasets(ledger.pool, [NOW], {
    ai_search_response: [answers('named', 'spoken', 'cited', 'quiet', 'doubtful')],
    ai_search_brands: [
      [prompt('chatgpt', { prompt: 'named', ...us }), prompt('chatgpt', { prompt: 'doubtful', persona: 'another', ...us })],
    ],
    ai_search_sentiments: [
      [
        speaks('named', 'Rival'),
        speaks('spoken', 'Rival'),
        speaks('spoken', 'Better'),
        speaks('quiet', 'ACME'),
        speaks('doubtful', 'Rival'),
      ],
    ],
    ai_search_citations: [
      [
        cites('named', 'magazine.example'),
        cites('spoken', 'magazine.example'),
        cites('spoken', 'magazine.example'),
        cites('spoken', 'acme.example', 'You'),
        cites('cited', 'rival.example', 'SEO Competitor'),
        cites('cited', 'magazine.example'),
        cites('quiet', 'blog.example'),
      ].map((row, at) => ({ ...row, citation_url: `${row.citation_url}${at}` })),
    ],
  });
}

it('others are named, we are not: brands of others that answers speak of, or sites of competitors that they cite', async () => {
  const values = await loadAnswers();
  const shown = await ask('named-instead', values);
  expect(columnsOf(shown, 'prompt', 'brands', 'competitors', 'sites')).toEqual([
    ['spoken', 'Better, Rival', null, 'magazine.example, acme.example'],
    ['cited', null, 'rival.example', 'magazine.example, rival.example'],
  ]);
  expect(shown[0]?.notice).toContain('2 of 3 tracked prompts that leave us out; 5 have answers.');
  // Chosen competitors take the place of those that citations tell.
  const pinned = await ask('named-instead', { ...values, competitor: ['blog.example'] });
  expect(columnsOf(pinned, 'prompt', 'competitors')).toEqual([
    ['spoken', null],
    ['quiet', 'blog.example'],
  ]);
  expect(await ask('named-instead', { ...values, assistant: ['gemini'] })).toEqual([]);
});

it('sources of answers without us: sites of others, with how often they are cited and for how many prompts', async () => {
  const values = await loadAnswers();
  const shown = await ask('sources', values);
  expect(columnsOf(shown, 'site', 'kind', 'citations', 'percent', 'prompts')).toEqual([
    ['magazine.example', null, '3', '50.0', '2'],
    ['blog.example', null, '1', '16.7', '1'],
    ['rival.example', 'competitor', '1', '16.7', '1'],
  ]);
  expect(shown[0]?.notice).toContain('3 sites, in answers to 3 prompts.');
});

it('where our brands were not asked for, nobody knows which answers leave us out', async () => {
  const job = jobOf({ dataset: datasetNamed('ai_search_response') });
  const brands = jobOf({ dataset: datasetNamed('ai_search_brands'), accountId: job.accountId });
  await loadAskedWeeks(ledger.pool, job, [{ week: NOW, rows: answers('spoken') }]);
  const filters = { brand_or_product_attributions: ['Partner'] };
  const partner = prompt('chatgpt', { prompt: 'spoken', brand_or_product_name: 'Rival', brand_or_product_attribution: 'Partner' });
  const values = await loadAskedWeeks(ledger.pool, brands, [{ week: NOW, filters, rows: [partner] }]);
  for (const panel of ['named-instead', 'sources'])
    expect(await whole(panel, values)).toMatchObject([{ reason: 'Our brands were not asked for, or meet no answer.' }]);
});
