// Questions at random: what an account asks for of each dataset and week, in its spellings; what the service has; and so what it serves.
// Of a figure they say what it must be, and whether there may be one.
import fc from 'fast-check';
import type { WireValues } from './wire-rows.ts';

export type Row = Readonly<Record<string, string | null>>;
export type Filters = Readonly<Record<string, readonly string[] | number>>;
/** `none`: nothing was loaded. `held`: a load waits for a decision. `late`: published, and left out by summaries. `revised`: published twice, first with fewer rows. */
export type State = 'published' | 'revised' | 'none' | 'held' | 'late';
/** `all` is what the service has of the week, whatever is asked for. */
export type Asked = Readonly<{ state: State; filters: Filters; all: readonly Row[] }>;
export type World = Readonly<{
  weeks: readonly Readonly<Partial<Record<string, Asked>>>[];
  isOwnKnown: boolean;
  isSpelledOtherwise: boolean;
}>;

export const QUESTION_WEEKS = ['2026-10-25', '2026-11-01', '2026-11-08'] as const;
export const PUBLISHED: ReadonlySet<State> = new Set(['published', 'revised']);

const choice = (...values: readonly (string | null)[]): fc.Arbitrary<string | null> => fc.constantFrom(...values);
const answer = {
  web_property_id: choice('1', '2', null),
  collection_frequency: choice('WEEKLY'),
  locode: choice('US', 'US-NYC', 'DE'),
  language: choice('en_US'),
  ai_search_engine: choice('chatgpt', 'gemini', null),
  topic: choice('gear', 'shoes', null),
  prompt: choice('p1', 'p2', 'p3', 'p4', null),
  persona: choice('none', null),
};
const kind = {
  prompt_type: fc.oneof({ weight: 9, arbitrary: choice('branded', 'unbranded') }, { weight: 1, arbitrary: choice('Non-Branded', null) }),
};
const ROWS: Readonly<Record<string, fc.Arbitrary<Row>>> = {
  keyword_rankings: fc.record({
    web_property_id: choice('1', '2', null),
    search_engine: choice('GOOGLE', 'BING', null),
    search_engine_country_code: choice('US', 'DE', null),
    search_engine_language_code: choice('en'),
    locode: choice('US'),
    device: choice('DESKTOP', 'SMARTPHONE'),
    query: choice('a', 'b', 'c', null),
    normalized_url: choice('https://www.acme.example/a/', 'https://rival.example/', null),
    root_domain: choice('acme.example', 'acme.example', 'rival.example', null),
    result_type: choice('STANDARD_LINK', 'VIDEO'),
    rank_standard: choice('1', '2', '5', '11', '30', null),
    rank_true: choice('1', '4', '12', null),
    keyword_group_ids: choice('1', '1,2', null),
    keyword_group_names: choice('one', 'one,two', null),
    average_search_volume: choice('10', '60', null),
  }),
  ai_search_response: fc.record(answer),
  ai_search_brands: fc.record({
    ...answer,
    ...kind,
    brand_or_product_name: choice('Acme'),
    brand_or_product_attribution: choice('You', 'you', 'Partner'),
  }),
  ai_search_citations: fc.record({
    ...answer,
    ...kind,
    citation_url: choice('https://acme.example/a', 'https://rival.example/b', null),
    citation_domain: choice('acme.example', 'rival.example', null),
    citation_attribution: choice('You', 'SEO Competitor', 'Other', null),
  }),
  ai_search_fan_out: fc.record({
    ...answer,
    ...kind,
    fan_out_query: choice('a', 'best gear', null),
    amount_of_searches: choice('1', '3', null),
  }),
  ai_search_sentiments: fc.record({
    ...answer,
    ...kind,
    sentiment_brand: choice('Acme', 'Rival', null),
    sentiment_value: choice('positive', 'Neutral', 'negative', 'mixed', null),
    sentiment_snippet: choice('So so.', null),
  }),
};
export const QUESTION_DATASETS = Object.keys(ROWS);

