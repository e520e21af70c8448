// Every figure of the boards of one search, page, site, topic and prompt, computed a second time from the rows that the sandbox served, by
// arithmetic that knows nothing of the SQL.
import { beforeAll, expect, it } from 'vitest';
import { addDays } from '../../../src/core/weeks.ts';
import { chooseValues } from '../../../src/dashboards/board-view.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { hrefOf } from '../../../src/dashboards/links.ts';
import { inSnapshot, runPanel } from '../../../src/dashboards/run-panels.ts';
import type { Values } from '../../../src/dashboards/variables.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { useBoards } from '../../support/boards.ts';
import { asksOf, columnsOf, type PanelRow, percentOf, USUAL } from '../../support/panels.ts';
import { type ServedRow, searchOf, weekOf } from '../../support/served-objects.ts';

const boards = useBoards(
  'since: 2026-10-18, weeks_per_query: 2',
  DATASETS.map(({ name }) => name),
);
const { rowsOf } = boards;
const NEWEST = '2026-11-08';
const BEFORE = addDays(NEWEST, -7);
/** Of how many things of each kind the figures are compared. */
const THINGS = 4;

let own: ReadonlySet<string>;
beforeAll(() => {
  own = boards.ownDomains;
});

const ask = (board: string, panel: string, values: Values): Promise<PanelRow[]> =>
  asksOf(() => boards.panels, board)(panel, { ...USUAL, ...values });

const lower = (text: string | null | undefined): string => (text ?? '').toLowerCase();
const bareUrl = (url: string | null | undefined): string => (url ?? '').replace(/^([a-z]+:\/\/)?(www\.)?/i, '').replace(/\/+$/, '');
const bareDomain = (domain: string | null | undefined): string => lower(domain).replace(/^www\./, '');
const isBelow = (site: string, above: string): boolean => `.${site}`.endsWith(`.${above}`);
const isOurs = ({ root_domain, subdomain }: ServedRow): boolean =>
  [root_domain, subdomain].some((domain) => [...own].some((each) => isBelow(lower(domain), each)));
const at = (row: ServedRow, week: string): boolean => weekOf(row.time_period_start) === week;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const least = (values: readonly (string | null | undefined)[]): number | null => {
  const known = values.flatMap((value) => (value === null || value === undefined ? [] : [Number(value)]));
  return known.length === 0 ? null : Math.min(...known);
};
const asNumber = (cell: string | null | undefined): number | null => (cell === null || cell === undefined ? null : Number(cell));

function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

/** Rows that can be compared whatever their order. Numbers are text, as panels have them. */
const sorted = (rows: readonly unknown[]): string[] =>
  rows.map((row) => JSON.stringify(row, (_, cell: unknown) => (typeof cell === 'number' ? String(cell) : cell))).sort();

/** The things that most rows have, and the last one. */
function pick(values: readonly (string | null | undefined)[]): string[] {
  const counts = [
    ...groupBy(
      values.filter((value): value is string => Boolean(value)),
      (value) => value,
    ),
  ].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  const names = counts.map(([name]) => name);
  return [...new Set([...names.slice(0, THINGS - 1), names.at(-1) ?? ''])];
}

// Rankings --------------------------------------------------------------------------------------------------------------

const rankings = (): readonly ServedRow[] => rowsOf('keyword_rankings');
const ranked = (week: string): ServedRow[] => rankings().filter((row) => at(row, week));
const weeksOf = (rows: readonly ServedRow[]): string[] => [...new Set(rows.map((row) => weekOf(row.time_period_start)))].sort();
const trackedAs = (row: ServedRow): string => [row.device, row.search_engine, row.search_engine_country_code].filter(Boolean).join(', ');
const volumeOf = (rows: readonly ServedRow[]): number | null => {
  const known = rows.flatMap((row) => row.average_search_volume ?? row.approximate_search_volume ?? []).map(Number);
  return known.length === 0 ? null : Math.max(...known);
};
const keywords = (): string[] =>
  pick(
    ranked(NEWEST)
      .filter(isOurs)
      .map((row) => row.query),
  );

