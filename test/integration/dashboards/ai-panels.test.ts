// Every figure of the board AI visibility, computed a second time from the rows that the sandbox served, by arithmetic that knows
// nothing of the SQL.
import { beforeAll, describe, expect, it } from 'vitest';
import { compareText } from '../../../src/core/compare-text.ts';
import type { Values } from '../../../src/dashboards/variables.ts';
import { useBoards } from '../../support/boards.ts';
import { asksOf, isChosen, percentOf } from '../../support/panels.ts';
import { type ServedRow, weekOf } from '../../support/served-objects.ts';

const boards = useBoards('since: 2026-10-04, weeks_per_query: 3', [
  'keyword_rankings',
  'ai_search_brands',
  'ai_search_citations',
  'ai_search_fan_out',
  'ai_search_sentiments',
  'ai_search_response',
]);

const VALUES: Values = { account: '12345', web_property: null, assistant: null, country: null, branded: 'unbranded', weeks: '13' };
/** Choices of the form, some together. */
const CHOICES: readonly Values[] = [
  VALUES,
  { ...VALUES, branded: null },
  { ...VALUES, branded: 'branded', weeks: '2' },
  { ...VALUES, assistant: ['gemini'], branded: null },
  { ...VALUES, country: ['US'], web_property: ['501'], branded: null, weeks: '4' },
  { ...VALUES, assistant: ['chatgpt', 'gemini'], branded: null },
  { ...VALUES, country: ['DE', 'US'], web_property: ['501', '502'], assistant: ['chatgpt', 'perplexity'] },
];

let weeks: readonly string[];
beforeAll(() => {
  weeks = [...new Set(boards.rowsOf('ai_search_response').map((row) => weekOf(row.time_period_start)))].sort();
  expect(weeks.length).toBeGreaterThan(4);
});

const ask = asksOf(() => boards.panels, 'ai-visibility');
const toWin = asksOf(() => boards.panels, 'to-win');
const lower = (text: string | null | undefined): string => (text ?? '').toLowerCase();
/** The kind of a prompt that the rows of brands and citations say of it, by web property; answers themselves do not say it. */
function kindsOfPrompts(): Map<string, string> {
  const kinds = new Map<string, string>();
  for (const row of [...boards.rowsOf('ai_search_brands'), ...boards.rowsOf('ai_search_citations')])
    if (row.prompt_type) kinds.set(`${row.web_property_id} ${row.prompt}`, row.prompt_type);
  return kinds;
}

/** Rows that are equal in all columns are one, which the service has sent twice. */
const uniqueRows = (rows: readonly ServedRow[]): ServedRow[] => [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];

/** Rows of a dataset that the choices let through, of the newest `weeks` weeks. */
function chosen(dataset: string, { web_property, assistant, country, branded, weeks: amount }: Values): ServedRow[] {
  const kinds = kindsOfPrompts();
  const recent = new Set(weeks.slice(-Number(amount)));
  return uniqueRows(boards.rowsOf(dataset)).filter((row) => {
    const kind = row.prompt_type ?? kinds.get(`${row.web_property_id} ${row.prompt}`);
    return (
      recent.has(weekOf(row.time_period_start)) &&
      isChosen(row.web_property_id, web_property) &&
      isChosen(row.ai_search_engine, assistant) &&
      isChosen(row.locode?.slice(0, 2).toUpperCase(), country) &&
      (branded === null || (lower(kind) || (dataset === 'ai_search_response' ? 'unbranded' : '')) === branded)
    );
  });
}

function countBy(rows: readonly ServedRow[], keyOf: (row: ServedRow) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  return counts;
}

const newestOf = (rows: readonly ServedRow[]): string =>
  rows
    .map((row) => weekOf(row.time_period_start))
    .sort()
    .at(-1) ?? '';

