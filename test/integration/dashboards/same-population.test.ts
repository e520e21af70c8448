// Weeks are compared where they count the same: a set that drifts, searches that are found, places in features, kinds of prompts; and how alike a
// keyword's markets and a prompt's citations are.
import { expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { addDays, type IsoDate } from '../../../src/core/weeks.ts';
import type { Values } from '../../../src/dashboards/variables.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { readSignals, readSilences } from '../../../src/ledger/signals.ts';
import { readRules } from '../../../src/signals/rules.ts';
import { loadAskedWeeks, ownDomain } from '../../support/asked-weeks.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
import { lookAtAll } from '../../support/signal-rounds.ts';
import type { WireValues } from '../../support/wire-rows.ts';

const ledger = useLedger();
const SIGNALS = {
  isEnabled: true,
  thresholds: { least_volume: 100, least_lead: 0.1, least_points: 1, least_citations: 1, least_criticism: 1, least_naming: 1 },
};
const [BEFORE, NOW] = ['2026-11-01', '2026-11-08'] as const;
const boardOf = (name: string) => asksOf(() => ledger.pool, name, { isWhole: true });
const [rankings, home, ai] = [boardOf('rankings'), boardOf('home'), boardOf('ai-visibility')];

const result = (query: string, place: number | null, more: WireValues = {}): WireValues => ({
  query,
  device: 'DESKTOP',
  search_engine: 'GOOGLE',
  search_engine_country_code: 'US',
  root_domain: 'acme.example',
  normalized_url: `https://acme.example/${query}`,
  rank_standard: place === null ? null : String(place),
  rank_true: place === null ? '1' : String(place),
  ...more,
});
const many = (count: number, of: (at: number) => WireValues): WireValues[] => Array.from({ length: count }, (_, at) => of(at));

it('a tracked set that grows a little each week is compared with any week before, over the searches that both have', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const counts = [100, 108, 116, 125];
  const weekOf = (at: number): IsoDate => addDays(NOW, -7 * (counts.length - 1 - at)) as IsoDate;
  const values: Values = {
    ...(await loadAskedWeeks(
      ledger.pool,
      job,
      counts.map((count, at) => ({ week: weekOf(at), rows: many(count, (n) => result(`q${n}`, 1)) })),
    )),
  };
  const tiles = await home('first-three', { ...values, compare: weekOf(0) });
  // Like for like: of the searches that both weeks have.
  expect(tiles.at(-1)).toMatchObject({ change: '0.00', uncompared: null });
  expect((await home('first-three', { ...values, compare: 'week' })).at(-1)).toMatchObject({ change: '0.00', uncompared: null });
});

it('average best place: where fewer searches find us, the mean is of others and has not improved', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const place = (found: number) =>
    many(20, (at) => (at < found ? result(`q${at}`, at + 1) : result(`q${at}`, 1, { root_domain: 'rival.example' })));
  const values: Values = {
    ...(await loadAskedWeeks(ledger.pool, job, [
      { week: BEFORE, rows: place(20) },
      { week: NOW, rows: place(10) },
    ])),
    compare: 'week',
  };
  const lines = await rankings('average-place', values);
  // Nothing happened to those that both weeks have.
  expect(lines.map(({ found, like_for_like, reason }) => [found, like_for_like, reason])).toEqual([
    ['20', null, null],
    ['10', '0.00', 'only 50 % are the same as the week before'],
  ]);
});

