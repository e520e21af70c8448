// What each rule finds in two weeks of random rows, computed a second time from the rows of the tables by arithmetic that knows nothing of the SQL.
import { beforeAll, describe, expect, it } from 'vitest';
import { compareText } from '../../../src/core/compare-text.ts';
import { addDays, type IsoDate, windowOfWeeks } from '../../../src/core/weeks.ts';
import { labelOf } from '../../../src/dashboards/labels.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { finishReports } from '../../../src/reports/refresh.ts';
import { readRules } from '../../../src/signals/rules.ts';
import { recordJob } from '../../../src/warehouse/jobs.ts';
import { readSignals, readSilences, type Signal } from '../../../src/warehouse/signals.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf, type PanelRow } from '../../support/panels.ts';
import { lookAtAll } from '../../support/signal-rounds.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { type WireValues, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const BEFORE: IsoDate = '2026-11-01';
const NOW: IsoDate = '2026-11-08';
const ACCOUNT = 4711;
const THRESHOLDS = {
  least_volume: 300,
  least_points: 1,
  least_lead: 0.1,
  least_rise: 2,
  least_citations: 3,
  least_criticism: 2,
  least_naming: 2,
};

type Row = Readonly<Record<string, string | null>>;
type Found = Readonly<{ subject: string; weight: number }>;

