// Every figure of the board Home, computed a second time from the rows that the sandbox served, by arithmetic that knows nothing of the SQL.
import { beforeAll, describe, expect, it } from 'vitest';
import { groupBy } from '../../../src/core/group-by.ts';
import { addDays } from '../../../src/core/weeks.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { readTarget } from '../../../src/dashboards/links.ts';
import type { Values } from '../../../src/dashboards/variables.ts';
import { useBoards } from '../../support/boards.ts';
import { asksOf, isChosen, type PanelRow, USUAL } from '../../support/panels.ts';
import { keywordGroupsOf, type ServedRow, searchOf, weekOf } from '../../support/served-objects.ts';

const boards = useBoards('since: 2026-09-27, weeks_per_query: 4', [
  'keyword_rankings',
  'ai_search_brands',
  'ai_search_citations',
  'ai_search_sentiments',
  'ai_search_response',
]);
const { rowsOf } = boards;
const CHOICES: readonly Values[] = [
  USUAL,
  { ...USUAL, compare: 'month', weighted: 'false', rank: 'true', top_n: '3', country: ['US'] },
  { ...USUAL, weeks: '..2026-11-01', device: ['SMARTPHONE'], assistant: ['chatgpt'] },
  { ...USUAL, weeks: '2026-10-04..', compare: '2026-10-18', country: ['DE'] },
  { ...USUAL, country: ['DE', 'US'], device: ['DESKTOP', 'SMARTPHONE'], assistant: ['chatgpt', 'gemini'] },
];
const FEW = 10;

let ownDomains: readonly string[];

const lower = (text: string | null | undefined): string => (text ?? '').toLowerCase();
const bare = (url: string | null | undefined): string => (url ?? '').replace(/^([a-z]+:\/\/)?(www\.)?/i, '').replace(/\/+$/, '');
const ask = asksOf(() => boards.panels, 'home');

beforeAll(() => {
  ownDomains = [...boards.ownDomains];
  expect(ownDomains.length).toBeGreaterThan(0);
});

const isOwnDomain = (domain: string | null | undefined): boolean =>
  ownDomains.some((own) => lower(domain) === own || lower(domain).endsWith(`.${own}`));
const isOwn = (row: ServedRow): boolean => isOwnDomain(row.root_domain) || isOwnDomain(row.subdomain);

/** The weeks of a dataset that are chosen. */
function weeksOf(dataset: string, { weeks }: Values): string[] {
  const all = [...new Set(rowsOf(dataset).map((row) => weekOf(row.time_period_start)))].sort();
  const [, since = '', to = ''] = /^(.*)\.\.(.*)$/.exec(weeks ?? '') ?? [];
  if (!weeks?.includes('..')) return all.slice(-Number(weeks));
  return all.filter((week) => week >= since && (to === '' || week <= to));
}

function comparedWith(week: string, { compare }: Values): string {
  return compare === 'week' ? addDays(week, -7) : compare === 'month' ? addDays(week, -28) : (compare ?? '');
}

/** Rows that are equal in all columns are one. */
const distinct = (rows: readonly ServedRow[]): ServedRow[] => [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];

/** The rows of a week that the choices let through. */
function inWeek(dataset: string, week: string | null | undefined, { country, device, assistant }: Values): ServedRow[] {
  return rowsOf(dataset).filter(
    (row) =>
      weekOf(row.time_period_start) === week &&
      (dataset === 'keyword_rankings'
        ? isChosen(row.search_engine_country_code, country) && isChosen(row.device, device)
        : isChosen(row.locode?.slice(0, 2).toUpperCase(), country) && isChosen(row.ai_search_engine, assistant)),
  );
}

type Search = Readonly<{ rows: readonly ServedRow[]; best: number | null; weight: number; deepest: number; volume: number | null }>;

