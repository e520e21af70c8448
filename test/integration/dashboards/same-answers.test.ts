// Figures of answers are compared over the prompts that both weeks have: of each assistant on the topic, as the same personas, in the same places and languages.
import { expect, it } from 'vitest';
import type { Values } from '../../../src/dashboards/variables.ts';
import { loadDatasets, promptRows, type RowsByWeek } from '../../support/asked-weeks.ts';
import { useLedger } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
import type { WireValues } from '../../support/wire-rows.ts';

const ledger = useLedger();
const [BEFORE, NOW] = ['2026-11-01', '2026-11-08'] as const;
const boardOf = (name: string) => asksOf(() => ledger.pool, name, { isWhole: true });
const [home, ai, prompt] = [boardOf('home'), boardOf('ai-visibility'), boardOf('prompt')];

const loadAll = async (datasets: Readonly<Record<string, RowsByWeek>>): Promise<Values> => ({
  ...(await loadDatasets(ledger.pool, [BEFORE, NOW], datasets)),
  compare: 'week',
  week: NOW,
  before: BEFORE,
});

/** Rows of twelve prompts. */
const asked = (more: WireValues = {}): WireValues[] => promptRows(Array.from({ length: 12 }, () => more));
const named = { brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' };
const withMore = (rows: readonly WireValues[], more: WireValues): WireValues[] => rows.map((row) => ({ ...row, ...more }));
const citing = (rows: readonly WireValues[], host: string): WireValues[] =>
  withMore(rows, {
    citation_domain: host,
    citation_url: `https://${host}/page`,
    citation_attribution: host === 'acme.example' ? 'You' : 'Other',
  });

it('an assistant without rows on a topic breaks the lines of several assistants on that topic', async () => {
  const [chatgpt, gemini, elsewhere] = [
    asked(),
    asked({ ai_search_engine: 'gemini' }),
    asked({ ai_search_engine: 'gemini', topic: 'shoes' }),
  ];
  const both = (of: (rows: readonly WireValues[], isOurs: boolean) => WireValues[]): RowsByWeek =>
    [gemini, elsewhere].map((others) => [...of(chatgpt, true), ...of(others, false)]);
  const values: Values = {
    ...(await loadAll({
      ai_search_response: both((rows) => [...rows]),
      ai_search_brands: [chatgpt, chatgpt].map((rows) => withMore(rows, named)),
      ai_search_citations: both((rows, isOurs) => citing(rows, isOurs ? 'acme.example' : 'rival.example')),
      ai_search_sentiments: both((rows, isOurs) =>
        withMore(rows, { sentiment_brand: 'Acme', sentiment_value: isOurs ? 'positive' : 'negative' }),
      ),
    })),
    topics: ['gear'],
    topic: 'gear',
  };
  const half = 'only 50 % are the same as the week before';
  expect((await ai('sentiment-score', values)).at(-1)).toMatchObject({ sentiment_score: '100.0', like_for_like: '0.0', reason: half });
  // Of all topics the same assistants answer.
  expect((await home('mention-rate', { ...values, topics: null })).at(-1)).toMatchObject({ figure: '50.0', change: '0.0' });
});

it.each([
  ['persona', { persona: 'runner' }],
  ['language', { language: 'es_US' }],
  ['place in the country', { locode: 'US-NYC' }],
] as const)('a prompt that is not asked any more in another %s is another prompt', async (_, other) => {
  const all = [...asked(), ...asked(other)];
  const values = await loadAll({
    ai_search_response: [all, asked()],
    ai_search_brands: [asked(named), asked(named)],
    ai_search_citations: [all, asked()],
  });
  // Like for like nothing has changed: those that named us still do.
  expect((await ai('mention-rate', values)).map(({ percent, like_for_like, reason }) => [percent, like_for_like, reason])).toEqual([
    ['50.0', null, null],
    ['100.0', '0.0', 'only 50 % are the same as the week before'],
  ]);
});

it('a prompt that is no longer asked in one country does not seem to name us more often, and its pages there are not called gone', async () => {
  const [here, there] = [asked(), asked({ locode: 'DE' })];
  // Other prompts are still asked there, so that what all panels count has hardly moved.
  const both = (rows: (of: readonly WireValues[], host: string) => WireValues[]): RowsByWeek =>
    [there, there.slice(1)].map((others) => [...rows(here, 'a.example'), ...rows(others, 'b.example')]);
  const values: Values = {
    ...(await loadAll({
      ai_search_response: both((rows) => [...rows]),
      ai_search_brands: [here, here].map((rows) => withMore(rows, named)),
      ai_search_citations: both(citing),
    })),
    prompt: 'p0',
  };
  const lines = await prompt('named', values);
  expect(lines.map(({ percent, reason }) => [percent, reason])).toEqual([
    ['50.0', null],
    ['100.0', 'only 50 % are the same as the week before'],
  ]);
  expect(new Set(lines.map(({ question }) => question)).size).toBe(2);
  expect((await prompt('citations', values)).map(({ site, change: is }) => [site, is])).toEqual([
    ['a.example', null],
    ['b.example', null],
  ]);
  // Where it is asked in both weeks, a page is gone that is not cited any more.
  expect((await prompt('named', { ...values, country: ['US'] })).map(({ percent, reason }) => [percent, reason])).toEqual([
    ['100.0', null],
    ['100.0', null],
  ]);
});

it('what is new and gone for a persona does not depend on another persona that is asked, too', async () => {
  const [buyer, student] = [asked({ persona: 'buyer' }), asked({ persona: 'student' })];
  const values: Values = {
    ...(await loadAll({
      ai_search_citations: [citing(buyer, 'a.example'), [...citing(buyer, 'b.example'), ...citing(student, 'c.example')]],
    })),
    prompt: 'p0',
    persona: ['buyer'],
  };
  expect((await prompt('citations', values)).map(({ site, change: is }) => [site, is])).toEqual([
    ['b.example', 'new'],
    ['a.example', 'gone'],
  ]);
});

it('a place in two spellings is asked in one week only, where it is asked in one', async () => {
  const [here, there] = [asked(), asked({ locode: 'US_NYC' })];
  const values: Values = {
    ...(await loadAll({
      ai_search_response: [here, [...here, ...asked({ locode: 'US-NYC' })]],
      ai_search_citations: [citing(here, 'a.example'), [...citing(here, 'a.example'), ...citing(there, 'b.example')]],
    })),
    prompt: 'p0',
  };
  expect((await prompt('citations', values)).map(({ site, change: is }) => [site, is])).toEqual([
    ['a.example', null],
    ['b.example', null],
  ]);
});
