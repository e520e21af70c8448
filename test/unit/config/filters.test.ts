// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables
import { describe, expect, it } from 'vitest';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { completeJobFile, mistakesIn, onlyJob } from './jobs-file.ts';

/** Filters stand on line 8, their braces begin in column 14. */
function withFilters(filters: string, dataset = 'keyword_rankings'): string {
  return completeJobFile(`filters: ${filters}`).replace('keyword_rankings', dataset);
}

function warningsOf(filters: string, dataset = 'keyword_rankings'): readonly string[] {
  return parseJobsConfig('jobs.yaml', withFilters(filters, dataset), { DEVICE: 'desktop' }).warnings;
}

describe.each(DATASETS)('the filters of $name', (dataset) => {
  const samples = { integer: '7', string: 'x', boolean: 'true', integers: '[1, 2]', strings: '[a, b]' };
  const wrong = { integer: 'x', string: '[x]', boolean: '1', integers: '[x]', strings: '[1]' };

  it('are all accepted together, with values of their types', () => {
    const filters = dataset.filters.map(({ name, type }) => `${name}: ${samples[type]}`).join(', ');
    expect(mistakesIn(withFilters(`{ ${filters} }`, dataset.name))).toEqual([]);
    expect(Object.keys(onlyJob(withFilters(`{ ${filters} }`, dataset.name)).filters)).toHaveLength(dataset.filters.length);
  });

  it('are all refused together, with values of other types', () => {
    const filters = dataset.filters.map(({ name, type }) => `${name}: ${wrong[type]}`).join(', ');
    expect(mistakesIn(withFilters(`{ ${filters} }`, dataset.name))).toHaveLength(dataset.filters.length);
  });

  it('do not include what Searchmill sends itself', () => {
    const filters =
      '{ account_id: 1, start_date: 2026-01-01, end_date: 2026-01-01, time_period_start: 2026-01-01, time_period_end: 2026-01-01 }';
    const mistakes = mistakesIn(withFilters(filters, dataset.name));
    expect(mistakes).toHaveLength(5);
    for (const mistake of mistakes) expect(mistake).toMatch(/is not a filter: Searchmill sets it from the .*; expected it to be left out$/);
  });
});

