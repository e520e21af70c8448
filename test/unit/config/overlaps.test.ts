// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables
// Jobs that may load the same rows, and what is said about them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { mistakesIn } from './jobs-file.ts';

const HEAD = `connections:
  main: { base_url: "https://gateway.example.com", auth: { token: abc } }
  other: { base_url: "https://other.example.com", auth: { token: abc } }
defaults: { account_id: 7, since: 2026-09-06, dataset: keyword_rankings, connection: main }
jobs:
`;

/** A file of jobs, one to a line from line 6 on, named a, b, c ...; each of these texts is the rest of a job. */
function fileOf(...jobs: string[]): string {
  return HEAD + jobs.map((rest, index) => `  - { name: ${nameOf(index)}, ${rest} }\n`).join('');
}

const nameOf = (index: number): string => (index < 26 ? String.fromCodePoint(97 + index) : `job-${index}`);

const areRefused = (...jobs: string[]): boolean => mistakesIn(fileOf(...jobs)).length > 0;

/** Whether two jobs overlap, in either order. `cases`: by dataset, the filters of one and those of the other. */
function itIs(expected: boolean, cases: Readonly<Record<string, readonly [one: string, other: string][]>>): void {
  for (const [dataset, pairs] of Object.entries(cases))
    it.each(pairs)(`${dataset}: { %s } and { %s }`, (...filters) => {
      const [one, other] = filters.map((each) => `dataset: ${dataset}, filters: { ${each} }`) as [string, string];
      expect([areRefused(one, other), areRefused(other, one)]).toEqual([expected, expected]);
    });
}

it('names both jobs, both lines and both filters, and says what to do', () => {
  expect(mistakesIn(fileOf('filters: { devices: [DESKTOP] }', 'filters: { min_rank: 3 }'))).toEqual([
    '7:5: jobs[1]: the job "b" may load the same rows as "a" on line 6, and each would overwrite the other\'s: both load keyword_rankings of one account, ' +
      'here with min_rank 3, there with devices ["DESKTOP"]; expected one job for both, or one of these filters in both, with different values: ' +
      'collection_frequency, result_types, domains, web_property_ids, devices, locodes, countries, languages',
  ]);
});

it('shows no filter that came from a variable, and of a long list the beginning', () => {
  const env = { PROMPT: 'hidden-value', DOMAINS: 'hidden-too' };
  const text = fileOf(
    'filters: { domains: ["${DOMAINS}"], keyword_group_ids: [1, 2, 3, 4, 5] }',
    'filters: { keyword_group_names: ["${PROMPT}"] }',
  );
  const [mistake = ''] = mistakesIn(text, env);
  expect(mistake).toContain('here with keyword_group_names [(from a variable)]');
  expect(mistake).toContain('there with domains [(from a variable)], keyword_group_ids [1, 2, 3 and 2 more]');
  expect(mistake).not.toContain('hidden');
});

it('tells each job once, however many it overlaps with', () => {
  const mistakes = mistakesIn(fileOf(...Array.from({ length: 50 }, () => 'filters: { includeMsv: true }')));
  expect(mistakes).toHaveLength(49);
  expect(mistakes[48]).toContain('"job-49" may load the same rows as "a" on line 6');
});

it('finds them beside other mistakes, and says nothing about a job that is wrong itself', () => {
  const text = fileOf(
    'filters: {}',
    'filters: { device: [DESKTOP] }',
    'account_id: x',
    'filters: { devices: [DESKTOP] }',
    'account_id: "${NONE}"',
  );
  expect(mistakesIn(text).map((mistake) => mistake.slice(0, 60))).toEqual([
    '7:27: jobs[1].filters.device: is not known here; expected on',
    '8:28: jobs[2].account_id: is "x"; expected a whole number, a',
    '9:5: jobs[3]: the job "d" may load the same rows as "a" on l',
    expect.stringMatching(/^10:29: jobs\[4\]\.account_id: the variable NONE is not set/),
  ]);
  expect(mistakesIn(fileOf('filters: {}', 'filters: {}').replace('account_id: 7', 'account_id: 0'))).toEqual([
    expect.stringContaining('defaults.account_id: is 0'),
  ]);
});

