// What charts of the invented company tell, in the rows that are served.
import { describe, expect, test } from 'vitest';
import { resolveOptions } from '../../../../sandbox/options.ts';
import { wireRows } from '../../../../sandbox/queries/pages.ts';
import { planQuery } from '../../../../sandbox/queries/plan-query.ts';
import { rise, slump } from '../../../../sandbox/world/fortunes.ts';
import { RESULT_TYPES } from '../../../../sandbox/world/serp.ts';
import { createWorld } from '../../../../sandbox/world/world.ts';
import { datasetNamed } from '../../../../src/datasets/index.ts';

const settings = resolveOptions({ size: 'demo' });
const world = createWorld(settings);
const NEWEST = '2026-11-15';
const BAD_WEEK = '2026-10-11';

type Row = Readonly<Record<string, string | null>>;

function rowsOf(name: string, filters: Record<string, string[] | boolean> = {}): Row[] {
  const dataset = datasetNamed(name);
  const window = { start: '2026-08-23', end: '2026-11-21' };
  const plan = planQuery(world, settings, { dataset, accountId: 12345, window, filters, newestWeek: NEWEST, revisions: [] });
  return [...wireRows(plan, Number.POSITIVE_INFINITY)].map((row) =>
    Object.fromEntries(dataset.columns.map(({ name: column }, position) => [column, row[position] as string | null])),
  );
}

function countBy(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  return counts;
}

const week = (row: Row): string => row.time_period_start ?? '';
const isOurs = (row: Row): boolean => ['brightpeak.example', 'peakhire.example'].includes(row.root_domain ?? '');

const rankings = rowsOf('keyword_rankings', { countries: ['US', 'DE'] });
const firstPage = rankings.filter((row) => row.rank_standard !== null && Number(row.rank_standard) <= 10);
const citations = rowsOf('ai_search_citations');

describe('any 13 weeks', () => {
  test.each(Array.from({ length: 30 }, (_, at) => 2900 + at))(
    'from week %i have a bad week of ours, with weeks before and after it',
    (first) => {
      const inside = Array.from({ length: 11 }, (_, at) => slump(first + 1 + at));
      expect(Math.max(...inside)).toBe(1);
      expect(Math.min(...inside)).toBe(0);
    },
  );

  test.each([2, 4, 6, 8])('have one of %i competitors rise', (rivals) => {
    for (let first = 2900; first < 2900 + 26 * rivals; first++) {
      const gains = Array.from({ length: rivals }, (_, rival) => rise(rival, rivals, first + 12) - rise(rival, rivals, first));
      expect(Math.max(...gains)).toBeGreaterThan(0.2);
    }
  });
});

describe('the demo', () => {
  test('a week of ours is bad: fewer first places, fewer citations, fewer mentions than in the week before', () => {
    const cited = citations.filter(({ citation_attribution }) => citation_attribution === 'you');
    for (const rows of [firstPage.filter(isOurs), cited, rowsOf('ai_search_brands')]) {
      const counts = countBy(rows, week);
      expect(counts.get(BAD_WEEK)).toBeLessThan(0.85 * (counts.get('2026-10-04') ?? 0));
      expect(counts.get(NEWEST)).toBeGreaterThan(1.1 * (counts.get(BAD_WEEK) ?? 0));
    }
  });

  test('a competitor rises in rankings and citations', () => {
    const found = countBy(firstPage, (row) => `${week(row)} ${row.root_domain}`);
    const cited = countBy(citations, (row) => `${week(row)} ${row.citation_domain}`);
    expect(found.get(`${NEWEST} fernweh-supply.example`)).toBeGreaterThan(1.4 * (found.get('2026-08-23 fernweh-supply.example') ?? 0));
    expect(cited.get(`${NEWEST} www.fernweh-supply.example`)).toBeGreaterThan(
      1.3 * (cited.get('2026-08-23 www.fernweh-supply.example') ?? 0),
    );
  });

  test('assistants differ in how often they name us', () => {
    const brands = rowsOf('ai_search_brands').filter((row) => row.prompt_type === 'unbranded' && week(row) === NEWEST);
    const answers = new Set(brands.map((row) => [row.ai_search_engine, row.web_property_id, row.locode, row.prompt].join('|')));
    const named = (assistant: string): number => [...answers].filter((key) => key.startsWith(`${assistant}|`)).length;
    expect(named('perplexity')).toBeGreaterThan(1.3 * named('gemini'));
  });

  test('pages of ours rank, are cited, or both', () => {
    const ranking = new Set(rankings.filter((row) => isOurs(row) && week(row) === NEWEST).map((row) => row.normalized_url));
    const cited = new Set(
      citations.filter((row) => row.citation_attribution === 'you' && week(row) === NEWEST).map((row) => row.citation_url),
    );
    expect([...ranking].filter((url) => cited.has(url)).length).toBeGreaterThan(10);
    expect([...ranking].filter((url) => !cited.has(url)).length).toBeGreaterThan(10);
    expect([...cited].filter((url) => !ranking.has(url)).length).toBeGreaterThan(10);
  });

  test('searches are won and lost, and other pages of ours rank than the week before', () => {
    const bestIn = (wanted: string): Map<string, string | null> =>
      new Map(
        rankings
          .filter((row) => isOurs(row) && row.rank_standard !== null && week(row) === wanted)
          .toReversed()
          .map((row) => [[row.web_property_id, row.search_engine_name, row.device, row.query].join('|'), row.normalized_url ?? null]),
      );
    const [before, now] = [bestIn('2026-11-08'), bestIn(NEWEST)];
    expect([...now.keys()].filter((search) => !before.has(search)).length).toBeGreaterThan(3);
    expect([...before.keys()].filter((search) => !now.has(search)).length).toBeGreaterThan(3);
    expect([...now].filter(([search, url]) => before.has(search) && before.get(search) !== url).length).toBeGreaterThan(3);
  });

  test('result pages have results of every kind, most of them links', () => {
    const kinds = countBy(rankings, (row) => row.result_type ?? '');
    expect(new Set(kinds.keys())).toEqual(new Set(RESULT_TYPES));
    expect(kinds.get('STANDARD_LINK')).toBeGreaterThan(0.8 * rankings.length);
  });

  test('what is said about brands varies', () => {
    const snippets = rowsOf('ai_search_sentiments', { languages: ['en_US'] }).filter(
      (row) => week(row) === NEWEST && row.sentiment_snippet,
    );
    expect(new Set(snippets.map((row) => row.sentiment_snippet)).size).toBeGreaterThan(snippets.length / 2);
  });
});