/** What names an answer: all that the rows of an answer have in common. */
const answerOf = (row: ServedRow): string =>
  JSON.stringify(
    [
      'web_property_id',
      'collection_frequency',
      'time_period_start',
      'time_period_end',
      'locode',
      'language',
      'ai_search_engine',
      'topic',
      'prompt',
      'persona',
    ].map((name) => row[name]),
  );

/** By week and assistant, how many answers there are, and how many of them name us. */
function countNaming(answers: readonly ServedRow[]): Readonly<Record<'all' | 'ours', Map<string, number>>> {
  const naming = new Set(
    boards
      .rowsOf('ai_search_brands')
      .filter((row) => lower(row.brand_or_product_attribution) === 'you')
      .map(answerOf),
  );
  const keyOf = (row: ServedRow): string => `${weekOf(row.time_period_start)} ${row.ai_search_engine}`;
  return {
    all: countBy(answers, keyOf),
    ours: countBy(
      answers.filter((row) => naming.has(answerOf(row))),
      keyOf,
    ),
  };
}

/** A page as figures know it; the sandbox sends no fragments, ports and tracking parameters. */
const bare = (url: string | null | undefined): string => (url ?? '').replace(/^([a-z]+:\/\/)?(www\.)?/i, '').replace(/\/+$/, '');
const siteOf = (row: ServedRow): string => bare(row.citation_domain).toLowerCase() || '(no page)';
/** Without domains in the jobs file those of citations attributed to You are ours, and sites below them. */
const ownSites = (): ReadonlySet<string> =>
  new Set(boards.rowsOf('ai_search_citations').flatMap((row) => (lower(row.citation_attribution) === 'you' ? [siteOf(row)] : [])));
const isOfOwnSite = (row: ServedRow): boolean => [...ownSites()].some((own) => `.${siteOf(row)}`.endsWith(`.${own}`));
const isOurCitation = (row: ServedRow): boolean => lower(row.citation_attribution) === 'you' || isOfOwnSite(row);
/** Names that rows of any week attribute to You. */
const ownNames = (): ReadonlySet<string> =>
  new Set(
    boards
      .rowsOf('ai_search_brands')
      .flatMap((row) => (lower(row.brand_or_product_attribution) === 'you' ? [lower(row.brand_or_product_name)] : [])),
  );