it('search: best places, pages and volumes of each week', async () => {
  for (const keyword of keywords()) {
    const found = rankings().filter((row) => row.query === keyword);
    const names = groupBy(found, trackedAs);
    const nameOf = (row: ServedRow): string => {
      const isShared = new Set((names.get(trackedAs(row)) ?? []).map(searchOf)).size > 1;
      const { search_engine_language_code: language, locode, search_engine_country_code: country, web_property_id: property } = row;
      return [trackedAs(row), ...(isShared ? [language, locode === country ? null : locode, `property ${property}`] : [])]
        .filter(Boolean)
        .join(', ');
    };
    const lines = groupBy(found, nameOf);
    const expected = weeksOf(rankings()).flatMap((week) =>
      [...lines].map(([tracked, all]) => {
        const rows = all.filter((row) => at(row, week));
        const ours = rows.filter(isOurs);
        const place = least(ours.map((row) => row.rank_standard));
        const deepest = Math.max(...rows.flatMap((row) => (row.rank_standard === null ? [] : [Number(row.rank_standard)])));
        const notFound = ours.length > 0 ? 'only a result without a place' : `not within ${deepest}`;
        const why = rows.length === 0 ? 'no results of it in this week' : place === null ? notFound : null;
        return { week, tracked, place, own: ours.length, volume: volumeOf(rows), reason: why };
      }),
    );
    const places = await ask('search', 'places', { keyword });
    const shown = places.map(({ week, tracked, place, own_results, volume, reason }) => ({
      week,
      tracked,
      place: asNumber(place),
      own: Number(own_results ?? 0),
      volume: asNumber(volume),
      reason,
    }));
    expect(sorted(shown)).toEqual(sorted(expected));
    for (const { week, tracked, place, url } of places.filter((row) => row.place !== null)) {
      const best = (lines.get(tracked ?? '') ?? []).filter((row) => at(row, week ?? '') && isOurs(row) && row.rank_standard === place);
      expect(best.map((row) => bareUrl(row.normalized_url))).toContain(url);
    }
    const turns = await ask('search', 'pages', { keyword });
    const best = groupBy(
      places.filter(({ url }) => url),
      ({ url, tracked }) => JSON.stringify([url, tracked]),
    );
    expect(sorted(columnsOf(turns, 'url', 'tracked', 'weeks', 'best_place', 'place_now'))).toEqual(
      sorted(
        [...best].map(([key, rows]) => [
          ...(JSON.parse(key) as string[]),
          String(rows.length),
          String(least(rows.map(({ place }) => place))),
          rows.find(({ week }) => week === NEWEST)?.place ?? null,
        ]),
      ),
    );
  }
});

it('search: the sites beside us, result types', async () => {
  for (const keyword of keywords()) {
    const now = ranked(NEWEST).filter((row) => row.query === keyword);
    const before = ranked(BEFORE).filter((row) => row.query === keyword);
    const pageOf = (row: ServedRow): string => `${searchOf(row)} ${bareUrl(row.normalized_url)}`;
    const places = new Map([...groupBy(before, pageOf)].map(([page, rows]) => [page, least(rows.map((row) => row.rank_standard))]));
    const best = new Map(
      now.toSorted((a, b) => Number(b.rank_standard ?? 999) - Number(a.rank_standard ?? 999)).map((row) => [pageOf(row), row]),
    );
    const tracked = new Set(before.map(searchOf));
    const isCompared = (row: ServedRow): boolean => tracked.has(searchOf(row)) && now.some((each) => searchOf(each) === searchOf(row));
    const beside = await ask('search', 'beside', { keyword });
    expect(sorted(columnsOf(beside, 'tracked', 'place', 'change', 'places_won', 'site', 'url', 'is_ours'))).toEqual(
      sorted(
        now.map((row) => {
          const was = row.normalized_url ? places.get(pageOf(row)) : undefined;
          const isBest = row === best.get(pageOf(row));
          const won = isBest && typeof was === 'number' && row.rank_standard !== null ? was - Number(row.rank_standard) : null;
          const change = was === undefined && row.normalized_url && tracked.has(searchOf(row)) ? 'new' : null;
          return [
            trackedAs(row),
            row.rank_standard,
            change,
            won,
            row.root_domain || null,
            bareUrl(row.normalized_url) || null,
            isOurs(row) ? 't' : 'f',
          ];
        }),
      ),
    );
    const features = await ask('search', 'features', { keyword });
    expect(sorted(columnsOf(features, 'result_type', 'results', 'first_place', 'ours', 'change'))).toEqual(
      sorted(
        [...groupBy([...now, ...before], (row) => row.result_type || '(unknown)')].map(([type, rows]) => {
          const newer = rows.filter((row) => at(row, NEWEST));
          const first = least(newer.map((row) => row.rank_true));
          return [
            type,
            String(newer.length),
            first === null ? null : String(first),
            String(newer.filter(isOurs).length),
            String(sum(rows.filter(isCompared).map((row) => (at(row, NEWEST) ? 1 : -1)))),
          ];
        }),
      ),
    );
  }
});