function searchesOf(week: string, values: Values): ReadonlyMap<string, Search> {
  const isOfGroups = (row: ServedRow): boolean =>
    !values.keyword_group || keywordGroupsOf(row).some((group) => values.keyword_group?.includes(group));
  const groups = groupBy(inWeek('keyword_rankings', week, values).filter(isOfGroups), searchOf);
  const placeOf = (row: ServedRow): number[] => {
    const place = values.rank === 'standard' ? row.rank_standard : row.rank_true;
    return place === null || place === undefined ? [] : [Number(place)];
  };
  return new Map(
    [...groups].map(([key, rows]) => {
      const own = rows.filter(isOwn).flatMap(placeOf);
      const volume = rows[0]?.average_search_volume ?? rows[0]?.approximate_search_volume ?? null;
      return [
        key,
        {
          rows,
          best: own.length === 0 ? null : Math.min(...own),
          weight: values.weighted === 'true' ? Number(volume ?? 0) : 1,
          deepest: Math.max(...rows.flatMap(placeOf)),
          volume: volume === null ? null : Number(volume),
        },
      ];
    }),
  );
}

const sum = <T>(all: Iterable<T>, of: (one: T) => number): number => [...all].reduce((total, one) => total + of(one), 0);
const rounded = (figure: number, digits: number): number => Math.round(figure * 10 ** digits + 1e-7) / 10 ** digits;

/** The share of the first places that results have, counted with the weight of their searches. */
function shareOf(searches: ReadonlyMap<string, Search>, { top_n, rank }: Values, isCounted: (row: ServedRow) => boolean): number {
  const hits = sum(searches.values(), ({ rows, weight }) => {
    const within = rows.filter((row) => {
      const place = rank === 'standard' ? row.rank_standard : row.rank_true;
      return isCounted(row) && place !== null && place !== undefined && Number(place) <= Number(top_n);
    });
    return within.length * weight;
  });
  return (100 * hits) / (Number(top_n) * sum(searches.values(), ({ weight }) => weight));
}

const isOwnRoot = ({ root_domain }: ServedRow): boolean => isOwnDomain(root_domain);

const ANSWER = ['web_property_id', 'time_period_start', 'locode', 'language', 'ai_search_engine', 'topic', 'prompt', 'persona'];
const answerOf = (row: ServedRow): string => JSON.stringify(ANSWER.map((name) => row[name]));

function namingOf(answers: readonly ServedRow[]): ServedRow[] {
  const naming = new Set(
    rowsOf('ai_search_brands')
      .filter((row) => lower(row.brand_or_product_attribution) === 'you')
      .map(answerOf),
  );
  return answers.filter((row) => naming.has(answerOf(row)));
}

/** What a tracked search or prompt is: a part of a whole. */
type Units = ReadonlyMap<string, Readonly<{ part: number; whole: number }>>;
type Tile = Readonly<{ panel: string; dataset: string; digits: number; scale: number; of: (week: string, values: Values) => Units }>;

/** Searches with what `partOf` says of each; null leaves one out. */
function searchUnits(week: string, values: Values, partOf: (search: Search) => number | null, wholeOf: (search: Search) => number): Units {
  return new Map(
    [...searchesOf(week, values)].flatMap(([key, search]) => {
      const part = partOf(search);
      return part === null ? [] : [[key, { part, whole: wholeOf(search) }] as const];
    }),
  );
}

/** Of the first places, how many our results hold: of a place that several share, each holds a part. */
function heldOf({ rows }: Search, { top_n, rank }: Values): number {
  const placeOf = (row: ServedRow): number => Number((rank === 'standard' ? row.rank_standard : row.rank_true) ?? Number.POSITIVE_INFINITY);
  const within = groupBy(
    rows.filter((row) => placeOf(row) <= Number(top_n)),
    (row) => String(placeOf(row)),
  );
  return sum(within.values(), (sharing) => sharing.filter(isOwn).length / sharing.length);
}

const TRACKED = ['web_property_id', 'collection_frequency', 'locode', 'language', 'ai_search_engine', 'prompt', 'persona'];

/** Prompts with the sum of what `partOf` and `wholeOf` say of their rows. */
function promptUnits(rows: readonly ServedRow[], partOf: (row: ServedRow) => number, wholeOf: (row: ServedRow) => number): Units {
  const prompts = groupBy(rows, (row) => JSON.stringify(TRACKED.map((name) => row[name])));
  return new Map([...prompts].map(([key, own]) => [key, { part: sum(own, partOf), whole: sum(own, wholeOf) }]));
}

