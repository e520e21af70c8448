// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables
// Every rule of jobs.config.yaml: what is said, and exactly where.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadJobsConfig, parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { ConfigurationError } from '../../../src/core/errors.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { completeJobFile, jobFile, mistakesIn } from './jobs-file.ts';

it('finds all mistakes of a file at once, of every kind, in the order of the file', () => {
  const text = `connections:
  main:
    base_url: http://gateway.example.com
    auth: { tokn: "abc" }
    limits: { submits_per_minute: 41 }
defaults: { lookback_weeks: "2", schedule: { timezone: Europe/Berln } }
jobs:
  - name: acme
    dataset: keyword_ranking
    account_id: \${ACCOUNT}
  - name: acme
    dataset: ai_search_brands
    account_id: 7
    since: 2026-02-30
    connection: mian
    since: 2026-02-28
    filters: { topic: [x], intents: buy, account_id: 7 }
`;
  expect(mistakesIn(text)).toEqual([
    '3:15: connections.main.base_url: is http to another machine, which would expose the credential to the network; expected an address such as https://gateway.example.com, or allow_http: true for this connection if that network is your own',
    '4:13: connections.main.auth.tokn: is not known here; expected token; did you mean token?',
    '5:35: connections.main.limits.submits_per_minute: is 41; expected a whole number from 1 to 40',
    '6:29: defaults.lookback_weeks: is "2"; expected a whole number from 0 to 104; write it without quotes',
    '6:56: defaults.schedule.timezone: is "Europe/Berln", which is not a time zone; expected the name of a time zone, such as Europe/Berlin or UTC; did you mean Europe/Berlin?',
    '8:5: jobs[0].since: is missing, here and in defaults; expected a calendar date as YYYY-MM-DD',
    `9:14: jobs[0].dataset: is "keyword_ranking"; expected one of ${DATASETS.map(({ name }) => name).join(', ')}; did you mean keyword_rankings?`,
    '10:17: jobs[0].account_id: the variable ACCOUNT is not set; expected ACCOUNT, or ACCOUNT_FILE naming a file that contains it, or a default as in ${ACCOUNT:-default}',
    '11:11: jobs[1].name: is the name of the job on line 8, too; expected a name of its own',
    '15:17: jobs[1].connection: names no connection of this file; expected main; did you mean main?',
    '16:5: jobs[1].since: is written twice, first on line 14; expected once',
    '17:16: jobs[1].filters.topic: is not known here; expected one of collection_frequency, web_property_ids, ai_search_engines, locodes, languages, topics, prompts, prompt_type, intents, personas, brand_or_product_names, brand_or_product_attributions, prompts_groups, prompts_groups_match; did you mean topics?',
    '17:37: jobs[1].filters.intents: is "buy"; expected a list of texts, not empty; did you mean ["buy"]?',
    '17:42: jobs[1].filters.account_id: is not a filter: Searchmill sets it from the account_id of the job; expected it to be left out',
  ]);
});

it('names the file and counts the mistakes', () => {
  expect(() => parseJobsConfig('conf/jobs.yaml', jobFile('account_id: x'), {})).toThrow(
    /^conf\/jobs\.yaml has 2 mistakes:\nconf\/jobs\.yaml:4:5: jobs\[0\]\.since: .*\nconf\/jobs\.yaml:6:17: jobs\[0\]\.account_id: /,
  );
});