it('a search that finds us in a feature only is not called lost, and what it held of the first places is lost like any other', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const feature = { result_type: 'AI_OVERVIEW', rank_result_type: '1' };
  const values: Values = {
    ...(await loadAskedWeeks(ledger.pool, job, [
      { week: BEFORE, rows: [result('a', 1), result('b', 2), result('c', null, feature), result('d', 3)] },
      { week: NOW, rows: [result('a', null, feature), result('b', 2, { root_domain: 'rival.example' }), result('c', 1), result('d', 3)] },
    ])),
    compare: 'week',
  };
  const told = await rankings('new-and-lost', values);
  expect(told.map(({ query, change }) => [query, change])).toEqual([
    ['a', 'only without a place'],
    ['b', 'lost'],
    ['c', 'placed again'],
  ]);
  // What it holds of the first places is lost or won like any other.
  expect((await rankings('winners-and-losers', values)).map(({ query }) => query)).toEqual(['c', 'a', 'b']);
  const places = (await rankings('rank-distribution', values)).filter(({ week, share }) => week === NOW && share !== '0.00');
  expect(places.map(({ place, share }) => [place, share])).toEqual([
    ['1', '25.00'],
    ['2-3', '25.00'],
    ['without a place', '25.00'],
    ['absent', '25.00'],
  ]);
  expect((await rankings('average-place', values)).at(-1)).toMatchObject({ place: '2.00', found: '2' });
});

it('results of ours that were not asked for are not taken for missing: tables of changes say so', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const filters = { domains: ['rival.example'] };
  const rows = [result('a', 1, { root_domain: 'rival.example' })];
  const values: Values = {
    ...(await loadAskedWeeks(ledger.pool, job, [
      { week: BEFORE, filters, rows },
      { week: NOW, filters, rows },
    ])),

    compare: 'week',
  };
  for (const [panel, gap] of [
    ['winners-and-losers', 'searches without a result of the domains asked for are not known'],
    ['new-and-lost', 'searches without a result of the domains asked for are not known'],
    ['changed-urls', 'no site is known to be ours, or results of it were not asked for'],
  ] as const)
    expect([panel, await rankings(panel, values)]).toMatchObject([panel, [{ reason: `The week of ${NOW} is not compared: ${gap}.` }]]);
});

it('in the first three: four markets of a keyword are not four searches', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const markets = ['DESKTOP', 'SMARTPHONE'].flatMap((device) =>
    ['US', 'DE'].map((search_engine_country_code) => ({ device, search_engine_country_code })),
  );
  const week = (found: number, more: readonly WireValues[] = markets) =>
    more.flatMap((market) => many(25, (at) => result(`q${at}`, at < found ? 1 : 9, market)));
  const values: Values = {
    ...(await loadAskedWeeks(ledger.pool, job, [
      { week: BEFORE, rows: week(10) },
      { week: NOW, rows: week(14) },
    ])),
    compare: 'week',
  };
  const [, all] = await home('first-three', values);
  expect(all).toMatchObject({ figure: '56.00', before: '40.00', change: '16.00' });
  const [, one] = await home('first-three', { ...values, device: ['DESKTOP'], country: ['US'] });
  expect([all?.low, all?.high]).toEqual([one?.low, one?.high]);
});

const prompt = (at: number, more: WireValues): WireValues => ({
  ai_search_engine: 'chatgpt',
  locode: 'US',
  language: 'en_US',
  topic: 'shoes',
  prompt: `p${at}`,
  ...more,
});
const jobs = (...datasets: readonly string[]): Job[] => {
  const { accountId } = jobOf();
  return datasets.map((dataset) => jobOf({ dataset: datasetNamed(dataset), accountId }));
};

it.each([[{ citation_attributions: ['You'] }], [{ domains: ['acme.example'] }]])(
  'citation share: citations of %o have no share of all',
  async (filters) => {
    const [citations] = jobs('ai_search_citations') as [Job];
    const rows = many(3, (at) => prompt(at, { citation_domain: 'acme.example', citation_attribution: 'You' }));
    const values: Values = {
      ...(await loadAskedWeeks(ledger.pool, citations, [
        { week: BEFORE, filters, rows },
        { week: NOW, filters, rows },
      ])),
      compare: 'week',
      branded: null,
    };
    const reason = 'only a part of the citations was asked for';
    for (const row of await ai('attribution-mix', values)) expect(row).toMatchObject({ percent: null, reason });
  },
);