/** Numbers that are the same in each run. */
let seed = 20_261_108;
function below(limit: number): number {
  seed = (Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
  return ((seed ^ (seed >>> 13)) >>> 0) % limit;
}
const one = <T>(of: readonly T[]): T => of[below(of.length)] as T;
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

const SITES = ['rival.example', 'other.example', 'third.example', 'fourth.example'];
/** Our results become rarer, so that a rival overtakes. */
function rankings(week: IsoDate): WireValues[] {
  return times(60, (search) => search).flatMap((search) =>
    times(12, (index): WireValues => {
      const isOurs = below(week === BEFORE ? 3 : 8) === 0;
      return {
        query: `search ${search % 40}`,
        device: search < 40 ? 'DESKTOP' : 'SMARTPHONE',
        search_engine: 'GOOGLE',
        root_domain: isOurs ? 'acme.example' : one(SITES),
        normalized_url: `https://x.example/${search}`,
        average_search_volume: String(search * 20),
        rank_standard: String(index + 1),
      };
    }),
  );
}

const PROMPTS = times(30, (index) => ({ prompt: `prompt ${index}`, topic: `topic ${index % 6}`, ai_search_engine: `engine ${index % 3}` }));
const about = (index: number) => ({
  ...PROMPTS[index % PROMPTS.length],
  web_property_id: '7',
  locode: 'US',
  language: 'en_US',
  persona: 'any',
});

const AI: Readonly<Record<string, (week: IsoDate) => WireValues[]>> = {
  ai_search_response: () => times(30, about),
  ai_search_brands: (week) =>
    times(30, about)
      .filter((_, index) => below(4) > 0 && (week === BEFORE || index % 6 > 1))
      .map((row) => ({ ...row, brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' })),
  ai_search_citations: (week) =>
    times(90, (index) => ({
      ...about(index),
      citation_url: `https://www.acme.example/${below(week === BEFORE ? 25 : 12)}/`,
      citation_domain: 'acme.example',
      citation_attribution: one(['You', 'You', 'Other']),
    })),
  ai_search_sentiments: (week) =>
    times(60, (index) => ({
      ...about(index),
      sentiment_brand: one(['Acme', 'Rival']),
      sentiment_value: one(['negative', 'negative', 'positive']),
      sentiment_snippet: `sentence ${below(week === BEFORE ? 20 : 40)}`,
      sentiment_score: String(-below(9)),
    })),
};

let signals: readonly Signal[];
/** By rule and subject: the weight that is stored. */
let weights: ReadonlyMap<string, number>;
let rows: Readonly<Record<string, readonly Row[]>>;

beforeAll(async () => {
  const { pool } = ledger;
  await pool.query("INSERT INTO searchmill.own_domains (account_id, domain, source) VALUES ($1, 'acme.example', 'configured')", [ACCOUNT]);
  for (const [dataset, rowsOf] of Object.entries({ keyword_rankings: rankings, ...AI })) {
    const job = jobOf({ accountId: ACCOUNT, dataset: datasetNamed(dataset) });
    await recordJob(pool, { ...job, since: BEFORE }, NOW);
    for (const week of [BEFORE, NOW]) {
      const own = rowsOf(week).map((values) => wireRow(job, values, week));
      await loadWindow(pool, job, own, windowOfWeeks(week, 1));
    }
  }
  await lookAtAll(pool, readRules(), { isEnabled: true, thresholds: THRESHOLDS });
  signals = await readSignals(pool, String(ACCOUNT), NOW);
  const stored = await pool.query<{ key: string; weight: string }>(
    "SELECT rule || '|' || subject AS key, weight FROM search_reports.signals WHERE account_id = $1 AND week = $2",
    [ACCOUNT, NOW],
  );
  weights = new Map(stored.rows.map(({ key, weight }) => [key, Number(weight)]));
  const read = async (dataset: string): Promise<Row[]> =>
    (await pool.query<Row>(`SELECT to_jsonb(t) AS row FROM search.${dataset} t`)).rows.map(({ row }) => row as unknown as Row);
  rows = Object.fromEntries(await Promise.all(['keyword_rankings', ...Object.keys(AI)].map(async (name) => [name, await read(name)])));
});

const of = (dataset: string, week: IsoDate): readonly Row[] => (rows[dataset] ?? []).filter((row) => row.time_period_start === week);
const foundBy = (rule: string): readonly Signal[] => signals.filter((signal) => signal.rule === rule);
const bare = (url: string | null | undefined): string => (url ?? '').replace(/^https:\/\/(www\.)?/, '').replace(/\/$/, '');

function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each]);
  return groups;
}

const weightOf = (rule: string, subject: string): number => weights.get(`${rule}|${subject}`) ?? Number.NaN;

/** Expects the subjects in the order of their weights, each with its figures in its words; `words` are of one subject. */
function expectFound(rule: string, expected: readonly (Found & Readonly<{ words: readonly string[] }>)[]): void {
  expect(expected.length, `what ${rule} is to find`).toBeGreaterThan(0);
  const sorted = expected.toSorted((a, b) => b.weight - a.weight || compareText(a.subject, b.subject));
  expect(foundBy(rule).map(({ subject, place }) => [subject, place])).toEqual(sorted.map(({ subject }, index) => [subject, index + 1]));
  const threshold = THRESHOLDS[readRules().find(({ name }) => name === rule)?.thresholds[0] as keyof typeof THRESHOLDS];
  for (const { subject, weight } of sorted) expect(weightOf(rule, subject), subject).toBeCloseTo(weight / threshold, 3);
  for (const [index, { words }] of sorted.entries()) for (const word of words) expect(foundBy(rule)[index]?.text).toContain(word);
}

type Search = Readonly<{ query: string; device: string; volume: number; place: number | undefined }>;
function searchesOf(week: IsoDate): Map<string, Search> {
  const groups = groupBy(of('keyword_rankings', week), ({ query, device }) => `${query}|${device}`);
  return new Map(
    [...groups].map(([key, results]) => {
      const own = results.filter(({ root_domain }) => root_domain === 'acme.example').map(({ rank_standard }) => Number(rank_standard));
      const [first] = results;
      const volume = Math.max(...results.map((row) => Number(row.average_search_volume)));
      const place = own.length === 0 ? undefined : Math.min(...own);
      return [key, { query: first?.query ?? '', device: first?.device ?? '', volume, place }];
    }),
  );
}

type Move = Search & Readonly<{ before: number }>;
const moves = (): Move[] =>
  [...searchesOf(NOW)].flatMap(([key, search]) => {
    const before = searchesOf(BEFORE).get(key)?.place;
    return before !== undefined && search.volume >= THRESHOLDS.least_volume ? [{ ...search, before }] : [];
  });

it('left the first 3 or 10: each search once, by its worst market', () => {
  const left = moves().filter(({ before, place }) => place !== undefined && [3, 10].some((first) => before <= first && place > first));
  const lossOf = ({ volume, place = 0, before }: Move): number => volume * (1 / before - 1 / place);
  expectFound(
    'left-places',
    [...groupBy(left, ({ query }) => query)].map(([subject, markets]) => {
      const worst = markets.toSorted((a, b) => lossOf(b) - lossOf(a) || compareText(a.device, b.device))[0] as Move;
      return {
        subject,
        weight: lossOf(worst),
        words: [
          `the first ${worst.before <= 3 ? 3 : 10} (${labelOf('device', worst.device)}, Google`,
          `: place ${worst.place}, after ${worst.before}; searched`,
        ],
      };
    }),
  );
});

it('lost entirely: found the week before, and not now', () => {
  const lost = moves().filter(({ place }) => place === undefined);
  expectFound(
    'lost-searches',
    [...groupBy(lost, ({ query }) => query)].map(([subject, markets]) => {
      const best = markets.toSorted((a, b) => a.before - b.before || b.volume - a.volume || compareText(a.device, b.device))[0] as Move;
      return {
        subject,
        weight: best.volume / best.before,
        words: [`(${labelOf('device', best.device)}, Google`, `: we were at place ${best.before}; searched`],
      };
    }),
  );
});

it('a rival overtakes: it had at most our share, and has more now', () => {
  const sharesOf = (week: IsoDate): ((site: string) => number) => {
    const whole = 10 * [...searchesOf(week).values()].reduce((sum, { volume }) => sum + volume, 0);
    const first = of('keyword_rankings', week).filter(({ rank_standard }) => Number(rank_standard) <= 10);
    return (site) =>
      (100 * first.filter((row) => row.root_domain === site).reduce((sum, row) => sum + Number(row.average_search_volume), 0)) / whole;
  };
  const [now, before] = [sharesOf(NOW), sharesOf(BEFORE)];
  const ours = now('acme.example');
  const overtaking = SITES.filter((site) => before(site) <= before('acme.example') && now(site) >= ours + THRESHOLDS.least_lead);
  expectFound(
    'rival-overtakes',
    overtaking.map((site) => ({
      subject: site,
      weight: now(site) - ours,
      words: [`${now(site).toFixed(1)} % against our ${ours.toFixed(1)} %`],
    })),
  );
});

it('a cited page is gone: pages of ours, by their bare address', () => {
  const citedIn = (week: IsoDate): Map<string, Row[]> =>
    groupBy(
      of('ai_search_citations', week).filter((row) => row.citation_attribution === 'You'),
      (row) => bare(row.citation_url),
    );
  const gone = [...citedIn(BEFORE)].filter(([url, citations]) => citations.length >= THRESHOLDS.least_citations && !citedIn(NOW).has(url));
  expectFound(
    'cited-page-gone',
    gone.map(([subject, citations]) => ({
      subject,
      weight: citations.length,
      words: [`${citations.length} times, by ${new Set(citations.map((row) => row.ai_search_engine)).size} assistant`],
    })),
  );
});

it('new negative sentences: those that the assistant did not write about the brand the week before', () => {
  const criticism = (week: IsoDate): readonly Row[] =>
    of('ai_search_sentiments', week).filter((row) => row.sentiment_value === 'negative' && row.sentiment_brand === 'Acme');
  const keyOf = ({ ai_search_engine, sentiment_brand, sentiment_snippet }: Row): string =>
    [ai_search_engine, sentiment_brand, sentiment_snippet].join('|');
  const known = new Set(criticism(BEFORE).map(keyOf));
  const fresh = groupBy(
    criticism(NOW).filter((row) => !known.has(keyOf(row))),
    ({ ai_search_engine }) => ai_search_engine ?? '',
  );
  expectFound(
    'new-criticism',
    [...fresh].flatMap(([assistant, sentences]) => {
      const different = new Set(sentences.map((row) => row.sentiment_snippet)).size;
      const words = [`${assistant} says ${different} negative things about Acme that it did not say the week before`];
      return different < THRESHOLDS.least_criticism ? [] : [{ subject: `${assistant}, Acme`, weight: different, words }];
    }),
  );
});

it('not named any more: topics on which an assistant named us and does not now', () => {
  const naming = (week: IsoDate, topic: string, assistant: string): number => {
    const prompts = new Set(of('ai_search_brands', week).map((row) => `${row.prompt}|${row.ai_search_engine}`));
    return of('ai_search_response', week).filter(
      (row) => row.topic === topic && row.ai_search_engine === assistant && prompts.has(`${row.prompt}|${row.ai_search_engine}`),
    ).length;
  };
  const pairs = [...groupBy(of('ai_search_response', NOW), (row) => JSON.stringify([row.topic, row.ai_search_engine]))];
  expectFound(
    'topic-unnamed',
    pairs.flatMap(([key, { length: answers }]) => {
      const [topic, assistant] = JSON.parse(key) as [string, string];
      const before = naming(BEFORE, topic, assistant);
      const words = [`in none of ${answers} answers, after ${before} of`];
      const hasStopped = naming(NOW, topic, assistant) === 0 && before >= THRESHOLDS.least_naming;
      return hasStopped ? [{ subject: `${topic}, ${assistant}`, weight: before, words }] : [];
    }),
  );
});

it('the rule with the weightiest signal comes first, and each is followed by its own', () => {
  const heaviest = new Map<string, number>();
  for (const { rule, subject } of signals) heaviest.set(rule, Math.max(heaviest.get(rule) ?? 0, weightOf(rule, subject)));
  const inOrder = [...heaviest].toSorted(([, a], [, b]) => b - a).map(([rule]) => rule);
  expect(inOrder.length).toBeGreaterThan(4);
  expect([...new Set(signals.map(({ rule }) => rule))]).toEqual(inOrder);
  expect(signals.map(({ rule }) => inOrder.indexOf(rule))).toEqual(
    signals.map(({ rule }) => inOrder.indexOf(rule)).toSorted((a, b) => a - b),
  );
});

it('Home has three of each rule of the newest chosen week and leads to the others, the board Signals has all', async () => {
  const textsOf = (rows: readonly PanelRow[]): unknown[] => rows.map(({ details }) => details);
  const all = await asksOf(() => ledger.pool, 'signals')('found', { account: String(ACCOUNT), weeks: '13' });
  expect(textsOf(all)).toEqual(signals.map(({ text }) => text));
  const more = new Map([...groupBy(signals, ({ rule }) => rule)].map(([rule, { length }]) => [rule, length - 3]));
  expect(Math.max(...more.values())).toBeGreaterThan(0);
  const shown = await asksOf(() => ledger.pool, 'home')('signals', { account: String(ACCOUNT) });
  expect(textsOf(shown)).toEqual(
    signals.flatMap(({ rule, place, text }) => (place <= 3 ? [text] : place === 4 ? [`and ${more.get(rule)} more`] : [])),
  );
  const [earlier] = await asksOf(() => ledger.pool, 'home', { isWhole: true })('signals', {
    account: String(ACCOUNT),
    weeks: `${BEFORE}..${BEFORE}`,
  });
  expect(earlier?.reason).toContain(`No rule can say anything of the week of ${BEFORE}`);
  for (const { details, panel, week } of shown) if (details?.startsWith('and ')) expect([panel, week]).toEqual(['signals/found', NOW]);
});

/** Newcombe's comparison of two of Wilson's intervals, of independent trials, with Student's quantile of many. */
function hasMoved([hits, size]: readonly [number, number], [hitsBefore, sizeBefore]: readonly [number, number]): boolean {
  const z = 1.96;
  const boundsOf = (p: number, n: number): readonly [number, number] => {
    const [middle, half] = [p + z ** 2 / (2 * n), z * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2))];
    return [(middle - half) / (1 + z ** 2 / n), (middle + half) / (1 + z ** 2 / n)];
  };
  const [now, before] = [hits / size, hitsBefore / sizeBefore];
  const [[low, high], [lowBefore, highBefore]] = [boundsOf(now, size), boundsOf(before, sizeBefore)];
  const chance = now > before ? (now - low) ** 2 + (highBefore - before) ** 2 : (high - now) ** 2 + (before - lowBefore) ** 2;
  return (now - before) ** 2 > chance;
}

