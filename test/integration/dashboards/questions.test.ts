// Which question a week answers: what was not asked for is a gap and never zero, and weeks that answer different questions are not compared.
import { expect, it } from 'vitest';
import { grafanaDashboard } from '../../../scripts/dashboards/grafana.ts';
import type { Job } from '../../../src/config/settings.ts';
import type { IsoDate } from '../../../src/core/weeks.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import type { Values } from '../../../src/dashboards/variables.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { type AskedWeek, loadAskedWeeks, ownDomain, prompt } from '../../support/asked-weeks.ts';
import { serveDashboards } from '../../support/dashboards.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
import { storeReports } from '../../support/stored-weeks.ts';
import type { WireValues } from '../../support/wire-rows.ts';

const ledger = useLedger();
const WEEKS = ['2026-11-01', '2026-11-08'] as const;
const [BEFORE, NOW] = WEEKS;
const rankings = asksOf(() => ledger.pool, 'rankings');
const answers = asksOf(() => ledger.pool, 'ai-visibility');
const whole = {
  rankings: asksOf(() => ledger.pool, 'rankings', { isWhole: true }),
  ai: asksOf(() => ledger.pool, 'ai-visibility', { isWhole: true }),
  toWin: asksOf(() => ledger.pool, 'to-win', { isWhole: true }),
};

const load = (job: Job, weeks: readonly AskedWeek[]): Promise<Values> => loadAskedWeeks(ledger.pool, job, weeks);
const own = (job: Job, domain?: string): Promise<void> => ownDomain(ledger.pool, job, domain);