it('places of our best results: the interval is that of keywords, weighted by their volumes', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const markets = ['DESKTOP', 'SMARTPHONE'].map((device) => ({ device }));
  const week = (more: readonly WireValues[], volume: (at: number) => string) =>
    more.flatMap((market) => many(20, (at) => result(`q${at}`, at < 8 ? 1 : 9, { ...market, average_search_volume: volume(at) })));
  const first = async (rows: readonly WireValues[], weighted: string) => {
    const values = await loadAskedWeeks(ledger.pool, jobOf({ accountId: job.accountId, name: job.name }), [{ week: NOW, rows }]);
    const shown = await rankings('rank-distribution', { ...values, weighted });
    return shown.find(({ place }) => place === '1');
  };
  const alone = await first(
    week(markets.slice(0, 1), () => '10'),
    'false',
  );
  expect(alone).toMatchObject({ share: '40.00', searches: '8' });
  // Twice as many searches of the same keywords make it no surer.
  const twice = await first(
    week(markets, () => '10'),
    'false',
  );
  expect([twice?.share, twice?.low, twice?.high]).toEqual([alone?.share, alone?.low, alone?.high]);
  // Equal volumes do not either. Where one keyword has nearly all of the volume, the share says little about the others.
  const alike = await first(
    week(markets, () => '10'),
    'true',
  );
  expect([alike?.low, alike?.high]).toEqual([alone?.low, alone?.high]);
  const heavy = await first(
    week(markets, (at) => (at === 0 ? '10000' : '10')),
    'true',
  );
  expect(Number(heavy?.share)).toBeGreaterThan(95);
  expect(Number(heavy?.low)).toBeLessThan(40);
});

it('sentiment: two brands of ours named by the same prompts have the interval of one brand named twice', async () => {
  const shown: unknown[] = [];
  for (const names of [
    ['Acme', 'Acme'],
    ['Acme', 'Acme Two'],
  ]) {
    const [brands, sentiments] = jobs('ai_search_brands', 'ai_search_sentiments') as [Job, Job];
    const of = (at: number) =>
      names.map((name) => ({ ...prompt(at, {}), sentiment_brand: name, sentiment_value: at < 5 ? 'positive' : 'negative' }));
    await loadAskedWeeks(ledger.pool, brands, [
      { week: NOW, rows: names.map((brand_or_product_name) => prompt(0, { brand_or_product_name, brand_or_product_attribution: 'You' })) },
    ]);
    const values = await loadAskedWeeks(ledger.pool, sentiments, [
      { week: NOW, rows: Array.from({ length: 12 }, (_, at) => of(at)).flat() },
    ]);
    const [tile] = await home('sentiment', { ...values, branded: null, compare: 'week' });
    shown.push([tile?.figure, tile?.low, tile?.high]);
  }
  expect(shown[1]).toEqual(shown[0]);
});

it('a site is one site, whatever the case of its domain', async () => {
  const [rankingsJob] = jobs('keyword_rankings') as [Job];
  await ownDomain(ledger.pool, rankingsJob);
  const rows = ['Rival.Example', 'rival.example'].map((root_domain, at) => result(`q${at}`, 1, { root_domain }));
  const values: Values = {
    ...(await loadAskedWeeks(ledger.pool, rankingsJob, [{ week: NOW, rows }])),
    top_n: '1',

    competitor: null,
  };
  expect(await rankings('market-share', values)).toMatchObject([{ site: 'rival.example', share: '100.00' }]);
  expect((await boardOf('site')('share', { ...values, site: 'rival.example' }))[0]).toMatchObject({
    who: 'rival.example',
    share: '100.00',
  });
  const citations = jobOf({ dataset: datasetNamed('ai_search_citations'), accountId: rankingsJob.accountId });
  const cited = ['Rival.Example', 'rival.example'].map((citation_domain, at) => prompt(at, { citation_domain }));
  await loadAskedWeeks(ledger.pool, citations, [{ week: NOW, rows: cited }]);
  expect(await ai('citation-share', { ...values, branded: null })).toMatchObject([{ site: 'rival.example', percent: '100.00' }]);
});

