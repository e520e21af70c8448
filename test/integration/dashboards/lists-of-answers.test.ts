// Lists of AI search: they are whole, say why they are empty, and know a page by what it is, whatever its address has besides.
import { expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { loadAskedWeeks } from '../../support/asked-weeks.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
import type { WireValues } from '../../support/wire-rows.ts';

const ledger = useLedger();
const [BEFORE, NOW] = ['2026-11-01', '2026-11-08'] as const;
const ask = asksOf(() => ledger.pool, 'ai-visibility');
const toWin = asksOf(() => ledger.pool, 'to-win');
const whole = asksOf(() => ledger.pool, 'ai-visibility', { isWhole: true });
const jobs = (...datasets: readonly string[]): Job[] => {
  const { accountId } = jobOf();
  return datasets.map((dataset) => jobOf({ dataset: datasetNamed(dataset), accountId }));
};
const prompt = (number: number, more: WireValues = {}): WireValues => ({
  ai_search_engine: 'chatgpt',
  locode: 'US',
  language: 'en_US',
  topic: 'shoes',
  prompt: `p${number}`,
  prompt_type: 'unbranded',
  ...more,
});
const ofUs = { brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' };

it.each([
  ['https://www.acme.example/Shoes/?utm_source=chatgpt.com#:~:text=light', 'acme.example/Shoes'],
  ['http://acme.example:80', 'acme.example'],
  ['HTTPS://ACME.example:443/?b=1&UTM_medium=ai', 'acme.example/?b=1'],
  ['http://acme.example:443/x', 'acme.example:443/x'],
  ['//acme.example/a?fbclid=1&id=7&GCLID=2', 'acme.example/a?id=7'],
  ['acme.example/a?mygclid=1', 'acme.example/a?mygclid=1'],
  ['acme.example/a?id=7&gclid', 'acme.example/a?id=7'],
  ['https://www.com/', 'www.com'],
  ['acme.example/a?next=https://www.rival.example/', 'acme.example/a?next=https://www.rival.example'],
  ['/a/b', '/a/b'],
  ['', ''],
])('the page of %s is %s, and so is the page of that', async (url, page) => {
  const { rows } = await ledger.pool.query(
    'SELECT search_reports.bare_url($1) AS once, search_reports.bare_url(search_reports.bare_url($1)) AS twice',
    [url],
  );
  expect(rows).toEqual([{ once: page, twice: page }]);
});

it('a page that is cited with tracking parameters and fragments is the page that ranks; another case of its path is another page', async () => {
  const [citations, rankings] = jobs('ai_search_citations', 'keyword_rankings') as [Job, Job];
  const cited = (number: number, citation_url: string) =>
    prompt(number, { citation_url, citation_domain: 'acme.example', citation_attribution: 'You' });
  await loadAskedWeeks(ledger.pool, citations, [
    {
      week: NOW,
      rows: [
        cited(1, 'https://www.acme.example/shoes?utm_source=chatgpt.com'),
        cited(2, 'http://acme.example/shoes/#:~:text=light'),
        cited(3, 'https://acme.example/Shoes'),
      ],
    },
  ]);
  const result = {
    query: 'shoes',
    normalized_url: 'https://acme.example/shoes',
    root_domain: 'acme.example',
    rank_standard: '1',
    rank_true: '1',
  };
  const values = await loadAskedWeeks(ledger.pool, rankings, [{ week: NOW, rows: [result] }]);
  expect(await toWin('cited-not-ranking', values)).toMatchObject([{ url: 'acme.example/Shoes', citations: '1' }]);
  expect(await toWin('ranking-not-cited', values)).toEqual([]);
  expect(await ask('cited-pages-ours', values)).toMatchObject([
    { url: 'acme.example/shoes', citations: '2' },
    { url: 'acme.example/Shoes', citations: '1' },
  ]);
});

it('searches of assistants and cited pages are listed in full', async () => {
  const [searches, citations] = jobs('ai_search_fan_out', 'ai_search_citations') as [Job, Job];
  const many = Array.from({ length: 300 }, (_, at) => at);
  await loadAskedWeeks(ledger.pool, searches, [{ week: NOW, rows: many.map((at) => prompt(1, { fan_out_query: `query ${at}` })) }]);
  const values = await loadAskedWeeks(ledger.pool, citations, [
    { week: NOW, rows: many.map((at) => prompt(1, { citation_url: `https://rival.example/${at}`, citation_domain: 'rival.example' })) },
  ]);
  expect(await ask('fan-out', values)).toHaveLength(300);
  expect(await ask('cited-pages-others', values)).toHaveLength(300);
});

it('a sentence against us is new if no week before had it, and nothing is said to be praise where nothing was asked for', async () => {
  const [brands, sentiments] = jobs('ai_search_brands', 'ai_search_sentiments') as [Job, Job];
  const said = (number: number, sentiment_snippet: string) =>
    prompt(number, { sentiment_brand: 'ACME', sentiment_value: 'negative', sentiment_snippet });
  // A week after the sentences attributes the brand to us.
  await loadAskedWeeks(ledger.pool, brands, [{ week: BEFORE, rows: [prompt(1, ofUs)] }]);
  const values = await loadAskedWeeks(ledger.pool, sentiments, [
    { week: BEFORE, rows: [said(1, 'It leaks.')] },
    { week: NOW, filters: { locodes: ['US'] }, rows: [said(2, 'It leaks.'), said(1, 'It is dear.')] },
  ]);
  const rows = await ask('against-us', values);
  expect(new Map(rows.map(({ snippet, new: fresh }) => [snippet, fresh]))).toEqual(
    new Map([
      ['It leaks.', null],
      ['It is dear.', 'new'],
    ]),
  );
  expect(await whole('against-us', { ...values, country: ['DE'] })).toMatchObject([
    { snippet: null, reason: 'Nothing of what is chosen was asked for in this week.' },
  ]);
});

it('our brands of the line of sentiment are those of any week, so that a newer week does not change an older one', async () => {
  const [brands, sentiments] = jobs('ai_search_brands', 'ai_search_sentiments') as [Job, Job];
  const said = (number: number, sentiment_brand: string, sentiment_value: string) => prompt(number, { sentiment_brand, sentiment_value });
  await loadAskedWeeks(ledger.pool, brands, [{ week: BEFORE, rows: [prompt(1, ofUs)] }]);
  const values = await loadAskedWeeks(ledger.pool, sentiments, [
    { week: BEFORE, rows: [said(1, 'Acme', 'positive'), said(2, 'Acme Trail', 'negative'), said(3, 'Rival', 'neutral')] },
  ]);
  const figures = async () => (await ask('sentiment-score', values)).map(({ week, brand, sentiment_score: score }) => [week, brand, score]);
  expect(await figures()).toEqual([
    [BEFORE, 'our brands', '100.0'],
    [BEFORE, 'Acme Trail', '0.0'],
    [BEFORE, 'Rival', '50.0'],
  ]);
  await loadAskedWeeks(ledger.pool, brands, [{ week: NOW, rows: [prompt(1, { ...ofUs, brand_or_product_name: 'Acme Trail' })] }]);
  expect((await figures()).filter(([week]) => week === BEFORE)).toEqual([
    [BEFORE, 'our brands', '50.0'],
    [BEFORE, 'Rival', '50.0'],
  ]);
});

it('whether a prompt is named: no line without an assistant, and no number beside a gap', async () => {
  const [responses, brands] = jobs('ai_search_response', 'ai_search_brands') as [Job, Job];
  await loadAskedWeeks(ledger.pool, responses, [
    { week: BEFORE, rows: [prompt(1)] },
    { week: NOW, rows: [prompt(1)] },
  ]);
  const values = await loadAskedWeeks(ledger.pool, brands, [{ week: BEFORE, rows: [prompt(1, ofUs)] }]);
  const named = await asksOf(() => ledger.pool, 'prompt', { isWhole: true })('named', { ...values, prompt: 'p1' });
  expect(named).toMatchObject([
    { week: BEFORE, assistant: 'chatgpt', percent: '100.0', answers_naming_us: '1', answers: '1' },
    { week: NOW, assistant: 'chatgpt', percent: null, answers_naming_us: null, reason: expect.stringContaining('brands') },
  ]);
});