/** Filters of the service, and the column that each goes by; of places a country asks for what lies in it. */
const COLUMNS: Readonly<Record<string, string>> = {
  web_property_ids: 'web_property_id',
  countries: 'search_engine_country_code',
  devices: 'device',
  ai_search_engines: 'ai_search_engine',
  locodes: 'locode',
  topics: 'topic',
  prompts: 'prompt',
  citation_attributions: 'citation_attribution',
  brand_or_product_attributions: 'brand_or_product_attribution',
  sentiment_values: 'sentiment_value',
  result_types: 'result_type',
  domains: 'root_domain',
};
const OF_ANSWERS: readonly Filters[] = [
  { ai_search_engines: ['chatgpt'] },
  { ai_search_engines: ['gemini', 'ChatGPT'] },
  { locodes: ['US'] },
  { locodes: ['us nyc'] },
  { topics: ['gear'] },
  { web_property_ids: ['1'] },
  { prompts: ['p1', 'p2'] },
];
const FILTERS: Readonly<Record<string, readonly Filters[]>> = {
  keyword_rankings: [
    { max_rank: 2 },
    { max_rank: 5 },
    { max_rank: 20 },
    { countries: ['us'] },
    { devices: ['DESKTOP'] },
    { web_property_ids: ['1'] },
    { domains: ['rival.example'] },
    { result_types: ['STANDARD_LINK'] },
  ],
  ai_search_response: OF_ANSWERS,
  ai_search_brands: [...OF_ANSWERS, { brand_or_product_attributions: ['Partner'] }],
  ai_search_citations: [...OF_ANSWERS, { citation_attributions: ['You'] }, { citation_attributions: ['Other', 'You'] }],
  ai_search_fan_out: OF_ANSWERS,
  ai_search_sentiments: [...OF_ANSWERS, { sentiment_values: ['positive'] }],
};

export const plain = (text: string | null | undefined): string => (text ?? '').toLowerCase().replaceAll(/[ _]/g, '-');

/** Whether the service serves a row to who asks so. What has no value is served only to who does not ask by it. */
export function isServed(row: Row, filters: Filters): boolean {
  return Object.entries(filters).every(([name, asked]) => {
    if (typeof asked === 'number') return row.rank_standard !== null && Number(row.rank_standard) <= asked;
    const value = plain(row[COLUMNS[name] ?? '']);
    return asked.some((item) => value === plain(item) || (name === 'locodes' && value.startsWith(`${plain(item)}-`)));
  });
}

/** Whether both ask for the same, in whatever letters and order, apart from what `given` filters are about. */
export function isSameQuestion(one: Filters, other: Filters, given: ReadonlySet<string>): boolean {
  const key = (filters: Filters): string =>
    JSON.stringify(
      Object.entries(filters)
        .filter(([name]) => !given.has(name))
        .map(([name, asked]) => [name, typeof asked === 'number' ? asked : asked.map(plain).sort()])
        .sort(),
    );
  return key(one) === key(other);
}

const asked = (dataset: string): fc.Arbitrary<Asked> =>
  fc.record({
    state: fc.oneof(
      { weight: 8, arbitrary: fc.constant('published' as const) },
      { weight: 4, arbitrary: fc.constantFrom<State>('revised', 'none', 'held', 'late') },
    ),
    filters: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: fc.constantFrom(...(FILTERS[dataset] ?? [])) }),
    all: fc.array(ROWS[dataset] as fc.Arbitrary<Row>, { maxLength: 12 }),
  });

/** Half of the rows of brands are those of answers, so that they meet. */
function withMet(week: Readonly<Partial<Record<string, Asked>>>): Readonly<Partial<Record<string, Asked>>> {
  const [answers, brands] = [week.ai_search_response, week.ai_search_brands];
  if (!answers || !brands) return week;
  const all = brands.all.map((row, at) => (at % 3 === 2 ? row : { ...row, ...answers.all[at % Math.max(1, answers.all.length)] }));
  return { ...week, ai_search_brands: { ...brands, all } };
}

export const world: fc.Arbitrary<World> = fc.record({
  weeks: fc.tuple(
    ...QUESTION_WEEKS.map(() => fc.record(Object.fromEntries(QUESTION_DATASETS.map((dataset) => [dataset, asked(dataset)]))).map(withMet)),
  ),
  isOwnKnown: fc.boolean(),
  isSpelledOtherwise: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

/** As it comes over the wire: brands may spell an engine otherwise than all else. */
export function wireOf({ isSpelledOtherwise }: World, dataset: string, row: Row): WireValues {
  return isSpelledOtherwise && dataset === 'ai_search_brands' && row.ai_search_engine === 'chatgpt'
    ? { ...row, ai_search_engine: 'ChatGPT (Search)' }
    : row;
}