it('search: whether assistants search for the same words', async () => {
  const searches = rowsOf('ai_search_fan_out').filter((row) => at(row, NEWEST));
  for (const keyword of pick(searches.map((row) => lower(row.fan_out_query)))) {
    const rows = await ask('search', 'asked-by-assistants', { keyword });
    const own = groupBy(
      searches.filter((row) => lower(row.fan_out_query) === keyword),
      (row) => JSON.stringify([row.prompt, row.ai_search_engine, row.fan_out_query]),
    );
    expect(sorted(columnsOf(rows, 'prompt', 'assistant', 'searches'))).toEqual(
      sorted(
        [...own.values()].map((all) => [
          all[0]?.prompt,
          all[0]?.ai_search_engine,
          String(sum(all.map((row) => Number(row.amount_of_searches)))),
        ]),
      ),
    );
  }
});

it('page: searches that find it, rankings, citations and the prompts that cite it', async () => {
  const citations = rowsOf('ai_search_citations');
  const pages = [
    ...pick(
      ranked(NEWEST)
        .filter(isOurs)
        .map((row) => bareUrl(row.normalized_url)),
    ),
    ...pick(citations.filter((row) => at(row, NEWEST)).map((row) => bareUrl(row.citation_url))),
  ];
  for (const page of pages) {
    const found = rankings().filter((row) => lower(bareUrl(row.normalized_url)) === lower(page));
    const isOwn = found.some(isOurs) || [...own].some((each) => isBelow(lower(page.split('/')[0]), each));
    for (const { week, searches, best_place, reason } of await ask('page', 'searches', { page })) {
      const rows = found.filter((row) => at(row, week ?? ''));
      expect([page, week, searches, asNumber(best_place), reason]).toEqual(
        isOwn
          ? [page, week, String(new Set(rows.map(searchOf)).size), least(rows.map((row) => row.rank_standard)), null]
          : [page, week, null, null, 'weeks are kept of our own pages only'],
      );
    }
    const both = found.filter((row) => at(row, NEWEST) || at(row, BEFORE));
    const shown = await ask('page', 'keywords', { page });
    expect(sorted(columnsOf(shown, 'query', 'tracked', 'place_now', 'place_before', 'places_won'))).toEqual(
      sorted(
        [...groupBy(both, searchOf).values()].map((rows) => {
          const [now, before] = [NEWEST, BEFORE].map((week) => least(rows.filter((row) => at(row, week)).map((row) => row.rank_standard)));
          const won = typeof now === 'number' && typeof before === 'number' ? before - now : null;
          return [rows[0]?.query, trackedAs(rows[0] ?? {}), now, before, won];
        }),
      ),
    );
    const cited = citations.filter((row) => lower(bareUrl(row.citation_url)) === lower(page));
    for (const { week, assistant, citations: count } of await ask('page', 'citations', { page })) {
      const own = cited.filter((row) => at(row, week ?? '') && row.ai_search_engine === assistant);
      // A page that no assistant has cited in these weeks is no assistant's zero.
      const expected = cited.length === 0 ? [null, null] : [assistant, String(own.length)];
      expect([page, week, assistant, count]).toEqual([page, week, ...expected]);
    }
    const prompts = await ask('page', 'prompts', { page });
    const citing = groupBy(
      cited.filter((row) => at(row, NEWEST) || at(row, BEFORE)),
      (row) => JSON.stringify([row.prompt, row.ai_search_engine]),
    );
    expect(sorted(columnsOf(prompts, 'prompt', 'assistant', 'citations', 'change'))).toEqual(
      sorted(
        [...citing].map(([key, rows]) => {
          const newer = rows.filter((row) => at(row, NEWEST)).length;
          return [...(JSON.parse(key) as string[]), String(newer), newer === rows.length ? 'new' : newer === 0 ? 'gone' : null];
        }),
      ),
    );
  }
});

