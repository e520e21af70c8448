// Every figure of the board Home, computed a second time from the rows that the sandbox served, by arithmetic that knows nothing of the SQL.
import { beforeAll, describe, expect, it } from 'vitest';
import { groupBy } from '../../../src/core/group-by.ts';
import { addDays } from '../../../src/core/weeks.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { readTarget } from '../../../src/dashboards/links.ts';
import type { Values } from '../../../src/dashboards/variables.ts';
import { useBoards } from '../../support/boards.ts';
import { type Voices, voicesOf } from '../../support/named-texts.ts';
import { asksOf, isChosen, type PanelRow, USUAL } from '../../support/panels.ts';
import { keywordGroupsOf, type ServedRow, searchOf, weekOf } from '../../support/served-objects.ts';

const boards = useBoards(
  'since: 2026-09-27, weeks_per_query: 4, own_brands: [Brightpeak, Peakhire], rival_brands: [Northtrail, Fernweh Supply]',
  ['keyword_rankings', 'ai_search_brands', 'ai_search_citations', 'ai_search_sentiments', 'ai_search_response'],
);
const { rowsOf } = boards;
const CHOICES: readonly Values[] = [
  USUAL,
  { ...USUAL, compare: 'month', weighted: 'false', rank: 'true', top_n: '3', country: ['US'] },
  { ...USUAL, weeks: '..2026-11-01', device: ['SMARTPHONE'], assistant: ['chatgpt'] },
  { ...USUAL, weeks: '2026-10-04..', compare: '2026-10-18', country: ['DE'] },
  { ...USUAL, country: ['DE', 'US'], device: ['DESKTOP', 'SMARTPHONE'], assistant: ['chatgpt', 'gemini'] },
];

let ownDomains: readonly string[];

const lower = (text: string | null | undefined): string => (text ?? '').toLowerCase();
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

/** A prompt is there in a week of which any dataset has a row, maybe with nothing. */
const othersIn = (week: string, values: Values): ServedRow[] =>
  ['ai_search_brands', 'ai_search_citations', 'ai_search_sentiments'].flatMap((dataset) => inWeek(dataset, week, values));

function answerUnits(week: string, values: Values, choose: (answers: readonly ServedRow[]) => ServedRow[]): Units {
  const answers = inWeek('ai_search_response', week, values);
  const [all, chosen] = [new Set(answers), new Set(choose(answers))];
  return promptUnits(
    [...answers, ...othersIn(week, values)],
    (row) => (chosen.has(row) ? 1 : 0),
    (row) => (all.has(row) ? 1 : 0),
  );
}

const VOICES: Voices = new Map([
  ['', ['Brightpeak', 'Peakhire']],
  ['Northtrail', ['Northtrail']],
  ['Fernweh Supply', ['Fernweh Supply']],
]);

function voiceUnits(week: string, values: Values): Units {
  const answers = inWeek('ai_search_response', week, values);
  const heard = new Map(answers.map((row) => [row, voicesOf([row.ai_response], VOICES)]));
  const texts = promptUnits(
    answers,
    (row) => heard.get(row)?.texts ?? 0,
    () => 1,
  );
  const units = promptUnits(
    [...answers, ...othersIn(week, values)],
    (row) => heard.get(row)?.own ?? 0,
    (row) => (heard.get(row)?.own ?? 0) + (heard.get(row)?.rivals.length ?? 0),
  );
  return new Map([...units].filter(([key]) => texts.get(key)?.part !== 0));
}

