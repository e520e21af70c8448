// Worlds at random for measures: what an account asks for in each week, by one job or two of a dataset, and what the service has; churn from week to week,
// rows that come twice, names in other spellings, NULL in every column.
import fc from 'fast-check';
import { livelyWeeks } from './lively-worlds.ts';
import type { Voices } from './named-texts.ts';
import { isServed } from './questions.ts';
import type { Filters, Load, Row } from './second-facts.ts';

export const WORLD_WEEKS = ['2026-10-25', '2026-11-01', '2026-11-08'] as const;
export type WeekState = 'published' | 'revised' | 'none' | 'held';
export type Asking = Readonly<{ state: WeekState; filters: readonly Filters[] }>;
export type MeasuredWorld = Readonly<{
  weeks: readonly Readonly<{ asked: Readonly<Record<string, Asking>>; all: Readonly<Record<string, readonly Row[]>> }>[];
  own: readonly string[];
  isSpelledOtherwise: boolean;
  /** Names that are looked for in answers; that of ours is named by an empty text. */
  voices: Voices;
}>;

const any = (...values: readonly (string | null)[]): fc.Arbitrary<string | null> => fc.constantFrom(...values);
const PROMPT = {
  web_property_id: any('1', '1', '2', null),
  collection_frequency: any('WEEKLY'),
  locode: any('US', 'US-NYC', 'DE'),
  language: any('en_US'),
  ai_search_engine: any('chatgpt', 'gemini', null),
  topic: any('gear', 'shoes', null),
  prompt: any('is acme good', 'p2', 'p3', 'p4', null),
  persona: any('none', null),
};
const kind = { prompt_type: any('branded', 'unbranded', 'Unbranded', null) };
const ANSWERS = [
  'Acme it is.',
  'None.',
  'ÁCME or Rival?',
  'Rival Pro, not rivals.',
  'Other; rival; acme pro; Rival Pro',
  'Acmes',
  'Ríval\nPro beats Rival',
  '',
  null,
];
const VOICES: readonly Voices[] = [
  new Map([
    ['', ['Acme', 'Acme Pro']],
    ['Rival', ['Rival', 'Other']],
    ['Rival Pro', ['Rival Pro']],
  ]),
  new Map([
    ['', ['acme']],
    ['rival', ['rival']],
  ]),
  new Map([['', ['Acme']]]),
  new Map([['Rival', ['Rival']]]),
  new Map(),
];
const ROWS: Readonly<Record<string, fc.Arbitrary<Row>>> = {
  keyword_rankings: fc
    .record({
      web_property_id: any('1', '1', '2', null),
      search_engine: any('GOOGLE', 'BING'),
      search_engine_country_code: any('US', 'DE', null),
      search_engine_language_code: any('en'),
      locode: any('US'),
      device: any('DESKTOP', 'SMARTPHONE'),
      query: any('a', 'b', 'c', null),
      title: any('one', 'two'),
      normalized_url: any('https://www.acme.example/a/', 'https://rival.example/', null),
      root_domain: any('acme.example', 'acme.example', 'rival.example', null),
      result_type: any('STANDARD_LINK', 'VIDEO'),
      rank_standard: any('1', '2', '2', '5', '11', '30', null),
      rank_true: any('1', '4', '12', null),
      keyword_group_names: any('one', 'one,two', null),
      average_search_volume: any('10', '60', null),
    })
    .map((row): Row => ({ ...row, keyword_group_ids: row.keyword_group_names?.replace('one', '1').replace('two', '2') ?? null })),
  ai_search_response: fc.record({ ...PROMPT, ai_response: any(...ANSWERS) }),
  ai_search_brands: fc.record({
    ...PROMPT,
    ...kind,
    brand_or_product_name: any('Acme', 'Acme', 'Acme Pro', 'Rival'),
    brand_or_product_attribution: any('You', 'you', 'Partner', null),
  }),
  ai_search_citations: fc.record({
    ...PROMPT,
    ...kind,
    citation_url: any('https://acme.example/a', 'https://rival.example/b', null),
    citation_domain: any('acme.example', 'rival.example', null),
    citation_attribution: any('You', 'SEO Competitor', 'Other', null),
  }),
  ai_search_sentiments: fc.record({
    ...PROMPT,
    ...kind,
    sentiment_brand: any('Acme', 'acme', 'Rival', null),
    sentiment_value: any('positive', 'Neutral', 'negative', 'mixed', null),
    sentiment_snippet: any('So so.', null),
  }),
};
export const WORLD_DATASETS = Object.keys(ROWS);

const OF_PROMPTS: readonly (readonly Filters[])[] = [
  [{ ai_search_engines: ['chatgpt'] }],
  [{ ai_search_engines: ['gemini'] }, { ai_search_engines: ['ChatGPT'] }],
  [{ locodes: ['US'] }],
  [{ locodes: ['us nyc'] }, { locodes: ['DE'] }],
  [{ topics: ['gear'] }],
  [{ web_property_ids: ['1'] }],
  [{ prompts: ['p2', 'p3'] }],
];
const FILTERS: Readonly<Record<string, readonly (readonly Filters[])[]>> = {
  keyword_rankings: [
    [{ max_rank: 2 }],
    [{ max_rank: 5 }],
    [{ max_rank: 20 }],
    [{ countries: ['us'] }],
    [{ devices: ['DESKTOP'] }, { devices: ['SMARTPHONE'], max_rank: 5 }],
    [{ web_property_ids: ['1'] }],
    [{ domains: ['rival.example'] }],
    [{ domains: ['acme.example'] }],
    [{ result_types: ['STANDARD_LINK'] }],
  ],
  ai_search_response: OF_PROMPTS,
  ai_search_brands: [...OF_PROMPTS, [{ brand_or_product_attributions: ['Partner'] }]],
  ai_search_citations: [
    ...OF_PROMPTS,
    [{ citation_attributions: ['You'] }],
    [{ citation_attributions: ['Other', 'You'] }],
    [{ ai_search_engines: ['chatgpt'], citation_attributions: ['You'] }, { ai_search_engines: ['gemini'] }],
  ],
  ai_search_sentiments: [...OF_PROMPTS, [{ sentiment_values: ['positive'] }]],
};

