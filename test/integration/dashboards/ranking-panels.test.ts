// Every figure of the board Rankings, computed a second time from the rows that the sandbox served, by arithmetic that knows nothing of
// the SQL.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Values } from '../../../src/dashboards/variables.ts';
import { useBoards } from '../../support/boards.ts';
import { asksOf, isChosen, percentOf, USUAL } from '../../support/panels.ts';
import { keywordGroupsOf, type ServedRow, weekOf } from '../../support/served-objects.ts';

const boards = useBoards('since: 2026-10-18, weeks_per_query: 2', ['keyword_rankings', 'ai_search_citations']);

const CHOICES: readonly Values[] = [
  USUAL,
  { ...USUAL, weighted: 'false', top_n: '3' },
  { ...USUAL, rank: 'true', top_n: '20', device: ['SMARTPHONE'] },
  { ...USUAL, weighted: 'false', rank: 'true', top_n: '1', country: ['US'], weeks: '2' },
  { ...USUAL, web_property: ['501'], engine: ['GOOGLE'], top_n: '5' },
  { ...USUAL, country: ['DE', 'US'], device: ['DESKTOP', 'SMARTPHONE'], weeks: '3' },
  { ...USUAL, web_property: ['501', '502'], engine: ['BING', 'GOOGLE'], weighted: 'false' },
];

/** Of the panels that count searches, and no results. */
const CHOICES_OF_GROUPS: readonly Values[] = [
  { ...USUAL, keyword_group: ['Defend', 'Tents'] },
  { ...USUAL, keyword_group: ['Footwear'], weighted: 'false', rank: 'true', device: ['DESKTOP'], weeks: '2' },
];

let results: readonly ServedRow[];
let ownDomains: ReadonlySet<string>;
beforeAll(() => {
  results = boards.rowsOf('keyword_rankings');
  ownDomains = boards.ownDomains;
  expect(ownDomains.size).toBeGreaterThan(0);
});

const ask = asksOf(() => boards.panels, 'rankings');

const isOurs = ({ root_domain, subdomain }: ServedRow): boolean =>
  [root_domain, subdomain].some((domain) =>
    [...ownDomains].some((own) => (domain ?? '').toLowerCase() === own || (domain ?? '').toLowerCase().endsWith(`.${own}`)),
  );

type Search = Readonly<{
  week: string;
  /** The same in every week. */
  name: string;
  first: ServedRow;
  volume: number | null;
  rows: readonly ServedRow[];
}>;

/** The tracked searches of the newest `weeks` weeks that the choices let through. */
function searchesOf({ web_property, engine, country, device, keyword_group, weeks }: Values): Search[] {
  const known = [...new Set(results.map((row) => weekOf(row.time_period_start)))].sort().slice(-Number(weeks));
  const searches = new Map<string, ServedRow[]>();
  for (const row of results) {
    if (!isChosen(row.web_property_id, web_property) || !isChosen(row.search_engine, engine)) continue;
    if (!isChosen(row.search_engine_country_code, country) || !isChosen(row.device, device)) continue;
    if (!known.includes(weekOf(row.time_period_start))) continue;
    if (keyword_group && !keywordGroupsOf(row).some((group) => keyword_group.includes(group))) continue;
    const key = JSON.stringify([
      row.time_period_start,
      ...['web_property_id', 'search_engine', 'search_engine_country_code', 'search_engine_language_code', 'locode', 'device', 'query'].map(
        (column) => row[column],
      ),
    ]);
    searches.set(key, [...(searches.get(key) ?? []), row]);
  }
  return [...searches].map(([key, rows]) => {
    const [first] = rows as [ServedRow];
    const volume = first.average_search_volume ?? first.approximate_search_volume ?? null;
    return {
      week: weekOf(first.time_period_start),
      name: JSON.stringify(JSON.parse(key).slice(1)),
      first,
      volume: volume === null ? null : Number(volume),
      rows,
    };
  });
}

const placeOf = (row: ServedRow, { rank }: Values): number | null => {
  const place = rank === 'standard' ? row.rank_standard : row.rank_true;
  return place === null || place === undefined ? null : Number(place);
};

/** The best own place of a search; null where it has none. */
function bestOf({ rows }: Search, values: Values): number | null {
  const places = rows.filter(isOurs).flatMap((row) => placeOf(row, values) ?? []);
  return places.length === 0 ? null : Math.min(...places);
}

const weightOf = ({ volume }: Search, { weighted }: Values): number => (weighted === 'true' ? (volume ?? 0) : 1);
const sumOf = <T>(all: readonly T[], of: (one: T) => number): number => all.reduce((sum, one) => sum + of(one), 0);
const inWeek = (all: readonly Search[], week: string | null | undefined): Search[] => all.filter((search) => search.week === week);