it('site: its share of the first places beside ours, and the searches that find it', async () => {
  for (const site of pick(ranked(NEWEST).map((row) => row.root_domain))) {
    for (const values of [{ site }, { site, top_n: '3', weighted: 'false' }] as const) {
      const places = Number({ ...USUAL, ...values }.top_n);
      const isWeighted = !('weighted' in values);
      for (const { week, who, share } of await ask('site', 'share', values)) {
        const rows = ranked(week ?? '');
        const searches = groupBy(rows, searchOf);
        const weightOf = (row: ServedRow): number => (isWeighted ? (volumeOf(searches.get(searchOf(row)) ?? []) ?? 0) : 1);
        const whole = sum([...searches.values()].map(([row]) => (row ? weightOf(row) : 0)));
        const counted = rows.filter(
          (row) =>
            row.rank_standard !== null &&
            Number(row.rank_standard) <= places &&
            (who === 'our sites' ? isOurs(row) : row.root_domain === site),
        );
        if (share !== null)
          expect([site, week, who, share]).toEqual([site, week, who, percentOf(sum(counted.map(weightOf)), places * whole, 2)]);
        else expect(rankings().filter((row) => row.root_domain === site && Number(row.rank_standard ?? 99) <= places)).toEqual([]);
      }
    }
    const found = ranked(NEWEST).filter((row) => row.root_domain === site && row.rank_standard !== null && Number(row.rank_standard) <= 10);
    const rows = await ask('site', 'searches', { site });
    expect(sorted(columnsOf(rows, 'query', 'tracked', 'place', 'our_place', 'we_are_ahead'))).toEqual(
      sorted(
        [...groupBy(found, searchOf)].map(([key, own]) => {
          const place = least(own.map((row) => row.rank_standard)) ?? 0;
          const ours = least(ranked(NEWEST).filter((row) => searchOf(row) === key && isOurs(row)).map((row) => row.rank_standard)); // biome-ignore format: one line
          return [own[0]?.query, trackedAs(own[0] ?? {}), place, ours, ours === null ? null : place - ours];
        }),
      ),
    );
  }
});

it('site: its share of citations by assistant and topic, and its pages', async () => {
  // Rows that are equal in all columns are one citation.
  const citations = [...new Map(rowsOf('ai_search_citations').map((row) => [JSON.stringify(row), row])).values()];
  for (const site of pick(citations.map((row) => bareDomain(row.citation_domain)))) {
    const isOf = (row: ServedRow): boolean => isBelow(lower(row.citation_domain), site);
    for (const { week, assistant, percent, citations: count } of await ask('site', 'citation-share', { site })) {
      const all = citations.filter((row) => at(row, week ?? '') && row.ai_search_engine === assistant);
      expect([site, week, assistant, percent, count]).toEqual([
        site,
        week,
        assistant,
        percentOf(all.filter(isOf).length, all.length, 2),
        String(all.filter(isOf).length),
      ]);
    }
    const pages = await ask('site', 'cited-pages', { site });
    const cited = groupBy(
      citations.filter((row) => at(row, NEWEST) && isOf(row)),
      (row) => bareUrl(row.citation_url) || '(no page)',
    );
    expect(pages.length).toBe(Math.min(100, cited.size));
    for (const { url, prompts } of pages) {
      const own = cited.get(url ?? '') ?? [];
      expect([url, prompts]).toEqual([url, String(new Set(own.map((row) => row.prompt)).size)]);
    }
  }
});