describe('a filter is refused', () => {
  it.each([
    ['{ devices: [] }', '8:25: jobs[0].filters.devices: is an empty list; expected a list of texts such as DESKTOP, SMARTPHONE, TABLET'],
    [
      '{ devices: DESKTOP }',
      '8:25: jobs[0].filters.devices: is "DESKTOP"; expected a list of texts such as DESKTOP, SMARTPHONE, TABLET; did you mean ["DESKTOP"]?',
    ],
    ['{ countries: [US, 49] }', '8:32: jobs[0].filters.countries[1]: is 49; expected text; write it in quotes'],
    ['{ countries: [US, ""] }', '8:32: jobs[0].filters.countries[1]: is ""; expected text'],
    [
      '{ contries: [US] }',
      '8:16: jobs[0].filters.contries: is not known here; expected one of min_rank, max_rank, collection_frequency, result_types, domains, includeMsv, keyword_group_ids, keyword_group_names, web_property_ids, rank_source_ids, devices, locodes, countries, languages; did you mean countries?',
    ],
    [
      '{ domains: [a.example, "b\\0"] }',
      '8:37: jobs[0].filters.domains[1]: is "b\\u0000", which has a NUL character or an unpaired surrogate, which the database cannot store; expected text',
    ],
    [
      '{ domains: ["\\uD83D"] }',
      '8:26: jobs[0].filters.domains[0]: is "\\ud83d", which has a NUL character or an unpaired surrogate, which the database cannot store; expected text',
    ],
    ['{ includeMsv: yes }', '8:28: jobs[0].filters.includeMsv: is "yes"; expected true or false; did you mean true?'],
    ['{ max_rank: 0 }', '8:26: jobs[0].filters.max_rank: is 0; expected a whole number, at least 1'],
    ['{ max_rank: "20" }', '8:26: jobs[0].filters.max_rank: is "20"; expected a whole number, at least 1; write it without quotes'],
    ['{ keyword_group_ids: [1, 2.5] }', '8:39: jobs[0].filters.keyword_group_ids[1]: is 2.5; expected a whole number'],
    [
      '{ web_property_ids: 5 }',
      '8:34: jobs[0].filters.web_property_ids: is 5; expected a list of whole numbers, not empty; did you mean [5]?',
    ],
    [
      '{ web_property_ids: [9007199254740993] }',
      '8:35: jobs[0].filters.web_property_ids[0]: is 9007199254740992, which is too large to be exact; expected a whole number',
    ],
    ['{ min_rank: 21, max_rank: 20 }', '8:26: jobs[0].filters.min_rank: is above max_rank; expected the better (lower) rank here'],
    [
      '{ page_size: 100 }',
      '8:16: jobs[0].filters.page_size: is not a filter but a field of the job; expected it one level up, beside filters',
    ],
  ])('in %s', (filters, mistake) => {
    expect(mistakesIn(withFilters(filters))).toEqual([mistake]);
  });

  it('when only another dataset has it', () => {
    expect(mistakesIn(withFilters('{ min_rank: 1 }', 'highest_ranking_url_per_keyword'))).toEqual([
      expect.stringMatching(
        /^8:16: .*min_rank: is not a filter of highest_ranking_url_per_keyword but of keyword_rankings; expected one of /,
      ),
    ]);
    expect(mistakesIn(withFilters('{ prompt_type: branded }', 'ai_search_response'))).toEqual([
      expect.stringMatching(/prompt_type: is not a filter of ai_search_response but of ai_search_brands, /),
    ]);
    expect(mistakesIn(withFilters('{ limit: 10 }', 'ai_search_brands'))).toEqual([
      expect.stringMatching(/limit: is not a filter of ai_search_brands but of ai_search_response;/),
    ]);
  });

  it('also when the dataset stands in defaults', () => {
    const text = completeJobFile('filters: { topic: [x] }').replace('    dataset: keyword_rankings\n', '');
    expect(mistakesIn(`defaults: { dataset: ai_search_fan_out }\n${text}`)).toEqual([
      expect.stringMatching(/^8:16: .*did you mean topics\?$/),
    ]);
  });
});

it('accepts equal ranks, and one rank without the other', () => {
  for (const filters of ['{ min_rank: 5, max_rank: 5 }', '{ min_rank: 5 }', '{ max_rank: 5 }'])
    expect(mistakesIn(withFilters(filters)), filters).toEqual([]);
});

it('turns texts from variables into numbers and flags where the filter is one, and leaves other texts alone', () => {
  const filters = '{ max_rank: "${N}", includeMsv: "${FLAG}", keyword_group_ids: ["${N}", 5], keyword_group_names: ["${N}"] }';
  expect(onlyJob(withFilters(filters), { N: '20', FLAG: 'true' }).filters).toMatchObject({
    max_rank: 20,
    includeMsv: true,
    keyword_group_ids: [20, 5],
    keyword_group_names: ['20'],
  });
  expect(mistakesIn(withFilters(filters), { N: 'hunter2', FLAG: '1' })).toEqual([
    '8:26: jobs[0].filters.max_rank: comes from a variable whose value is not valid; expected a whole number, at least 1',
    '8:46: jobs[0].filters.includeMsv: comes from a variable whose value is not valid; expected true or false',
    '8:77: jobs[0].filters.keyword_group_ids[0]: comes from a variable whose value is not valid; expected a whole number',
  ]);
});