function citingOf(answers: readonly ServedRow[]): ServedRow[] {
  const ours = rowsOf('ai_search_citations').filter((row) => lower(row.citation_attribution) === 'you' || isOwnDomain(row.citation_domain));
  const citing = new Set(ours.map(answerOf));
  return answers.filter((row) => citing.has(answerOf(row)));
}

function answerUnits(week: string, values: Values, choose: (answers: readonly ServedRow[]) => ServedRow[]): Units {
  const answers = inWeek('ai_search_response', week, values);
  const chosen = new Set(choose(answers));
  return promptUnits(
    answers,
    (row) => (chosen.has(row) ? 1 : 0),
    () => 1,
  );
}

const TILES: readonly Tile[] = [
  {
    panel: 'visibility',
    dataset: 'keyword_rankings',
    digits: 2,
    scale: 100,
    of: (week, values) =>
      searchUnits(
        week,
        values,
        (search) => search.weight * heldOf(search, values),
        ({ weight }) => weight * Number(values.top_n),
      ),
  },
  {
    panel: 'first-three',
    dataset: 'keyword_rankings',
    digits: 2,
    scale: 100,
    of: (week, values) =>
      searchUnits(
        week,
        values,
        ({ best, weight }) => (best !== null && best <= 3 ? weight : 0),
        ({ weight }) => weight,
      ),
  },
  {
    panel: 'average-place',
    dataset: 'keyword_rankings',
    digits: 2,
    scale: 1,
    of: (week, values) =>
      searchUnits(
        week,
        values,
        ({ best }) => best,
        () => 1,
      ),
  },
  {
    panel: 'mention-rate',
    dataset: 'ai_search_response',
    digits: 1,
    scale: 100,
    of: (week, values) => answerUnits(week, values, namingOf),
  },
  {
    panel: 'citing-rate',
    dataset: 'ai_search_response',
    digits: 1,
    scale: 100,
    of: (week, values) => answerUnits(week, values, citingOf),
  },
  {
    panel: 'sentiment',
    dataset: 'ai_search_sentiments',
    digits: 1,
    scale: 100,
    of: (week, values) => {
      // A name that any week attributes to us is ours in every week.
      const brands = new Set(
        rowsOf('ai_search_brands')
          .filter((row) => lower(row.brand_or_product_attribution) === 'you')
          .map((row) => lower(row.brand_or_product_name)),
      );
      const worth: Readonly<Record<string, number>> = { positive: 1, neutral: 0.5, negative: 0 };
      const isValued = (row: ServedRow): boolean => lower(row.sentiment_value) in worth && brands.has(lower(row.sentiment_brand));
      // A prompt that was asked and whose answers do not mention us is there, with nothing.
      return promptUnits(
        [...inWeek('ai_search_response', week, values), ...distinct(inWeek('ai_search_sentiments', week, values))],
        (row) => (isValued(row) ? (worth[lower(row.sentiment_value)] ?? 0) : 0),
        (row) => (isValued(row) ? 1 : 0),
      );
    },
  },
];

/** The level of units: of all, or of those that another week has too. */
function levelOf(units: Units, scale: number, others: Units = units): number {
  const kept = [...units].flatMap(([key, unit]) => (others.has(key) ? [unit] : []));
  return (scale * sum(kept, ({ part }) => part)) / sum(kept, ({ whole }) => whole);
}

/** How much of the whole two weeks have in common. */
function sameOf(units: Units, others: Units): number {
  const wholeOf = (all: Units, kept: Units): number => sum(all, ([key, { whole }]) => (kept.has(key) ? whole : 0));
  return Math.min(wholeOf(units, others) / wholeOf(units, units), wholeOf(others, units) / wholeOf(others, others));
}

const numberOf = (cell: string | null | undefined): number | null => (cell === null || cell === undefined ? null : Number(cell));