/** Rows that are equal in all columns are one, which the service has sent twice. */
const uniqueOf = (dataset: string): ServedRow[] => [...new Map(rowsOf(dataset).map((row) => [JSON.stringify(row), row])).values()];

// AI search -------------------------------------------------------------------------------------------------------------

const joinKey = (text: string | null | undefined): string => lower(text).replaceAll(/[ _]/g, '-');
const answerOf = (row: ServedRow): string =>
  JSON.stringify([
    ...['web_property_id', 'time_period_start', 'time_period_end', 'topic', 'prompt', 'persona'].map((name) => row[name]),
    ...['collection_frequency', 'ai_search_engine', 'locode', 'language'].map((name) => joinKey(row[name])),
  ]);

function naming(rows: readonly ServedRow[]): readonly ServedRow[] {
  const named = new Set(
    rowsOf('ai_search_brands').flatMap((row) => (lower(row.brand_or_product_attribution) === 'you' ? [answerOf(row)] : [])),
  );
  return rows.filter((row) => named.has(answerOf(row)));
}

it('topic: mention rate, its prompts and what is said', async () => {
  const answers = rowsOf('ai_search_response');
  for (const topic of pick(answers.map((row) => row.topic))) {
    const ofTopic = answers.filter((row) => row.topic === topic);
    const rates = await ask('topic', 'mention-rate', { topic });
    expect(rates.length).toBe(weeksOf(answers).length * new Set(ofTopic.map((row) => row.ai_search_engine)).size);
    for (const { week, assistant, percent, answers: count } of rates) {
      const all = ofTopic.filter((row) => at(row, week ?? '') && row.ai_search_engine === assistant);
      expect([topic, week, assistant, percent, Number(count ?? 0)]).toEqual([
        topic,
        week,
        assistant,
        percentOf(naming(all).length, all.length),
        all.length,
      ]);
    }
    const prompts = await ask('topic', 'prompts', { topic });
    expect(sorted(columnsOf(prompts, 'prompt', 'answers_naming_us', 'answers', 'percent', 'silent_assistants'))).toEqual(
      sorted(
        [
          ...groupBy(
            ofTopic.filter((row) => at(row, NEWEST)),
            (row) => row.prompt ?? '',
          ),
        ].map(([prompt, all]) => {
          const silent = [...groupBy(all, (row) => row.ai_search_engine ?? '')].flatMap(([assistant, each]) =>
            naming(each).length === 0 ? [assistant] : [],
          );
          return [
            prompt,
            String(naming(all).length),
            String(all.length),
            percentOf(naming(all).length, all.length),
            silent.sort().join(', ') || null,
          ];
        }),
      ),
    );
    const said = uniqueOf('ai_search_sentiments').filter((row) => row.topic === topic && at(row, NEWEST) && row.sentiment_snippet);
    const shown = await ask('topic', 'said', { topic });
    expect(sorted(columnsOf(shown, 'brand', 'snippet', 'assistant'))).toEqual(sorted(said.map((row) => [row.sentiment_brand, row.sentiment_snippet, row.ai_search_engine]))); // biome-ignore format: one line
  }
});