describe('a value that may find nothing is sent, with a warning', () => {
  const ANSWER = 'it is sent unchanged and may return 0 rows';
  const WORKS = 'it is sent unchanged and probably works, since the service ignores case';

  it.each([
    ['{ devices: [desktop] }', `8:26: jobs[0].filters.devices[0]: is "desktop"; ${WORKS}; did you mean "DESKTOP"?`],
    ['{ devices: [DESKTOP, SMARTPHNOE] }', `8:35: jobs[0].filters.devices[1]: is "SMARTPHNOE"; ${ANSWER}; did you mean "SMARTPHONE"?`],
    ['{ devices: ["${DEVICE}"] }', `8:26: jobs[0].filters.devices[0]: comes from a variable; ${WORKS}; did you mean "DESKTOP"?`],
    ['{ collection_frequency: weekly }', `8:38: jobs[0].filters.collection_frequency: is "weekly"; ${ANSWER}; did you mean "WEEKLY"?`],
    [
      '{ countries: [US, USA] }',
      `8:32: jobs[0].filters.countries[1]: is "USA", which is not a two-letter country code; ${ANSWER}; did you mean "US"?`,
    ],
    [
      '{ countries: [UK] }',
      `8:28: jobs[0].filters.countries[0]: is "UK", which is not a country of ISO 3166; ${ANSWER}; did you mean "GB"?`,
    ],
    ['{ countries: [en] }', `8:28: jobs[0].filters.countries[0]: is "en", which is not a country of ISO 3166; ${ANSWER}`],
    ['{ locodes: [XX-1] }', `8:26: jobs[0].filters.locodes[0]: is "XX-1", which is not a country of ISO 3166; ${ANSWER}`],
    [
      '{ locodes: [New York] }',
      `8:26: jobs[0].filters.locodes[0]: is "New York", which is not a two-letter country code, alone or with a city or region after a space or hyphen; ${ANSWER}`,
    ],
    [
      '{ languages: [English] }',
      `8:28: jobs[0].filters.languages[0]: is "English", which is not a language tag; ${ANSWER}; did you mean "en"?`,
    ],
  ])('in %s', (filters, warning) => {
    expect(warningsOf(filters)).toEqual([`jobs.yaml:${warning}`]);
  });

  it('when names of keyword groups stand beside ids, which win', () => {
    expect(warningsOf('{ keyword_group_ids: [1], keyword_group_names: [Brand] }')).toEqual([
      'jobs.yaml:8:40: jobs[0].filters.keyword_group_names: is probably ignored, since the service uses names of keyword groups only without keyword_group_ids',
    ]);
    expect(warningsOf('{ keyword_group_names: [Brand] }')).toEqual([]);
  });

  it('when it is an assistant in another case or spelling, or one that is not known', () => {
    expect(warningsOf('{ ai_search_engines: [chatgpt, ChatGPT, perplexitty, skynet] }', 'ai_search_brands')).toEqual([
      `jobs.yaml:8:45: jobs[0].filters.ai_search_engines[1]: is "ChatGPT"; ${ANSWER}; did you mean "chatgpt"?`,
      `jobs.yaml:8:54: jobs[0].filters.ai_search_engines[2]: is "perplexitty"; ${ANSWER}; did you mean "perplexity"?`,
      expect.stringMatching(
        /^jobs\.yaml:8:67: .*\[3\]: is "skynet", which is none of those known here \(chatgpt, gemini, .*\); it is sent unchanged and may/,
      ),
    ]);
  });

  it('by the vocabulary of its own filter', () => {
    expect(
      warningsOf('{ brand_or_product_attributions: [you, Seo Competitor, Rival], prompts_groups_match: all }', 'ai_search_brands'),
    ).toEqual([
      expect.stringMatching(/attributions\[0\].*is "you"; it is sent unchanged and may return 0 rows; did you mean "You"\?$/),
      expect.stringMatching(/attributions\[1\].*did you mean "SEO Competitor"\?$/),
    ]);
  });

  it.each([
    ['{ devices: [CONSOLE], result_types: [IMAGE], collection_frequency: MONTHLY }', 'keyword_rankings'],
    [
      '{ devices: [DESKTOP], countries: [US, us, GB], locodes: [US, US NYC, GB-LND, gb], languages: [en, en_US, zh-Hans, es-419] }',
      'keyword_rankings',
    ],
    ['{ ai_search_engines: [chatgpt, google_ai_overview], prompt_type: unbranded, languages: [en_US] }', 'ai_search_brands'],
  ])('but without a warning in %s', (filters, dataset) => {
    expect(warningsOf(filters, dataset)).toEqual([]);
  });
});
