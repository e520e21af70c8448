// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables
// account_ids: one entry, one job per account.
import { describe, expect, it } from 'vitest';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import type { Job } from '../../../src/config/settings.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { completeJobFile, jobFile, mistakesIn, onlyJob } from './jobs-file.ts';

function jobsOf(text: string, env = {}): readonly Job[] {
  return parseJobsConfig('jobs.yaml', text, env).config.jobs;
}

const named = (jobs: readonly Job[]): [string, number][] => jobs.map(({ name, accountId }) => [name, accountId]);

/** Line 6 is the first of the entry's lines after its dataset. */
function listFile(...lines: string[]): string {
  return jobFile('since: 2026-09-06', ...lines);
}

describe('an entry with account_ids', () => {
  it('makes a job of each account, named after the entry and the account, in the order of the list', () => {
    expect(named(jobsOf(listFile('account_ids: [30, 4, 500]')))).toEqual([
      ['acme-30', 30],
      ['acme-4', 4],
      ['acme-500', 500],
    ]);
  });

  it('makes the same jobs when accounts are added, moved or taken away', () => {
    const byName = new Map(jobsOf(listFile('account_ids: [1, 2, 3]')).map((job) => [job.name, job]));
    for (const job of jobsOf(listFile('account_ids: [9, 3, 1]'))) if (job.accountId !== 9) expect(job).toEqual(byName.get(job.name));
    expect(named(jobsOf(listFile('account_ids: [2]')))).toEqual([['acme-2', 2]]);
  });

  it('asks the question that an entry with account_id asks, so that its weeks are taken over as those of a renamed job', () => {
    const lines = ['filters: { devices: [DESKTOP] }', 'page_size: 50'];
    const alone = onlyJob(listFile('account_id: 7', ...lines));
    const [, listed] = jobsOf(listFile('account_ids: [6, 7]', ...lines));
    expect(listed).toEqual({ ...alone, name: 'acme-7' });
  });

  it('takes accounts from variables', () => {
    expect(named(jobsOf(listFile('account_ids: ["${A}", 2]'), { A: '11' }))).toEqual([
      ['acme-11', 11],
      ['acme-2', 2],
    ]);
  });
});

describe('account_ids of defaults', () => {
  it('make all datasets of fifty accounts in a line a dataset and four more', () => {
    const accounts = Array.from({ length: 50 }, (_, index) => 1000 + index);
    const text = [
      'connections:',
      '  main: { base_url: "https://gateway.example.com", auth: { token: abc } }',
      `defaults: { since: 2026-09-06, account_ids: [${accounts.join(', ')}] }`,
      'jobs:',
      ...DATASETS.map(({ name }) => `  - { name: ${name}, dataset: ${name} }`),
    ];
    expect(text.length).toBe(DATASETS.length + 4);
    const { config } = parseJobsConfig('jobs.yaml', text.join('\n'), {});
    expect(config.entryCount).toBe(DATASETS.length);
    expect(config.jobs).toHaveLength(50 * DATASETS.length);
    expect(new Set(config.jobs.map(({ name }) => name)).size).toBe(50 * DATASETS.length);
    expect(config.jobs.at(-1)).toMatchObject({ name: `${DATASETS.at(-1)?.name}-1049`, accountId: 1049 });
  });

  it('give way to the account_id or account_ids of an entry', () => {
    const defaults = 'defaults: { account_ids: [1, 2] }\n';
    expect(named(jobsOf(defaults + listFile()))).toEqual([
      ['acme-1', 1],
      ['acme-2', 2],
    ]);
    expect(named(jobsOf(defaults + listFile('account_id: 5')))).toEqual([['acme', 5]]);
    expect(named(jobsOf(`defaults: { account_id: 5 }\n${listFile('account_ids: [6]')}`))).toEqual([['acme-6', 6]]);
  });
});

