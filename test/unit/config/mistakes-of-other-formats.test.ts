// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables, as people write it
// Mistakes of jobs files that come from JSON, shells, templates, Markdown, diffs, Kubernetes, spreadsheets and other languages: each is told
// once, with line, cause and remedy.
import { expect, it } from 'vitest';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { COMMON_ENV, COMMON_FILE, mistakesIn, withChange } from './jobs-file.ts';

function withDefault(field: string): string {
  return withChange('  since:', `  ${field}\n  since:`);
}

function withFilters(filters: string, dataset = 'ai_search_brands'): string {
  return withChange('dataset: ai_search_brands', `dataset: ${dataset}\n    filters: ${filters}`);
}

function remarksOn(text: string): string[] {
  const mistakes = mistakesIn(text, COMMON_ENV);
  if (mistakes.length > 0) return mistakes;
  return parseJobsConfig('jobs.yaml', text, COMMON_ENV).warnings.map((warning) => warning.replace(/^jobs\.yaml:/, ''));
}

const WEEKLY = 'x-weekly: &weekly\n  lookback_weeks: 2\n';
const COMMENT = 'looks like a comment of another language; expected # at its beginning';
const LEFT_OUT = 'stands for something that was left out; expected all of it, or nothing';
const TEMPLATE = 'is a line of a template that was not filled in; expected plain YAML';
const SETS = 'sets a variable, as in a shell or .env; expected it in the environment, and here "${NAME}"';
const HYPHENS = 'has two hyphens; expected one before an item of a list';
const COMMA = 'lacks a comma before it; expected one between two values inside { } and [ ]';
const ESCAPE = 'is no escape that YAML knows; expected \\\\ for a backslash, or the text between single quotes';
const ACCOUNT = 'expected a whole number, at least 1; did you mean 12345?';
const SENT = 'it is sent unchanged and may return 0 rows; did you mean';

