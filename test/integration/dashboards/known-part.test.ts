// Shares of searches of which only a part is known, or has a volume; and figures of several assistants of which one has no rows in a week.
import { expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import type { Values } from '../../../src/dashboards/variables.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { loadAskedWeeks, ownDomain } from '../../support/asked-weeks.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf, type PanelRow } from '../../support/panels.ts';
import type { WireValues } from '../../support/wire-rows.ts';

const ledger = useLedger();
const [FIRST, BEFORE, NOW] = ['2026-10-25', '2026-11-01', '2026-11-08'] as const;
const isWhole = { isWhole: true };
const boardOf = (name: string) => asksOf(() => ledger.pool, name, isWhole);
const [rankings, home, site, ai, page] = ['rankings', 'home', 'site', 'ai-visibility', 'page'].map(boardOf) as [Ask, Ask, Ask, Ask, Ask];
type Ask = ReturnType<typeof boardOf>;

/** Of each assistant, row by row, a figure, or the reason why it is missing. */
function byAssistant(rows: readonly PanelRow[], figure: string): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const row of rows) {
    const [assistant, ...said] = [row.assistant, row[figure], row.reason].filter((cell) => cell !== null);
    found[assistant ?? ''] = [...(found[assistant ?? ''] ?? []), said.join(', ')];
  }
  return found;
}

/** Searches of which we hold the first place of some, and a rival that of all others. */
const searches = (count: number, { ours = 0, weighed = count }: { ours?: number; weighed?: number } = {}): WireValues[] =>
  Array.from({ length: count }, (_, at) => ({
    query: `q${at}`,
    device: 'DESKTOP',
    search_engine: 'GOOGLE',
    search_engine_country_code: 'US',
    root_domain: at < ours ? 'acme.example' : 'rival.example',
    normalized_url: `https://${at < ours ? 'acme' : 'rival'}.example/${at}`,
    keyword_group_ids: '1',
    keyword_group_names: 'all',
    rank_standard: '1',
    rank_true: '1',
    average_search_volume: at < weighed ? '10' : null,
  }));

const SHARES: readonly (readonly [Ask, string, string])[] = [
  [home, 'visibility', 'figure'],
  [rankings, 'market-share', 'share'],
  [rankings, 'visibility', 'share'],
  [rankings, 'rank-distribution', 'share'],
  [rankings, 'groups', 'share'],
  [site, 'share', 'share'],
];

it('weighted shares: searches without a volume weigh nothing, a line breaks where most of them are others, and a change is of those that both weeks know', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const loaded = await loadAskedWeeks(ledger.pool, job, [
    { week: FIRST, rows: searches(20, { ours: 5 }) },
    { week: BEFORE, rows: searches(20, { ours: 5, weighed: 19 }) },
    { week: NOW, rows: searches(20, { ours: 5, weighed: 10 }) },
  ]);
  const values: Values = { ...loaded, weighted: 'true', top_n: '1', compare: 'week' };
  const tiles = await home('visibility', values);
  expect(tiles.map(({ week, figure, reason, question }) => [week, figure, reason, question])).toEqual([
    [FIRST, '25.00', null, `since ${FIRST}`],
    [BEFORE, '26.32', null, `since ${FIRST}`],
    [NOW, '50.00', 'only 53 % are the same as the week before', `since ${NOW}`],
  ]);
  expect(tiles.at(-1)).toMatchObject({ before: '26.32', change: '0.00', added: '0.00', dropped: '23.68', uncompared: null });
  // With every search counted alike nothing is weighed.
  const alike = await home('visibility', { ...values, weighted: 'false' });
  expect(alike.map(({ figure, reason, question }) => [figure, reason, question])).toEqual(Array(3).fill(['25.00', null, null]));
});

it.each([[['acme.example']], [['acme.example', 'rival.example']]])(
  'domains %j: what was lost has no row, so there is no share of all searches, no winner and no loser',
  async (domains) => {
    const job = jobOf();
    await ownDomain(ledger.pool, job);
    const ours = (count: number) => searches(count, { ours: count }).map((row, at) => ({ ...row, rank_standard: at < 5 ? '1' : '7' }));
    const filters = { domains };
    const loaded = await loadAskedWeeks(ledger.pool, job, [
      { week: BEFORE, filters, rows: ours(20) },
      { week: NOW, filters, rows: [...ours(18), ...searches(1, { ours: 1 }).map((row) => ({ ...row, query: 'new' }))] },
    ]);
    const values: Values = { ...loaded, site: 'rival.example', compare: 'week' };
    const unknown = 'searches without a result of the domains asked for are not known';
    for (const [ask, panel, figure] of [...SHARES, [home, 'first-three', 'figure'] as const]) {
      const shown = await ask(panel, values);
      expect([panel, shown.length > 0]).toEqual([panel, true]);
      for (const row of shown) expect([panel, row[figure], row.reason]).toEqual([panel, null, unknown]);
    }
    const refusal = `The week of ${NOW} is not compared: ${unknown}.`;
    for (const [ask, panel] of [
      [rankings, 'winners-and-losers'],
      [rankings, 'new-and-lost'],
    ] as const)
      expect(await ask(panel, values)).toMatchObject([{ query: null, reason: refusal }]);
    // Where we are found is known.
    expect((await rankings('average-place', values)).map(({ place, found }) => [place, found])).toEqual([
      ['5.50', '20'],
      ['5.11', '19'],
    ]);
  },
);