describe.each(CHOICES)('with %o', (values) => {
  it('mention rate: answers that name us, of all answers collected', async () => {
    const { all, ours } = countNaming(chosen('ai_search_response', values));
    const rows = (await ask('mention-rate', values)).filter(({ answers: amount }) => amount !== null);
    expect(rows.length).toBe(all.size);
    for (const { week, assistant, percent, answers_naming_us } of rows) {
      const key = `${week} ${assistant}`;
      expect([key, percent, Number(answers_naming_us)]).toEqual([
        key,
        percentOf(ours.get(key) ?? 0, all.get(key) ?? 0),
        ours.get(key) ?? 0,
      ]);
    }
  });

  it('citation share: citations of a site, of all citations of the week', async () => {
    const citations = chosen('ai_search_citations', values);
    const all = countBy(citations, (row) => weekOf(row.time_period_start));
    const bySite = countBy(citations, (row) => `${weekOf(row.time_period_start)} ${siteOf(row)}`);
    const newest = newestOf(citations);
    const inNewest = [...bySite].flatMap(([key, amount]) => (key.startsWith(newest) ? [[key.slice(11), amount] as const] : []));
    const eighth = inNewest.map(([, amount]) => amount).sort((a, b) => b - a)[Math.min(7, inNewest.length - 1)] ?? 0;
    // Where the newest week has no citations there is no line, and each week says so.
    const shown = await ask('citation-share', values);
    for (const { site, reason } of shown) expect(site ?? reason).not.toBeNull();
    const rows = shown.filter(({ site }) => site !== null);
    const marked = new Set(rows.flatMap(({ site, is_ours }) => (is_ours === 't' ? [site ?? ''] : [])));
    const sites = new Set(rows.map(({ site }) => site ?? ''));
    const ours = citations.filter((row) => weekOf(row.time_period_start) === newest && isOfOwnSite(row));
    // Our own sites are there, however few citations they have.
    expect(marked).toEqual(new Set(ours.map(siteOf)));
    const citedIn = (site: string): number => bySite.get(`${newest} ${site}`) ?? 0;
    for (const site of sites) if (!marked.has(site)) expect(citedIn(site)).toBeGreaterThanOrEqual(eighth);
    const first = Math.min(8, inNewest.length);
    expect(sites.size).toBeGreaterThanOrEqual(first);
    expect(sites.size).toBeLessThanOrEqual(first + [...marked].filter((site) => citedIn(site) <= eighth).length);
    for (const { week, site, percent } of rows.filter(({ all_citations }) => all_citations !== null))
      expect([week, site, percent]).toEqual([week, site, percentOf(bySite.get(`${week} ${site}`) ?? 0, all.get(week ?? '') ?? 0, 2)]);
  });

  it('attribution mix: every attribution adds up to the whole', async () => {
    const citations = chosen('ai_search_citations', values);
    const all = countBy(citations, (row) => weekOf(row.time_period_start));
    const attributionOf = (row: ServedRow): string => (isOurCitation(row) ? 'you' : lower(row.citation_attribution) || '(none)');
    const mix = countBy(citations, (row) => `${weekOf(row.time_period_start)} ${attributionOf(row)}`);
    for (const { week, attribution, percent } of await ask('attribution-mix', values))
      expect([week, attribution, percent]).toEqual([
        week,
        attribution,
        percentOf(mix.get(`${week} ${attribution}`) ?? 0, all.get(week ?? '') ?? 0),
      ]);
  });

  it.each([
    { panel: 'cited-pages-ours', isOurs: true },
    { panel: 'cited-pages-others', isOurs: false },
  ])('$panel: citations of the newest week by page, all of them, and the change', async ({ panel, isOurs }) => {
    const newest = newestOf(chosen('ai_search_citations', { ...VALUES, branded: null }));
    const before = weekOf(new Date(Date.parse(newest) - 7 * 86_400_000).toISOString().slice(0, 10));
    const pages = chosen('ai_search_citations', { ...values, weeks: '13' }).filter((row) => isOurCitation(row) === isOurs);
    const counts = countBy(pages, (row) => `${weekOf(row.time_period_start)} ${bare(row.citation_url)}`);
    const expected = [...counts]
      .filter(([key]) => key.startsWith(newest))
      .map(([key, amount]) => ({ url: key.slice(11), citations: amount, change: amount - (counts.get(`${before} ${key.slice(11)}`) ?? 0) }))
      .sort((a, b) => b.citations - a.citations);
    const rows = (await ask(panel, values)).map(({ url, citations, change }) => ({
      url,
      citations: Number(citations),
      change: Number(change),
    }));
    expect(rows.map(({ citations }) => citations)).toEqual(expected.map(({ citations }) => citations));
    for (const row of rows) expect(expected).toContainEqual(row);
  });

  it('sentiment: positive ones and half of the neutral ones, of all that have one of the three, of our brands together and of each of others', async () => {
    const ours = ownNames();
    const brandOf = (row: ServedRow): string => (ours.has(lower(row.sentiment_brand)) ? 'our brands' : (row.sentiment_brand ?? ''));
    const mentions = chosen('ai_search_sentiments', values).filter((row) =>
      ['positive', 'neutral', 'negative'].includes(lower(row.sentiment_value)),
    );
    const keyOf = (row: ServedRow): string => `${weekOf(row.time_period_start)} ${brandOf(row)}`;
    const all = countBy(mentions, keyOf);
    const of = (value: string): Map<string, number> =>
      countBy(
        mentions.filter((row) => lower(row.sentiment_value) === value),
        keyOf,
      );
    const [positive, neutral] = [of('positive'), of('neutral')];
    const rows = (await ask('sentiment-score', values)).filter((row) => Number(row.mentions ?? 0) > 0);
    if (mentions.length > 0) expect(rows.length).toBeGreaterThan(0);
    expect(new Set(rows.map(({ brand }) => brand)).size).toBeLessThanOrEqual(6);
    expect(rows.every(({ brand, is_ours }) => (brand === 'our brands') === (is_ours === 't'))).toBe(true);
    for (const { week, brand, sentiment_score: score, mentions: amount } of rows) {
      const key = `${week} ${brand}`;
      expect([key, score, Number(amount)]).toEqual([
        key,
        percentOf((positive.get(key) ?? 0) + (neutral.get(key) ?? 0) / 2, all.get(key) ?? 0),
        all.get(key),
      ]);
    }
  });

  it('what is said against us: all negative snippets about our brands, worst first, and new where no week before said it', async () => {
    const said = boards.rowsOf('ai_search_sentiments');
    const newest = newestOf(said);
    const isIn = (row: ServedRow): boolean => weekOf(row.time_period_start) === newest;
    const ours = ownNames();
    const expected = chosen('ai_search_sentiments', { ...values, weeks: '13' }).filter(
      (row) => isIn(row) && lower(row.sentiment_value) === 'negative' && row.sentiment_snippet && ours.has(lower(row.sentiment_brand)),
    );
    const earlier = new Set(said.filter((row) => !isIn(row)).map((row) => row.sentiment_snippet));
    const rows = await ask('against-us', values);
    const scores = rows.map(({ sentiment_score }) => Number(sentiment_score));
    expect(scores).toEqual([...scores].sort((a, b) => a - b));
    const told = (cells: readonly unknown[]): string => JSON.stringify(cells);
    expect(rows.map((row) => told([row.brand, row.snippet, row.assistant, row.new])).sort(compareText)).toEqual(
      expected
        .map((row) =>
          told([row.sentiment_brand, row.sentiment_snippet, row.ai_search_engine, earlier.has(row.sentiment_snippet) ? null : 'new']),
        )
        .sort(compareText),
    );
  });

  it('fan-out: all searches of the newest week by how often they were made', async () => {
    const newest = newestOf(boards.rowsOf('ai_search_fan_out'));
    const searches = chosen('ai_search_fan_out', { ...values, weeks: '13' }).filter((row) => weekOf(row.time_period_start) === newest);
    const times = countBy(searches, (row) => row.fan_out_query ?? '');
    const rows = await ask('fan-out', values);
    expect(rows.length).toBe(times.size);
    for (const { query, times: amount, amount_of_searches } of rows) {
      const own = searches.filter((row) => row.fan_out_query === query);
      expect([query, Number(amount), Number(amount_of_searches)]).toEqual([
        query,
        own.length,
        own.reduce((sum, row) => sum + Number(row.amount_of_searches ?? 0), 0),
      ]);
    }
  });

  it('topics by assistant: mention rate, and the competitor that is cited most', async () => {
    const naming = new Set(
      boards
        .rowsOf('ai_search_brands')
        .filter((row) => lower(row.brand_or_product_attribution) === 'you')
        .map(answerOf),
    );
    const keyOf = (row: ServedRow): string => `${row.topic} ${row.ai_search_engine}`;
    const answers = chosen('ai_search_response', values);
    const rows = await ask('topic-gap', values);
    const citations = chosen('ai_search_citations', values);
    const competing = new Set(citations.filter((row) => lower(row.citation_attribution) === 'seo competitor').map(siteOf));
    const [all, ours, cited] = [
      countBy(answers, keyOf),
      countBy(
        answers.filter((row) => naming.has(answerOf(row))),
        keyOf,
      ),
      countBy(citations, keyOf),
    ];
    const sitesOf = (isCounted: (site: string) => boolean): Map<string, number> =>
      countBy(
        citations.filter((row) => !isOfOwnSite(row) && isCounted(siteOf(row))),
        (row) => `${keyOf(row)} ${siteOf(row)}`,
      );
    const others = sitesOf(() => true);
    const competitors = sitesOf((site) => competing.has(site));
    expect(rows.length).toBe(all.size);
    for (const { topic, assistant, percent, ...row } of rows) {
      const key = `${topic} ${assistant}`;
      expect([key, percent]).toEqual([key, percentOf(ours.get(key) ?? 0, all.get(key) ?? 0)]);
      const columns = [
        [competitors, row.best_competitor, row.competitor_citation_percent],
        [others, row.most_cited_site, row.site_citation_percent],
      ] as const;
      for (const [sites, site, share] of columns) {
        const most = Math.max(0, ...[...sites].flatMap(([each, amount]) => (each.startsWith(`${key} `) ? [amount] : [])));
        expect([key, sites.get(`${key} ${site}`) ?? 0, site === null]).toEqual([key, most, most === 0]);
        expect(share).toBe(most === 0 ? null : percentOf(most, cited.get(key) ?? 0));
      }
    }
  });
});