it('citation share of a site, and on a topic: the interval goes by the number of prompts, not of citations', async () => {
  const [citations] = jobs('ai_search_citations') as [Job];
  // Six prompts cite two pages of ours each, below two hosts; twelve cite others.
  const rows = Array.from({ length: 18 }).flatMap((_, at) =>
    ['a', 'b'].map((host) =>
      prompt(at, {
        citation_domain: at < 6 ? `${host}.acme.example` : 'other.example',
        citation_url: `https://${host}.example/`,
        citation_attribution: 'Other',
      }),
    ),
  );
  const values: Values = { ...(await loadAskedWeeks(ledger.pool, citations, [{ week: NOW, rows }])), branded: null };
  const [ofSite] = await boardOf('site')('citation-share', { ...values, site: 'acme.example' });
  // Six of eighteen prompts, however many citations they have.
  const { rows: expected } = await ledger.pool.query('SELECT search_reports.rate_interval(12, 36, 72, 24, 24) AS bounds');
  const [low, high] = (expected[0] as { bounds: string[] }).bounds.map((each) => Number(each).toFixed(1));
  expect(ofSite).toMatchObject({ percent: '33.33', low, high });
});

const OURS = { brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' };
const loadBoth = async (weeks: readonly (readonly [IsoDate, readonly WireValues[], readonly WireValues[]])[]): Promise<Values> => {
  const [responses, brands] = jobs('ai_search_response', 'ai_search_brands') as [Job, Job];
  await loadAskedWeeks(
    ledger.pool,
    responses,
    weeks.map(([week, rows]) => ({ week, rows })),
  );
  const naming = weeks.map(([week, , rows]) => ({ week, rows: rows.map((row) => ({ ...row, ...OURS })) }));
  return { ...(await loadAskedWeeks(ledger.pool, brands, naming)), branded: null, topics: null, compare: 'week' };
};

it('an equal number of searches of another web property are other searches: lines break, and nothing happened to those that stayed', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const of = (web_property_id: string, place: number) => many(50, (at) => result(`q${at}`, place, { web_property_id }));
  const values: Values = {
    ...(await loadAskedWeeks(ledger.pool, job, [
      { week: addDays(BEFORE, -7) as IsoDate, rows: [...of('1', 1), ...of('3', 5)] },
      { week: BEFORE, rows: [...of('2', 9), ...of('3', 5)] },
      { week: NOW, rows: [...of('1', 1), ...of('3', 5)] },
    ])),

    competitor: null,
    compare: 'week',
  };
  for (const panel of ['visibility', 'market-share', 'rank-distribution', 'average-place']) {
    const shown = await rankings(panel, values);
    const ofWeek = (week: string) => [...new Set(shown.filter((row) => row.week === week).map(({ reason }) => reason))];
    const half = ['only 50 % are the same as the week before'];
    expect([panel, ofWeek(BEFORE), ofWeek(NOW)]).toEqual([panel, half, half]);
  }
  for (const tile of ['visibility', 'first-three'])
    expect((await home(tile, values)).at(-1)).toMatchObject({ change: '0.00', reading: null, uncompared: null });
  // The week before the last one tracked the same.
  expect((await home('first-three', { ...values, compare: addDays(BEFORE, -7) })).at(-1)).toMatchObject({ change: '0.00' });
});

it.each([
  [30, true],
  [3, false],
])('of 100 keywords in a market, %d are replaced by others', async (replaced, isMoved) => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const week = (from: number, place: number) =>
    many(100, (at) =>
      result(at < replaced ? `q${at} of ${from}` : `q${at}`, at < replaced ? place : 4, { keyword_group_names: at < 10 ? 'few' : 'most' }),
    );
  const values: Values = {
    ...(await loadAskedWeeks(ledger.pool, job, [
      { week: BEFORE, rows: week(1, 1) },
      { week: NOW, rows: week(2, 9) },
    ])),

    competitor: null,
    compare: 'week',
  };
  const kept = (percent: number) => (percent < 80 ? `only ${percent} % are the same as the week before` : null);
  for (const panel of ['visibility', 'market-share', 'rank-distribution']) {
    const shown = (await rankings(panel, values)).filter((row) => row.week === NOW);
    expect([panel, ...new Set(shown.map(({ reason }) => reason))]).toEqual([panel, kept(100 - replaced)]);
    // Like for like nothing happened: what moved are other keywords.
    for (const { like_for_like } of panel === 'visibility' ? shown : []) expect(like_for_like).toBe('0.00');
  }
  // Of a group with few keywords most are replaced anyway.
  const groups = (await rankings('groups', values)).filter((row) => row.week === NOW);
  expect(Object.fromEntries(groups.map(({ keyword_group, reason }) => [keyword_group, reason]))).toEqual({
    few: kept(isMoved ? 0 : 70),
    most: kept(isMoved ? 78 : 100),
  });
});