const percent = ([hits, size]: readonly [number, number]): string => ((100 * hits) / size).toFixed(1);

it('shares that have moved beyond noise: of searches, and of citations', () => {
  const found = (week: IsoDate): readonly [number, number] => {
    const searches = [...searchesOf(week).values()];
    return [searches.filter(({ place }) => place !== undefined && place <= 10).length, searches.length];
  };
  const cited = (week: IsoDate): readonly [number, number] => {
    const all = of('ai_search_citations', week);
    return [all.filter((row) => row.citation_attribution === 'You').length, all.length];
  };
  expect(hasMoved(found(NOW), found(BEFORE))).toBe(true);
  expect(foundBy('searches-moved').map(({ text }) => text)).toEqual([
    `Fewer searches find us in the first 10 places: ${percent(found(NOW))} % of them, after ${percent(found(BEFORE))} %`,
  ]);
  expect(foundBy('citation-share-moved').length).toBe(hasMoved(cited(NOW), cited(BEFORE)) ? 1 : 0);
});

it('an assistant names us more or less often: beyond what its prompts leave to chance', () => {
  const rate = (week: IsoDate, assistant: string): readonly [number, number] => {
    const prompts = new Set(of('ai_search_brands', week).map((row) => `${row.prompt}|${row.ai_search_engine}`));
    const answers = of('ai_search_response', week).filter((row) => row.ai_search_engine === assistant);
    return [answers.filter((row) => prompts.has(`${row.prompt}|${row.ai_search_engine}`)).length, answers.length];
  };
  const told = foundBy('mention-rate-moved');
  expect(told.length).toBeGreaterThan(0);
  for (const { subject, text } of told) {
    const [now, before] = [rate(NOW, subject), rate(BEFORE, subject)];
    expect(text).toBe(`${subject} names us less often: in ${percent(now)} % of its answers, after ${percent(before)} %`);
    expect(hasMoved(now, before)).toBe(true);
  }
});