it('two of the topics: mention rates, sentiments and criticism are those of their prompts alone', async () => {
  const topics = [...new Set(boards.rowsOf('ai_search_response').map(({ topic }) => topic ?? ''))].toSorted(compareText).slice(0, 2);
  const values: Values = { ...VALUES, branded: null, topics };
  const ofTopics = (dataset: string): ServedRow[] => chosen(dataset, values).filter((row) => isChosen(row.topic, topics));
  const { all, ours } = countNaming(ofTopics('ai_search_response'));
  const rates = (await ask('mention-rate', values)).filter(({ answers: amount }) => amount !== null);
  expect(rates.map(({ week, assistant, percent }) => [`${week} ${assistant}`, percent])).toEqual(
    rates.map(({ week, assistant }) => [
      `${week} ${assistant}`,
      percentOf(ours.get(`${week} ${assistant}`) ?? 0, all.get(`${week} ${assistant}`) ?? 0),
    ]),
  );
  expect(rates).toHaveLength(all.size);
  const names = ownNames();
  const valued = ofTopics('ai_search_sentiments').filter((row) => ['positive', 'neutral', 'negative'].includes(lower(row.sentiment_value)));
  const mentions = countBy(
    valued,
    (row) => `${weekOf(row.time_period_start)} ${names.has(lower(row.sentiment_brand)) ? 'our brands' : row.sentiment_brand}`,
  );
  const sentiments = (await ask('sentiment-score', values)).filter(({ mentions: amount }) => Number(amount ?? 0) > 0);
  expect(sentiments.length).toBeGreaterThan(0);
  for (const { week, brand, mentions: amount } of sentiments)
    expect([week, brand, Number(amount)]).toEqual([week, brand, mentions.get(`${week} ${brand}`)]);
  const criticism = await ask('against-us', { ...values, topics: null });
  expect(await ask('against-us', values)).toHaveLength(criticism.filter(({ topic }) => isChosen(topic, topics)).length);
  expect(new Set((await ask('topic-gap', values)).map(({ topic }) => topic))).toEqual(new Set(topics));
});

