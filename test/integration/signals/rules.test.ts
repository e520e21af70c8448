// What each rule finds in two weeks of random rows, computed a second time from the rows of the tables by arithmetic that knows nothing of the SQL.
import { beforeAll, describe, expect, it } from 'vitest';
import { compareText } from '../../../src/core/compare-text.ts';
import { addDays, type IsoDate, windowOfWeeks } from '../../../src/core/weeks.ts';
import { labelOf } from '../../../src/dashboards/labels.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import { readSignals, readSilences, type Signal } from '../../../src/ledger/signals.ts';
import { finishReports } from '../../../src/reports/refresh.ts';
import { readRules } from '../../../src/signals/rules.ts';
import { insertOwnDomains } from '../../support/account-settings.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
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
  await insertOwnDomains(pool, ACCOUNT, 'acme.example');
  for (const [dataset, rowsOf] of Object.entries({ keyword_rankings: rankings, ...AI })) {
    const job = jobOf({ accountId: ACCOUNT, dataset: datasetNamed(dataset) });
    await recordJob(pool, { ...job, since: BEFORE }, NOW);
    for (const week of [BEFORE, NOW]) {
      const own = rowsOf(week).map((values) => wireRow(job, values, week));
      await loadWindow(pool, job, own, windowOfWeeks(week, 1));
    }
  }
  await finishReports(pool, new AbortController().signal, () => undefined);
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
    // Rows that are equal in all columns are one.
    groupBy(
      [
        ...new Map(
          of('ai_search_citations', week)
            // On our own site, whatever the attribution.
            .map((row) => [JSON.stringify(Object.entries(row).filter(([name]) => !name.startsWith('_'))), row]),
        ).values(),
      ],
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

it('the board Signals has all of them', async () => {
  const all = await asksOf(() => ledger.pool, 'signals')('found', { account: String(ACCOUNT), weeks: '13' });
  expect(all.map(({ details }) => details)).toEqual(signals.map(({ text }) => text));
});

/** What a tracked search or prompt is: a part of a whole. */
type Unit = Readonly<{ part: number; whole: number; cluster: string }>;
type Units = ReadonlyMap<string, Unit>;

/** How often chance makes a value of Student's t as far from 0: the share of cos^(freedom - 1) that lies beyond its angle. */
function chanceOf(t: number, freedom: number): number {
  const steps = 20_000;
  const angle = Math.atan(Math.abs(t) / Math.sqrt(freedom));
  const areaTo = (end: number): number =>
    times(steps, (at) => Math.cos((end * (at + 0.5)) / steps) ** (freedom - 1)).reduce((sum, each) => sum + each, 0) * (end / steps);
  return 1 - areaTo(angle) / areaTo(Math.PI / 2);
}

const totalOf = (units: readonly Unit[], of: (unit: Unit) => number): number => units.reduce((sum, unit) => sum + of(unit), 0);

/** The change like for like of units that both weeks have, and how often chance makes one as large. */
function moveOf(now: Units, before: Units): Readonly<{ change: number; chance: number }> {
  const kept = [...now].flatMap(([key, unit]) => {
    const old = before.get(key);
    return old ? [{ unit, old }] : [];
  });
  const sumOf = (which: 'unit' | 'old', of: 'part' | 'whole'): number =>
    totalOf(
      kept.map((each) => each[which]),
      (unit) => unit[of],
    );
  const [level, levelBefore] = [sumOf('unit', 'part') / sumOf('unit', 'whole'), sumOf('old', 'part') / sumOf('old', 'whole')];
  const byCluster = new Map<string, number>();
  for (const { unit, old } of kept) {
    const [p, q] = [unit.whole / sumOf('unit', 'whole'), old.whole / sumOf('old', 'whole')];
    const shareOf = (one: Unit, other: Unit): number =>
      one.whole > 0 ? one.part / one.whole : other.whole > 0 ? other.part / other.whole : 0;
    const [s, r] = [shareOf(unit, old), shareOf(old, unit)];
    const contribution = ((p + q) / 2) * (s - r) + ((s + r) / 2 - (level + levelBefore) / 2) * (p - q);
    byCluster.set(unit.cluster, (byCluster.get(unit.cluster) ?? 0) + contribution);
  }
  const all = [...byCluster.values()];
  const change = all.reduce((sum, each) => sum + each, 0);
  expect(change).toBeCloseTo(level - levelBefore, 9);
  const mean = change / all.length;
  const error = Math.sqrt((all.length / (all.length - 1)) * all.reduce((sum, each) => sum + (each - mean) ** 2, 0));
  // Fewer than six that changed are named, and not judged.
  const isJudged = all.filter((each) => Math.abs(each) > 1e-12).length >= 6;
  return { change: 100 * change, chance: isJudged ? chanceOf(change / error, all.length - 1) : Number.NaN };
}

/** Of what was tested, what stands after Benjamini and Hochberg at 5 %. */
function standingOf<T extends Readonly<{ chance: number }>>(tested: readonly T[]): readonly T[] {
  const sorted = tested.filter(({ chance }) => !Number.isNaN(chance)).toSorted((a, b) => a.chance - b.chance);
  const last = sorted.findLastIndex(({ chance }, at) => chance <= (0.05 * (at + 1)) / sorted.length);
  return sorted.slice(0, last + 1);
}

/** All prompts, or those of an assistant, with what is counted of their rows. */
function promptUnits(all: readonly Row[], isPart: (row: Row) => boolean, isWhole: (row: Row) => boolean, assistant?: string): Units {
  const own = PROMPTS.filter((each) => assistant === undefined || each.ai_search_engine === assistant);
  return new Map(
    own.map(({ prompt }) => {
      const rowsOfIt = all.filter((row) => row.prompt === prompt && isWhole(row));
      return [prompt, { part: rowsOfIt.filter(isPart).length, whole: rowsOfIt.length, cluster: prompt }];
    }),
  );
}

it('shares that have moved beyond noise: of the first places, and of citations', () => {
  const held = (week: IsoDate): Units => {
    const searches = groupBy(of('keyword_rankings', week), ({ query, device }) => `${query}|${device}`);
    const isHeld = (row: Row): boolean => row.root_domain === 'acme.example' && Number(row.rank_standard) <= 10;
    return new Map(
      [...searches].map(([key, results]) => {
        const weight = Number(results[0]?.average_search_volume);
        return [key, { part: weight * results.filter(isHeld).length, whole: 10 * weight, cluster: results[0]?.query ?? '' }];
      }),
    );
  };
  const cited = (week: IsoDate): Units =>
    promptUnits(
      of('ai_search_citations', week),
      () => true,
      () => true,
    );
  const places = moveOf(held(NOW), held(BEFORE));
  expect(places.change).toBeLessThan(0);
  expect(places.chance).toBeLessThan(0.05);
  const units = [...held(NOW).values()];
  const level = (100 * totalOf(units, ({ part }) => part)) / totalOf(units, ({ whole }) => whole);
  expect(foundBy('searches-moved').map(({ text }) => text)).toEqual([
    expect.stringContaining(
      `We hold less of the first 10 places: ${level.toFixed(1)} %, ${(-places.change).toFixed(1)} points less like for like, most by “search `,
    ),
  ]);
  // All citations lead to our domain, whatever they are attributed to.
  expect(moveOf(cited(NOW), cited(BEFORE)).change).toBeCloseTo(0, 9);
  expect(foundBy('citation-share-moved')).toEqual([]);
});

const ASSISTANTS = [...new Set(PROMPTS.map((each) => each.ai_search_engine))];

it('an assistant names us more or less often: what stands of all assistants together, by the prompts that both weeks have', () => {
  const named = (week: IsoDate, assistant: string): Units => {
    const naming = new Set(of('ai_search_brands', week).map((row) => `${row.prompt}|${row.ai_search_engine}`));
    return promptUnits(
      of('ai_search_response', week),
      (row) => naming.has(`${row.prompt}|${row.ai_search_engine}`),
      () => true,
      assistant,
    );
  };
  const tested = ASSISTANTS.map((assistant) => ({ assistant, ...moveOf(named(NOW, assistant), named(BEFORE, assistant)) }));
  const told = standingOf(tested).filter(({ change }) => Math.abs(change) >= THRESHOLDS.least_points);
  expectFound(
    'mention-rate-moved',
    told.map(({ assistant, change }) => ({
      subject: assistant,
      weight: Math.abs(change),
      words: [`${assistant} names us less often: in `, `${Math.abs(change).toFixed(1)} points less like for like, most to “prompt `],
    })),
  );
});

it('an assistant criticises us more: what stands of all assistants together, by the prompts that both weeks have', () => {
  const critical = (week: IsoDate, assistant: string): Units =>
    promptUnits(
      of('ai_search_sentiments', week),
      (row) => row.sentiment_value === 'negative',
      (row) => row.sentiment_brand === 'Acme',
      assistant,
    );
  const tested = ASSISTANTS.map((assistant) => ({ assistant, ...moveOf(critical(NOW, assistant), critical(BEFORE, assistant)) }));
  const told = standingOf(tested).filter(({ change }) => change > 0);
  expect(foundBy('new-criticism').map(({ subject }) => subject)).toEqual(told.map(({ assistant }) => assistant));
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
  await insertOwnDomains(ledger.pool, accountId, own);
  for (const [dataset, weeks] of Object.entries(datasets)) {
    const days = (Object.keys(weeks) as IsoDate[]).toSorted(compareText);
    const job = jobOf({ accountId, since: days[0] ?? NOW, dataset: datasetNamed(dataset) });
    await recordJob(ledger.pool, job, NOW);
    for (const week of days) {
      const own = (weeks[week] ?? []).map((values) => wireRow(job, values, week));
      await loadWindow(ledger.pool, job, own, windowOfWeeks(week, 1));
    }
  }
  // What is ours in one week is ours in all, which are then summarised anew.
  for (const _ of ['once', 'again']) await finishReports(ledger.pool, new AbortController().signal, () => undefined);
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
  [0, 5, 'of some citations nobody knows whose they are'],
  [5, 5, undefined],
  [5, 20, undefined],
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
    times(3, (index) => ({
      ...about(of),
      citation_title: `title ${index}`,
      citation_url: `https://acme.example/${page}`,
      citation_domain: 'acme.example',
      citation_attribution: 'You',
    }));
  const weeks = { [BEFORE]: [...cited('a', 1), ...cited('b', 2), ...cited('c', 3)], [NOW]: [...cited('c', 3), ...cited('d', 2)] };
  expect(await subjectsOf('cited-page-gone', 'acme.example', { ai_search_citations: weeks })).toEqual(['acme.example/b']);
});

it('a cited page is gone: not where the prompts that cited it are no longer asked as another persona or in another place', async () => {
  const cited = (page: string, of: number, way: WireValues): WireValues[] =>
    times(3, (index) => ({
      ...about(of),
      ...way,
      citation_title: `title ${index}`,
      citation_url: `https://acme.example/${page}`,
      citation_domain: 'acme.example',
      citation_attribution: 'You',
    }));
  const ways = [{ persona: 'runner' }, { locode: 'US-NYC' }, { language: 'es_US' }, {}];
  const before = ways.flatMap((way, at) => cited(String(at), 1, way));
  const weeks = { [BEFORE]: before, [NOW]: cited('new', 1, {}) };
  expect(await subjectsOf('cited-page-gone', 'acme.example', { ai_search_citations: weeks })).toEqual(['acme.example/3']);
});

it('an assistant criticises us more: only that of which chance is no reason, with a sentence that no week before had', async () => {
  const said = (ai_search_engine: string, worst: number, snippets: readonly string[]): WireValues[] =>
    times(20, (index) => ({
      ...about(0),
      prompt: `p${index}`,
      ai_search_engine,
      sentiment_brand: 'Acme',
      sentiment_value: index < worst ? 'negative' : 'positive',
      sentiment_snippet: snippets[index % snippets.length] ?? null,
    }));
  const brand = { ...about(0), brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' };
  const account = await accountOf('new-criticism', 'acme.example', {
    ai_search_sentiments: {
      [BEFORE]: [...said('gemini', 10, ['dear', 'slow']), ...said('chatgpt', 2, ['old'])],
      // Gemini has new sentences, but is no more critical; ChatGPT repeats what Gemini said before, and has one sentence that is new.
      [NOW]: [...said('gemini', 10, ['loud', 'late']), ...said('chatgpt', 14, ['dear', 'weak', 'old'])],
    },
    ai_search_brands: { [BEFORE]: [brand], [NOW]: [brand] },
  });
  expect((await readSignals(ledger.pool, account, NOW)).map(({ text }) => text)).toEqual([
    'chatgpt criticises us more: 70.0 % of its mentions are negative, 60.0 points more like for like; new since this week: “weak”'.replace(
      'chatgpt',
      labelOf('assistant', 'chatgpt'),
    ),
  ]);
});

it('a rival overtakes: a tie is no lead, and shares that differ are told apart', async () => {
  // 400 places of 40 searches: the rival has 20 as we have, then 21 to 20, which is 5.25 % to 5 %.
  const rowsOf = (rival: number): WireValues[] => {
    const sites = [...times(20, () => 'acme.example'), ...times(rival, () => 'rival.example')];
    return times(400, (place) => ({
      query: `q${Math.floor(place / 10)}`,
      root_domain: sites[place] ?? `rest${place}.example`,
      average_search_volume: '100',
      rank_standard: String(1 + (place % 10)),
    }));
  };
  const account = await accountOf('rival-overtakes', 'acme.example', { keyword_rankings: { [BEFORE]: rowsOf(20), [NOW]: rowsOf(21) } });
  expect((await readSignals(ledger.pool, account, NOW)).map(({ text }) => text)).toEqual([
    'rival.example has overtaken us in the first 10 places: 5.3 % against our 5.0 % (the week before 5.0 % each)',
  ]);
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

  it('an assistant is judged by the prompts that both weeks have: that it names us to others is no rise', async () => {
    const found = await subjectsOf('mention-rate-moved', 'acme.example', {
      ai_search_response: { [BEFORE]: [...asked(100), ...asked(100, gemini)], [NOW]: [...asked(200), ...asked(100, gemini)] },
      ai_search_brands: {
        [BEFORE]: naming(...asked(20), ...asked(20, gemini)),
        [NOW]: naming(...asked(20), ...asked(200).slice(100), ...asked(70, gemini)),
      },
      ai_search_citations: kinds,
    });
    expect(found).toEqual(['gemini']);
  });

  it.each([
    ['others', asked(200).slice(100)],
    ['one more assistant', asked(100, gemini)],
  ])('citations in answers of %s are not a rise in citations', async (_, more) => {
    const now = [...asked(100), ...more];
    const found = await subjectsOf('citation-share-moved', 'acme.example', {
      ai_search_response: { [BEFORE]: asked(100), [NOW]: now },
      ai_search_citations: { [BEFORE]: cited(asked(100), 0.2), [NOW]: [...cited(asked(100), 0.2), ...cited(more, 1)] },
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
      times(3, (index) => ({
        ...cited(asked(1, more), 1)[0],
        citation_title: `title ${index}`,
        citation_url: `https://acme.example/${page}`,
      }));
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

  it('not named any more on a topic: of the prompts that both weeks have, whatever others are asked; each assistant by itself', async () => {
    // A prompt is one, whatever its topic: each topic has prompts of its own.
    const on = (topic: string, count: number, more: WireValues = {}) =>
      asked(count, { topic, ...more }).map((row) => ({ ...row, prompt: `${topic} ${row.prompt}` }));
    const gear = (count: number) => on('gear', count);
    const shoes = on('shoes', 40, gemini);
    const found = await subjectsOf('topic-unnamed', 'acme.example', {
      ai_search_response: {
        [BEFORE]: [...gear(100), ...on('socks', 8, gemini), ...on('socks', 92), ...shoes],
        [NOW]: [
          ...gear(100),
          ...on('socks', 6, gemini),
          ...on('socks', 92),
          ...shoes,
          ...shoes.map((row) => ({ ...row, prompt: `${row.prompt} now` })),
        ],
      },
      ai_search_brands: {
        [BEFORE]: naming(...gear(10), ...on('socks', 4, gemini), ...shoes),
        [NOW]: naming(...shoes),
      },
      ai_search_citations: kinds,
    });
    expect(found).toEqual(['gear, chatgpt', 'socks, gemini']);
  });
});