it('prompt: answers, the brands they name, citations, searches and sentiments', async () => {
  const answers = rowsOf('ai_search_response');
  for (const prompt of pick(answers.map((row) => row.prompt))) {
    const own = answers.filter((row) => row.prompt === prompt);
    const lineOf = (row: ServedRow): string =>
      JSON.stringify(['ai_search_engine', 'locode', 'language', 'persona', 'web_property_name'].map((name) => row[name]));
    const lines = groupBy(
      own.filter((row) => at(row, NEWEST) || at(row, BEFORE)),
      lineOf,
    );
    const shown = await ask('prompt', 'answers', { prompt });
    expect(sorted(columnsOf(shown, 'assistant', 'locode', 'language', 'persona', 'web_property', 'answer', 'answer_before'))).toEqual(
      sorted(
        [...lines].map(([key, rows]) => [
          ...(JSON.parse(key) as string[]),
          ...[NEWEST, BEFORE].map((week) => rows.find((row) => at(row, week))?.ai_response ?? null),
        ]),
      ),
    );
    for (const { week, assistant, percent } of await ask('prompt', 'named', { prompt })) {
      const all = own.filter((row) => at(row, week ?? '') && row.ai_search_engine === assistant);
      expect([prompt, week, assistant, percent]).toEqual([prompt, week, assistant, percentOf(naming(all).length, all.length)]);
    }
    const both = uniqueOf('ai_search_citations').filter((row) => row.prompt === prompt && (at(row, NEWEST) || at(row, BEFORE)));
    const cited = await ask('prompt', 'citations', { prompt });
    const pages = groupBy(both, (row) =>
      JSON.stringify([row.ai_search_engine, bareDomain(row.citation_domain), bareUrl(row.citation_url)]),
    );
    expect(
      sorted(cited.map(({ assistant, site, url, citations, change }) => [assistant, site ?? '', url ?? '', citations, change])),
    ).toEqual(
      sorted(
        [...pages].map(([key, rows]) => {
          const newer = rows.filter((row) => at(row, NEWEST)).length;
          return [...(JSON.parse(key) as string[]), String(newer), newer === rows.length ? 'new' : newer === 0 ? 'gone' : null];
        }),
      ),
    );
    const searches = groupBy(
      rowsOf('ai_search_fan_out').filter((row) => row.prompt === prompt && at(row, NEWEST)),
      (row) => JSON.stringify([row.ai_search_engine, row.fan_out_query]),
    );
    expect(sorted(columnsOf(await ask('prompt', 'fan-out', { prompt }), 'assistant', 'query', 'searches'))).toEqual(
      sorted(
        [...searches].map(([key, rows]) => [
          ...(JSON.parse(key) as string[]),
          String(sum(rows.map((row) => Number(row.amount_of_searches)))),
        ]),
      ),
    );
    const said = uniqueOf('ai_search_sentiments').filter((row) => row.prompt === prompt && at(row, NEWEST));
    expect(
      sorted(
        (await ask('prompt', 'sentiments', { prompt })).map(({ brand, sentiment, snippet, assistant }) => [
          brand,
          sentiment,
          snippet ?? '',
          assistant,
        ]),
      ),
    ).toEqual(sorted(said.map((row) => [row.sentiment_brand, row.sentiment_value, row.sentiment_snippet ?? '', row.ai_search_engine])));
  }
});

const BOARDS = readBoards();
/** Cells of other boards that lead to the same. */
const followed = new Set<string>();

it.each(BOARDS)('the board that a cell of $name leads to knows what the cell names', async (board) => {
  const place = { here: '/', chosenFor: () => new URLSearchParams({ account: '12345' }) };
  const faults = await inSnapshot(boards.panels, async (client) => {
    const { values } = await chooseValues(client, board, { account: '12345' });
    const found: string[] = [];
    for (const panel of board.panels) {
      const result = await runPanel(client, panel, values);
      if ('failure' in result) throw new Error(result.failure);
      for (const [at, { name }] of result.columns.entries()) {
        for (const cell of new Set(result.rows.map((row) => row[at] ?? null))) {
          const href = hrefOf(panel, name, cell, place);
          const target = BOARDS.find((each) => href?.startsWith(`/boards/${each.name}?`));
          if (!target || !href || followed.has(href)) continue;
          followed.add(href);
          const query = Object.fromEntries(new URL(href, 'http://here').searchParams);
          const variables = target.variables.filter((variable) => variable.name in query);
          found.push(...(await chooseValues(client, { ...target, variables }, query)).faults);
        }
      }
    }
    return found;
  });
  expect(faults).toEqual([]);
});