it.each<Values>([{}, { assistant: ['chatgpt'] }, { country: ['DE'] }, { assistant: ['chatgpt', 'gemini'], country: ['DE', 'US'] }])(
  'with %o: our pages that are cited and do not rank, or rank and are not cited',
  async (chosen: Values) => {
    const ours = boards.rowsOf('ai_search_citations').filter(isOurCitation);
    const own = ownSites();
    const isOwn = (domain: string | null | undefined): boolean =>
      [...own].some((each) => lower(domain) === each || lower(domain).endsWith(`.${each}`));
    const cited = new Set(
      ours
        .filter((row) => weekOf(row.time_period_start) === weeks.at(-1))
        .filter(
          (row) => isChosen(row.ai_search_engine, chosen.assistant) && isChosen(row.locode?.slice(0, 2).toUpperCase(), chosen.country),
        )
        .map((row) => bare(row.citation_url)),
    );
    const ranked = new Set(
      boards
        .rowsOf('keyword_rankings')
        .filter((row) => weekOf(row.time_period_start) === weeks.at(-1) && (isOwn(row.root_domain) || isOwn(row.subdomain)))
        .filter((row) => isChosen(row.search_engine_country_code, chosen.country))
        .map((row) => bare(row.normalized_url)),
    );
    const only = (some: ReadonlySet<string>, others: ReadonlySet<string>): string[] =>
      [...some].filter((url) => !others.has(url)).sort(compareText);
    const shown = async (panel: string): Promise<string[]> =>
      (await toWin(panel, { ...VALUES, ...chosen })).map(({ url }) => url ?? '').sort(compareText);
    expect(await shown('cited-not-ranking')).toEqual(only(cited, ranked));
    expect(await shown('ranking-not-cited')).toEqual(only(ranked, cited));
  },
);