const jobs = (...datasets: readonly string[]): Job[] => {
  const { accountId } = jobOf();
  return datasets.map((dataset) => jobOf({ dataset: datasetNamed(dataset), accountId }));
};
const ASSISTANTS = ['chatgpt', 'gemini', 'perplexity'];
/** Rows of twelve prompts by each assistant; gemini names and cites us least. */
const rowsOf = (assistants: readonly string[], more: (assistant: string, at: number) => WireValues | null): WireValues[] =>
  assistants.flatMap((assistant) =>
    Array.from({ length: 12 }, (_, at) => {
      const values = more(assistant, at);
      return (
        values && {
          ai_search_engine: assistant,
          locode: 'US',
          language: 'en_US',
          topic: 'shoes',
          prompt: `p${at}`,
          prompt_type: 'unbranded',
          ...values,
        }
      );
    }).filter((row) => row !== null),
  );
const isOfUs = (assistant: string, at: number): boolean => at < (assistant === 'gemini' ? 3 : 9);
const named = (assistant: string, at: number) =>
  isOfUs(assistant, at) ? { brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' } : null;
const cited = (assistant: string, at: number) => {
  const host = isOfUs(assistant, at) ? 'acme.example' : 'rival.example';
  return { citation_domain: host, citation_url: `https://${host}/page`, citation_attribution: isOfUs(assistant, at) ? 'You' : 'Other' };
};

it('an assistant without rows in a week breaks lines over several assistants, and not those of each other assistant', async () => {
  const [responses, brands, citations, sentiments] = jobs(
    'ai_search_response',
    'ai_search_brands',
    'ai_search_citations',
    'ai_search_sentiments',
  ) as [Job, Job, Job, Job];
  const there = ASSISTANTS.filter((name) => name !== 'gemini');
  const both = (more: (assistant: string, at: number) => WireValues | null) => [
    { week: BEFORE, rows: rowsOf(ASSISTANTS, more) },
    { week: NOW, rows: rowsOf(there, more) },
  ];
  await loadAskedWeeks(
    ledger.pool,
    responses,
    both(() => ({})),
  );
  await loadAskedWeeks(ledger.pool, brands, both(named));
  await loadAskedWeeks(ledger.pool, citations, both(cited));
  const values: Values = {
    ...(await loadAskedWeeks(
      ledger.pool,
      sentiments,
      both((name, at) => ({ sentiment_brand: 'Acme', sentiment_value: isOfUs(name, at) ? 'positive' : 'negative' })),
    )),
    branded: 'unbranded',
    compare: 'week',
    page: 'rival.example/page',
  };
  for (const [panel, series] of [
    ['citation-share', 'site'],
    ['attribution-mix', 'attribution'],
    ['sentiment-score', 'brand'],
  ] as const)
    for (const name of new Set((await ai(panel, values)).map((row) => row[series]))) {
      const line = (await ai(panel, values)).filter((row) => row[series] === name);
      expect([panel, line.length, new Set(line.map(({ question }) => question)).size]).toEqual([panel, 2, 2]);
    }
  // Figures of one assistant, by line and by choice, are as before.
  expect(byAssistant(await ai('mention-rate', values), 'percent')).toEqual({
    chatgpt: ['75.0', '75.0'],
    gemini: ['25.0', 'nothing that is chosen is there in this week'],
    perplexity: ['75.0', '75.0'],
  });
  expect(await home('mention-rate', { ...values, assistant: ['chatgpt'] })).toMatchObject([{}, { change: '0.0', uncompared: null }]);
  // A page that it does not cite is not cited 0 times.
  expect(byAssistant(await page('citations', values), 'citations')).toEqual({
    chatgpt: ['3', '3'],
    gemini: ['9', 'nothing that is chosen is there in this week'],
    perplexity: ['3', '3'],
  });
  expect((await page('prompts', values)).filter((row) => row.change !== null)).toEqual([]);
  const prompt = boardOf('prompt');
  const changes = await prompt('citations', { ...values, prompt: 'p0', week: NOW, before: BEFORE });
  expect(changes.map((row) => [row.assistant, row.change])).toEqual(ASSISTANTS.map((name) => [name, null]));
});

it('weighted shares: other volumes of the same searches are a part of the change, and the line goes on', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const loaded = await loadAskedWeeks(ledger.pool, job, [
    { week: BEFORE, rows: searches(20, { ours: 10 }) },
    { week: NOW, rows: searches(20, { ours: 10 }).map((row, at) => ({ ...row, average_search_volume: at < 10 ? '5' : '40' })) },
  ]);
  const values: Values = { ...loaded, weighted: 'true', top_n: '1', compare: 'week' };
  // That other volumes weigh the same places is a part of the change, which the board Why tells apart.
  expect((await home('visibility', values)).at(-1)).toMatchObject({
    figure: '11.11',
    change: '-38.89',
    uncompared: null,
    reason: null,
    question: null,
  });
});

it('shares: searches whose volume becomes known count as added, and what moved is told of those that both weeks know', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const loaded = await loadAskedWeeks(ledger.pool, job, [
    { week: BEFORE, rows: searches(20, { ours: 5, weighed: 10 }) },
    { week: NOW, rows: searches(20, { ours: 5 }) },
  ]);
  const values: Values = { ...loaded, weighted: 'true', top_n: '1', compare: 'week' };
  const [, now] = await rankings('visibility', values);
  // 5 of 10, then 5 of 20: nothing happened to the ten that both weeks know.
  expect(now).toMatchObject({ share: '25.00', like_for_like: '0.00', same: '50.0' });
  expect(now?.reason).toBe('only 50 % are the same as the week before');
  const [, site_now] = await rankings('market-share', values);
  expect(site_now).toMatchObject({ site: 'acme.example', share: '25.00', same: '50.0' });
});