const ASSISTANTS = ['chatgpt', 'gemini', 'perplexity'];
const ofUs = { brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' };
const NOT_OURS = 'our brands were not asked for, or meet no answer';
const PART = 'only a part of the citations was asked for';
const datasetJob = (dataset: string, like?: Job): Job =>
  jobOf({ dataset: datasetNamed(dataset), ...(like && { accountId: like.accountId }) });

it('mention rate: an assistant whose brands were not asked for is a gap with its reason, and the others go on', async () => {
  const responses = datasetJob('ai_search_response');
  const brands = datasetJob('ai_search_brands', responses);
  await load(
    responses,
    WEEKS.map((week) => ({ week, rows: ASSISTANTS.map((name) => prompt(name)) })),
  );
  const values = await load(brands, [
    { week: BEFORE, rows: ASSISTANTS.map((name) => prompt(name, ofUs)) },
    { week: NOW, filters: { ai_search_engines: ['chatgpt'] }, rows: [prompt('chatgpt', ofUs)] },
  ]);
  const shown = await answers('mention-rate', values);
  expect(shown.map(({ week, assistant, percent, reason }) => [week, assistant, percent, reason])).toEqual(
    ASSISTANTS.flatMap((assistant) => [
      [BEFORE, assistant, '100.0', null],
      [NOW, assistant, assistant === 'chatgpt' ? '100.0' : null, assistant === 'chatgpt' ? null : NOT_OURS],
    ]),
  );
  // The same holds for a choice, and for the sum over all weeks.
  expect(await answers('mention-rate', { ...values, assistant: ['gemini'] })).toMatchObject([
    { percent: '100.0' },
    { percent: null, answers_naming_us: null, reason: NOT_OURS },
  ]);
  const topics = await answers('topic-gap', { ...values, weeks: '1' });
  expect(topics.map(({ assistant, percent, reason }) => [assistant, percent, reason])).toEqual([
    ['chatgpt', '100.0', null],
    ['gemini', null, NOT_OURS],
    ['perplexity', null, NOT_OURS],
  ]);
});

it('mention rate: brands of a part of the answers make a rate of this part, which says so', async () => {
  const responses = datasetJob('ai_search_response');
  await load(responses, [{ week: NOW, rows: [prompt('chatgpt'), prompt('chatgpt', { topic: 'boots', prompt: 'best boots' })] }]);
  const values = await load(datasetJob('ai_search_brands', responses), [
    { week: NOW, filters: { topics: ['shoes'] }, rows: [prompt('chatgpt', ofUs)] },
  ]);
  expect(await answers('mention-rate', values)).toMatchObject([
    { percent: '100.0', answers_naming_us: '1', answers: '1', reason: `1 of 2 are left out: ${NOT_OURS}` },
  ]);
});

it.each([[{ brand_or_product_attributions: ['Partner'] }], [{ web_property_ids: [7] }]])(
  'mention rate: a gap, since brands of %o cover no answer',
  async (filters) => {
    const responses = datasetJob('ai_search_response');
    await load(responses, [{ week: NOW, rows: [prompt('chatgpt')] }]);
    const values = await load(datasetJob('ai_search_brands', responses), [{ week: NOW, filters, rows: [] }]);
    expect(await answers('mention-rate', values)).toMatchObject([{ percent: null, answers_naming_us: null, reason: NOT_OURS }]);
  },
);

it.each<[Job['filters'], string | null]>([
  [{}, '100.0'],
  [{ brand_or_product_attributions: ['Partner'] }, null],
])('mention rate: after a week whose brands were asked for as %o the change like for like is %s', async (filters, change) => {
  const responses = datasetJob('ai_search_response');
  const prompts = Array.from({ length: 20 }, (_, index) => prompt('chatgpt', { prompt: `prompt ${index}` }));
  await load(
    responses,
    WEEKS.map((week) => ({ week, rows: prompts })),
  );
  const values = await load(datasetJob('ai_search_brands', responses), [
    { week: BEFORE, filters, rows: [] },
    { week: NOW, rows: prompts.map((row) => ({ ...row, ...ofUs })) },
  ]);
  for (const shown of [
    await answers('mention-rate', values),
    await asksOf(() => ledger.pool, 'topic')('mention-rate', { ...values, topic: 'shoes' }),
  ])
    expect(shown.map(({ like_for_like }) => like_for_like)).toEqual([null, change]);
});

it.each([
  ['attribution-mix', 'attribution', ['you', 'other']],
  ['citation-share', 'site', ['acme.example', '(no page)']],
])('%s: a week of some attributions only has no share, and is compared with none', async (panel, series, lines) => {
  const job = datasetJob('ai_search_citations');
  const cited = (citation_domain: string | null, citation_attribution: string, page: string): WireValues =>
    prompt('chatgpt', { citation_domain, citation_attribution, citation_url: `https://${citation_domain}/${page}` });
  const all = [cited('acme.example', 'You', 'a'), cited(null, 'Other', 'b'), cited(null, 'Other', 'c')];
  const values = await load(job, [
    { week: BEFORE, filters: { citation_attributions: ['You'] }, rows: all.slice(0, 1) },
    { week: NOW, rows: all },
  ]);
  const shown = await answers(panel, values);
  expect(shown.map((row) => [row[series], row.week, row.percent === null, row.reason, row.question])).toEqual(
    lines.flatMap((line) => [
      [line, BEFORE, true, PART, null],
      [line, NOW, false, null, null],
    ]),
  );
});

it('Grafana: figures of other prompts are a line of their own', async () => {
  const job = datasetJob('ai_search_citations');
  const cited = (citation_attribution: string): WireValues =>
    prompt('chatgpt', { citation_attribution, citation_domain: citation_attribution === 'You' ? 'acme.example' : 'other.example' });
  const values = await load(job, [
    { week: BEFORE, rows: [{ ...cited('You'), prompt: 'another prompt' }] },
    { week: NOW, rows: [cited('You'), cited('Other')] },
  ]);
  const board = readBoards().find(({ name }) => name === 'ai-visibility');
  const panel = board && grafanaDashboard(board).panels?.find(({ title }) => title === 'Attribution mix of citations');
  const { targets } = panel as unknown as { targets: { rawSql: string }[] };
  const sql = (targets[0]?.rawSql ?? '').replaceAll(/\$\{(\w+):percentencode\}/g, (_, name: keyof Values) =>
    String(values[name] ?? 'NULL'),
  );
  const { rows } = await ledger.pool.query<{ metric: string; percent: string | null }>(sql);
  expect(
    rows
      .filter(({ percent }) => percent !== null)
      .map(({ metric }) => metric)
      .sort(),
  ).toEqual(['other', `other (since ${BEFORE})`, 'you', `you (since ${BEFORE})`]);
});

/** One search with a result on each of the first places, ours on the last. */
const places = (most: number, query = 'a', more: WireValues = {}): WireValues[] =>
  Array.from({ length: most }, (_, index) => ({
    query,
    device: 'DESKTOP',
    search_engine: 'GOOGLE',
    root_domain: index + 1 === most ? 'acme.example' : `site-${index + 1}.example`,
    normalized_url: `https://${query}.example/${index}`,
    rank_standard: String(index + 1),
    ...more,
  }));

it('market share: a week that is not tracked to all of the places that count is a gap', async () => {
  const job = jobOf();
  const values = await load(job, [
    { week: BEFORE, filters: { max_rank: 5 }, rows: places(5) },
    { week: NOW, rows: places(12) },
  ]);
  const shown = await rankings('market-share', values);
  expect(shown.length).toBe(20);
  for (const { week, site, share, reason } of shown) {
    const held = site === 'acme.example' ? '0.00' : '10.00';
    expect([week, site, share, reason]).toEqual(
      week === NOW ? [week, site, held, null] : [week, site, null, 'tracked to place 5 only (max_rank)'],
    );
  }
  expect(new Set((await rankings('market-share', { ...values, top_n: '5' })).map(({ reason }) => reason))).toEqual(new Set([null]));
});

it('places: a search is not called absent below the tracked depth', async () => {
  const job = jobOf();
  await own(job);
  const values = await load(job, [
    { week: BEFORE, filters: { max_rank: 5 }, rows: [...places(2, 'a'), ...places(5, 'b', { root_domain: 'site.example' })] },
    { week: NOW, rows: [...places(2, 'a'), ...places(5, 'b', { root_domain: 'site.example' })] },
  ]);
  const shown = await rankings('rank-distribution', values);
  const of = (week: IsoDate) =>
    shown.filter((row) => row.week === week).map(({ place, share, searches, reason }) => [place, share, searches, reason]);
  // No class says how many searches have a place that was not loaded.
  expect(of(BEFORE)).toEqual([
    ['2-3', '50.00', '1', null],
    ['not within 5', '50.00', '1', null],
  ]);
  expect(of(NOW)).toEqual([
    ['2-3', '50.00', '1', null],
    ['absent', '50.00', '1', null],
    ['not within 5', '0.00', '0', null],
  ]);
});

it.each([
  [{ min_rank: 3 }, 'places before 3 were not asked for (min_rank)'],
  [{ domains: ['other.example'] }, 'searches without a result of the domains asked for are not known'],
])('our places: a gap with results of %o, which tell nothing about them', async (filters, reason) => {
  const job = jobOf();
  await own(job);
  const values = await load(job, [{ week: NOW, filters, rows: places(4, 'a', { root_domain: 'other.example' }) }]);
  for (const panel of ['rank-distribution', 'visibility']) {
    const shown = await rankings(panel, values);
    expect(shown.length).toBeGreaterThan(0);
    expect(new Set(shown.map(({ share, reason }) => `${share} ${reason}`))).toEqual(new Set([`null ${reason}`]));
  }
});

it.each(['winners-and-losers', 'new-and-lost', 'changed-urls'])(
  '%s: names its weeks, and compares what both have, whatever else was asked for',
  async (panel) => {
    const job = jobOf();
    await own(job);
    const found = (place: number, more: WireValues = {}): WireValues => ({
      query: 'a',
      device: 'DESKTOP',
      search_engine: 'GOOGLE',
      root_domain: 'acme.example',
      normalized_url: 'https://acme.example/p',
      rank_standard: String(place),
      ...more,
    });
    const values = {
      ...(await load(job, [
        { week: BEFORE, rows: [found(1)] },
        { week: NOW, rows: [found(1, { normalized_url: 'http://www.acme.example/p/' })] },
      ])),
      top_n: '3',
    };
    const notice = `Week of ${NOW}, compared with the week of ${BEFORE}.`;
    // Nothing changed: /p and /p/ are one page.
    expect(await whole.rankings(panel, values)).toMatchObject([{ query: null, reason: null, notice }]);
    await load(job, [{ week: NOW, filters: { devices: ['DESKTOP'] }, rows: [found(9, { normalized_url: 'https://acme.example/q' })] }]);
    expect(await whole.rankings(panel, values)).toMatchObject([
      panel === 'new-and-lost'
        ? { query: null, reason: null, notice }
        : { query: 'a', reason: null, notice: expect.stringContaining(notice) },
    ]);
    await load(job, [{ week: NOW, rows: [found(9, { query: 'another' })] }]);
    const reason = `The week of ${NOW} is not compared: nothing that is chosen is in both weeks.`;
    expect(await whole.rankings(panel, values)).toMatchObject([{ query: null, reason }]);
  },
);

it('tables of the newest week say why they are empty', async () => {
  const job = jobOf();
  const none = { account: String(job.accountId), weeks: '13', rank: 'standard', weighted: 'true' };
  for (const panel of ['winners-and-losers', 'new-and-lost', 'changed-urls'])
    expect(await whole.rankings(panel, none)).toMatchObject([{ reason: 'No week of keyword rankings was ever asked for.' }]);
  for (const panel of ['cited-pages-ours', 'cited-pages-others', 'fan-out', 'against-us'])
    expect(await whole.ai(panel, none)).toMatchObject([
      { reason: expect.stringMatching(/^No week of (citations|fan out|sentiments) was ever asked for\.$/) },
    ]);
  const both = 'Citations: No week of citations was ever asked for. Rankings: No week of keyword rankings was ever asked for.';
  for (const panel of ['cited-not-ranking', 'ranking-not-cited'])
    expect(await whole.toWin(panel, none)).toMatchObject([{ reason: both, notice: null }]);
});

it.each([
  ['sentiment-score', { sentiment_values: ['Positive'] }],
  ['against-us', { sentiment_values: ['Positive'] }],
])('%s: sentiments of %o only are no score, and no praise', async (panel, filters) => {
  const job = datasetJob('ai_search_sentiments');
  const rows = [prompt('chatgpt', { sentiment_brand: 'Acme', sentiment_value: 'Positive', sentiment_snippet: 'Good.' })];
  const values = await load(job, [{ week: NOW, filters, rows }]);
  const shown = await whole.ai(panel, values);
  expect(shown.length).toBeGreaterThan(0);
  for (const row of shown)
    expect(row).toMatchObject({
      reason: expect.stringMatching(/not all (sentiments|of what is said)/),
      ...(panel === 'sentiment-score' && { sentiment_score: null }),
    });
});

it('topics by assistant: weeks left out are reported', async () => {
  const responses = datasetJob('ai_search_response');
  await load(
    responses,
    WEEKS.map((week) => ({ week, rows: [prompt('chatgpt')] })),
  );
  const values = await load(datasetJob('ai_search_brands', responses), [{ week: NOW, rows: [prompt('chatgpt', ofUs)] }]);
  const [row] = await answers('topic-gap', values);
  expect(row?.percent).toBe('100.0');
  expect(row?.notice).toBe(`Week of ${BEFORE}: left out, brands are not there.`);
});

it('market share: a result counts with the volume of its search, whichever row has it', async () => {
  const job = jobOf();
  const weights = [undefined, '100', '60'];
  const rows = places(3).map((row, index) => ({ ...row, average_search_volume: weights[index] ?? null }));
  const other = places(1, 'b', { root_domain: 'site-1.example', average_search_volume: '100' });
  const values = await load(job, [{ week: NOW, rows: [...rows, ...other] }]);
  const shown = await rankings('market-share', { ...values, weighted: 'true' });
  expect(shown.map(({ site, share }) => [site, share])).toEqual([
    ['site-1.example', '10.00'],
    ['acme.example', '5.00'],
    ['site-2.example', '5.00'],
  ]);
});

it('changes: a keyword of two properties is two searches, told apart', async () => {
  const job = jobOf();
  await own(job);
  const found = (web_property_id: string, place: number): WireValues => ({
    ...places(1)[0],
    web_property_id,
    rank_standard: String(place),
  });
  const values = await load(job, [
    { week: BEFORE, rows: [found('1', 11), found('2', 12)] },
    { week: NOW, rows: [found('1', 1), found('2', 2)] },
  ]);
  const shown = await rankings('winners-and-losers', values);
  expect(shown.map(({ web_property, query, place_now }) => [web_property, query, place_now])).toEqual([
    ['1', 'a', '1'],
    ['2', 'a', '2'],
  ]);
});

it('where no site is known to be ours, no panel says anything of us', async () => {
  const job = jobOf();
  const values = await load(
    job,
    WEEKS.map((week) => ({ week, rows: places(3) })),
  );
  const gap = 'no site is known to be ours, or results of it were not asked for';
  for (const [panel, figure] of [
    ['visibility', 'share'],
    ['rank-distribution', 'share'],
    ['groups', 'share'],
    ['average-place', 'place'],
  ] as const) {
    const shown = await whole.rankings(panel, values);
    for (const row of shown) expect([panel, row[figure], row.reason]).toEqual([panel, null, gap]);
  }
  for (const panel of ['winners-and-losers', 'new-and-lost', 'changed-urls'])
    expect(await whole.rankings(panel, values), panel).toMatchObject([
      { query: null, reason: `The week of ${NOW} is not compared: ${gap}.` },
    ]);
  // With an own site that has no result it is zero: the rows say so.
  await own(job, 'nowhere.example');
  await ledger.pool.query("SELECT search_reports.mark_weeks('keyword_rankings', $1, $2)", [job.accountId, WEEKS]);
  await storeReports(ledger.pool);
  expect((await rankings('visibility', values)).map(({ share, reason }) => [share, reason])).toEqual([
    ['0.00', null],
    ['0.00', null],
  ]);
});

it.each([
  [['US NYC'], ['US'], null],
  [['us-nyc'], ['US NYC'], null],
  [['US'], ['US NYC'], null],
  [['US NYC'], ['CA'], NOT_OURS],
])('mention rate: answers of %o and brands of %o, which cover those answers or do not', async (answered, branded, reason) => {
  const responses = datasetJob('ai_search_response');
  await load(responses, [{ week: NOW, filters: { locodes: answered }, rows: [prompt('chatgpt', { locode: 'US-NYC' })] }]);
  const rows = reason === null ? [prompt('chatgpt', { locode: 'US NYC', ...ofUs })] : [];
  const values = await load(datasetJob('ai_search_brands', responses), [{ week: NOW, filters: { locodes: branded }, rows }]);
  expect(await answers('mention-rate', values)).toMatchObject([{ percent: reason === null ? '100.0' : null, reason }]);
});

it('places, languages, devices and engines that differ only in case or order are the same question', async () => {
  const job = jobOf();
  await own(job);
  const asked = [
    { countries: ['us', 'DE'], devices: ['desktop'] },
    { countries: ['de', 'US'], devices: ['DESKTOP'] },
  ];
  const values = await load(
    job,
    WEEKS.map((week, at) => ({ week, filters: asked[at] ?? {}, rows: places(3) })),
  );
  expect((await rankings('visibility', values)).map(({ reason }) => reason)).toEqual([null, null]);
  const responses = datasetJob('ai_search_citations');
  const spelled = [
    { locodes: ['US NYC'], languages: ['en_US'], ai_search_engines: ['ChatGPT'] },
    { locodes: ['us-nyc'], languages: ['EN-us'], ai_search_engines: ['chatgpt'] },
  ];
  const cited = { citation_domain: 'acme.example', citation_attribution: 'You' };
  const ai = await load(
    responses,
    WEEKS.map((week, at) => ({ week, filters: spelled[at] ?? {}, rows: [prompt('chatgpt', cited)] })),
  );
  expect((await answers('citation-share', ai)).map(({ reason }) => reason)).toEqual([null, null]);
});

it('brands of which none is attributed to You tell nothing about us', async () => {
  const responses = datasetJob('ai_search_response');
  await load(responses, [{ week: NOW, rows: [prompt('chatgpt')] }]);
  const values = await load(datasetJob('ai_search_brands', responses), [
    { week: NOW, rows: [prompt('chatgpt', { ...ofUs, brand_or_product_attribution: 'brand' })] },
  ]);
  const reason = 'no brand is attributed to You in any week, but to brand';
  expect(await answers('mention-rate', values)).toMatchObject([{ percent: null, reason }]);
  expect(await answers('topic-gap', values)).toMatchObject([{ percent: null, reason: NOT_OURS }]);
});

const asked = (count: number, more: WireValues = {}): WireValues[] =>
  Array.from({ length: count }, (_, at) => prompt('chatgpt', { prompt: `prompt ${at}`, ...more }));

it('weeks with a fifth more prompts are compared like for like, over the prompts that both have', async () => {
  const responses = datasetJob('ai_search_response');
  await load(responses, [
    { week: BEFORE, rows: asked(10) },
    { week: NOW, rows: asked(12) },
  ]);
  await load(datasetJob('ai_search_brands', responses), [
    { week: BEFORE, rows: asked(5, ofUs) },
    { week: NOW, rows: asked(6, ofUs) },
  ]);
  const cited = { citation_domain: 'acme.example', citation_attribution: 'You', citation_url: 'https://acme.example/a' };
  const values = await load(datasetJob('ai_search_citations', responses), [
    { week: BEFORE, rows: asked(5, cited) },
    { week: NOW, rows: asked(12, cited) },
  ]);
  for (const panel of ['mention-rate', 'citation-share', 'attribution-mix']) {
    const shown = await answers(panel, values);
    expect(shown.map(({ week, reason, question }) => [panel, week, reason, question])).toEqual([
      [panel, BEFORE, null, null],
      [panel, NOW, null, null],
    ]);
  }
  expect(await answers('mention-rate', values)).toMatchObject([{}, { like_for_like: '10.0', same: '83.3' }]);
  expect(await answers('cited-pages-ours', values)).toMatchObject([
    { citations: '12', change: '7', notice: expect.stringContaining('Of the prompts 83 % are the same.') },
  ]);
});

it('200 prompts answered as before, and 19 added that name us: like for like nothing has changed', async () => {
  const responses = datasetJob('ai_search_response');
  await load(responses, [
    { week: BEFORE, rows: asked(200) },
    { week: NOW, rows: asked(219) },
  ]);
  const added = asked(219, ofUs).slice(200);
  const values = await load(datasetJob('ai_search_brands', responses), [
    { week: BEFORE, rows: asked(20, ofUs) },
    { week: NOW, rows: [...asked(20, ofUs), ...added] },
  ]);
  expect(await answers('mention-rate', values)).toMatchObject([
    { percent: '10.0' },
    { percent: '17.8', like_for_like: '0.0', same: '91.3' },
  ]);
  expect(await whole.ai('prompts-won-and-lost', values)).toMatchObject([
    {
      prompt: null,
      reason: null,
      notice: expect.stringContaining('Like for like 0.00 points, by prompts added 7.81, by prompts dropped 0.00.'),
    },
  ]);
});

it('weeks with nearly as many prompts are compared, and other filters of answers move no other dataset', async () => {
  const responses = datasetJob('ai_search_response');
  await load(responses, [
    { week: BEFORE, rows: asked(20) },
    { week: NOW, rows: asked(21) },
  ]);
  const brands = datasetJob('ai_search_brands', responses);
  const values = await load(
    brands,
    WEEKS.map((week) => ({ week, rows: asked(10, ofUs) })),
  );
  expect(await answers('mention-rate', values)).toMatchObject([{ question: null }, { reason: null, like_for_like: '0.0' }]);
  await load(responses, [{ week: NOW, filters: { topics: ['shoes'] }, rows: asked(5) }]);
  const cited = { citation_domain: 'acme.example', citation_attribution: 'You' };
  const citations = await load(
    datasetJob('ai_search_citations', responses),
    WEEKS.map((week) => ({ week, rows: asked(5, cited) })),
  );
  expect((await answers('citation-share', citations)).map(({ reason }) => reason)).toEqual([null, null]);
});

it('results of some types only are reported on every panel of ranks', async () => {
  const job = jobOf();
  await own(job);
  const values = await load(
    job,
    WEEKS.map((week) => ({ week, filters: { result_types: ['STANDARD_LINK'] }, rows: places(3) })),
  );
  const told = /of these types(?: of results)? only \(result_types\): standard-link/;
  const panels = ['market-share', 'visibility', 'rank-distribution', 'average-place', 'winners-and-losers', 'new-and-lost', 'changed-urls'];
  for (const panel of panels) {
    const [row] = await whole.rankings(panel, values);
    expect(`${row?.reason} ${row?.notice}`, panel).toMatch(told);
  }
});

it('the kinds of rank are explained where a reader chooses one', async () => {
  const dashboards = await serveDashboards(ledger.url);
  try {
    const page = await (await fetch(`${dashboards.url}/boards/rankings`)).text();
    const [, choice = ''] = /<label for="choice-rank">(.*?)<\/details>/s.exec(page) ?? [];
    for (const word of ['Standard:', 'True:', 'Universal:', 'STANDARD_LINK']) expect(choice).toContain(word);
  } finally {
    await dashboards.close();
  }
});

it('topics by assistant: citations of another spelling, or asked for in part, name no competitor', async () => {
  const responses = datasetJob('ai_search_response');
  await load(
    responses,
    WEEKS.map((week) => ({ week, rows: [prompt('chatgptsearch')] })),
  );
  await load(
    datasetJob('ai_search_brands', responses),
    WEEKS.map((week) => ({ week, rows: [prompt('chatgptsearch', ofUs)] })),
  );
  const citations = datasetJob('ai_search_citations', responses);
  const rival = { citation_domain: 'rival.example', citation_attribution: 'SEO Competitor' };
  const values = await load(
    citations,
    WEEKS.map((week) => ({ week, rows: [prompt('chatgpt', rival)] })),
  );
  const ofSearch = async () => (await answers('topic-gap', values)).find(({ assistant }) => assistant === 'chatgptsearch');
  expect(await ofSearch()).toMatchObject({ percent: '100.0', best_competitor: null, most_cited_site: null });
  await load(
    citations,
    WEEKS.map((week) => ({
      week,
      filters: week === NOW ? { citation_attributions: ['You'] } : {},
      rows: [prompt('chatgptsearch', week === NOW ? { ...rival, citation_domain: 'other.example' } : rival)],
    })),
  );
  expect(await ofSearch()).toMatchObject({ best_competitor: 'rival.example', competitor_citation_percent: '100.0' });
});

it('what is said against us: brands that are spelled otherwise than ours are named, so that silence is not taken for praise', async () => {
  const brands = datasetJob('ai_search_brands');
  await load(brands, [{ week: NOW, rows: [prompt('chatgpt', { ...ofUs, brand_or_product_name: 'Acme' })] }]);
  const bad = { sentiment_brand: 'ACME Inc', sentiment_value: 'Negative', sentiment_snippet: 'Bad.' };
  const sentiments = datasetJob('ai_search_sentiments', brands);
  const values = await load(sentiments, [
    { week: NOW, rows: [prompt('chatgpt', bad), prompt('chatgpt', { ...bad, sentiment_brand: 'Rival' })] },
  ]);
  expect(await whole.ai('against-us', values)).toMatchObject([
    {
      brand: null,
      reason: 'Our brands are acme, and no mention is of them: of 2, most are of ACME Inc. Are they spelled differently?',
    },
  ]);
  await load(sentiments, [{ week: NOW, rows: [prompt('chatgpt', { ...bad, sentiment_brand: 'Acme' }), prompt('chatgpt', bad)] }]);
  expect(await whole.ai('against-us', values)).toMatchObject([
    { brand: 'Acme', notice: expect.stringContaining('Of 2 mentions 1 are of brands of ours.') },
  ]);
});

it.each(['cited-not-ranking', 'ranking-not-cited'])(
  '%s: says how many pages meet, and is a gap where no site is on both sides',
  async (panel) => {
    const job = jobOf();
    await own(job);
    const page = (path: string): WireValues => ({ ...places(1)[0], normalized_url: `https://acme.example/${path}` });
    await load(job, [{ week: NOW, rows: [page('a'), { ...page('b'), query: 'b' }] }]);
    const cited = (url: string): WireValues =>
      prompt('chatgpt', { citation_url: url, citation_domain: 'acme.example', citation_attribution: 'You' });
    const citations = datasetJob('ai_search_citations', job);
    const values = await load(citations, [{ week: NOW, rows: [cited('https://www.acme.example/a/'), cited('https://acme.example/c')] }]);
    const shown = await whole.toWin(panel, values);
    expect(shown).toHaveLength(1);
    expect(shown[0]?.notice).toContain('Of 2 cited pages of ours and 2 that rank, 1 are both.');
    await load(citations, [{ week: NOW, rows: [cited('https://acme-group.example/a')] }]);
    expect(await whole.toWin(panel, values)).toMatchObject([
      { url: null, reason: 'Cited pages of ours are on acme-group.example, ranking ones on acme.example: no site is on both sides.' },
    ]);
  },
);

const site = asksOf(() => ledger.pool, 'site');
const rivalAndUs = [
  prompt('chatgpt', { citation_domain: 'rival.example', citation_attribution: 'Other', citation_url: 'https://rival.example/' }),
  prompt('chatgpt', { citation_domain: 'acme.example', citation_attribution: 'You', citation_url: 'https://acme.example/' }),
];

it('ai-visibility: citations of some sites only have no share of all', async () => {
  const values = await load(datasetJob('ai_search_citations'), [
    { week: BEFORE, rows: rivalAndUs },
    { week: NOW, filters: { domains: ['rival.example'] }, rows: rivalAndUs.slice(0, 1) },
  ]);
  const shown = await asksOf(() => ledger.pool, 'ai-visibility')('citation-share', values);
  const rival = shown.filter((row) => (row.site ?? 'rival.example') === 'rival.example');
  expect(rival.map(({ percent, reason }) => [percent, reason])).toEqual([
    ['50.00', null],
    [null, PART],
  ]);
  const ours = shown.filter((row) => (row.site ?? 'acme.example') === 'acme.example' && row.week === NOW);
  expect(ours.map(({ percent, reason }) => [percent, reason])).toEqual([[null, PART]]);
});

it('site: no share is known where results of some domains only were asked for, and none of ours where no site is known to be ours', async () => {
  const job = jobOf();
  const rows = places(2, 'a', { root_domain: 'rival.example' });
  const values = await load(job, [
    { week: BEFORE, rows },
    { week: NOW, filters: { domains: ['rival.example'] }, rows },
  ]);
  const unknown = 'searches without a result of the domains asked for are not known';
  const shown = await site('share', { ...values, site: 'rival.example' });
  expect(shown.map(({ who, share, reason }) => [who, share, reason])).toEqual([
    ['rival.example', '20.00', null],
    ['rival.example', null, unknown],
    ['our sites', null, expect.stringContaining('no site is known to be ours')],
    ['our sites', null, unknown],
  ]);
});

it('prompt: nothing is called new where the other week was not asked for', async () => {
  const values = await load(datasetJob('ai_search_citations'), [
    { week: BEFORE, filters: { prompts: ['other'] }, rows: [] },
    { week: NOW, rows: rivalAndUs },
  ]);
  const shown = await asksOf(() => ledger.pool, 'prompt')('citations', { ...values, prompt: 'best shoes' });
  const notice = `Week of ${NOW}, compared with the week of ${BEFORE}.`;
  expect(shown.map(({ change, notice }) => [change, notice])).toEqual([
    [null, notice],
    [null, notice],
  ]);
});

// Boards of one thing ---------------------------------------------------------------------------------------------------

const search = asksOf(() => ledger.pool, 'search', { isWhole: true });
const ofOurs: WireValues = {
  query: 'a',
  device: 'DESKTOP',
  search_engine: 'GOOGLE',
  search_engine_country_code: 'US',
  root_domain: 'acme.example',
  normalized_url: 'https://www.acme.example/p/',
  rank_standard: '1',
};

const UNKNOWN = 'no site is known to be ours, or results of it were not asked for';
it.each<[Job['filters'], string]>([
  [{ domains: ['rival.example'] }, UNKNOWN],
  [{ min_rank: 2 }, 'places before 2 were not asked for (min_rank)'],
  [{ max_rank: 2 }, 'not within 2'],
  [{}, UNKNOWN],
])('a search whose results of %o tell nothing about us: the reason is beside its places', async (filters, ofPlaces) => {
  const job = jobOf();
  if (Object.keys(filters).length > 0) await own(job);
  const row = { ...ofOurs, root_domain: 'rival.example', rank_standard: '2', keyword_group_ids: '1', keyword_group_names: 'tents' };
  const values = { ...(await load(job, [{ week: NOW, filters, rows: [row] }])), keyword: 'a' };
  expect(await search('places', values)).toMatchObject([{ place: null, reason: ofPlaces }]);
});

it('a keyword is not called untracked where only searches that show our domains were asked for', async () => {
  const job = jobOf();
  await own(job);
  const filters = { domains: ['acme.example'] };
  const other = { ...ofOurs, query: 'b' };
  const values = await load(job, [
    { week: BEFORE, filters, rows: [ofOurs, other] },
    { week: NOW, filters, rows: [other] },
  ]);
  const shown = await search('places', { ...values, keyword: 'a' });
  expect(shown.map(({ place, reason }) => [place, reason])).toEqual([
    ['1', null],
    [null, 'no results of it in this week'],
  ]);
});

it('prompts of a topic whose brands were not asked for have no figures', async () => {
  const responses = datasetJob('ai_search_response');
  await load(responses, [{ week: NOW, rows: [prompt('chatgpt')] }]);
  const filters = { brand_or_product_attributions: ['Partner'] };
  const values = await load(datasetJob('ai_search_brands', responses), [{ week: NOW, filters, rows: [] }]);
  expect(await asksOf(() => ledger.pool, 'topic', { isWhole: true })('prompts', { ...values, topic: 'shoes' })).toMatchObject([
    { prompt: 'best shoes', answers_naming_us: null, percent: null, reason: NOT_OURS },
  ]);
});

it('who stands beside us: new and moved are pages of searches with results in both weeks', async () => {
  const job = jobOf();
  await own(job);
  const at = (place: number, more: WireValues = {}): WireValues => ({ ...ofOurs, rank_standard: String(place), ...more });
  const both = [at(1), at(5), at(2, { normalized_url: null, root_domain: 'video.example' })];
  const values = {
    ...(await load(job, [
      { week: BEFORE, rows: both },
      {
        week: NOW,
        rows: [...both, at(6, { normalized_url: 'https://new.example/', root_domain: 'new.example' }), at(1, { device: 'SMARTPHONE' })],
      },
    ])),
    keyword: 'a',
  };
  const shown = await search('beside', values);
  expect(shown.map(({ tracked, place, change, places_won }) => [tracked, place, change, places_won])).toEqual([
    ['DESKTOP, GOOGLE, US', '1', null, '0'],
    ['DESKTOP, GOOGLE, US', '2', null, null],
    ['DESKTOP, GOOGLE, US', '5', null, null],
    ['DESKTOP, GOOGLE, US', '6', 'new', null],
    ['SMARTPHONE, GOOGLE, US', '1', null, null],
  ]);
  expect(await search('features', values)).toMatchObject([{ results: '5', ours: '3', change: '1' }]);
});

it.each([
  [['acme.example', 'rival.example'], 'acme.example'],
  [['blog.acme.example', 'acme-two.example'], 'acme-two.example, blog.acme.example'],
  [['acme.example', 'acme-two.example', 'rival.example'], null],
])('our places: results of %o have them only where they are of all our sites', async (domains, part) => {
  const job = jobOf();
  await own(job);
  await own(job, 'acme-two.example');
  const values = await load(job, [
    { week: BEFORE, rows: places(3) },
    { week: NOW, filters: { domains }, rows: places(3) },
  ]);
  const gap = 'no site is known to be ours, or results of it were not asked for';
  expect((await rankings('average-place', values)).map(({ reason }) => reason)).toEqual([null, part === null ? null : gap]);
});

it.each([
  [{ citation_urls: ['https://acme.example/x'] }, [], null],
  [{ domains: ['blog.acme.example'] }, ['blog'], null],
  [{}, ['blog'], '0'],
])('page: with %o, a page that was not asked for is not cited 0 times', async (filters, now, citations) => {
  const cited = (path: string): WireValues =>
    prompt('chatgpt', { citation_domain: 'acme.example', citation_url: `https://acme.example/${path}` });
  const values = await load(datasetJob('ai_search_citations'), [
    { week: BEFORE, rows: [cited('y')] },
    { week: NOW, filters, rows: now.map(cited) },
  ]);
  const shown = await asksOf(() => ledger.pool, 'page')('citations', { ...values, page: 'acme.example/y' });
  expect(shown.map((row) => [row.citations, row.reason])).toEqual([
    ['1', null],
    [citations, citations === null ? expect.stringMatching(/not asked for|nothing that is chosen is there/) : null],
  ]);
});