const asking = (dataset: string): fc.Arbitrary<Asking> =>
  fc.record({
    state: fc.oneof(
      { weight: 10, arbitrary: fc.constant<WeekState>('published') },
      { weight: 3, arbitrary: fc.constantFrom<WeekState>('revised', 'none', 'held') },
    ),
    filters: fc.oneof({ weight: 3, arbitrary: fc.constant([{}]) }, { weight: 2, arbitrary: fc.constantFrom(...(FILTERS[dataset] ?? [])) }),
  });

/** Most of what is there stays from week to week, and some rows come twice. Brands and citations mostly belong to answers. */
const has: fc.Arbitrary<MeasuredWorld['weeks'][number]['all'][]> = fc
  .record(Object.fromEntries(WORLD_DATASETS.map((dataset) => [dataset, fc.array(ROWS[dataset] as fc.Arbitrary<Row>, { maxLength: 12 })])))
  .chain((first) =>
    fc
      .array(
        fc.record({
          keeps: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 12, maxLength: 12 }),
          twice: fc.integer({ min: 0, max: 40 }),
        }),
        {
          minLength: 3,
          maxLength: 3,
        },
      )
      .chain((changes) =>
        fc
          .array(
            fc.record(
              Object.fromEntries(
                WORLD_DATASETS.map((dataset) => [dataset, fc.array(ROWS[dataset] as fc.Arbitrary<Row>, { maxLength: 4 })]),
              ),
            ),
            {
              minLength: 3,
              maxLength: 3,
            },
          )
          .map((news) =>
            changes.map(({ keeps, twice }, at) =>
              Object.fromEntries(
                WORLD_DATASETS.map((dataset) => {
                  const kept = (first[dataset] ?? []).filter((_, place) => (keeps[place % keeps.length] ?? 0) > 1);
                  const rows = [...kept, ...(news[at]?.[dataset] ?? [])].map((row, place) =>
                    ofTopic(at, meet(dataset, row, place, first.ai_search_response ?? [])),
                  );
                  return [dataset, twice < rows.length ? [...rows, rows[twice] as Row] : rows];
                }),
              ),
            ),
          ),
      ),
  );

/** A prompt has one topic in a week; one of them moves to another topic in the last week. */
const TOPICS: Readonly<Record<string, readonly string[]>> = {
  p2: ['gear', 'gear', 'shoes'],
  p3: ['shoes', 'shoes', 'shoes'],
  p4: ['gear', 'gear', 'gear'],
};
const ofTopic = (week: number, row: Row): Row => ('topic' in row ? { ...row, topic: TOPICS[row.prompt ?? '']?.[week] ?? null } : row);

function meet(dataset: string, row: Row, place: number, answers: readonly Row[]): Row {
  const answer = answers[place % Math.max(1, answers.length)];
  if (!answer || !dataset.startsWith('ai_search_') || dataset === 'ai_search_response' || place % 3 === 2) return row;
  const { ai_response: _, ...of } = answer;
  return { ...row, ...of };
}

export const measuredWorld: fc.Arbitrary<MeasuredWorld> = fc
  .record({
    asked: fc.array(fc.record(Object.fromEntries(WORLD_DATASETS.map((dataset) => [dataset, asking(dataset)]))), {
      minLength: 3,
      maxLength: 3,
    }),
    all: fc.oneof({ weight: 3, arbitrary: has }, { weight: 2, arbitrary: livelyWeeks }),
    own: fc.constantFrom<readonly string[]>(['acme.example'], []),
    voices: fc.constantFrom(...VOICES),
    isSpelledOtherwise: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  })
  .map(({ asked, all, own, isSpelledOtherwise, voices }) => ({
    weeks: asked.map((each, at) => ({ asked: each, all: all[at] ?? {} })),
    own,
    isSpelledOtherwise,
    voices,
  }));

/** A row as the service spells it: brands may spell an engine otherwise than all else. */
export function spelledRow({ isSpelledOtherwise }: MeasuredWorld, dataset: string, row: Row): Row {
  return isSpelledOtherwise && dataset === 'ai_search_brands' && row.ai_search_engine === 'chatgpt'
    ? { ...row, ai_search_engine: 'ChatGPT (Search)' }
    : row;
}

/** The rows that a load gets. Filters go by what the service spells. */
export const servedTo = (filters: Filters, rows: readonly Row[]): Row[] => rows.filter((row) => isServed(row, filters));

/** What is published of a world, week by week. */
export const loadsOf = (of: MeasuredWorld): Load[][] =>
  of.weeks.map(({ asked, all }) =>
    WORLD_DATASETS.flatMap((dataset) => {
      const { state, filters } = asked[dataset] as Asking;
      if (state === 'none' || state === 'held') return [];
      return filters.map(
        (each): Load => ({ dataset, filters: each, rows: servedTo(each, all[dataset] ?? []).map((row) => spelledRow(of, dataset, row)) }),
      );
    }),
  );