describe('a list of accounts is refused', () => {
  it.each([
    [
      ['account_ids: []'],
      '7:18: jobs[0].account_ids: is an empty list; expected a list of accounts, not empty, each a whole number, at least 1',
    ],
    [
      ['account_ids: 5'],
      '7:18: jobs[0].account_ids: is 5; expected a list of accounts, not empty, each a whole number, at least 1; did you mean [5]?',
    ],
    [['account_ids: [5, 0]'], '7:22: jobs[0].account_ids[1]: is 0; expected a whole number, at least 1'],
    [
      ['account_ids:', '  - 5', '  - 6', '  - 5'],
      '10:9: jobs[0].account_ids[2]: is the same account as on line 8; expected each account once',
    ],
    [['account_id: 5', 'account_ids: [6]'], '8:5: jobs[0].account_ids: is written beside account_id; expected one of the two'],
  ])('for %j', (lines, mistake) => {
    expect(mistakesIn(listFile(...lines))).toEqual([mistake]);
  });

  it('in defaults, too', () => {
    expect(mistakesIn(`defaults: { account_id: 1, account_ids: [2, 2] }\n${listFile()}`)).toEqual([
      '1:28: defaults.account_ids: is written beside account_id; expected one of the two',
    ]);
    expect(mistakesIn(`defaults: { account_ids: [2, 2] }\n${listFile()}`)).toEqual([
      '1:30: defaults.account_ids[1]: is the same account as on line 1; expected each account once',
    ]);
  });

  it('when it makes a name that another entry makes, at the second of the two', () => {
    const second = '  - { name: acme-2, dataset: ai_search_brands, account_id: 9, since: 2026-09-06 }\n';
    expect(mistakesIn(listFile('account_ids: [1, 2]') + second)).toEqual([
      '8:13: jobs[1].name: makes the job acme-2 that the entry on line 4 makes, too; expected a name of its own',
    ]);
    const same = '  - { name: acme, dataset: ai_search_brands, account_ids: [2, 3], since: 2026-09-06 }\n';
    expect(mistakesIn(listFile('account_ids: [1, 2]') + same)).toEqual([
      '8:13: jobs[1].name: makes the job acme-2 that the entry on line 4 makes, too; expected a name of its own',
    ]);
  });

  it('when it makes names that are too long', () => {
    const text = (length: number): string => listFile('account_ids: [1, 12345]').replace('name: acme', `name: ${'a'.repeat(length)}`);
    expect(mistakesIn(text(57))).toEqual([]);
    expect(mistakesIn(text(58))).toEqual([
      '4:11: jobs[0].name: is too long, since its jobs add a hyphen and the account to it; expected at most 57 characters',
    ]);
  });

  it('when there would be more than 10,000 jobs, at the entry that makes them too many', () => {
    const accounts = (count: number): string => `[${Array.from({ length: count }, (_, index) => index + 1).join(', ')}]`;
    const text = (count: number): string =>
      `defaults: { account_ids: ${accounts(count)}, since: 2026-09-06 }\n${completeJobFile()}  - { name: b, dataset: ai_search_brands }\n`;
    expect(jobsOf(text(9_999))).toHaveLength(10_000);
    expect(mistakesIn(text(10_000))).toEqual(['9:5: jobs: are 10001 including those of this entry; expected at most 10000 in one file']);
  });
});

it('an entry overlaps another when a job of it does, which is reported once', () => {
  const file = (accounts: string, second: string): string =>
    `${listFile(`account_ids: ${accounts}`)}  - { name: b, dataset: keyword_rankings, ${second}, since: 2026-09-06 }\n`;
  expect(mistakesIn(file('[1, 2, 3]', 'account_ids: [2, 3]'))).toEqual([
    expect.stringMatching(/^8:5: jobs\[1\]: the job "b-2" may load the same rows as "acme-2" on line 4, /),
  ]);
  expect(mistakesIn(file('[1, 2, 3]', 'account_id: 3'))).toEqual([
    expect.stringMatching(/^8:5: jobs\[1\]: the job "b" .* as "acme-3" on line 4, /),
  ]);
  expect(mistakesIn(file('[1, 2, 3]', 'account_ids: [4, 5]'))).toEqual([]);
});

it('says that an account is missing only where neither account_id nor account_ids gives one', () => {
  expect(mistakesIn(listFile())).toEqual([
    '4:5: jobs[0].account_id: is missing, here and in defaults; expected a whole number, at least 1, or a list of them as account_ids',
  ]);
  expect(mistakesIn(listFile('acount_ids: [1]'))).toEqual([expect.stringMatching(/^7:5: .* did you mean account_ids\?$/)]);
});
