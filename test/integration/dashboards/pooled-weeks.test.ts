// Figures over several weeks: measures are the sum of parts divided by the sum of wholes.
import { expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { loadAskedWeeks } from '../../support/asked-weeks.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
import type { WireValues } from '../../support/wire-rows.ts';

const ledger = useLedger();
const [FIRST, BEFORE, NOW] = ['2026-10-25', '2026-11-01', '2026-11-08'] as const;
const answers = asksOf(() => ledger.pool, 'ai-visibility');

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

it('topics by assistant: all weeks together are the sum of answers that name us, divided by the sum of answers', async () => {
  const [responses, brands] = jobs('ai_search_response', 'ai_search_brands') as [Job, Job];
  const few = [1, 2].map((number) => prompt('chatgpt', number));
  const many = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => prompt('chatgpt', number));
  await loadAskedWeeks(ledger.pool, responses, [
    { week: FIRST, rows: few },
    { week: BEFORE, rows: few },
    { week: NOW, rows: many },
  ]);
  const values = await loadAskedWeeks(ledger.pool, brands, [
    { week: FIRST, rows: few.map((row) => ({ ...row, ...ofUs })) },
    { week: BEFORE, rows: few.map((row) => ({ ...row, ...ofUs })) },
    { week: NOW, rows: [] },
  ]);
  expect(await answers('topic-gap', values)).toMatchObject([
    { assistant: 'chatgpt', percent: '33.3', answers: '12', weeks: '3', reason: null },
  ]);
});

it('topics by assistant: a week whose brands were asked for otherwise leaves its answers out, and not the week', async () => {
  const [responses, brands] = jobs('ai_search_response', 'ai_search_brands') as [Job, Job];
  const both = [1, 2].flatMap((number) => [prompt('chatgpt', number), prompt('gemini', number)]);
  await loadAskedWeeks(ledger.pool, responses, [
    { week: BEFORE, rows: both },
    { week: NOW, rows: both },
  ]);
  const values = await loadAskedWeeks(ledger.pool, brands, [
    { week: BEFORE, rows: both.map((row) => ({ ...row, ...ofUs })) },
    { week: NOW, filters: { ai_search_engines: ['chatgpt'] }, rows: [] },
  ]);
  expect(await answers('topic-gap', values)).toMatchObject([
    { assistant: 'chatgpt', percent: '50.0', answers: '4', weeks: '2', reason: null },
    { assistant: 'gemini', percent: '100.0', answers: '2', weeks: '1', reason: 'our brands were not asked for, or meet no answer' },
  ]);
});

it('topics by assistant: the competitor that all weeks together cite most', async () => {
  const [responses, brands, citations] = jobs('ai_search_response', 'ai_search_brands', 'ai_search_citations') as [Job, Job, Job];
  const rows = [1, 2].map((number) => prompt('chatgpt', number, ofUs));
  for (const job of [responses, brands])
    await loadAskedWeeks(ledger.pool, job, [
      { week: BEFORE, rows },
      { week: NOW, rows },
    ]);
  const cited = (citation_domain: string, page: number) =>
    prompt('chatgpt', 1, {
      citation_domain,
      citation_url: `https://${citation_domain}/${page}`,
      citation_attribution: 'SEO Competitor',
    });
  const values = await loadAskedWeeks(ledger.pool, citations, [
    { week: BEFORE, rows: [1, 2, 3].map((page) => cited('old.example', page)) },
    { week: NOW, filters: { topics: ['shoes'] }, rows: [cited('new.example', 1)] },
  ]);
  expect(await answers('topic-gap', values)).toMatchObject([
    { best_competitor: 'old.example', competitor_citation_percent: '75.0', weeks: '2' },
  ]);
});