/** Rows of a mover without what only explains them, and no more than are shown. */
function expectMovers(rows: readonly PanelRow[], expected: readonly Readonly<Record<string, string | number | null>>[], by: string): void {
  const names = Object.keys(expected[0] ?? { [by]: 0 });
  const read = rows.map((row) =>
    Object.fromEntries(names.map((name) => [name, typeof expected[0]?.[name] === 'string' ? (row[name] ?? null) : numberOf(row[name])])),
  );
  for (const row of read) expect(expected).toContainEqual(row);
  const amountOf = (row: Readonly<Record<string, unknown>>): number => Number(row[by]);
  const won = expected.map(amountOf).filter((amount) => amount > 0);
  const lost = expected.map(amountOf).filter((amount) => amount < 0);
  const most = [
    ...won.sort((a, b) => b - a).slice(0, FEW),
    ...lost
      .sort((a, b) => a - b)
      .slice(0, FEW)
      .toReversed(),
  ];
  expect(read.map(amountOf)).toEqual(most);
}

/** What became more or fewer between two weeks: counts by `name`, now and before, as a mover has them. */
function changesOf([now, before]: readonly ReadonlyMap<string, number>[], name: string, counted: string) {
  return [...new Set([...(now?.keys() ?? []), ...(before?.keys() ?? [])])].map((key) => {
    const [after, earlier] = [now?.get(key) ?? 0, before?.get(key) ?? 0];
    return { [name]: key, [`${counted}_before`]: earlier, [`${counted}_now`]: after, change: after - earlier };
  });
}