/** Its keyword groups, or that it has none. */
const groupsOf = ({ first }: Search): readonly string[] => {
  const groups = keywordGroupsOf(first);
  return groups.length > 0 ? groups : ['(none)'];
};

/** How much of the first places of a search the results hold that count: of a place that k results share, each has 1 / k. */
function heldOf({ rows }: Search, values: Values, isCounted: (row: ServedRow) => boolean): number {
  const within = rows.filter((row) => (placeOf(row, values) ?? Number.POSITIVE_INFINITY) <= Number(values.top_n));
  const sharing = (row: ServedRow): number => within.filter((other) => placeOf(other, values) === placeOf(row, values)).length;
  return sumOf(within.filter(isCounted), (row) => 1 / sharing(row));
}

/** What is held of the first places, each with the weight of its search, of all such places. */
function shareOf(searches: readonly Search[], values: Values, isCounted: (row: ServedRow) => boolean): string | null {
  const hits = sumOf(searches, (search) => heldOf(search, values, isCounted) * weightOf(search, values));
  return percentOf(hits, Number(values.top_n) * sumOf(searches, (search) => weightOf(search, values)), 2);
}

describe.each(CHOICES)('with %o', (values) => {
  it('market share: what a site holds of the first places', async () => {
    const searches = searchesOf(values);
    const rows = await ask('market-share', values);
    expect(rows.length).toBeGreaterThan(0);
    for (const { week, site, share } of rows) {
      expect([week, site, share]).toEqual([week, site, shareOf(inWeek(searches, week), values, (row) => row.root_domain === site)]);
    }
  });

  it('visibility: all own sites together, by search engine', async () => {
    const searches = searchesOf(values);
    const rows = await ask('visibility', values);
    expect(rows.length).toBeGreaterThan(0);
    for (const { week, engine, share } of rows) {
      const own = inWeek(searches, week).filter(({ first }) => first.search_engine === engine);
      expect([week, engine, share]).toEqual([week, engine, shareOf(own, values, isOurs)]);
    }
  });

  it('groups: searches of a group among the first three', async () => {
    const searches = searchesOf(values);
    const rows = await ask('groups', values);
    expect(rows.length).toBeGreaterThan(0);
    for (const { week, keyword_group, share, searches: amount } of rows) {
      const own = inWeek(searches, week).filter((search) => groupsOf(search).includes(keyword_group ?? ''));
      const weight = (some: readonly Search[]): number => sumOf(some, (search) => weightOf(search, values));
      const first = own.filter((search) => (bestOf(search, values) ?? Number.POSITIVE_INFINITY) <= 3);
      expect([week, keyword_group, share, Number(amount)]).toEqual([
        week,
        keyword_group,
        percentOf(weight(first), weight(own)),
        own.length,
      ]);
    }
  });

  it('winners and losers, won and lost searches, changed pages: the newest two weeks side by side', async () => {
    const searches = searchesOf({ ...values, weeks: '2' });
    const [before, now] = [...new Set(searches.map(({ week }) => week))].sort();
    const earlier = new Map(inWeek(searches, before).map((search) => [search.name, search]));
    const pairs = inWeek(searches, now).flatMap((search) => {
      const other = earlier.get(search.name);
      return other ? [{ search, other, place: bestOf(search, values), placeBefore: bestOf(other, values) }] : [];
    });
    expect(pairs.length).toBeGreaterThan(0);
    const isUnplaced = ({ rows }: Search, place: number | null): boolean => place === null && rows.some(isOurs);
    // What each search adds to the change like for like, in points: by what it holds of its places, and by its weight.
    const factsOf = (of: Search) => ({ weight: weightOf(of, values), share: heldOf(of, values, isOurs) / Number(values.top_n) });
    const facts = pairs.map(({ search, other }) => ({ query: search.first.query, now: factsOf(search), before: factsOf(other) }));
    const [wholeNow, wholeThen] = [sumOf(facts, ({ now }) => now.weight), sumOf(facts, ({ before: then }) => then.weight)];
    const levelOf = (key: 'now' | 'before', whole: number): number => sumOf(facts, (fact) => fact[key].weight * fact[key].share) / whole;
    const mean = (levelOf('now', wholeNow) + levelOf('before', wholeThen)) / 2;
    const moves = facts
      .map(({ query, now: { weight, share }, before: then }) => {
        const [part, partThen] = [weight / wholeNow, then.weight / wholeThen];
        const effect = ((part + partThen) / 2) * (share - then.share) + ((share + then.share) / 2 - mean) * (part - partThen);
        return { query, effect: 100 * effect };
      })
      .filter(({ effect }) => Math.abs(effect) > 1e-12)
      .sort((a, b) => b.effect - a.effect);
    const winners = moves.filter(({ effect }) => effect > 0);
    const losers = moves.filter(({ effect }) => effect < 0);
    const shown = await ask('winners-and-losers', values);
    const expected = [...winners.slice(0, 25), ...losers.slice(-25)];
    expect(shown.map(({ effect }) => Number(effect))).toEqual(expected.map(({ effect }) => expect.closeTo(effect, 3)));
    for (const { notice } of shown) expect(notice).toContain(`${winners.length} searches won, ${losers.length} lost`);
    // Together they are the change like for like.
    expect(sumOf(moves, ({ effect }) => effect)).toBeCloseTo(100 * (levelOf('now', wholeNow) - levelOf('before', wholeThen)), 9);

    const changed = pairs.filter(({ place, placeBefore }) => (place === null) !== (placeBefore === null));
    const listed = await ask('new-and-lost', values);
    expect(listed.length).toBe(Math.min(100, changed.length));
    for (const { change, query, place } of listed) {
      const found = changed.some(
        (pair) =>
          pair.search.first.query === query &&
          (change === 'new' || change === 'placed again'
            ? isUnplaced(pair.other, pair.placeBefore) === (change === 'placed again') &&
              pair.placeBefore === null &&
              pair.place === Number(place)
            : isUnplaced(pair.search, pair.place) === (change === 'only without a place') &&
              pair.place === null &&
              pair.placeBefore === Number(place)),
      );
      expect([change, query, found]).toEqual([change, query, true]);
    }
  });
});