it.each<Values>([{}, { assistant: ['chatgpt', 'gemini'] }, { branded: null, country: ['DE'] }])(
  'with %o: prompts won and lost are those whose answers began or stopped to name us, and add up to what happened to the mention rate',
  async (some: Values) => {
    const values: Values = { ...VALUES, compare: 'week', ...some };
    const unitOf = (row: ServedRow): string =>
      JSON.stringify(['web_property_id', 'locode', 'language', 'ai_search_engine', 'prompt', 'persona'].map((name) => row[name]));
    const naming = new Set(
      boards.rowsOf('ai_search_brands').flatMap((row) => (lower(row.brand_or_product_attribution) === 'you' ? [answerOf(row)] : [])),
    );
    const [before = '', now = ''] = weeks.slice(-2);
    const inWeek = (week: string): Map<string, Readonly<{ row: ServedRow; all: number; ours: number }>> => {
      const units = new Map<string, Readonly<{ row: ServedRow; all: number; ours: number }>>();
      for (const row of chosen('ai_search_response', values).filter((each) => weekOf(each.time_period_start) === week)) {
        const { all, ours } = units.get(unitOf(row)) ?? { all: 0, ours: 0 };
        units.set(unitOf(row), { row, all: all + 1, ours: ours + (naming.has(answerOf(row)) ? 1 : 0) });
      }
      return units;
    };
    const [older, newer] = [inWeek(before), inWeek(now)];
    const both = [...newer].flatMap(([unit, is]) => {
      const was = older.get(unit);
      return was ? [{ ...is, was }] : [];
    });
    const moved = both.filter(({ all, ours, was }) => ours / all !== was.ours / was.all);
    const rows = await ask('prompts-won-and-lost', values);
    const told = (cells: readonly unknown[]): string => JSON.stringify(cells.map(String));
    expect(rows.map((row) => told([row.prompt, row.assistant, row.country, row.named_before, row.named_now])).sort(compareText)).toEqual(
      moved
        .map(({ row, ours, was }) => told([row.prompt, row.ai_search_engine, row.locode?.slice(0, 2).toUpperCase(), was.ours, ours]))
        .sort(compareText),
    );
    const sizes = rows.map(({ contribution }) => Math.abs(Number(contribution)));
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    for (const { named_before, named_now, contribution } of rows)
      expect(Math.sign(Number(contribution))).toBe(Math.sign(Number(named_now) - Number(named_before)));
    const amount = (of: (one: (typeof both)[number]) => number): number => both.reduce((total, one) => total + of(one), 0);
    const change =
      100 * (amount(({ ours }) => ours) / amount(({ all }) => all) - amount(({ was }) => was.ours) / amount(({ was }) => was.all));
    if (moved.length > 0) expect(rows[0]?.notice).toContain(`Like for like ${change.toFixed(2)} points`);
  },
);