describe.each(CHOICES)('with %o', (values) => {
  it.each(TILES)(
    '$panel: the figure of each week, and of the newest its change like for like, what others add, and the pooled mean of four weeks',
    async ({ panel, dataset, digits, scale, of }) => {
      const weeks = weeksOf(dataset, values);
      const units = new Map(weeks.map((week) => [week, of(week, values)]));
      const unitsOf = (week: string): Units => units.get(week) ?? of(week, values);
      const rows = await ask(panel, values);
      expect(rows.map(({ week }) => week)).toEqual(weeks);
      let run = 0;
      const runs = new Map<string, number>();
      for (const [at, week] of weeks.entries()) {
        const [now, before] = [unitsOf(week), unitsOf(weeks[at - 1] ?? week)];
        if (now.size > 0 && before.size > 0 && sameOf(now, before) < 0.8) run += 1;
        runs.set(week, run);
      }
      for (const row of rows) {
        const week = row.week ?? '';
        const level = levelOf(unitsOf(week), scale);
        if (Number.isNaN(level)) expect(row).toMatchObject({ figure: null, reason: expect.any(String) });
        else expect(Number(row.figure)).toBeCloseTo(level, digits - 0.05);
        const isLike = (each: string): boolean => runs.get(each) === runs.get(week) && unitsOf(each).size > 0;
        const four = [7, 14, 21, 28].map((days) => addDays(week, -days)).filter(isLike);
        const pooled = four.flatMap((each) => [...unitsOf(each).values()]);
        if (four.length < 4 || row.figure === null) expect(row.mean_of_four).toBeNull();
        else
          expect(Number(row.mean_of_four)).toBeCloseTo(
            (scale * sum(pooled, ({ part }) => part)) / sum(pooled, ({ whole }) => whole),
            digits - 0.05,
          );
      }
      const newest = rows.at(-1);
      const [week, other] = [newest?.week ?? '', comparedWith(newest?.week ?? '', values)];
      for (const row of rows.slice(0, -1)) expect(row).toMatchObject({ change: null, uncompared: null });
      if (other >= week || !weeksOf(dataset, { ...values, weeks: '999' }).includes(other)) {
        expect(newest).toMatchObject({ change: null, reading: null, uncompared: expect.stringContaining(other) });
        return;
      }
      const [now, before] = [unitsOf(week), unitsOf(other)];
      const like = levelOf(now, scale, before) - levelOf(before, scale, now);
      expect(newest).toMatchObject({ uncompared: null, compared_with: other });
      expect(Number(newest?.change)).toBeCloseTo(like, digits - 0.05);
      expect(Number(newest?.added)).toBeCloseTo(levelOf(now, scale) - levelOf(now, scale, before), digits - 0.05);
      expect(Number(newest?.dropped)).toBeCloseTo(levelOf(before, scale, now) - levelOf(before, scale), digits - 0.05);
    },
  );

  const pairOf = (dataset: string): readonly [string, string] => {
    const newest = weeksOf(dataset, values).at(-1) ?? '';
    return [newest, comparedWith(newest, values)];
  };

  it('searches: places won times the volume of the search, the largest first', async () => {
    const [now, before] = pairOf('keyword_rankings').map((week) => searchesOf(week, values));
    const moves = [...(now ?? [])].flatMap(([key, search]) => {
      const old = before?.get(key);
      if (!old || (search.best === null && old.best === null)) return [];
      // A search with a result of ours without a place is not absent.
      if ([search, old].some(({ best, rows }) => best === null && rows.some(isOwn))) return [];
      const absent = Math.max(search.deepest, old.deepest) + 1;
      const won = (old.best ?? absent) - (search.best ?? absent);
      const effect = won * (values.weighted === 'true' ? (search.volume ?? 1) : 1);
      return [{ query: search.rows[0]?.query ?? '', place_before: old.best, place_now: search.best, places_won: won, effect }];
    });
    expectMovers(await ask('searches', values), moves, 'effect');
  });

  it('pages: for how many more searches they rank', async () => {
    const countsOf = (week: string): Map<string, number> => {
      const found = new Map<string, Set<string>>();
      for (const row of inWeek('keyword_rankings', week, { ...values, device: null }).filter(isOwn)) {
        const url = bare(row.normalized_url);
        if (url) found.set(url, (found.get(url) ?? new Set()).add(searchOf(row)));
      }
      return new Map([...found].map(([url, searches]) => [url, searches.size]));
    };
    expectMovers(await ask('pages', values), changesOf(pairOf('keyword_rankings').map(countsOf), 'url', 'searches'), 'change');
  });

  it('topics: by how many points the mention rate rose', async () => {
    const ratesOf = (week: string): Map<string, number> =>
      new Map(
        [...groupBy(inWeek('ai_search_response', week, values), (row) => row.topic ?? '(none)')].map(([topic, answers]) => [
          topic,
          rounded((100 * namingOf(answers).length) / answers.length, 1),
        ]),
      );
    const [now, before] = pairOf('ai_search_response').map(ratesOf) as [Map<string, number>, Map<string, number>];
    const changes = [...now].flatMap(([topic, percent]) => {
      const old = before.get(topic);
      return old === undefined ? [] : [{ topic, percent_before: old, percent_now: percent, change: rounded(percent - old, 1) }];
    });
    expectMovers(await ask('topics', values), changes, 'change');
  });

  it('citations: how many more each site has', async () => {
    const countsOf = (week: string): Map<string, number> =>
      new Map(
        [...groupBy(inWeek('ai_search_citations', week, values), (row) => row.citation_domain ?? '')].map(([site, all]) => [
          site,
          all.length,
        ]),
      );
    expectMovers(await ask('citations', values), changesOf(pairOf('ai_search_citations').map(countsOf), 'site', 'citations'), 'change');
  });

  it('sites: those that got ahead of us, and those that we got ahead of', async () => {
    const [now, before] = pairOf('keyword_rankings').map((week) => searchesOf(week, values)) as [Map<string, Search>, Map<string, Search>];
    const sharesOf = (searches: ReadonlyMap<string, Search>, site: string): number =>
      shareOf(searches, values, (row) => row.root_domain === site);
    const ours = { now: shareOf(now, values, isOwnRoot), before: shareOf(before, values, isOwnRoot) };
    const sites = new Set(
      [...now.values(), ...before.values()].flatMap(({ rows }) => rows.flatMap((row) => (isOwn(row) ? [] : (row.root_domain ?? [])))),
    );
    const crossed = [...sites].filter((site) => {
      const [ahead, wasAhead] = [sharesOf(now, site) - ours.now, sharesOf(before, site) - ours.before].map((lead) => rounded(lead, 9)) as [
        number,
        number,
      ];
      return (ahead > 0 && wasAhead <= 0) || (ahead < 0 && wasAhead >= 0);
    });
    const rows = await ask('sites', values);
    expect(new Set(rows.map(({ site }) => site))).toEqual(new Set(crossed));
    for (const { site, share_before, share_now, our_share_before, our_share_now } of rows) {
      expect([share_before, share_now, our_share_before, our_share_now].map(numberOf)).toEqual(
        [sharesOf(before, site ?? ''), sharesOf(now, site ?? ''), ours.before, ours.now].map((share) => rounded(share, 2)),
      );
    }
  });
});