it('an equal number of other prompts breaks the line, and the change like for like is over those that stayed', async () => {
  const rows = (from: number, others: number) => [
    ...many(others, (at) => prompt(at + from, {})),
    ...many(100 - others, (at) => prompt(at, { topic: 'gear' })),
  ];
  const values = await loadBoth([
    [BEFORE, rows(100, 40), rows(100, 40)],
    [NOW, rows(200, 40), rows(200, 40).slice(40)],
  ]);
  expect((await ai('mention-rate', values)).at(-1)).toMatchObject({
    percent: '60.0',
    like_for_like: '0.0',
    same: '60.0',
    reason: 'only 60 % are the same as the week before',
    question: `since ${NOW}`,
  });
});

it('an assistant that is asked fewer prompts breaks its own line only', async () => {
  const gemini = { ai_search_engine: 'gemini' };
  const rows = (count: number) => [...many(40, (at) => prompt(at, {})), ...many(count, (at) => prompt(at, gemini))];
  const naming = [...many(40, (at) => prompt(at, {})), ...many(4, (at) => prompt(at, gemini))];
  const values = await loadBoth([
    [BEFORE, rows(40), naming],
    [NOW, rows(8), naming],
  ]);
  for (const [ask, panel, more] of [
    [ai, 'mention-rate', {}],
    [boardOf('topic'), 'mention-rate', { topic: 'shoes' }],
  ] as const)
    expect((await ask(panel, { ...values, ...more })).filter(({ week }) => week === NOW)).toMatchObject([
      { assistant: 'chatgpt', percent: '100.0', like_for_like: '0.0', reason: null, question: null },
      {
        assistant: 'gemini',
        percent: '50.0',
        like_for_like: '0.0',
        reason: 'only 20 % are the same as the week before',
        question: `since ${NOW}`,
      },
    ]);
});

const unbranded = (at: number, more: WireValues = {}): WireValues => prompt(at, { prompt_type: 'unbranded', ...more });

/** What a rule finds in the newer of two weeks of answers and own brands, and why it says nothing. */
async function foundBy(name: string, weeks: Parameters<typeof loadBoth>[0]) {
  const rule = readRules().find((each) => each.name === name);
  if (!rule) throw new Error(`there is no rule ${name}`);
  const { account } = await loadBoth(weeks);
  const citations = jobOf({ dataset: datasetNamed('ai_search_citations'), accountId: Number(account) });
  await loadAskedWeeks(
    ledger.pool,
    citations,
    [BEFORE, NOW].map((week) => ({ week, rows: [unbranded(100)] })),
  );
  await lookAtAll(ledger.pool, [rule], SIGNALS, 1);
  const signals = await readSignals(ledger.pool, String(account), NOW);
  return { subjects: signals.map(({ subject }) => subject), silences: await readSilences(ledger.pool, String(account), NOW) };
}