it.each(['latin1', 'utf16le'] as const)('refuses a file that is saved as %s, with its line', (encoding) => {
  const folder = mkdtempSync(join(tmpdir(), 'searchmill-encodings-'));
  const path = join(folder, 'jobs.yaml');
  try {
    writeFileSync(path, Buffer.from(completeJobFile('own_domains: [münchen.example]'), encoding));
    const where = encoding === 'latin1' ? '8:20: has a character that is not UTF-8' : '1:1: is saved as UTF-16';
    expect(() => loadJobsConfig(path, {})).toThrow(`${path}:${where}; expected UTF-8: save it as UTF-8`);
    writeFileSync(path, `\ufeff${completeJobFile('own_domains: [münchen.example]')}`);
    expect(loadJobsConfig(path, {}).config.jobs[0]?.ownDomains).toEqual(['xn--mnchen-3ya.example']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('says what to do when there is no file, and that a folder is none', () => {
  expect(() => loadJobsConfig('/nowhere/jobs.yaml', {})).toThrow(
    /^\/nowhere\/jobs\.yaml: there is no such file; .*--config or SEARCHMILL_CONFIG/,
  );
  expect(() => loadJobsConfig('/', {})).toThrow(ConfigurationError);
  expect(() => loadJobsConfig('/', {})).toThrow(
    /^\/: is a folder, not a file; name the jobs file in it with --config or SEARCHMILL_CONFIG$/,
  );
});

/** Line 8 holds the fields, which begin in column 5. */
describe('a job is refused', () => {
  it.each([
    ['page_size: 0', '8:16: jobs[0].page_size: is 0; expected a whole number from 1 to 1000'],
    ['page_size: 1001', '8:16: jobs[0].page_size: is 1001; expected a whole number from 1 to 1000'],
    ['page_size: 10.5', '8:16: jobs[0].page_size: is 10.5; expected a whole number from 1 to 1000'],
    ['max_rejected: 1.1', '8:19: jobs[0].max_rejected: is 1.1; expected a share from 0 to 1, such as 0.05'],
    [
      'max_rejected: 5%',
      '8:19: jobs[0].max_rejected: is "5%"; expected a share from 0 to 1, such as 0.05, or share and rows; did you mean 0.05?',
    ],
    ['max_rejected: { rows: -1 }', '8:27: jobs[0].max_rejected.rows: is -1; expected a whole number, at least 0'],
    ['max_rejected: { share: 2 }', '8:28: jobs[0].max_rejected.share: is 2; expected a share from 0 to 1, such as 0.05'],
    ['min_keep: -0.1', '8:15: jobs[0].min_keep: is -0.1; expected a share from 0 to 1, such as 0.05'],
    ['max_wait: 6', '8:15: jobs[0].max_wait: is 6; expected a duration such as 90s, 30m, 6h or 2d, at most 7d'],
    ['max_wait: 0h', '8:15: jobs[0].max_wait: is "0h"; expected a duration such as 90s, 30m, 6h or 2d, at most 7d'],
    ['max_wait: 169h', '8:15: jobs[0].max_wait: is "169h"; expected a duration such as 90s, 30m, 6h or 2d, at most 7d'],
    ['max_submits: 0', '8:18: jobs[0].max_submits: is 0; expected a whole number from 1 to 100'],
    ['lookback_weeks: -1', '8:21: jobs[0].lookback_weeks: is -1; expected a whole number from 0 to 104'],
    [
      'weeks_per_query: 0',
      '8:22: jobs[0].weeks_per_query: is 0; expected a whole number from 1 to 13 (the service answers at most 92 days a query)',
    ],
    [
      'weeks_per_query: 14',
      '8:22: jobs[0].weeks_per_query: is 14; expected a whole number from 1 to 13 (the service answers at most 92 days a query)',
    ],
    [
      'week_starts_on: Sunday',
      '8:21: jobs[0].week_starts_on: is "Sunday"; expected sunday, since the service returns only weeks from Sunday to Saturday; to ask for others anyway write { day: monday, even_if_refused: true }',
    ],
    [
      'week_starts_on: monday',
      '8:21: jobs[0].week_starts_on: is "monday"; expected sunday, since the service returns only weeks from Sunday to Saturday; to ask for others anyway write { day: monday, even_if_refused: true }',
    ],
    ['week_starts_on: { day: monday }', '8:5: jobs[0].week_starts_on.even_if_refused: is missing; expected true'],
    ['week_starts_on: { day: monday, even_if_refused: false }', '8:53: jobs[0].week_starts_on.even_if_refused: is false; expected true'],
    [
      'week_starts_on: { day: moonday, even_if_refused: true }',
      '8:28: jobs[0].week_starts_on.day: is "moonday"; expected one of sunday, monday, tuesday, wednesday, thursday, friday, saturday; did you mean monday?',
    ],
    ['filters:', '8:13: jobs[0].filters: is empty; expected a mapping of filters to their values'],
    ['filters: [US]', '8:14: jobs[0].filters: is a list; expected a mapping of filters to their values'],
    ['countries: [US]', '8:5: jobs[0].countries: is a filter; expected it below filters'],
    ['contries: [US]', '8:5: jobs[0].contries: is not known here; did you mean countries? It is a filter; expected it below filters'],
    [
      'schedule: { cron: "0 6 * *" }',
      '8:23: jobs[0].schedule.cron: is "0 6 * *", which has 4 fields; expected a cron expression of five fields, such as "0 6 * * 1" (Mondays at 6:00)',
    ],
    [
      'schedule: { cron: "0 0 30 2 *" }',
      '8:23: jobs[0].schedule.cron: is "0 0 30 2 *", which names a day that never comes; expected a cron expression of five fields, such as "0 6 * * 1" (Mondays at 6:00)',
    ],
    [
      'schedule: { cron: "61 6 * * *" }',
      '8:23: jobs[0].schedule.cron: is "61 6 * * *", which cannot be read in its minute (0 to 59); expected a cron expression of five fields, such as "0 6 * * 1" (Mondays at 6:00)',
    ],
    [
      'schedule: { cron: "0 6 15W * *" }',
      '8:23: jobs[0].schedule.cron: is "0 6 15W * *", which uses W or +, which are not supported; expected a cron expression of five fields, such as "0 6 * * 1" (Mondays at 6:00)',
    ],
    [
      'schedule: { timezone: "+01:00" }',
      '8:27: jobs[0].schedule.timezone: is "+01:00", which is not a time zone; expected the name of a time zone, such as Europe/Berlin or UTC',
    ],
    ['schedule: "0 6 * * 1"', '8:15: jobs[0].schedule: is "0 6 * * 1"; expected a mapping with cron, timezone'],
  ])('for %s', (field, mistake) => {
    expect(mistakesIn(completeJobFile(field))).toEqual([mistake]);
  });

  it.each([
    ['since: 2026-9-6', 'is "2026-9-6"', '; did you mean 2026-09-06?'],
    ['since: 0000-01-01', 'is "0000-01-01", which is not in the calendar', ''],
    ['since: 2025-02-29', 'is "2025-02-29", which is not in the calendar', ''],
  ])('for %s, which is no date', (field, fault, advice) => {
    expect(mistakesIn(jobFile('account_id: 1', field))).toEqual([
      `7:12: jobs[0].since: ${fault}; expected a calendar date as YYYY-MM-DD${advice}`,
    ]);
  });

  it.each([
    ['account_id: 0', 'is 0; expected a whole number, at least 1'],
    ['account_id: "12"', 'is "12"; expected a whole number, at least 1; write it without quotes'],
    ['account_id: 9007199254740993', 'is 9007199254740992, which is too large to be exact; expected a whole number, at least 1'],
    ['account_id: [1]', 'is a list; expected a whole number, at least 1; for several accounts write account_ids'],
  ])('for %s, which is no account', (field, fault) => {
    expect(mistakesIn(jobFile('since: 2026-09-06', field))).toEqual([`7:17: jobs[0].account_id: ${fault}`]);
  });

  it.each(['Acme', 'acme rankings', '-acme', 'ä', `"${'a'.repeat(64)}"`])('for the name %s', (name) => {
    const text = completeJobFile().replace('name: acme', `name: ${name}`);
    expect(mistakesIn(text)).toEqual([
      expect.stringMatching(
        /^4:11: jobs\[0\]\.name: is ".*; expected a name of up to 63 lower-case letters, digits, - and _(; did you mean acme(-rankings)?\?)?$/,
      ),
    ]);
  });

  it('once for a misspelt field that it lacks therefore', () => {
    expect(mistakesIn(jobFile('acount_id: 1', 'since: 2026-09-06'))).toEqual([
      expect.stringMatching(/^6:5: jobs\[0\]\.acount_id: .* did you mean account_id\?$/),
    ]);
    expect(mistakesIn(`defaults: { acount_id: 1 }\n${jobFile('since: 2026-09-06')}`)).toEqual([
      expect.stringMatching(/^1:13: defaults\.acount_id: .* did you mean account_id\?$/),
    ]);
  });

  it('when it names no connection and there are several', () => {
    const text = completeJobFile().replace('jobs:', '  other: { base_url: "https://x.example", auth: { token: t } }\njobs:');
    expect(mistakesIn(text)).toEqual(['5:5: jobs[0].connection: is missing, here and in defaults; expected the name of a connection']);
  });
});

describe('a file is refused', () => {
  it('for sections of another kind, without guessing at what is in them', () => {
    expect(
      mistakesIn(
        'connections: text\ndefaults: [1]\njobs:\n  - text\n  - { name: x, dataset: ai_search_brands, account_id: 1, since: 2026-09-06, filters: {} }\n',
      ),
    ).toEqual([
      '1:14: connections: is text in another format; expected a mapping with at least one connection',
      expect.stringMatching(/^2:11: defaults: is a list; expected a mapping with dataset, connection,/),
      expect.stringMatching(/^4:5: jobs\[0\]: is "text"; expected a mapping with name, dataset,/),
    ]);
  });

  it('for a field in defaults that belongs to a job', () => {
    expect(mistakesIn(`defaults: { name: x, filters: {} }\n${completeJobFile()}`)).toEqual([
      expect.stringMatching(/^1:13: defaults\.name: is a field of a job, and defaults cannot have it; expected it in each job$/),
      expect.stringMatching(/^1:22: defaults\.filters: is a field of a job, and defaults cannot have it;/),
    ]);
  });

  it('for a connection in defaults that it does not have', () => {
    expect(mistakesIn(`defaults: { connection: man }\n${completeJobFile()}`)).toEqual([
      '1:25: defaults.connection: names no connection of this file; expected main; did you mean main?',
    ]);
  });

  it.each([
    ['', ['1:1: is empty; expected a mapping with connections, defaults, jobs, aliases, notify, pages, retention, signals']],
    ['# nothing\n', ['1:1: is empty; expected a mapping with connections, defaults, jobs, aliases, notify, pages, retention, signals']],
    ['text', ['1:1: is "text"; expected a mapping with connections, defaults, jobs, aliases, notify, pages, retention, signals']],
    [
      'connections: {}\njobs: []\n',
      [
        '1:14: connections: is empty; expected a mapping with at least one connection',
        '2:7: jobs: is an empty list; expected a list of at least one job',
      ],
    ],
    [
      'conections: {}\njobs: 5\n',
      [
        '1:1: conections: is not known here; expected one of connections, defaults, jobs, aliases, notify, pages, retention, signals; did you mean connections?',
        '2:7: jobs: is 5; expected a list of at least one job',
      ],
    ],
  ])('when it holds %j', (text, mistakes) => {
    expect(mistakesIn(text)).toEqual(mistakes);
  });
});
