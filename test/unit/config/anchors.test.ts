// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables
// Anchors, merge keys and x- sections in a jobs file: what they come to, and where their mistakes are told.
import { describe, expect, it } from 'vitest';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { mistakesIn } from './jobs-file.ts';

/** Line 1 is `section`; the jobs begin on line 5. */
function anchoredFile(section: string, ...jobs: string[]): string {
  return `${section}
connections:
  main: { base_url: "https://gateway.example.com", auth: { token: abc } }
jobs:
${jobs.map((job) => `  - { ${job} }\n`).join('')}`;
}

const TWO_JOBS = ['<<: *weekly, name: a, dataset: keyword_rankings', '<<: *weekly, name: b, dataset: ai_search_brands, page_size: 7'];

describe('a section that begins with x-', () => {
  it('is ignored by itself, and may hold values that jobs merge, variables included', () => {
    const section = 'x-weekly: &weekly { account_id: "${ACCOUNT}", since: 2026-09-06, page_size: 5 }';
    const { config } = parseJobsConfig('jobs.yaml', anchoredFile(section, ...TWO_JOBS), { ACCOUNT: '77' });
    expect(config.jobs.map(({ name, accountId, pageSize }) => [name, accountId, pageSize])).toEqual([
      ['a', 77, 5],
      ['b', 77, 7],
    ]);
  });

  it('stands at the top level only', () => {
    const section = 'x-weekly: &weekly { account_id: 1, since: 2026-09-06, x-note: 1 }';
    expect(mistakesIn(anchoredFile(section, ...TWO_JOBS))).toEqual([expect.stringMatching(/^1:55: jobs\[0\]\.x-note: is not known here;/)]);
  });
});

describe('a mistake in what is merged', () => {
  it('is reported once, where it was written, for the first job that has it', () => {
    const section = 'x-weekly: &weekly { account_id: 1, since: 2026-9-6, page_sise: 5, filters: { topics: [] } }';
    expect(mistakesIn(anchoredFile(section, ...TWO_JOBS))).toEqual([
      '1:43: jobs[0].since: is "2026-9-6"; expected a calendar date as YYYY-MM-DD; did you mean 2026-09-06?',
      expect.stringMatching(/^1:53: jobs\[0\]\.page_sise: is not known here; .* did you mean page_size\?$/),
      expect.stringMatching(/^1:78: jobs\[0\]\.filters\.topics: is not a filter of keyword_rankings but of /),
      '1:86: jobs[1].filters.topics: is an empty list; expected a list of texts, not empty',
    ]);
  });

  it('never shows what came from a variable', () => {
    const section = 'x-weekly: &weekly { account_id: 1, since: 2026-09-06, page_size: "${SIZE}" }';
    expect(mistakesIn(anchoredFile(section, ...TWO_JOBS), { SIZE: 'hunter2' })).toEqual([
      '1:66: jobs[0].page_size: comes from a variable whose value is not valid; expected a whole number from 1 to 1000',
    ]);
  });

  it('of a connection never shows a credential', () => {
    const text = `x-secret: &secret { tokn: hunter2 }
connections: { main: { base_url: "https://gateway.example.com", auth: { <<: *secret } } }
jobs: [{ name: a, dataset: ai_search_brands, account_id: 1, since: 2026-09-06 }]
`;
    expect(mistakesIn(text)).toEqual(['1:21: connections.main.auth.tokn: is not known here; expected token; did you mean token?']);
  });
});

it('a key that a job writes twice stays a mistake, whatever it merges', () => {
  const section = 'x-weekly: &weekly { account_id: 1, since: 2026-09-06 }';
  expect(mistakesIn(anchoredFile(section, '<<: *weekly, name: a, dataset: ai_search_brands, page_size: 1, page_size: 2'))).toEqual([
    '5:70: jobs[0].page_size: is written twice, first on line 5; expected once',
  ]);
});