it('a topic of which the prompts that named us went is not reported as one that no longer names us', async () => {
  const steady = many(180, (at) => unbranded(at + 100));
  const gear = many(20, (at) => unbranded(at, { topic: 'gear' }));
  const subjects = async (left: readonly WireValues[]) =>
    (
      await foundBy('topic-unnamed', [
        [BEFORE, [...steady, ...gear], [...steady, ...gear.slice(0, 5)]],
        [NOW, [...steady, ...left], steady],
      ])
    ).subjects;
  expect(await subjects(gear)).toEqual(['gear, chatgpt']);
  // Of those that both weeks have, the same are named as before.
  expect(await subjects(gear.slice(0, 15))).toEqual(['gear, chatgpt']);
  expect(await subjects(gear.slice(5))).toEqual([]);
});

/** Own brands with it have another persona than the answers. */
const LOST = { persona: 'buyer' };

it('a rule says nothing of a week whose own brands found no answer; another spelling of a topic does not keep them apart', async () => {
  const answers = many(200, (at) => unbranded(at));
  const naming = (more: WireValues) => many(150, (at) => unbranded(at, at < 50 ? {} : more));
  const found = (more: WireValues) =>
    foundBy('mention-rate-moved', [
      [BEFORE, answers, naming({})],
      [NOW, answers, naming(more)],
    ]);
  expect(await found(LOST)).toMatchObject({
    subjects: [],
    silences: [{ silence: '100 rows of own brands found no answer, beside 50 answers that name us' }],
  });
  expect(await found({ topic: 'Shoes & boots' })).toEqual({ subjects: [], silences: [] });
});

it('a topic on which an assistant’s rows of own brands found no answer is not reported as one that no longer names us', async () => {
  const steady = many(180, (at) => unbranded(at + 100));
  const gear = (count: number, more: WireValues = {}) =>
    many(count, (at) => unbranded(at, { topic: 'gear', ai_search_engine: 'perplexity', ...more }));
  const subjects = async (named: readonly WireValues[]) =>
    (
      await foundBy('topic-unnamed', [
        [BEFORE, [...steady, ...gear(20)], [...steady, ...gear(5)]],
        [NOW, [...steady, ...gear(20)], [...steady, ...named]],
      ])
    ).subjects;
  expect(await subjects(gear(5, LOST))).toEqual([]);
  expect(await subjects([])).toEqual(['gear, perplexity']);
});

it('citations without a site are one line of the chart, own or not', async () => {
  const [citations] = jobs('ai_search_citations') as [Job];
  const rows = [prompt(0, { citation_attribution: 'You' }), prompt(1, { citation_domain: 'acme.example', citation_attribution: 'You' })];
  const values: Values = { ...(await loadAskedWeeks(ledger.pool, citations, [{ week: NOW, rows }])), branded: null };
  const shown = (await ai('citation-share', values)).map(({ site }) => site);
  expect(shown).toHaveLength(new Set(shown).size);
  expect(shown).toContain('(no page)');
});

const perplexity = { ai_search_engine: 'perplexity' };

it('chosen assistants whose own brands found their answers are compared, even if the brands of others did not', async () => {
  const all = [...many(40, (at) => prompt(at, {})), ...many(40, (at) => prompt(at, perplexity))];
  const naming = (more: WireValues) => [...many(30, (at) => prompt(at, {})), ...many(30, (at) => prompt(at, { ...perplexity, ...more }))];
  const values = await loadBoth([
    [BEFORE, all, naming({})],
    [NOW, all, naming(LOST)],
  ]);
  const chosen = { ...values, assistant: ['chatgpt'] };
  expect((await home('mention-rate', chosen)).at(-1)).toMatchObject({ figure: '75.0', change: '0.0', uncompared: null, reason: null });
});

it('rows of own brands that spell the topic otherwise find their answers', async () => {
  const answers = many(80, (at) => prompt(at, at < 20 ? { topic: 'gear' } : {}));
  const values = await loadBoth([
    [BEFORE, answers, answers.map((row, at) => (at < 20 ? { ...row, topic: 'Gear & tools' } : row))],
    [NOW, answers, answers],
  ]);
  expect((await home('mention-rate', values)).map(({ figure, reason }) => [figure, reason])).toEqual(Array(2).fill(['100.0', null]));
});

