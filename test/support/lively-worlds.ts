// Weeks in which much happens to many keywords and prompts at once, so that more than chance can be told: places that are lost and come back, rivals
// that take them, assistants that stop naming us or begin to criticise us, and pages that answers begin or stop citing.
import fc from 'fast-check';
import type { Row } from './second-facts.ts';

/** By dataset, the rows that the service has of a week. */
export type Rows = Readonly<Record<string, readonly Row[]>>;

const KEYWORDS = 12;
const PROMPTS = 10;
const ASSISTANTS = ['chatgpt', 'gemini'] as const;
const PAGES = ['https://www.acme.example/a/?utm_source=x', 'http://acme.example/a#top', 'https://acme.example/B', 'https://acme.example/b'];

/** Of as many things, how many have something in a week; mostly few or most of them. */
const amount = (most: number): fc.Arbitrary<number> => fc.oneof(fc.constantFrom(0, 1, most - 1, most), fc.integer({ min: 0, max: most }));
const happening = fc.record({
  lost: amount(KEYWORDS),
  taken: amount(KEYWORDS),
  silent: fc.tuple(amount(PROMPTS), amount(PROMPTS)),
  complaining: fc.tuple(amount(PROMPTS), amount(PROMPTS)),
  page: fc.nat({ max: PAGES.length - 1 }),
  citing: amount(PROMPTS),
  keywords: fc.constantFrom(KEYWORDS, KEYWORDS, KEYWORDS - 3),
  prompts: fc.constantFrom(PROMPTS, PROMPTS, PROMPTS - 2),
});
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;
type Nature = Readonly<{ volumes: readonly number[]; places: readonly number[]; turn: number }>;

const range = (length: number): number[] => Array.from({ length }, (_, n) => n);

function rankings({ lost, taken, keywords }: Happening, { volumes, places, turn }: Nature): Row[] {
  return range(keywords).flatMap((n) => {
    const place = places[n] ?? 1;
    // Other keywords than those that lose their place may be taken.
    const isLost = n < lost;
    const isTaken = (n + turn) % KEYWORDS < taken;
    const results = [
      ...(isLost ? [] : [['acme.example', place] as const]),
      ...(isTaken ? [['rival.example', isLost ? place : place + 1] as const] : []),
      ['other.example', place + 2] as const,
      ...(n % 4 === 0 ? [['www.third.example', place + 2] as const] : []),
    ];
    return results.map(
      ([site, rank]): Row => ({
        web_property_id: '1',
        search_engine: 'GOOGLE',
        search_engine_country_code: n % 3 === 0 ? 'DE' : 'US',
        search_engine_language_code: 'en',
        locode: 'US',
        device: n % 5 === 0 ? 'SMARTPHONE' : 'DESKTOP',
        query: `k${n}`,
        title: 'one',
        normalized_url: `https://${site}/${n}`,
        root_domain: site,
        result_type: 'STANDARD_LINK',
        rank_standard: String(rank),
        rank_true: String(rank + 1),
        keyword_group_names: n % 2 === 0 ? 'one' : 'one,two',
        keyword_group_ids: n % 2 === 0 ? '1' : '1,2',
        average_search_volume: String(volumes[n] ?? 10),
      }),
    );
  });
}

const promptOf = (n: number, assistant: string): Row => ({
  web_property_id: '1',
  collection_frequency: 'WEEKLY',
  locode: n % 4 === 0 ? 'DE' : 'US',
  language: 'en_US',
  ai_search_engine: assistant,
  topic: n % 3 === 0 ? 'shoes' : 'gear',
  prompt: `q${n}`,
  persona: 'none',
});

function answers({ silent, complaining, page, citing, prompts }: Happening, week: number): Rows {
  const asked = ASSISTANTS.flatMap((assistant, at) => range(prompts).map((n) => ({ n, at, of: promptOf(n, assistant) })));
  const kind = (n: number): Row => ({ prompt_type: n % 5 === 0 ? 'branded' : 'unbranded' });
  const cites = (url: string | null, domain: string, attribution: string): Row => ({
    citation_url: url,
    citation_domain: domain,
    citation_attribution: attribution,
  });
  return {
    ai_search_response: asked.map(({ n, at, of }) => ({ ...of, ai_response: n < (silent[at] ?? 0) ? 'Rival.' : 'Acme or Rival.' })),
    ai_search_brands: asked.map(({ n, at, of }) => ({
      ...of,
      ...kind(n),
      brand_or_product_name: n < (silent[at] ?? 0) ? 'Rival' : 'Acme',
      brand_or_product_attribution: n < (silent[at] ?? 0) ? 'Partner' : 'You',
    })),
    ai_search_citations: asked.flatMap(({ n, of }) => [
      { ...of, ...kind(n), ...cites(`https://other.example/${n}`, 'other.example', 'Other') },
      ...(n < citing ? [{ ...of, ...kind(n), ...cites(PAGES[page] ?? null, 'www.acme.example', 'You') }] : []),
      ...(n === 3 ? [{ ...of, ...kind(n), ...cites('https://rival.example/b', 'rival.example', 'SEO Competitor') }] : []),
    ]),
    ai_search_sentiments: asked.flatMap(({ n, at, of }) => [
      { ...of, ...kind(n), sentiment_brand: 'Acme', sentiment_value: 'positive', sentiment_snippet: 'Fine.' },
      ...(n < (complaining[at] ?? 0)
        ? [
            {
              ...of,
              ...kind(n),
              sentiment_brand: 'Acme',
              sentiment_value: 'Negative',
              sentiment_snippet: n % 3 === 0 ? null : n % 3 === 1 ? 'So so.' : `Bad in week ${week - (n % 2)}.`,
            },
          ]
        : []),
    ]),
  };
}

/** Three weeks. */
export const livelyWeeks: fc.Arbitrary<Rows[]> = fc
  .record({
    weeks: fc.array(happening, { minLength: 3, maxLength: 3 }),
    // Half of the worlds go back in the last week to what they were in the first.
    isBack: fc.boolean(),
    nature: fc.record({
      volumes: fc.array(fc.constantFrom(10, 20, 60), { minLength: KEYWORDS, maxLength: KEYWORDS }),
      places: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: KEYWORDS, maxLength: KEYWORDS }),
      turn: fc.nat({ max: KEYWORDS }),
    }),
  })
  .map(({ weeks, isBack, nature }) =>
    (isBack ? [weeks[0], weeks[1], weeks[0]] : weeks).flatMap((week, at) =>
      week ? [{ keyword_rankings: rankings(week, nature), ...answers(week, at) }] : [],
    ),
  );