const SEARCH_SHARE = { dataset: 'keyword_rankings', digits: 2, scale: 100 } as const;
const TILES: readonly Tile[] = [
  {
    ...SEARCH_SHARE,
    panel: 'visibility',
    of: (week, values) =>
      searchUnits(
        week,
        values,
        (search) => search.weight * heldOf(search, values),
        ({ weight }) => weight * Number(values.top_n),
      ),
  },
  {
    ...SEARCH_SHARE,
    panel: 'first-three',
    of: (week, values) =>
      searchUnits(
        week,
        values,
        ({ best, weight }) => (best !== null && best <= 3 ? weight : 0),
        ({ weight }) => weight,
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
    panel: 'share-of-voice',
    dataset: 'ai_search_response',
    digits: 1,
    scale: 100,
    of: voiceUnits,
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
      const valued = new Set(
        distinct(inWeek('ai_search_sentiments', week, values)).filter(
          (row) => lower(row.sentiment_value) in worth && brands.has(lower(row.sentiment_brand)),
        ),
      );
      return promptUnits(
        [...inWeek('ai_search_response', week, values), ...othersIn(week, values)],
        (row) => (valued.has(row) ? (worth[lower(row.sentiment_value)] ?? 0) : 0),
        (row) => (valued.has(row) ? 1 : 0),
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

  it('news: how many keywords won and lost first places, and which most; prompts won and lost, by assistant', async () => {
    const news = await ask('news', values);
    const expected: string[] = [];
    const [week, other] = pairOf('keyword_rankings');
    if (other < week && weeksOf('keyword_rankings', { ...values, weeks: '999' }).includes(other)) {
      const tile = TILES.find(({ panel }) => panel === 'visibility');
      const [now, before] = [week, other].map((each) => tile?.of(each, values) ?? new Map()) as [Units, Units];
      const wholeOf = (units: Units, others: Units): number => sum(units, ([key, { whole }]) => (others.has(key) ? whole : 0));
      const points = new Map<string, number>();
      for (const [key, unit] of now) {
        const old = before.get(key);
        if (!old || unit.whole === 0 || old.whole === 0) continue;
        const weight = (unit.whole / wholeOf(now, before) + old.whole / wholeOf(before, now)) / 2;
        const keyword = searchesOf(week, values).get(key)?.rows[0]?.query ?? '';
        points.set(keyword, (points.get(keyword) ?? 0) + 100 * weight * (unit.part / unit.whole - old.part / old.whole));
      }
      for (const [side, sign] of [
        ['won', 1],
        ['lost', -1],
      ] as const) {
        const own = [...points].filter(([, each]) => each * sign > 1e-9).toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a));
        if (own.length === 0) continue;
        const told = news.find(({ what }) => what === `Searches ${side}`);
        const total = sum(own, ([, each]) => each);
        expect(told?.details).toMatch(new RegExp(`^${own.length} keywords? ${side} first places: “`));
        expect(Number(told?.points)).toBeCloseTo(total, 2.9);
        expect(told?.details).toContain(`${own.length > 3 ? ` and ${own.length - 3} other` : ''}`);
        // Of those with as much, either may come first.
        const most = own
          .filter(([, each]) => Math.abs(each) > Math.abs(own[0]?.[1] ?? 0) - 1e-9)
          .map(([keyword]) => `first places: “${keyword}”`);
        expect(most.some((each) => told?.details?.includes(each))).toBe(true);
        expected.push(`Searches ${side}`);
      }
    }
    const [newest, compared] = pairOf('ai_search_response');
    if (compared < newest && weeksOf('ai_search_response', { ...values, weeks: '999' }).includes(compared)) {
      const [now, before] = [newest, compared].map((each) => answerUnits(each, values, namingOf)) as [Units, Units];
      const moved = [...now].flatMap(([key, { part, whole }]) => {
        const { part: old = 0, whole: asked = 0 } = before.get(key) ?? {};
        const [, , , , assistant, prompt] = JSON.parse(key) as string[];
        return whole === 0 || asked === 0 || part > 0 === old > 0 ? [] : [{ side: part > 0 ? 'won' : 'lost', assistant, prompt }];
      });
      for (const [key, own] of groupBy(moved, ({ side, assistant }) => `Prompts ${side}: ${assistant}`)) {
        const prompts = new Set(own.map(({ prompt }) => prompt));
        const [first] = own;
        const verb = first?.side === 'won' ? 'began' : 'stopped';
        const details = news.find(({ what }) => what === key)?.details;
        expect(details).toContain(`${first?.assistant} ${verb} naming us in answers to ${prompts.size} prompt`);
        const rates = details?.match(/; (?<level>\S+) % of its answers name us, before (?<before>\S+) %$/)?.groups;
        for (const [told, units] of [
          [rates?.level, now],
          [rates?.before, before],
        ] as const) {
          const its = new Map([...units].filter(([unit]) => (JSON.parse(unit) as string[])[4] === first?.assistant));
          expect(Number(told)).toBeCloseTo(levelOf(its, 100), 0.95);
        }
        expected.push(key);
      }
    }
    expect(new Set(news.flatMap(({ what }) => (/^(Criticism|Pages|Back|Rival)/.test(what ?? '') ? [] : [what])))).toEqual(
      new Set(expected),
    );
    const amounts = news.map(({ points }) => Math.abs(Number(points)));
    expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));
  });
});

it.each(['visibility', 'first-three'])('%s of several keyword groups is that of searches in any of them', async (panel) => {
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
});

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
  'mention-rate': figureIn('percent'),
  // By place, by site.
  'first-three': undefined,
  'citing-rate': undefined,
  // Beside those of rivals, with more digits.
  'share-of-voice': undefined,
  // By brand, and over all weeks.
  sentiment: undefined,
};

const LED = readBoards()
  .flatMap(({ panels }) => panels)
  .flatMap(({ board, name, chart, from }) => (board === 'home' && from && chart === 'tiles' ? [[name, from] as const] : []));

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