it('a prompt that was not asked is neither new to a page nor gone', async () => {
  const [citations] = jobs('ai_search_citations') as [Job];
  const cite = (at: number, page: string, more: WireValues = {}) =>
    prompt(at, { citation_url: `https://acme.example/${page}`, citation_domain: 'acme.example', ...more });
  const german = { locode: 'DE' };
  const steady = many(30, (at) => cite(at, 'other', at < 20 ? {} : german));
  const values: Values = {
    ...(await loadAskedWeeks(ledger.pool, citations, [
      { week: BEFORE, rows: [...steady, cite(0, 'a'), cite(90, 'a'), cite(2, 'a', german)] },
      { week: NOW, rows: [...steady, cite(1, 'a'), cite(91, 'a')] },
    ])),
    compare: 'week',
  };
  const shown = await boardOf('page')('prompts', { ...values, page: 'acme.example/a' });
  expect(Object.fromEntries(shown.map(({ prompt: of, change }) => [of, change]))).toEqual({
    p0: 'gone',
    p1: 'new',
    p2: null,
    p90: null,
    p91: null,
  });
});

it('visibility: of a search engine of which fewer searches have a volume, few are the same', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const week = (known: number) => [
    ...many(200, (at) => result(`q${at}`, 1, { average_search_volume: '10' })),
    ...many(10, (at) => result(`q${at}`, at === 0 ? 9 : 1, { search_engine: 'BING', average_search_volume: at < known ? '10' : null })),
  ];
  const values: Values = {
    ...(await loadAskedWeeks(ledger.pool, job, [
      { week: BEFORE, rows: week(10) },
      { week: NOW, rows: week(1) },
    ])),
    weighted: 'true',
    top_n: '5',
  };
  const shown = (await rankings('visibility', values)).filter(({ week: of }) => of === NOW);
  expect(shown.map(({ engine, share, reason }) => [engine, share, reason])).toEqual([
    ['BING', '0.00', 'only 10 % are the same as the week before'],
    ['GOOGLE', '20.00', null],
  ]);
});

it('pages that rank: a page below the tracked depth is not called absent', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const filters = { max_rank: 10 };
  const values: Values = {
    ...(await loadAskedWeeks(ledger.pool, job, [
      { week: BEFORE, filters, rows: many(3, (at) => result(`q${at}`, at + 1)) },
      { week: NOW, filters, rows: many(3, (at) => result(`q${at}`, at + 2)) },
    ])),

    compare: 'week',
  };
  const loaded = expect.stringContaining('Results were loaded to place 10 only (max_rank).');
  expect((await boardOf('to-win')('cited-not-ranking', values))[0]?.notice).toEqual(loaded);
  for (const panel of ['winners-and-losers', 'new-and-lost'])
    expect([panel, (await rankings(panel, values))[0]?.notice]).toEqual([panel, loaded]);
  expect((await boardOf('page')('keywords', { ...values, page: 'acme.example/q9' }))[0]).toMatchObject({ query: null, notice: loaded });
});

it.each(['Non-Branded', null])('prompts whose kind is %s count among those of all kinds', async (prompt_type) => {
  const [responses, brands, citations, sentiments] = jobs(
    'ai_search_response',
    'ai_search_brands',
    'ai_search_citations',
    'ai_search_sentiments',
  );
  const asked = many(40, (at) => prompt(at, {}));
  const told = (more: WireValues, count: number) => many(count, (at) => prompt(at, { prompt_type, ...more }));
  let values: Values = {};
  for (const [job, rows] of [
    [responses, asked],
    [brands, told(OURS, 30)],
    [citations, told({ citation_domain: 'acme.example', citation_attribution: 'You' }, 30)],
    [sentiments, told({ sentiment_brand: 'Acme', sentiment_value: 'positive' }, 30)],
  ] as const)
    values = await loadAskedWeeks(ledger.pool, job as Job, [{ week: NOW, rows }]);
  values = { ...values, branded: 'unbranded', compare: 'week', topics: null };
  expect(await ai('mention-rate', { ...values, branded: null })).toMatchObject([{ percent: '75.0', reason: null }]);
});