describe.each([...CHOICES, ...CHOICES_OF_GROUPS])('with %o', (values) => {
  it('places: searches by our best place, those without us among them', async () => {
    const searches = searchesOf(values);
    const bucketOf = (search: Search): string => {
      const place = bestOf(search, values);
      if (place === null) return search.rows.some(isOurs) ? 'without a place' : 'absent';
      return place <= 1 ? '1' : place <= 3 ? '2-3' : place <= 10 ? '4-10' : place <= 20 ? '11-20' : 'beyond 20';
    };
    const rows = await ask('rank-distribution', values);
    expect(new Set(rows.flatMap(({ place }) => place ?? []))).toEqual(new Set(searches.map(bucketOf)));
    for (const { week, place, share, searches: amount } of rows.filter((row) => row.place !== null)) {
      const all = inWeek(searches, week);
      const found = all.filter((search) => bucketOf(search) === place);
      const weight = (some: readonly Search[]): number => sumOf(some, (search) => weightOf(search, values));
      expect([week, place, share, Number(amount)]).toEqual([week, place, percentOf(weight(found), weight(all), 2), found.length]);
    }
  });

  it('average place: over the searches that find us, by device and country', async () => {
    const searches = searchesOf(values);
    const rows = await ask('average-place', values);
    for (const { week, market, place, found } of rows) {
      const own = inWeek(searches, week).filter(
        ({ first }) => `${first.device?.toLowerCase()}, ${first.search_engine_country_code}` === market,
      );
      const places = own.flatMap((search) => bestOf(search, values) ?? []);
      const average =
        places.length === 0 ? null : (Math.round((100 * sumOf(places, (one) => one)) / places.length + 1e-9) / 100).toFixed(2);
      expect([week, market, place, Number(found)]).toEqual([week, market, average, places.length]);
    }
  });
});

it('two of the keyword groups: their rows of the heat map, and won and lost searches that are in one of them', async () => {
  const all = await ask('groups', USUAL);
  const keyword_group = [...new Set(all.map((row) => row.keyword_group ?? ''))].slice(0, 2);
  const values: Values = { ...USUAL, keyword_group };
  expect(await ask('groups', values)).toEqual(all.filter((row) => keyword_group.includes(row.keyword_group ?? '')));
  const inGroups = new Set(
    results.filter((row) => keyword_group.some((group) => `${row.keyword_group_names}`.includes(group))).map(({ query }) => query),
  );
  for (const panel of ['new-and-lost', 'changed-urls', 'winners-and-losers']) {
    const shown = await ask(panel, values);
    const expected = (await ask(panel, USUAL)).filter(({ query }) => inGroups.has(query ?? ''));
    // The effect is of all searches of the groups.
    if (panel === 'winners-and-losers') expect(shown.map(({ query }) => inGroups.has(query ?? ''))).not.toContain(false);
    else expect(shown).toEqual(expected);
  }
});