it.each([
  [
    'a merge key without a colon',
    WEEKLY + withChange('    dataset: ai_search_brands', '    << *weekly\n    dataset: ai_search_brands'),
    '16:5: has no colon; expected "<<: *name"',
  ],
  [
    'a merge key in a list',
    withChange('[US]', '[<<: US]'),
    '12:28: jobs[0].filters.countries[0].<<: merges something other than a mapping; expected an alias of one, such as *name, or a list of them',
  ],
  ['the escape of a regular expression', withDefault('own_domains: ["acme\\.example"]'), `7:22: ${ESCAPE}`],
  ['a path of Windows', withChange('"${SEARCH_API_TOKEN}"', '"C:\\secrets\\token.txt"'), `4:23: ${ESCAPE}`],
  [
    'a comma that is missing between fields',
    withChange('{ countries: [US], devices: [DESKTOP] }', '{ "countries": ["US"] "devices": ["DESKTOP"] }'),
    `12:36: ${COMMA}`,
  ],
  [
    'a comma that is missing at the end of a line',
    withChange('{ countries: [US], devices: [DESKTOP] }', '{\n      "max_rank": 20\n      "devices": ["DESKTOP"]\n    }'),
    `14:7: ${COMMA}`,
  ],
  ['a comma that is missing in a list', withChange('[US]', '["US" "DE"]'), `12:33: ${COMMA}`],
  [
    'a comma at the end of a text',
    withChange('dataset: ai_search_brands', '"dataset": "ai_search_brands",'),
    '14:34: is a comma at the end of a value; expected none outside of { } and [ ]',
  ],
  ['a comma at the end of a number', withChange('12345', '12345,'), `6:15: defaults.account_id: is "12345,"; ${ACCOUNT}`],
  ['two commas', withChange('[US]', '[US, , DE]'), '12:32: is a comma without a value before it; expected one comma between two values'],
  [
    'a colon that is missing',
    withChange('{ countries: [US]', '{ "countries" [US]'),
    '12:28: follows a name without a colon; expected a colon and a space between them',
  ],
  [
    'a colon within quotes',
    withChange('account_id: 12345', '"account_id:" 12345'),
    '6:17: follows a colon that is within quotes; expected the colon behind them',
  ],
  [
    'an equals sign between braces',
    withChange('{ countries: [US]', '{ countries = [US]'),
    '12:28: follows = behind a name; expected a colon and a space in its place',
  ],
  ['a line of .env', `SEARCH_API_TOKEN=abcdefghij\n${COMMON_FILE}`, `1:1: ${SETS}`],
  ['a line of a shell', `export SEARCH_API_TOKEN=abcdefghij\n${COMMON_FILE}`, `1:1: ${SETS}`],
  [
    'a comment without a blank',
    withChange('[DESKTOP] }', '[DESKTOP] }# desktop only'),
    '12:53: begins a comment without a blank before it; expected a blank before #',
  ],
  ['a comment of HTML', withChange('jobs:', '<!-- the jobs -->\njobs:'), `9:1: ${COMMENT}`],
  ['a comment of an ini file', withChange('jobs:', '; the jobs\njobs:'), `9:1: ${COMMENT}`],
  ['a comment of a batch file', withChange('jobs:', 'REM the jobs\njobs:'), `9:1: ${COMMENT}`],
  ['a condition of Helm', withChange('jobs:', '{{- if .Values.jobs }}\njobs:'), `9:1: ${TEMPLATE}`],
  ['a condition of Jinja', withChange('jobs:', '{% if prod %}\njobs:'), `9:1: ${TEMPLATE}`],
  ['a fence of Markdown', `\`\`\`yaml\n${COMMON_FILE}\`\`\`\n`, '1:1: is a mark of Markdown; expected the lines between such marks alone'],
  [
    'a bullet of Markdown',
    withChange('  - name: acme-brands', '  * name: acme-brands'),
    '13:3: begins with *, as a list of Markdown does; expected "- " before an item of a list',
  ],
  [
    'a link of Markdown',
    withChange('"${SEARCH_API_URL}"', '[gateway](https://gateway.example.com)'),
    '3:24: follows the end of a list, as in a link of Markdown; expected the address alone',
  ],
  ['an ellipsis', withChange('  - name: acme-brands', '...\n  - name: acme-brands'), `13:1: ${LEFT_OUT}`],
  ['an ellipsis with indentation', withChange('  - name: acme-brands', '  ...\n  - name: acme-brands'), `13:3: ${LEFT_OUT}`],
  ['a hyphen too many', withChange('  - name: acme-brands', '  - - name: acme-brands'), `13:3: ${HYPHENS}`],
  ['two hyphens without a blank', withChange('  - name: acme-brands', '  -- name: acme-brands'), `13:3: ${HYPHENS}`],
  [
    'lines of a diff',
    withChange('  - name: acme-brands\n    dataset', '+  - name: acme-brands\n+    dataset'),
    '13:1: +  - name: begins with the sign of a changed line, as in a diff; expected the lines without such signs',
  ],
  [
    'an object of Kubernetes',
    `apiVersion: v1\nkind: ConfigMap\ndata:\n${COMMON_FILE.replace(/^/gm, '  ')}`,
    '1:1: apiVersion: begins an object of Kubernetes; expected the jobs file alone, which stands below data there, without its indentation',
  ],
  [
    'a list of defaults',
    withChange(
      'defaults:\n  account_id: 12345\n  since: 2026-09-06\n  schedule',
      'defaults:\n  - account_id: 12345\n    since: 2026-09-06\n    schedule',
    ),
    expect.stringMatching(/^6:3: defaults: is a list; expected a mapping with dataset, /),
  ],
  [
    'a user and a password',
    withChange('{ token: "${SEARCH_API_TOKEN}" }', '{ username: me, password: "${SEARCH_API_TOKEN}" }'),
    '4:5: connections.main.auth: has username and password, which are not known here; expected either token, or api_key and shared_secret',
  ],
  [
    'a job whose name is a key',
    withChange('  - name: acme-brands', '  - acme-brands:'),
    '13:5: jobs[1].acme-brands: is no field; expected "- name: acme-brands", with the other fields as far right as name',
  ],
  [
    'a channel of Slack',
    `${COMMON_FILE}notify:\n  targets:\n    ops: { slack: "#ops" }\n`,
    '17:19: notify.targets.ops.slack: is not an address; expected a variable with an https address',
  ],
  [
    'domains that are keys',
    withDefault('own_domains: { acme.example: true }'),
    '7:18: defaults.own_domains.acme.example: is not an account of this file; expected 12345',
  ],
  [
    'a point between thousands',
    withDefault('page_size: 1.000'),
    '7:14: defaults.page_size: is read as 1, since decimals follow a point; expected 1000 or 1',
  ],
  [
    'digits of full width',
    withChange('12345', '\uff11\uff12\uff13\uff14\uff15'),
    `6:15: defaults.account_id: is "\uff11\uff12\uff13\uff14\uff15"; ${ACCOUNT}`,
  ],
  ['a comment behind a number', withChange('12345', '12345#production'), `6:15: defaults.account_id: is "12345#production"; ${ACCOUNT}`],
  [
    'a number of weeks with its unit',
    withDefault('lookback_weeks: 2w'),
    '7:19: defaults.lookback_weeks: is "2w"; expected a whole number from 0 to 104; did you mean 2?',
  ],
  [
    'a day without hyphens',
    withChange('2026-09-06', '20260906'),
    '7:10: defaults.since: is 20260906; expected a calendar date as YYYY-MM-DD; did you mean 2026-09-06?',
  ],
  [
    'seconds since 1970',
    withChange('2026-09-06', '1788652800'),
    '7:10: defaults.since: is 1788652800; expected a calendar date as YYYY-MM-DD',
  ],
  [
    'an hour and a half',
    withDefault('max_wait: 1.5h'),
    '7:13: defaults.max_wait: is "1.5h"; expected a duration such as 90s, 30m, 6h or 2d, at most 7d; did you mean 90m?',
  ],
  [
    'a year of retention',
    `${COMMON_FILE}retention: { executions: 1y }\n`,
    '15:26: retention.executions: is "1y"; expected a duration such as 30d, at least 30d, at most 36500d; did you mean 365d?',
  ],
  [
    'a comma before decimals',
    withDefault('min_keep: 0,8'),
    '7:13: defaults.min_keep: is "0,8"; expected a share from 0 to 1, such as 0.05; did you mean 0.8?',
  ],
  [
    'a time zone in the schedule',
    withChange('"0 6 * * 1"', '"CRON_TZ=Europe/Berlin 0 6 * * 1"'),
    '8:21: defaults.schedule.cron: is "CRON_TZ=Europe/Berlin 0 6 * * 1", which has a time zone in it, which belongs in timezone; expected a cron expression of five fields, such as "0 6 * * 1" (Mondays at 6:00)',
  ],
  [
    'an address with its beginning twice',
    withChange('"${SEARCH_API_URL}"', 'https://https://gateway.example.com'),
    '3:15: connections.main.base_url: has https:// twice; expected an address such as https://gateway.example.com (http only for localhost)',
  ],
  [
    'a language code of three letters',
    withFilters('{ languages: [deu] }'),
    `15:28: jobs[1].filters.languages[0]: is "deu", which has a language code of three letters; ${SENT} "de"?`,
  ],
  [
    'a country in its own language',
    withChange('[US]', '[Deutschland]'),
    `12:28: jobs[0].filters.countries[0]: is "Deutschland", which is not a two-letter country code; ${SENT} "DE"?`,
  ],
  [
    'countries with a slash between them',
    withChange('[US]', '[US/DE]'),
    `12:28: jobs[0].filters.countries[0]: is "US/DE", which is several values in one text; ${SENT} "US", "DE"?`,
  ],
  [
    'quotes of another language',
    withChange('[US]', '[\u00abUS\u00bb]'),
    `12:28: jobs[0].filters.countries[0]: is "\u00abUS\u00bb", which has quotes that are part of it; ${SENT} "US"?`,
  ],
  [
    'a wildcard in a filter',
    withFilters('{ domains: ["*.acme.example"] }', 'ai_search_citations'),
    `15:26: jobs[1].filters.domains[0]: is "*.acme.example", which is not a domain; ${SENT} "acme.example"?`,
  ],
  [
    'a port behind a domain',
    withDefault('own_domains: ["acme.example:443"]'),
    '7:17: defaults.own_domains[0]: is "acme.example:443"; expected a domain such as example.com; did you mean acme.example?',
  ],
])('%s is told once', (_name, text, remark) => {
  expect(remarksOn(text)).toEqual([remark]);
});

it.each([
  [
    'a quote inside of a text',
    withFilters('{ topics: ["say "hi" there"] }'),
    /^15:31: follows the end of a text in quotes; expected a quote inside/,
  ],
  ['a share of one', withDefault('min_keep: 1.0'), undefined],
  ['a text with a comma', withFilters('{ topics: ["shoes, red", boots] }'), undefined],
  ['lists over several lines', withFilters('{\n        topics: ["shoes",\n          boots] }'), undefined],
])('%s is no such mistake', (_name, text, remark) => {
  expect(remarksOn(text)).toEqual(remark === undefined ? [] : [expect.stringMatching(remark)]);
});