describe('two jobs of the same account may have the same rows', () => {
  it('whatever their connection, schedule or weeks', () => {
    expect(areRefused('connection: main', 'connection: other')).toBe(true);
    expect(areRefused('week_starts_on: { day: monday, even_if_refused: true }', 'since: 2026-01-04, page_size: 10')).toBe(true);
  });

  it('unless their account or their dataset is another', () => {
    expect(areRefused('account_id: 1', 'account_id: 2')).toBe(false);
    expect(areRefused('dataset: keyword_rankings', 'dataset: highest_ranking_url_per_keyword')).toBe(false);
  });

  it('unless one of them is disabled', () => {
    expect(areRefused('enabled: false', 'filters: {}')).toBe(false);
    expect(areRefused('filters: {}', 'enabled: "${OFF:-false}"')).toBe(false);
    expect(areRefused('enabled: false', 'filters: {}', 'filters: {}')).toBe(true);
    const disabled = fileOf('filters: {}', 'filters: {}').replace('defaults: {', 'defaults: { enabled: false,');
    expect(mistakesIn(disabled)).toEqual([]);
    expect(mistakesIn(disabled.replaceAll('filters: {}', 'enabled: true'))).toHaveLength(1);
  });

  itIs(true, {
    keyword_rankings: [
      ['devices: [DESKTOP]', 'min_rank: 1'],
      ['max_rank: 10', 'min_rank: 11'],
      ['includeMsv: true', 'includeMsv: false'],
      ['keyword_group_ids: [1]', 'keyword_group_ids: [2]'],
      ['keyword_group_names: [a]', 'keyword_group_names: [b]'],
      ['rank_source_ids: [1]', 'rank_source_ids: [2]'],
      ['devices: [DESKTOP]', 'countries: [US]'],
      ['devices: [DESKTOP, TABLET]', 'devices: [SMARTPHONE, DESKTOP]'],
      ['devices: [DESKTOP]', 'devices: [" desktop "]'],
      ['locodes: [US]', 'locodes: [us-ny]'],
      ['locodes: [US NY]', 'locodes: [US-NY]'],
      ['locodes: [US-NY-NYC]', 'locodes: [DE, US NY]'],
      ['languages: [en-Latn]', 'languages: [EN]'],
      ['domains: [a.example]', 'domains: [b.a.example]'],
      ['domains: ["https://A.example./"]', 'domains: [a.example]'],
      ['domains: [bücher.example]', 'domains: [xn--bcher-kva.example]'],
      ['', 'collection_frequency: weekly'],
    ],
    ai_search_brands: [
      ['languages: [en]', 'languages: [en_US]'],
      ['brand_or_product_attributions: [You]', 'brand_or_product_attributions: [Other]'],
      ['prompts_groups: [a], prompts_groups_match: any', 'prompts_groups: [b]'],
    ],
    highest_ranking_url_per_keyword: [
      // The kind of the result is no part of the key there.
      ['result_types: [STANDARD_LINK]', 'result_types: [VIDEO]'],
    ],
    ai_search_citations: [
      ['root_domains: [a.example]', 'domains: [b.example]'],
      ['root_domains: [a.example]', 'root_domains: [www.a.example]'],
      ['citation_urls: ["https://a.example/"]', 'citation_urls: ["http://a.example"]'],
      ['citation_attributions: [You]', 'citation_attributions: [Other]'],
    ],
    ai_search_sentiments: [
      ['sentiment_values: [positive]', 'sentiment_values: [negative]'],
      ['sentiment_source_domains: [a.example]', 'sentiment_source_domains: [b.example]'],
    ],
    ai_search_response: [['limit: 5', 'limit: 10']],
  });
});

describe('two jobs of the same account cannot have the same rows', () => {
  itIs(false, {
    keyword_rankings: [
      ['devices: [DESKTOP]', 'devices: [SMARTPHONE, TABLET]'],
      ['devices: [DESKTOP], min_rank: 1', 'devices: [TABLET], max_rank: 3'],
      ['countries: [US], devices: [DESKTOP]', 'countries: [US], devices: [TABLET]'],
      ['collection_frequency: DAILY', ''],
      ['result_types: [STANDARD_LINK]', 'result_types: [VIDEO]'],
      ['web_property_ids: [1, 2]', 'web_property_ids: [3, 12]'],
      ['locodes: [US-NY]', 'locodes: [US-N, US-NYC, DE]'],
      ['languages: [en-Latn]', 'languages: [en-Cyrl, e]'],
      ['domains: [a.example]', 'domains: [xa.example, b.example]'],
    ],
    highest_ranking_url_per_keyword: [['domains: [a.example]', 'domains: [b.example]']],
    ai_search_brands: [
      ['ai_search_engines: [chatgpt]', 'ai_search_engines: [gemini]'],
      ['prompt_type: branded', 'prompt_type: unbranded'],
      ['brand_or_product_names: [Acme]', 'brand_or_product_names: [Acme Shoes]'],
    ],
    ai_search_citations: [
      ['root_domains: [a.example]', 'root_domains: [b.example]'],
      ['domains: [a.example]', 'domains: [b.example]'],
    ],
    ai_search_fan_out: [
      ['topics: [Shoes]', 'topics: [Hats]'],
      ['personas: [Runner]', 'personas: [Walker]'],
      ['prompts: [best shoes]', 'prompts: [best hats]'],
    ],
    ai_search_sentiments: [
      ['sentiment_brands: [Acme]', 'sentiment_brands: [Other]'],
      ['sentiment_categories: [price]', 'sentiment_categories: [quality]'],
    ],
    ai_search_response: [['locodes: [US]', 'locodes: [DE]']],
  });
});

it('finds the first of several jobs as a comparison of each with each does', () => {
  const values = (...all: string[]) => fc.option(fc.subarray(all, { minLength: 1 }), { nil: undefined });
  const filters = fc.record({
    devices: values('DESKTOP', 'desktop', 'TABLET'),
    locodes: values('US', 'US-NY', 'us ny nyc', 'US-CA', 'DE'),
    domains: values('a.example', 'b.a.example', 'c.example'),
  });
  const lists = fc.array(filters, { minLength: 3, maxLength: 5 });
  fc.assert(
    fc.property(lists, (all) => {
      const jobs = all.map((one) => `filters: ${JSON.stringify(one)}`);
      const expected = jobs.flatMap((job, index) => {
        const first = jobs.slice(0, index).findIndex((earlier) => areRefused(earlier, job));
        return first < 0 ? [] : [`"${nameOf(index)}" may load the same rows as "${nameOf(first)}"`];
      });
      expect(mistakesIn(fileOf(...jobs)).map((mistake) => /".*" may load the same rows as "\w+"/.exec(mistake)?.[0])).toEqual(expected);
    }),
    { numRuns: propertyRuns(40) },
  );
});

it('compares thousands of jobs of one account by lists of values', () => {
  const jobs = Array.from({ length: 2000 }, (_, job) => {
    const properties = Array.from({ length: 20 }, (_item, index) => 100 * job + index);
    return `filters: { devices: [DESKTOP], web_property_ids: [${properties.join(', ')}] }`;
  });
  expect(parseJobsConfig('jobs.yaml', fileOf(...jobs), {}).config.jobs).toHaveLength(2000);
});