it('no rule is silent about a whole week, and all are about the first week', async () => {
  const unable = await readSilences(ledger.pool, String(ACCOUNT), NOW);
  expect(unable.map(({ rule, silence }) => [rule, silence])).toEqual([['rival-rises', expect.stringMatching(/^missing \(job-\d+\)$/)]]);
  const silent = await readSilences(ledger.pool, String(ACCOUNT), BEFORE);
  expect(new Set(silent.map(({ rule }) => rule))).toEqual(new Set(readRules().map(({ name }) => name)));
  for (const { silence } of silent) expect(silence).toMatch(/^the week before it: missing \(job-/);
});

type Weeks = Readonly<Record<string, Readonly<Record<IsoDate, readonly WireValues[]>>>>;

/** What a rule finds in the rows of an account of its own, by subject. */
const subjectsOf = async (rule: string, own: string, datasets: Weeks): Promise<string[]> =>
  (await readSignals(ledger.pool, await accountOf(rule, own, datasets), NOW)).map(({ subject }) => subject);

/** An account of its own with these rows, at which a rule has looked. */
async function accountOf(rule: string, own: string, datasets: Weeks): Promise<string> {
  const { accountId } = jobOf();
  await ledger.pool.query("INSERT INTO searchmill.own_domains (account_id, domain, source) VALUES ($1, $2, 'configured')", [
    accountId,
    own,
  ]);
  for (const [dataset, weeks] of Object.entries(datasets)) {
    const days = (Object.keys(weeks) as IsoDate[]).toSorted(compareText);
    const job = jobOf({ accountId, since: days[0] ?? NOW, dataset: datasetNamed(dataset) });
    await recordJob(ledger.pool, job, NOW);
    for (const week of days) {
      const own = (weeks[week] ?? []).map((values) => wireRow(job, values, week));
      await loadWindow(ledger.pool, job, own, windowOfWeeks(week, 1));
    }
  }
  await finishReports(ledger.pool, new AbortController().signal, () => undefined);
  const rules = readRules().filter(({ name }) => name === rule);
  await lookAtAll(ledger.pool, rules, { isEnabled: true, thresholds: THRESHOLDS }, 1);
  return String(accountId);
}

it('a rival overtakes: other hosts on the root domain of our site are not ours', async () => {
  const results = (subdomains: readonly string[]): WireValues[] =>
    subdomains.map((subdomain, index) => ({
      query: 'a',
      subdomain,
      root_domain: subdomain.split('.').slice(-2).join('.'),
      average_search_volume: '100',
      rank_standard: String(index + 1),
    }));
  const [ours, neighbour, rival] = ['acme.blogspot.com', 'else.blogspot.com', 'www.rival.example'];
  const weeks = {
    [BEFORE]: results([ours, ours, neighbour, neighbour, neighbour, rival]),
    [NOW]: results([ours, neighbour, neighbour, rival, rival]),
  };
  expect(await subjectsOf('rival-overtakes', ours, { keyword_rankings: weeks })).toEqual(['rival.example']);
});

it('a rival rises: above each of the four weeks before, and far enough above their mean; not we, nor a site that has had more', async () => {
  // Results of each site among the first ten of 20 searches, from the oldest week to the newest: 200 are all of them.
  const results = {
    'acme.example': [20, 20, 20, 20, 40],
    'riser.example': [10, 12, 11, 13, 16],
    'barely.example': [10, 10, 11, 11, 13],
    'had.example': [4, 30, 2, 2, 20],
    'new.example': [0, 0, 0, 0, 5],
  };
  const weeks = [28, 21, 14, 7, 0].map((days) => addDays(NOW, -days));
  const rowsOf = (at: number): WireValues[] => {
    const sites = Object.entries(results).flatMap(([site, counts]) => times(counts[at] ?? 0, () => site));
    return times(200, (place) => ({
      query: `q${Math.floor(place / 10)}`,
      root_domain: sites[place] ?? 'rest.example',
      average_search_volume: '100',
      rank_standard: String(1 + (place % 10)),
    }));
  };
  const rankings = Object.fromEntries(weeks.map((week, at) => [week, rowsOf(at)]));
  // riser: 8 % after 5.75 % on average; new: 2.5 % after 0; barely: 6.5 % after 5.25 %, which is not 2 points more; had: 10 %, and once 15 %.
  expect(await subjectsOf('rival-rises', 'acme.example', { keyword_rankings: rankings })).toEqual(['new.example', 'riser.example']);
});

it.each([
  [0, 5, '5 of 100 citations have no attribution'],
  [5, 5, undefined],
  [5, 20, '20 of 100 citations have no attribution'],
])(
  'of 100 citations %i are ours and %i have no attribution: the rule about our share is silent, with the reason (%s)',
  async (ours, unknown, silence) => {
    const cited = (count: number, citation_attribution: string | null): WireValues[] =>
      times(count, (index) => ({
        ...about(index),
        citation_url: 'https://a.example/',
        citation_domain: 'a.example',
        citation_attribution,
      }));
    const account = await accountOf('citation-share-moved', 'acme.example', {
      ai_search_citations: {
        [BEFORE]: [...cited(50, 'You'), ...cited(50, 'Other')],
        [NOW]: [...cited(ours, 'You'), ...cited(100 - ours - unknown, 'Other'), ...cited(unknown, null)],
      },
    });
    expect((await readSilences(ledger.pool, account, NOW)).map((each) => each.silence)).toEqual(silence === undefined ? [] : [silence]);
    expect(await readSignals(ledger.pool, account, NOW)).toHaveLength(silence === undefined ? 1 : 0);
  },
);

it('a cited page is gone: not a page that is still cited, with another attribution', async () => {
  const cited = (page: string, citation_attribution: string): WireValues[] =>
    times(3, (index) => ({
      ...about(index),
      citation_url: `https://acme.example/${page}`,
      citation_domain: 'acme.example',
      citation_attribution,
    }));
  const weeks = { [BEFORE]: [...cited('a', 'You'), ...cited('b', 'You')], [NOW]: [...cited('a', 'Other'), ...cited('c', 'You')] };
  expect(await subjectsOf('cited-page-gone', 'acme.example', { ai_search_citations: weeks })).toEqual(['acme.example/b']);
});

it('a cited page is gone: not where the prompts that cited it are no longer asked', async () => {
  const cited = (page: string, of: number): WireValues[] =>
    times(3, () => ({
      ...about(of),
      citation_url: `https://acme.example/${page}`,
      citation_domain: 'acme.example',
      citation_attribution: 'You',
    }));
  const weeks = { [BEFORE]: [...cited('a', 1), ...cited('b', 2), ...cited('c', 3)], [NOW]: [...cited('c', 3), ...cited('d', 2)] };
  expect(await subjectsOf('cited-page-gone', 'acme.example', { ai_search_citations: weeks })).toEqual(['acme.example/b']);
});

it('a cited page is gone: not where the prompts that cited it are no longer asked as another persona or in another place', async () => {
  const cited = (page: string, of: number, way: WireValues): WireValues[] =>
    times(3, () => ({
      ...about(of),
      ...way,
      citation_url: `https://acme.example/${page}`,
      citation_domain: 'acme.example',
      citation_attribution: 'You',
    }));
  const ways = [{ persona: 'runner' }, { locode: 'US-NYC' }, { language: 'es_US' }, {}];
  const before = ways.flatMap((way, at) => cited(String(at), 1, way));
  const weeks = { [BEFORE]: before, [NOW]: cited('new', 1, {}) };
  expect(await subjectsOf('cited-page-gone', 'acme.example', { ai_search_citations: weeks })).toEqual(['acme.example/3']);
});

it('new negative sentences: not those written before about a brand that counts as ours only now', async () => {
  const said = (ai_search_engine: string, snippets: readonly string[]): WireValues[] =>
    snippets.map((sentiment_snippet, index) => ({
      ...about(index),
      ai_search_engine,
      sentiment_brand: 'Acme',
      sentiment_value: 'negative',
      sentiment_snippet,
    }));
  const brand = (brand_or_product_name: string): WireValues[] => [
    { ...about(0), brand_or_product_name, brand_or_product_attribution: 'You' },
  ];
  const found = await subjectsOf('new-criticism', 'acme.example', {
    ai_search_sentiments: {
      [BEFORE]: [...said('gemini', ['dear', 'slow']), ...said('chatgpt', ['old'])],
      [NOW]: [...said('gemini', ['dear', 'slow']), ...said('chatgpt', ['loud', 'late'])],
    },
    ai_search_brands: { [BEFORE]: brand('Acme Tents'), [NOW]: brand('Acme') },
  });
  expect(found).toEqual(['chatgpt, Acme']);
});

describe('where the prompts asked have changed', () => {
  const asked = (count: number, more: WireValues = {}): WireValues[] =>
    times(count, (index) => ({
      ...about(0),
      topic: 'shoes',
      prompt: `p${index}`,
      prompt_type: 'unbranded',
      ai_search_engine: 'chatgpt',
      ...more,
    }));
  const gemini = { ai_search_engine: 'gemini' };
  const ours = { brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' };
  const naming = (...rows: readonly WireValues[]): WireValues[] => rows.map((row) => ({ ...row, ...ours }));
  const kinds = { [BEFORE]: asked(1), [NOW]: asked(1) };
  const cited = (rows: readonly WireValues[], share: number): WireValues[] =>
    rows.map((row, index) => ({
      ...row,
      citation_url: 'https://acme.example/',
      citation_domain: 'acme.example',
      citation_attribution: index < share * rows.length ? 'You' : 'Other',
    }));

  it('an assistant that is asked other prompts is not said to name us more often; one that is asked the same is', async () => {
    const found = await subjectsOf('mention-rate-moved', 'acme.example', {
      ai_search_response: { [BEFORE]: [...asked(100), ...asked(100, gemini)], [NOW]: [...asked(200), ...asked(100, gemini)] },
      ai_search_brands: {
        [BEFORE]: naming(...asked(20), ...asked(20, gemini)),
        [NOW]: naming(...asked(160), ...asked(70, gemini)),
      },
      ai_search_citations: kinds,
    });
    expect(found).toEqual(['gemini']);
  });

  it.each([
    ['of others', asked(200)],
    ['of one more assistant', [...asked(100), ...asked(100, gemini)]],
  ])('citations %s are not a rise in citations', async (_, now) => {
    const found = await subjectsOf('citation-share-moved', 'acme.example', {
      ai_search_response: { [BEFORE]: asked(100), [NOW]: now },
      ai_search_citations: { [BEFORE]: cited(asked(100), 0.2), [NOW]: cited(now, 0.8) },
    });
    expect(found).toEqual([]);
  });

  it.each([
    ['others', asked(200)],
    ['one more assistant', [...asked(100), ...asked(100, gemini)]],
  ])('sentences in answers of %s are not called new', async (_, now) => {
    const said = (rows: readonly WireValues[]): WireValues[] =>
      rows.map((row, index) => ({ ...row, sentiment_brand: 'Acme', sentiment_value: 'negative', sentiment_snippet: `sentence ${index}` }));
    const found = await subjectsOf('new-criticism', 'acme.example', {
      ai_search_response: { [BEFORE]: asked(100), [NOW]: now },
      ai_search_brands: { [BEFORE]: naming(...asked(1)), [NOW]: naming(...asked(1)) },
      ai_search_sentiments: { [BEFORE]: said(asked(100)), [NOW]: said(now) },
    });
    expect(found).toEqual([]);
  });

  it('a cited page is gone: not where its country or its web property is no longer asked', async () => {
    const cite = (page: string, more: WireValues): WireValues[] =>
      times(3, () => ({ ...cited(asked(1, more), 1)[0], citation_url: `https://acme.example/${page}` }));
    const german = { locode: 'DE' };
    const other = { web_property_id: '8' };
    const found = await subjectsOf('cited-page-gone', 'acme.example', {
      ai_search_citations: {
        [BEFORE]: [...cite('a', {}), ...cite('b', german), ...cite('c', other)],
        [NOW]: cite('d', {}),
      },
    });
    expect(found).toEqual(['acme.example/a']);
  });

  it('not named any more on a topic: only for the same prompts on it, whatever other prompts are asked; each assistant by itself', async () => {
    const gear = (count: number, more: WireValues = {}) => asked(count, { topic: 'gear', ...more });
    const shoes = asked(40, { topic: 'shoes', ...gemini });
    const found = await subjectsOf('topic-unnamed', 'acme.example', {
      ai_search_response: {
        [BEFORE]: [...gear(100), ...asked(8, { topic: 'socks', ...gemini }), ...asked(92, { topic: 'socks' }), ...shoes],
        [NOW]: [
          ...gear(100),
          ...asked(6, { topic: 'socks', ...gemini }),
          ...asked(92, { topic: 'socks' }),
          ...shoes,
          ...shoes.map((row) => ({ ...row, prompt: `${row.prompt} now` })),
        ],
      },
      ai_search_brands: {
        [BEFORE]: naming(...gear(10), ...asked(4, { topic: 'socks', ...gemini }), ...shoes),
        [NOW]: naming(...shoes),
      },
      ai_search_citations: kinds,
    });
    expect(found).toEqual(['gear, chatgpt']);
  });
});
