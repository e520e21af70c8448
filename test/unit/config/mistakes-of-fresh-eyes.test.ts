// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables, as people write it
// Mistakes of jobs files that somebody invented without looking at the tests of others, and that were not told once, with line, cause and remedy.
import { expect, it } from 'vitest';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { COMMON_ENV, COMMON_FILE, mistakesIn, withChange } from './jobs-file.ts';

const TEAMS = 'notify:\n  targets:\n    ops: { teams: "https://hooks.example.com/a" }\n';

function remarksOn(text: string): string[] {
  const mistakes = mistakesIn(text, COMMON_ENV);
  if (mistakes.length > 0) return mistakes;
  return parseJobsConfig('jobs.yaml', text, COMMON_ENV).warnings.map((warning) => warning.replace(/^jobs\.yaml:/, ''));
}

const SENT = 'it is sent unchanged and may return 0 rows; did you mean';
const NOT_INDENTED = 'is a section of the file; expected it without indentation';
const CRON = 'expected a cron expression of five fields, such as "0 6 * * 1" (Mondays at 6:00)';

it.each([
  ['the line of a section indented by itself', withChange('defaults:', '  defaults:'), `5:3: connections.defaults: ${NOT_INDENTED}`],
  ['a section below a job', `${COMMON_FILE}    notify: { targets: {} }\n`, `15:5: jobs[1].notify: ${NOT_INDENTED}`],
  [
    'fields as far left as the hyphen',
    withChange('    dataset: ai_search_brands', '  dataset: ai_search_brands'),
    '14:3: is indented by 2 spaces, as are the items of the list above it; expected 4',
  ],
  [
    'a job below the fields of another',
    withChange('  - name: acme-brands', '    - name: acme-brands'),
    '13:5: is indented by 4 spaces, as are keys above it; expected 2',
  ],
  ['no colon', withChange('dataset: ai_search_brands', 'dataset ai_search_brands'), '14:5: has no colon; expected "name: value"'],
  [
    'a colon of another script',
    withChange('dataset: ai_search_brands', 'dataset\uff1aai_search_brands'),
    '14:5: has the sign U+FF1A, which looks like a colon and is none; expected "name: value"',
  ],
  [
    'a comment of another language within braces',
    `{\n  // production\n  "connections": { main: { base_url: "https://gateway.example.com", auth: { token: "\${SEARCH_API_TOKEN}" } } },
  jobs: [{ name: a, dataset: keyword_rankings, account_id: 1, since: 2026-09-06, schedule: { cron: "0 6 * * 1" } }]\n}`,
    '2:3: // production "connections": has a comment of another language in it; expected # at its beginning',
  ],
  [
    'a comment of another language',
    withChange('    dataset: ai_search_brands', '    // the brands\n    dataset: ai_search_brands'),
    '14:5: looks like a comment of another language; expected # at its beginning',
  ],
  [
    'a heading of TOML',
    `[connections]\n${COMMON_FILE}`,
    '1:1: is a heading of another format, such as TOML; expected a name with a colon, such as "jobs:"',
  ],
  ['a bracket too many', withChange('[US]', '[US]]'), '12:31: closes nothing; expected no ] here'],
  [
    'a command of a shell',
    withChange('"${SEARCH_API_TOKEN}"', '"$(cat /run/token)"'),
    '4:20: connections.main.auth.token: is a command of a shell, which is not run here; use a variable, or NAME_FILE for a file; expected a token: ASCII characters without spaces',
  ],
  [
    'all kinds of credentials',
    withChange('{ token: "${SEARCH_API_TOKEN}" }', '{ token: "${SEARCH_API_TOKEN}", api_key: a, shared_secret: b }'),
    '4:13: connections.main.auth.token: stands beside api_key and shared_secret; expected either token, or api_key and shared_secret',
  ],
  [
    'a target of another service',
    COMMON_FILE + TEAMS,
    '17:12: notify.targets.ops.teams: is no kind of target; expected slack, or webhook and secret, or email, from and to',
  ],
  [
    'a day of the week in German',
    withChange('"0 6 * * 1"', '"0 6 * * MO"'),
    `8:21: defaults.schedule.cron: is "0 6 * * MO", which cannot be read in its day of week (0 to 7 or SUN to SAT); ${CRON}`,
  ],
  [
    'a minute that no hour has',
    withChange('"0 6 * * 1"', '"60 6 * * 1"'),
    `8:21: defaults.schedule.cron: is "60 6 * * 1", which cannot be read in its minute (0 to 59); ${CRON}`,
  ],
  [
    'semicolons in a list',
    withChange('[US]', '[US; DE]'),
    `12:28: jobs[0].filters.countries[0]: is "US; DE", which is several values in one text; ${SENT} "US", "DE"?`,
  ],
  [
    'commas of another script',
    withChange('[US]', '[US\uff0cDE]'),
    `12:28: jobs[0].filters.countries[0]: is "US\uff0cDE", which is several values in one text; ${SENT} "US", "DE"?`,
  ],
  [
    'the name of a country',
    withChange('[US]', '[Germany]'),
    `12:28: jobs[0].filters.countries[0]: is "Germany", which is not a two-letter country code; ${SENT} "DE"?`,
  ],
  [
    'the name of a language',
    withChange('countries: [US]', 'languages: [Spanish]'),
    `12:28: jobs[0].filters.languages[0]: is "Spanish", which is not a language tag; ${SENT} "es"?`,
  ],
])('%s is told once', (_name, text, remark) => {
  expect(remarksOn(text)).toEqual([remark]);
});

it('a list as far left as its key, and one within a list, are no mistakes of another line', () => {
  const text = withChange('jobs:\n  - name: acme-rankings\n    dataset', 'jobs:\n- name: acme-rankings\n  dataset')
    .replace('    filters:', '  filters:')
    .replace('  - name: acme-brands\n    dataset', '- name: acme-brands\n  dataset');
  expect(remarksOn(text)).toEqual([]);
  // The colon is missing; all that is indented is right.
  expect(remarksOn(text.replace('dataset: ai_search_brands', 'dataset ai_search_brands'))).toEqual([
    '14:3: has no colon; expected "name: value"',
  ]);
});

it('a connection may have the name of a section', () => {
  const named = COMMON_FILE.replace('  main:', '  signals:').replace('  account_id', '  connection: signals\n  account_id');
  expect(remarksOn(named)).toEqual([]);
});
