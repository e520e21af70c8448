// Figures over several weeks are of weeks that answer one question: of each topic and assistant that of the newest week with figures.
import { expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import type { Values } from '../../../src/dashboards/variables.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { loadAskedWeeks } from '../../support/asked-weeks.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
import type { WireValues } from '../../support/wire-rows.ts';

const ledger = useLedger();
const [FIRST, BEFORE, NOW] = ['2026-10-25', '2026-11-01', '2026-11-08'] as const;
const answers = asksOf(() => ledger.pool, 'ai-visibility');
const site = asksOf(() => ledger.pool, 'site');

const jobs = (...datasets: readonly string[]): Job[] => {
  const { accountId } = jobOf();
  return datasets.map((dataset) => jobOf({ dataset: datasetNamed(dataset), accountId }));
};
const prompt = (ai_search_engine: string, number: number, more: WireValues = {}): WireValues => ({
  ai_search_engine,
  locode: 'US',
  language: 'en_US',
  topic: 'shoes',
  prompt: `p${number}`,
  ...more,
});
const ofUs = { brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' };

it('topics by assistant: the mention rate is of the weeks of the newest question, which the table counts', async () => {
  const [responses, brands] = jobs('ai_search_response', 'ai_search_brands') as [Job, Job];
  const both = [1, 2].flatMap((number) => [prompt('chatgpt', number), prompt('gemini', number)]);
  await loadAskedWeeks(ledger.pool, responses, [
    { week: FIRST, rows: both },
    { week: BEFORE, rows: both },
    { week: NOW, filters: { personas: ['buyer'] }, rows: both.slice(0, 2) },
  ]);
  const values = await loadAskedWeeks(ledger.pool, brands, [
    { week: FIRST, rows: both.map((row) => ({ ...row, ...ofUs })) },
    { week: BEFORE, rows: both.map((row) => ({ ...row, ...ofUs })) },
    { week: NOW, filters: { personas: ['buyer'] }, rows: [] },
  ]);
  const others = `left out, another question: ${FIRST}, ${BEFORE}`;
  expect(await answers('topic-gap', values)).toMatchObject([
    { assistant: 'chatgpt', percent: '0.0', answers: '1', weeks: '1', reason: others },
    { assistant: 'gemini', percent: '0.0', answers: '1', weeks: '1', reason: others },
  ]);
  // A choice, or a line, that both questions ask alike: they are one.
  await loadAskedWeeks(ledger.pool, responses, [
    { week: NOW, filters: { ai_search_engines: ['chatgpt'] }, rows: both.filter((_, at) => at % 2 === 0) },
  ]);
  await loadAskedWeeks(ledger.pool, brands, [{ week: NOW, filters: { ai_search_engines: ['chatgpt'] }, rows: [] }]);
  expect(await answers('topic-gap', values)).toMatchObject([
    { assistant: 'chatgpt', percent: '66.7', answers: '6', weeks: '3', reason: null },
    { assistant: 'gemini', percent: '100.0', answers: '4', weeks: '2', reason: null },
  ]);
});

it('topics by assistant: competitors are named by citations of one question', async () => {
  const [responses, brands, citations] = jobs('ai_search_response', 'ai_search_brands', 'ai_search_citations') as [Job, Job, Job];
  const rows = [1, 2].map((number) => prompt('chatgpt', number, ofUs));
  for (const job of [responses, brands])
    await loadAskedWeeks(ledger.pool, job, [
      { week: BEFORE, rows },
      { week: NOW, rows },
    ]);
  const cited = (citation_domain: string) =>
    prompt('chatgpt', 1, { citation_domain, citation_url: `https://${citation_domain}/`, citation_attribution: 'SEO Competitor' });
  const values = await loadAskedWeeks(ledger.pool, citations, [
    { week: BEFORE, rows: ['old.example', 'old.example', 'old.example'].map(cited) },
    { week: NOW, filters: { topics: ['shoes'] }, rows: [cited('new.example')] },
  ]);
  const [row] = await answers('topic-gap', values);
  expect(row).toMatchObject({ best_competitor: 'new.example', competitor_citation_percent: '100.0', weeks: '2' });
  expect(row?.notice).toContain(`Week of ${BEFORE}: competitors left out, another question: citations of everything`);
});

it('site: its share on a topic is of all chosen weeks that have citations there', async () => {
  const [citations] = jobs('ai_search_citations') as [Job];
  const cited = (citation_domain: string, url: number) =>
    prompt('chatgpt', 1, { citation_domain, citation_url: `https://${citation_domain}/${url}`, citation_attribution: 'Other' });
  const values: Values = {
    ...(await loadAskedWeeks(ledger.pool, citations, [
      { week: BEFORE, rows: [cited('rival.example', 1), cited('rival.example', 2)] },
      { week: NOW, filters: { personas: ['buyer'] }, rows: [cited('rival.example', 1), cited('acme.example', 1)] },
    ])),
    site: 'rival.example',
  };
  expect(await site('topics', values)).toMatchObject([{ percent: '75.0', citations: '3', all_citations: '4', weeks: '2', reason: null }]);
});

it('themes: words are of the weeks of the newest question', async () => {
  const [job] = jobs('ai_search_fan_out') as [Job];
  const searched = (fan_out_query: string) => prompt('chatgpt', 1, { fan_out_query });
  const values = await loadAskedWeeks(ledger.pool, job, [
    { week: BEFORE, rows: [searched('running shoes'), searched('trail shoes')] },
    { week: NOW, filters: { personas: ['buyer'] }, rows: [searched('trail shoes')] },
  ]);
  const notice = `Week of ${BEFORE}: left out, another question: everything.`;
  expect(await answers('fan-out-words', values)).toMatchObject([
    { word: 'shoes', times: '1', notice },
    { word: 'trail', times: '1', notice },
  ]);
});