it.each(['visibility', 'first-three', 'average-place'])(
  '%s of several keyword groups is that of searches in any of them',
  async (panel) => {
    const values: Values = { ...USUAL, keyword_group: ['Footwear', 'Tents', 'Top sellers'] };
    const tile = TILES.find((each) => each.panel === panel);
    const rows = await ask(panel, values);
    expect(rows.map(({ week }) => week)).toEqual(weeksOf('keyword_rankings', values));
    for (const { week, figure } of rows) {
      const level = levelOf(tile?.of(week ?? '', values) ?? new Map(), tile?.scale ?? 0);
      if (Number.isNaN(level)) expect(figure).toBeNull();
      else expect(Number(figure)).toBeCloseTo(level, (tile?.digits ?? 0) - 0.05);
    }
    expect(rows.map(({ figure }) => figure)).not.toEqual((await ask(panel, USUAL)).map(({ figure }) => figure));
  },
);

/** One market and one assistant, of which the panel with more detail has one line. */
const ONE_LINE: Values = {
  ...USUAL,
  engine: ['GOOGLE'],
  country: ['US'],
  device: ['DESKTOP'],
  assistant: ['chatgpt'],
  branded: 'unbranded',
};
type Cell = string | null | undefined;
type Landing = Readonly<{ figure: (row: PanelRow) => Cell; there: (rows: readonly PanelRow[], row: PanelRow) => Cell }>;

const inSameWeek = (rows: readonly PanelRow[], { week }: PanelRow): PanelRow[] => rows.filter((each) => each.week === week);
const figureIn = (column: string): Landing => ({
  figure: ({ figure }) => figure,
  there: (rows, row) => inSameWeek(rows, row)[0]?.[column],
});
/** By panel: the figure of a row on Home, and the same among the rows of the panel with more detail; undefined if this has no such total. */
const LANDINGS: Readonly<Record<string, Landing | undefined>> = {
  visibility: figureIn('share'),
  'average-place': figureIn('place'),
  'mention-rate': figureIn('percent'),
  // By place, by site.
  'first-three': undefined,
  'citing-rate': undefined,
  searches: {
    figure: ({ effect }) => effect,
    there: (rows, row) => rows.find(({ query, device }) => query === row.query && device === row.device)?.effect,
  },
  sites: { figure: ({ share_now }) => share_now, there: (rows, row) => inSameWeek(rows, row).find(({ site }) => site === row.site)?.share },
  citations: {
    figure: ({ citations_now }) => citations_now,
    there: (rows, row) => inSameWeek(rows, row).find(({ site }) => site === row.site)?.citations,
  },
  // By brand, and over all weeks.
  sentiment: undefined,
  topics: undefined,
};

const LED = readBoards()
  .flatMap(({ panels }) => panels)
  .flatMap(({ board, name, chart, from }) => (board === 'home' && from && /tiles|movers/.test(chart) ? [[name, from] as const] : []));

it.each(LED)('the title of %s leads to where its figure is: %s', async (name, from) => {
  expect(Object.keys(LANDINGS)).toContain(name);
  const landing = LANDINGS[name];
  if (!landing) return;
  const to = readTarget(from);
  const there = await asksOf(() => boards.panels, to.board)(to.panel ?? '', { ...ONE_LINE, ...to.choices });
  const rows = (await ask(name, ONE_LINE)).map((row) => [landing.figure(row), landing.there(there, row)] as const);
  // Only the largest of all sites have a line there.
  const compared = rows.filter(([, figure]) => figure !== undefined);
  expect(compared.length).toBeGreaterThan(0);
  expect(compared.map(([, figure]) => Number(figure))).toEqual(compared.map(([figure]) => Number(figure)));
});
