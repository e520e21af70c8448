// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables, as people write it
// Mistakes that people make in jobs files, from templates, chats, other tools and haste: each is told once, with its line, cause and
// remedy, whether it is refused or warned of.
import { expect, it } from 'vitest';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { mistakesIn } from './jobs-file.ts';

const FILE = `connections:
  main:
    base_url: https://gateway.example.com
    auth:
      token: \${TOKEN}
defaults:
  account_id: 12345
  since: 2026-09-06
  schedule:
    cron: "0 6 * * 1"
    timezone: Europe/Berlin
jobs:
  - name: acme-rankings
    dataset: keyword_rankings
    filters:
      countries: [US, DE]
      devices: [DESKTOP]
  - name: acme-brands
    dataset: ai_search_brands
`;
const ENV = { TOKEN: 'abcdefghij', SEARCH_API_TOKEN: 'abcdefghij', HOOK: 'https://hooks.example.com/a' };

function withChange(from: string, to: string): string {
  if (!FILE.includes(from)) throw new Error(`the file has no ${from}`);
  return FILE.replace(from, to);
}

/** The file whose second job has these filters. */
function withFilters(filters: string, dataset = 'ai_search_brands'): string {
  return withChange('dataset: ai_search_brands', `dataset: ${dataset}\n    filters: ${filters}`);
}

function withDefault(field: string): string {
  return withChange('  since:', `  ${field}\n  since:`);
}

function withTarget(target: string): string {
  return `${FILE}notify:\n  targets:\n    ops: ${target}\n`;
}

/** Mistakes, or the warnings of a file without any. */
function remarksOn(text: string): string[] {
  const mistakes = mistakesIn(text, ENV);
  if (mistakes.length > 0) return mistakes;
  return parseJobsConfig('jobs.yaml', text, ENV).warnings.map((warning) => warning.replace(/^jobs\.yaml:/, ''));
}

it.each([
  [
    'one-space indent',
    withChange('    dataset: keyword_rankings', '     dataset: keyword_rankings'),
    '14:6: is indented by 5 spaces, although line 13 above it has a value already; expected 4',
  ],
  [
    'one-space less',
    withChange('    dataset: keyword_rankings', '   dataset: keyword_rankings'),
    '14:4: is indented by 3 spaces, which is the indentation of nothing above it; expected 0 or 2 or 4',
  ],
  [
    'one-space indent in connection',
    withChange('    auth:\n', '     auth:\n'),
    '4:6: is indented by 5 spaces, although line 3 above it has a value already; expected 4',
  ],
  [
    'one-space defaults',
    withChange('  since:', '   since:'),
    '8:4: is indented by 3 spaces, although line 7 above it has a value already; expected 2',
  ],
  [
    'filters one space',
    withChange('      devices:', '     devices:'),
    '17:6: is indented by 5 spaces, which is the indentation of nothing above it; expected 0 or 2 or 4 or 6',
  ],
  [
    'filters not indented',
    withChange('      countries: [US, DE]\n      devices: [DESKTOP]', '    countries: [US, DE]\n    devices: [DESKTOP]'),
    '16:5: jobs[0].countries: is a filter, and so is devices; expected below filters, indented further than it',
  ],
  [
    'fan-out',
    `${FILE}  - name: f\n    dataset: ai_search_fan-out\n`,
    '21:14: jobs[2].dataset: is "ai_search_fan-out"; expected one of keyword_rankings, highest_ranking_url_per_keyword, ai_search_brands, ai_search_citations, ai_search_fan_out, ai_search_sentiments, ai_search_response; did you mean ai_search_fan_out?',
  ],
  [
    'weeks-per-query',
    withChange('  since:', '  weeks-per-query: 4\n  since:'),
    '8:3: defaults.weeks-per-query: is not known here; expected one of dataset, connection, account_id, account_ids, schedule, since, lookback_weeks, keep_weeks, weeks_per_query, week_starts_on, page_size, max_rejected, min_keep, allow_empty, max_wait, max_submits, own_domains, competitors, own_brands, rival_brands, enabled; did you mean weeks_per_query?',
  ],
  [
    'tabs',
    FILE.replace(/^( +)/gm, (s) => '\t'.repeat(s.length / 2)),
    '2:1: is indented with a tab, as are 15 lines after it; YAML takes only spaces: expected two for each level',
  ],
  [
    'one tab',
    withChange('    filters:', '\tfilters:'),
    '15:1: is indented with a tab; YAML takes only spaces: expected two for each level',
  ],
  [
    'jobs mapping',
    FILE.slice(0, FILE.indexOf('jobs:')) +
      'jobs:\n  acme-rankings:\n    dataset: keyword_rankings\n  acme-brands:\n    dataset: ai_search_brands\n',
    '12:1: jobs: is a mapping; expected a list of jobs, each beginning with a hyphen and its name: "- name: ..."',
  ],
  [
    'jobs single mapping',
    `${FILE.slice(0, FILE.indexOf('jobs:'))}jobs:\n  name: x\n  dataset: keyword_rankings\n`,
    '12:1: jobs: is one job; expected a list of jobs, each beginning with a hyphen: "- name: ..."',
  ],
  [
    'inline token',
    withChange('${TOKEN}', 'abc123secretsecret'),
    '5:14: connections.main.auth.token: is written in this file, where everybody who reads the file or its history sees it; expected a variable, such as "${SEARCH_API_TOKEN}"',
  ],
  [
    '$TOKEN',
    withChange('${TOKEN}', '"$TOKEN"'),
    '5:14: connections.main.auth.token: looks like a variable but is taken as it is; expected "${NAME}"',
  ],
  [
    '%TOKEN%',
    withChange('${TOKEN}', '"%TOKEN%"'),
    '5:14: connections.main.auth.token: looks like a variable but is taken as it is; expected "${NAME}"',
  ],
  [
    '{{TOKEN}}',
    withChange('${TOKEN}', '"{{ TOKEN }}"'),
    '5:14: connections.main.auth.token: is a placeholder; expected a token: ASCII characters without spaces',
  ],
  [
    '{{TOKEN}} bare',
    withChange('${TOKEN}', '{{ TOKEN }}'),
    '5:14: a template was not filled in; expected a value, or a variable in quotes: "${NAME}"',
  ],
  [
    '$(TOKEN)',
    withChange('${TOKEN}', '$(TOKEN)'),
    '5:14: connections.main.auth.token: looks like a variable but is taken as it is; expected "${NAME}"',
  ],
  [
    'Bearer',
    withChange('${TOKEN}', 'Bearer ${TOKEN}'),
    '5:14: connections.main.auth.token: begins with Bearer, which Searchmill adds itself; expected a token: ASCII characters without spaces',
  ],
  [
    'every minute',
    withChange('0 6 * * 1', '* * * * *'),
    '10:11: defaults.schedule.cron: looks for new weeks more than once an hour, though they end once a week; expected such as "0 6 * * 1"',
  ],
  [
    'no space after colon',
    withChange('dataset: keyword_rankings', 'dataset:keyword_rankings'),
    '14:5: lacks a space after the colon; expected "name: value"',
  ],
  [
    'no space after dash',
    withChange('- name: acme-rankings', '-name: acme-rankings'),
    '13:3: lacks a space after the hyphen; expected "- " before an item of a list',
  ],
  [
    'comma missing',
    withChange('[US, DE]', '[US DE]'),
    '16:19: jobs[0].filters.countries[0]: is "US DE", which is several values in one text; it is sent unchanged and may return 0 rows; did you mean "US", "DE"?',
  ],
  ['unclosed', withChange('[US, DE]', '[US, DE'), '16:18: begins a list that is never closed; expected ] at its end'],
  [
    'unclosed quote',
    withChange('"0 6 * * 1"', '"0 6 * * 1'),
    '10:11: begins a text in quotes that is never closed; expected another " at its end',
  ],
  ['cron unquoted star', withChange('"0 6 * * 1"', '* 6 * * 1'), '10:11: is taken for an alias; text that begins with * must be in quotes'],
  [
    'cron six',
    withChange('0 6 * * 1', '0 0 6 * * 1'),
    '10:11: defaults.schedule.cron: is "0 0 6 * * 1", which has 6 fields: there is none for seconds; expected a cron expression of five fields, such as "0 6 * * 1" (Mondays at 6:00)',
  ],
  [
    'cron @daily',
    withChange('"0 6 * * 1"', '"@weekly"'),
    '10:11: defaults.schedule.cron: is "@weekly", which is a short name, which is not supported; expected a cron expression of five fields, such as "0 6 * * 1" (Mondays at 6:00)',
  ],
  ['equals', withChange('account_id: 12345', 'account_id = 12345'), '7:3: has = between name and value; expected a colon and a space'],
  [
    'Base_URL caps',
    withChange('base_url', 'BASE_URL'),
    '3:5: connections.main.BASE_URL: is not known here; expected one of base_url, allow_http, auth, headers, limits; did you mean base_url?',
  ],
  [
    'path in url',
    withChange('https://gateway.example.com', 'https://gateway.example.com/data-api/v1'),
    '3:15: connections.main.base_url: has the path of an operation in it, which Searchmill adds itself; expected an address such as https://gateway.example.com (http only for localhost)',
  ],
  [
    'url without scheme',
    withChange('https://gateway.example.com', 'gateway.example.com'),
    '3:15: connections.main.base_url: lacks https:// at its beginning; expected an address such as https://gateway.example.com (http only for localhost)',
  ],
  [
    'filters as list',
    withChange('      countries: [US, DE]\n      devices: [DESKTOP]', '      - countries: [US, DE]\n      - devices: [DESKTOP]'),
    '16:7: jobs[0].filters: is a list; expected a mapping of filters to their values',
  ],
  [
    'connections as list',
    withChange(
      '  main:\n    base_url: https://gateway.example.com\n    auth:\n      token: ${TOKEN}',
      '  - name: main\n    base_url: https://gateway.example.com\n    auth:\n      token: ${TOKEN}',
    ),
    '2:3: connections: is a list; expected a mapping with at least one connection',
  ],
  [
    'connection flat',
    withChange(
      '  main:\n    base_url: https://gateway.example.com\n    auth:\n      token: ${TOKEN}',
      '  base_url: https://gateway.example.com\n  auth:\n    token: ${TOKEN}',
    ),
    '2:3: connections.base_url: is a field of a connection; expected a name of the connection above it, as in connections: { main: { base_url: ... } }',
  ],
  [
    'token outside auth',
    withChange('    auth:\n      token: ${TOKEN}', '    token: ${TOKEN}'),
    '4:5: connections.main.token: is a field of auth; expected it below auth',
  ],
  [
    'both auth',
    withChange('      token: ${TOKEN}', '      token: ${TOKEN}\n      api_key: x'),
    '6:7: connections.main.auth.api_key: stands beside token; expected either token, or api_key and shared_secret',
  ],
  [
    'since dmy',
    withChange('2026-09-06', '06.09.2026'),
    '8:10: defaults.since: is "06.09.2026"; expected a calendar date as YYYY-MM-DD; did you mean 2026-09-06?',
  ],
  [
    'since month',
    withChange('2026-09-06', '2026-09'),
    '8:10: defaults.since: is "2026-09"; expected a calendar date as YYYY-MM-DD; did you mean 2026-09-01?',
  ],
  [
    'account quoted',
    withChange('account_id: 12345', "account_id: '12345'"),
    '7:15: defaults.account_id: is "12345"; expected a whole number, at least 1; write it without quotes',
  ],
  [
    'account underscore',
    withChange('account_id: 12345', 'account_id: 12_345'),
    '7:15: defaults.account_id: is "12_345"; expected a whole number, at least 1; did you mean 12345?',
  ],
  [
    'account octal',
    withChange('account_id: 12345', 'account_id: 0012345'),
    '7:15: defaults.account_id: is read as 12345; expected a number without leading zeros, prefix or exponent, or a text in quotes',
  ],
  [
    'account comma',
    withChange('account_id: 12345', 'account_id: 12,345'),
    '7:15: defaults.account_id: is "12,345"; expected a whole number, at least 1; did you mean 12345?',
  ],
  [
    'account list str',
    withChange('account_id: 12345', 'account_ids: 12345, 67890'),
    '7:16: defaults.account_ids: is "12345, 67890"; expected a list of accounts, not empty, each a whole number, at least 1; did you mean [12345, 67890]?',
  ],
  [
    'yes',
    withChange('  since:', '  enabled: yes\n  since:'),
    '8:12: defaults.enabled: is "yes"; expected true or false; did you mean true?',
  ],
  [
    'on key',
    withChange('  since:', '  enabled: on\n  since:'),
    '8:12: defaults.enabled: is "on"; expected true or false; did you mean true?',
  ],
  [
    'job singular',
    withChange('jobs:', 'job:'),
    '12:1: job: is not known here; expected one of connections, defaults, jobs, aliases, notify, pages, retention, signals; did you mean jobs?',
  ],
  [
    'default singular',
    withChange('defaults:', 'default:'),
    '6:1: default: is not known here; expected one of connections, defaults, jobs, aliases, notify, pages, retention, signals; did you mean defaults?',
  ],
  [
    'unquoted at',
    withChange('  since:', '  own_domains: [@example.com]\n  since:'),
    '8:17: begins with a character that YAML reserves; expected the text in quotes',
  ],
  [
    'own domain url',
    withChange('  since:', '  own_domains: [https://example.com/]\n  since:'),
    '8:17: defaults.own_domains[0]: is "https://example.com/"; expected a domain such as example.com; did you mean example.com?',
  ],
  [
    'own domain text',
    withChange('  since:', '  own_domains: example.com, b.example\n  since:'),
    '8:16: defaults.own_domains: is "example.com, b.example"; expected a list of domains such as example.com, or a mapping of accounts to such lists; did you mean ["example.com", "b.example"]?',
  ],
  [
    'smart quotes',
    withChange('"0 6 * * 1"', '“0 6 * * 1”'),
    '10:11: defaults.schedule.cron: is "“0 6 * * 1”", which has quotes that are part of it: only " or \' mark a text; expected a cron expression of five fields, such as "0 6 * * 1" (Mondays at 6:00)',
  ],
  [
    'nbsp indent',
    withChange('    dataset: keyword_rankings', '\u00a0\u00a0\u00a0\u00a0dataset: keyword_rankings'),
    '14:1: has the blank U+00A0, which YAML takes for text; expected a space',
  ],
  [
    'nbsp after colon',
    withChange('dataset: keyword_rankings', 'dataset:\u00a0keyword_rankings'),
    '14:13: has the blank U+00A0, which YAML takes for text; expected a space',
  ],
  [
    'merge marker',
    withChange('  since:', '<<<<<<< HEAD\n  since:'),
    '8:1: is a mark of a merge conflict; expected one of the two versions, without the marks',
  ],
  [
    'filters quoted list',
    withChange('[US, DE]', '"[US, DE]"'),
    '16:18: jobs[0].filters.countries: is "[US, DE]"; expected a list of two-letter country codes such as US; did you mean ["US", "DE"]?',
  ],
  [
    'countries csv',
    withChange('[US, DE]', 'US, DE'),
    '16:18: jobs[0].filters.countries: is "US, DE"; expected a list of two-letter country codes such as US; did you mean ["US", "DE"]?',
  ],
  [
    'max_wait ISO',
    withChange('  since:', '  max_wait: PT6H\n  since:'),
    '8:13: defaults.max_wait: is "PT6H"; expected a duration such as 90s, 30m, 6h or 2d, at most 7d; did you mean 6h?',
  ],
  [
    'max_wait words',
    withChange('  since:', '  max_wait: 6 hours\n  since:'),
    '8:13: defaults.max_wait: is "6 hours"; expected a duration such as 90s, 30m, 6h or 2d, at most 7d; did you mean 6h?',
  ],
  [
    'percent',
    withChange('  since:', '  min_keep: 50%\n  since:'),
    '8:13: defaults.min_keep: is "50%"; expected a share from 0 to 1, such as 0.05; did you mean 0.5?',
  ],
  ['two docs', `${FILE}---\njobs: []\n`, '20:1: a second document begins here; expected one document, without ---'],
  [
    'cr',
    FILE.replace(/\n/g, '\r'),
    '1:1: the lines end with CR alone, so the file is one line; expected LF: save it with the line ends of Unix',
  ],
  [
    'limits hard in connection root',
    withChange('defaults:\n', 'limits: hard\ndefaults:\n'),
    '6:1: limits: is not known here; expected one of connections, defaults, jobs, aliases, notify, pages, retention, signals',
  ],
  [
    'camelCase',
    withChange('  since:', '  weeksPerQuery: 4\n  since:'),
    '8:3: defaults.weeksPerQuery: is not known here; expected one of dataset, connection, account_id, account_ids, schedule, since, lookback_weeks, keep_weeks, weeks_per_query, week_starts_on, page_size, max_rejected, min_keep, allow_empty, max_wait, max_submits, own_domains, competitors, own_brands, rival_brands, enabled; did you mean weeks_per_query?',
  ],
  [
    'tz abbreviation',
    withChange('Europe/Berlin', 'CEST'),
    '11:15: defaults.schedule.timezone: is "CEST", which is not a time zone; expected the name of a time zone, such as Europe/Berlin or UTC',
  ],
  [
    'env in key',
    withChange('  - name: acme-rankings', '  - ${NAME}: acme-rankings'),
    '13:5: jobs[0].${NAME}: is a variable as a key; only values may have variables',
  ],
  [
    '${TOKEN-default}',
    withChange('${TOKEN}', '${TOKEN-abc}'),
    '5:14: connections.main.auth.token: ${ does not begin a variable; expected ${NAME} or ${NAME:-default}, or $${ for these characters themselves',
  ],
  [
    '${ TOKEN }',
    withChange('${TOKEN}', '${ TOKEN }'),
    '5:14: connections.main.auth.token: ${ does not begin a variable; expected ${NAME} or ${NAME:-default}, or $${ for these characters themselves',
  ],
  [
    '${env:TOKEN}',
    withChange('${TOKEN}', '${env:TOKEN}'),
    '5:14: connections.main.auth.token: ${ does not begin a variable; expected ${NAME} or ${NAME:-default}, or $${ for these characters themselves',
  ],
  [
    'empty default',
    withChange('${TOKEN}', '${TOKN:-}'),
    '5:14: connections.main.auth.token: comes from a variable whose value is not valid; expected a token: ASCII characters without spaces',
  ],
  [
    'include_msv',
    withChange('countries', 'include_msv: true\n      countries'),
    '16:7: jobs[0].filters.include_msv: is not known here; expected one of min_rank, max_rank, collection_frequency, result_types, domains, includeMsv, keyword_group_ids, keyword_group_names, web_property_ids, rank_source_ids, devices, locodes, countries, languages; did you mean includeMsv?',
  ],
  [
    'jobs nested below defaults',
    withChange('jobs:\n', '  jobs:\n'),
    '12:3: defaults.jobs: is a section of the file; expected it without indentation',
  ],
  [
    'missing dash second job',
    withChange('  - name: acme-brands', '    name: acme-brands'),
    '18:5: jobs[0].name: is written twice, first on line 13; expected once, or a hyphen before it, if another job begins here',
  ],
  [
    'multiline string',
    withChange('name: acme-rankings', 'name: >\n      acme-rankings'),
    '13:11: jobs[0].name: is "acme-rankings\\n"; expected a name of up to 63 lower-case letters, digits, - and _',
  ],
  [
    'anchor missing',
    withChange('  - name: acme-brands', '  - <<: *weekly\n    name: acme-brands'),
    '18:9: no anchor of this name precedes this alias; text that begins with * must be in quotes',
  ],
  [
    'template placeholder',
    withChange('${TOKEN}', '<your token>'),
    '5:14: connections.main.auth.token: is a placeholder; expected a token: ASCII characters without spaces',
  ],
  [
    'placeholder url',
    withChange('https://gateway.example.com', 'https://<gateway>'),
    '3:15: connections.main.base_url: is not an address; expected an address such as https://gateway.example.com (http only for localhost)',
  ],
  [
    'placeholder changeme',
    withChange('${TOKEN}', 'changeme'),
    '5:14: connections.main.auth.token: is written in this file, where everybody who reads the file or its history sees it; expected a variable, such as "${SEARCH_API_TOKEN}"',
  ],
  [
    'token with newline',
    withChange('${TOKEN}', '"abc\\n"'),
    '5:14: connections.main.auth.token: has a blank or a line break in it; expected a token: ASCII characters without spaces',
  ],
  [
    'a wildcard',
    withChange('  since:', '  own_domains: ["*.example.com"]\n  since:'),
    '8:17: defaults.own_domains[0]: is "*.example.com", which has a wildcard, although subdomains count without one; expected a domain such as example.com; did you mean example.com?',
  ],
  [
    'a monthly schedule',
    withChange('0 6 * * 1', '0 6 1 * *'),
    '10:11: defaults.schedule.cron: looks for new weeks less than once a week; expected such as "0 6 * * 1"',
  ],
  [
    'a competitor that is ours',
    withChange('  since:', '  own_domains: [acme.example]\n  competitors: [www.ACME.example, rival.example]\n  since:'),
    '9:17: defaults.competitors[0]: is one of own_domains, too; expected a site of others',
  ],
  [
    'a competitor that is ours, by account',
    withChange('  since:', '  own_domains: { 12345: [acme.example] }\n  competitors: { 12345: [acme.example] }\n  since:'),
    '9:26: defaults.competitors.12345[0]: is one of own_domains, too; expected a site of others',
  ],
  [
    'weeks that are removed and loaded again',
    withChange('  since:', '  keep_weeks: 1\n  lookback_weeks: 8\n  since:'),
    '8:15: defaults.keep_weeks: keeps 1 week, although 8 weeks before the newest are loaded again (lookback_weeks); expected keep_weeks of at least 9',
  ],
  [
    'a target without a name',
    `${FILE}notify:\n  slack: \${TOKEN}\n`,
    '21:3: notify.slack: is a field of a target; expected it below targets and a name, as in notify: { targets: { operators: { slack: ... } } }',
  ],
  [
    'two targets in one',
    `${FILE}notify:\n  targets:\n    ops:\n      slack: "\${HOOK}"\n      webhook: "\${HOOK}"\n`,
    '24:7: notify.targets.ops.webhook: is another kind of target; expected a target of its own, with another name',
  ],
  [
    'half of a target',
    `${FILE}notify:\n  targets:\n    ops:\n      from: a@example.com\n      to: [b@example.com]\n`,
    '22:5: notify.targets.ops.email: is missing; expected a variable with an address such as smtps://user:password@mail.example.com',
  ],
  [
    'an invisible character',
    withChange('dataset: ai_search_brands', 'dataset: ai_search_brands\u200b'),
    '19:14: jobs[1].dataset: is "ai_search_brands\\u200b"; expected one of keyword_rankings, highest_ranking_url_per_keyword, ai_search_brands, ai_search_citations, ai_search_fan_out, ai_search_sentiments, ai_search_response; did you mean ai_search_brands?',
  ],
  [
    'a blank of a web page before a key',
    withChange('    dataset: ai_search_brands', '\u00a0   dataset: ai_search_brands'),
    '19:1: has the blank U+00A0, which YAML takes for text; expected a space',
  ],
  ...['•', '–', '—', '−'].map((sign) => [
    `${sign} for a hyphen`,
    withChange('  - name: acme-brands', `  ${sign} name: acme-brands`),
    '18:3: begins with a sign that looks like a hyphen and is none; expected "- " before an item of a list',
  ]),
  [
    'quotes of a chat',
    withChange('name: acme-brands', 'name: “acme-brands”'),
    '18:11: jobs[1].name: is "“acme-brands”", which has quotes that are part of it: only " or \' mark a text; expected a name of up to 63 lower-case letters, digits, - and _',
  ],
  [
    'a flag in quotes',
    `${FILE}    enabled: "false"\n`,
    '20:14: jobs[1].enabled: is "false"; expected true or false; write it without quotes',
  ],
  [
    'a schedule without quotes',
    withChange('"0 6 * * 1"', '*/15 6 * * 1'),
    '10:11: is taken for an alias; text that begins with * must be in quotes',
  ],
  [
    'an apostrophe between single quotes',
    withFilters("{ topics: ['men's shoes'] }"),
    '20:30: follows the end of a text in quotes; expected a quote inside such a text as \\" between ", or twice between \'',
  ],
  [
    'quotes between quotes',
    withFilters('{ prompts: ["what is "best"?"] }'),
    '20:36: follows the end of a text in quotes; expected a quote inside such a text as \\" between ", or twice between \'',
  ],
  [
    'a comment in a list',
    withFilters('{ prompts: [best shoes #1, boots] }'),
    '20:37: begins a comment, since a blank precedes it; expected quotes around a text with # in it',
  ],
  [
    'a list of JSON that is not closed',
    withChange('[US, DE]', '{ a: [US, DE }'),
    '16:23: begins a list that is never closed; expected ] at its end',
  ],
  [
    'a list without brackets between braces',
    withFilters('{ locodes: US, CA }'),
    '20:29: jobs[1].filters.CA: has no value: inside { } a comma begins the next field; expected "name: value", or a list in [ ], or a text in quotes',
  ],
  [
    'a number with a comma between braces',
    withFilters('{ limit: 1,000 }', 'ai_search_response'),
    '20:25: jobs[1].filters.000: has no value: inside { } a comma begins the next field; expected "name: value", or a list in [ ], or a text in quotes',
  ],
  [
    'a flag without a value',
    withFilters('{ includeMsv }', 'highest_ranking_url_per_keyword'),
    '20:16: jobs[1].filters.includeMsv: has no value: inside { } a comma begins the next field; expected "name: value", or a list in [ ], or a text in quotes',
  ],
  [
    'a name that begins with &',
    withDefault('own_brands: [&Acme]'),
    '8:16: defaults.own_brands[0]: is an anchor without a value; text that begins with & must be in quotes',
  ],
  [
    'a name that begins with !',
    withDefault('own_brands: [!Yahoo]'),
    '8:16: YAML syntax: Unresolved tag; expected plain YAML without tags, or quotes around a text that begins with !',
  ],
  [
    'a name with a colon',
    withDefault('own_brands: [Acme: Pro]'),
    '8:16: defaults.own_brands[0].Acme: is not known here; expected one of name, spellings, or quotes around a text with a colon and a space in it',
  ],
  [
    'a prompt with a colon',
    withFilters('{ prompts: [{ which is best: Acme or Cairn? }] }'),
    '20:26: jobs[1].filters.prompts[0]: is a mapping; expected text, in quotes if it has a colon and a space in it',
  ],
  [
    'a blank at the end of a text',
    withFilters('{ topics: ["shoes "] }'),
    '20:25: jobs[1].filters.topics[0]: ends with a blank or a line break; expected none there',
  ],
  [
    'a line break at the end of a text',
    withFilters('\n      prompts:\n        - |\n          best shoes?'),
    '22:11: jobs[1].filters.prompts[0]: ends with a blank or a line break; expected none there',
  ],
  [
    'a list of accounts',
    withChange('account_id: 12345', 'account_id: [12345, 67890]'),
    '7:15: defaults.account_id: is a list; expected a whole number, at least 1; for several accounts write account_ids',
  ],
  [
    'an account with a blank',
    withChange('account_id: 12345', 'account_id: "12345 "'),
    '7:15: defaults.account_id: is "12345 "; expected a whole number, at least 1; did you mean 12345?',
  ],
  [
    'an account that is too large',
    withChange('account_id: 12345', 'account_id: 12345678901234567890'),
    '7:15: defaults.account_id: is 12345678901234567000, which is too large to be exact; expected a whole number, at least 1',
  ],
  [
    'a range of accounts',
    withChange('account_id: 12345', 'account_ids: 1-5'),
    '7:16: defaults.account_ids: is "1-5"; expected a list of accounts, not empty, each a whole number, at least 1',
  ],
  [
    'no account anywhere',
    withChange('  account_id: 12345\n', ''),
    '12:5: jobs[0].account_id: is missing, here, in 1 other job and in defaults; expected a whole number, at least 1, or a list of them as account_ids',
  ],
  [
    'no first day anywhere',
    withChange('  since: 2026-09-06\n', ''),
    '12:5: jobs[0].since: is missing, here, in 1 other job and in defaults; expected a calendar date as YYYY-MM-DD',
  ],
  [
    'a day that no month has',
    withChange('2026-09-06', '2026-02-30'),
    '8:10: defaults.since: is "2026-02-30", which is not in the calendar; expected a calendar date as YYYY-MM-DD',
  ],
  [
    'a time beside the day',
    withChange('2026-09-06', '2026-09-06T00:00:00Z'),
    '8:10: defaults.since: is "2026-09-06T00:00:00Z"; expected a calendar date as YYYY-MM-DD; did you mean 2026-09-06?',
  ],
  [
    'a last day',
    withDefault('until: 2026-10-04'),
    '8:3: defaults.until: is not known here; expected one of dataset, connection, account_id, account_ids, schedule, since, lookback_weeks, keep_weeks, weeks_per_query, week_starts_on, page_size, max_rejected, min_keep, allow_empty, max_wait, max_submits, own_domains, competitors, own_brands, rival_brands, enabled',
  ],
  [
    'a day of 31 February',
    withChange('0 6 * * 1', '0 6 31 2 *'),
    '10:11: defaults.schedule.cron: is "0 6 31 2 *", which names a day that never comes; expected a cron expression of five fields, such as "0 6 * * 1" (Mondays at 6:00)',
  ],
  [
    'the hour 24',
    withChange('0 6 * * 1', '0 24 * * 1'),
    '10:11: defaults.schedule.cron: is "0 24 * * 1", which cannot be read in its hour (0 to 23); expected a cron expression of five fields, such as "0 6 * * 1" (Mondays at 6:00)',
  ],
  [
    'a schedule in words',
    withChange('0 6 * * 1', 'every monday at 6'),
    '10:11: defaults.schedule.cron: is "every monday at 6", which has 4 fields; expected a cron expression of five fields, such as "0 6 * * 1" (Mondays at 6:00)',
  ],
  [
    'an offset for a time zone',
    withChange('Europe/Berlin', '+02:00'),
    '11:15: defaults.schedule.timezone: is "+02:00", which is not a time zone; expected the name of a time zone, such as Europe/Berlin or UTC',
  ],
  [
    'a time zone with a blank',
    withChange('Europe/Berlin', 'America/New York'),
    '11:15: defaults.schedule.timezone: is "America/New York", which is not a time zone; expected the name of a time zone, such as Europe/Berlin or UTC; did you mean America/New_York?',
  ],
  [
    'a name with a blank',
    withChange('acme-rankings', 'US Rankings'),
    '13:11: jobs[0].name: is "US Rankings"; expected a name of up to 63 lower-case letters, digits, - and _; did you mean us-rankings?',
  ],
  [
    'a letter of another alphabet',
    withChange('acme-brands', 'acme-br\u0430nds'),
    '18:11: jobs[1].name: is "acme-brаnds", which has the Cyrillic letter \\u0430; expected a name of up to 63 lower-case letters, digits, - and _',
  ],
  [
    'several datasets in one job',
    withChange('dataset: ai_search_brands', 'dataset: [ai_search_brands, ai_search_citations]'),
    '19:14: jobs[1].dataset: is a list; expected one of keyword_rankings, highest_ranking_url_per_keyword, ai_search_brands, ai_search_citations, ai_search_fan_out, ai_search_sentiments, ai_search_response; write a job for each',
  ],
  [
    'filters for all jobs',
    withDefault('filters: { countries: [US] }'),
    '8:3: defaults.filters: is a field of a job, and defaults cannot have it; expected it in each job',
  ],
  [
    'a filter of another dataset',
    withFilters('{ max_rank: 10 }'),
    '20:16: jobs[1].filters.max_rank: is not a filter of ai_search_brands but of keyword_rankings; expected one of collection_frequency, web_property_ids, ai_search_engines, locodes, languages, topics, prompts, prompt_type, intents, personas, brand_or_product_names, brand_or_product_attributions, prompts_groups, prompts_groups_match',
  ],
  [
    'an address for a domain',
    withFilters('{ domains: ["https://acme.example/shoes"] }', 'ai_search_citations'),
    '20:26: jobs[1].filters.domains[0]: is "https://acme.example/shoes", which is not a domain; it is sent unchanged and may return 0 rows; did you mean "acme.example"?',
  ],
  [
    'an address of our own',
    withDefault('own_domains: ["https://www.acme.example/"]'),
    '8:17: defaults.own_domains[0]: is "https://www.acme.example/"; expected a domain such as example.com; did you mean www.acme.example?',
  ],
  [
    'mobile phones',
    withChange('[DESKTOP]', '[mobile]'),
    '17:17: jobs[0].filters.devices[0]: is "mobile"; it is sent unchanged and may return 0 rows; did you mean "SMARTPHONE"?',
  ],
  [
    'a language of browsers',
    withFilters('{ languages: [en-US] }'),
    '20:28: jobs[1].filters.languages[0]: is "en-US", which has a hyphen between language and region; it is sent unchanged and may return 0 rows; did you mean "en_US"?',
  ],
  [
    'a location outside of the countries',
    withChange('devices: [DESKTOP]', 'locodes: [US-NY, FR-75]'),
    '17:24: jobs[0].filters.locodes[1]: is in none of countries, so it returns 0 rows; expected its country there, too, or one of the two filters',
  ],
  [
    'a location with an underscore',
    withFilters('{ locodes: [US_NY] }'),
    '20:26: jobs[1].filters.locodes[0]: is "US_NY", which is not a two-letter country code, alone or with a city or region after a space or hyphen; it is sent unchanged and may return 0 rows',
  ],
  [
    'several values where one is due',
    withFilters('{ prompt_type: [branded, unbranded] }'),
    '20:29: jobs[1].filters.prompt_type: is a list; expected text such as branded, unbranded',
  ],
  [
    'a variable of another case',
    withChange('${TOKEN}', '${search_api_token}'),
    '5:14: connections.main.auth.token: the variable search_api_token is not set; expected search_api_token, or search_api_token_FILE naming a file that contains it, or a default as in ${search_api_token:-default}; did you mean SEARCH_API_TOKEN, which is set?',
  ],
  [
    'a credential without its name',
    withChange('auth:\n      token: ${TOKEN}', 'auth: ${TOKEN}'),
    '4:11: connections.main.auth: is text from a variable; expected either token, or api_key and shared_secret',
  ],
  [
    'a header of the credential',
    withChange('    auth:', '    headers: { Authorization: "${TOKEN}" }\n    auth:'),
    '4:16: connections.main.headers.Authorization: is a header that Searchmill sets itself; expected it to be left out (credentials belong in auth)',
  ],
  [
    'a recipient for a mail server',
    withTarget('{ email: ops@example.com, severity: warning }'),
    '22:19: notify.targets.ops.email: is the address of a person; expected the mail server, as a variable with an address such as smtps://user:password@mail.example.com, and persons in from and to',
  ],
  [
    'a list of targets',
    withTarget('').replace('    ops: ', '    - { slack: https://hooks.example.com/a }'),
    '22:5: notify.targets: is a list; expected a mapping with 1 to 20 targets',
  ],
  [
    'a day of the week, abbreviated',
    withTarget('{ slack: "${HOOK}", brief: Mon }'),
    '22:37: notify.targets.ops.brief: is "Mon"; expected one of sunday, monday, tuesday, wednesday, thursday, friday, saturday; did you mean monday?',
  ],
  [
    'a severity of others',
    withTarget('{ slack: "${HOOK}", severity: critical }'),
    '22:40: notify.targets.ops.severity: is "critical"; expected one of error, warning',
  ],
  [
    'an event of others',
    withTarget('{ slack: "${HOOK}", events: [week.failed] }'),
    '22:39: notify.targets.ops.events[0]: is "week.failed"; expected one of week.published, week.held, week.revised; did you mean week.revised?',
  ],
  [
    'a retention that is too short',
    `${FILE}retention: { calls: 7d }\n`,
    '20:21: retention.calls: is "7d"; expected a duration such as 30d, at least 30d, at most 36500d',
  ],
  [
    'aliases as a list',
    `${FILE}aliases: { engine: [chatgpt, chatgptsearch] }\n`,
    '20:20: aliases.engine: is a list; expected a mapping of spellings to names',
  ],
])('%s is told once', (_name, text, remark) => {
  expect(remarksOn(text)).toEqual([remark]);
});

it.each([
  ['base', FILE],
  ['tab after key', withChange('dataset: keyword_rankings', 'dataset:\tkeyword_rankings')],
  ['NO as a country', withChange('[US, DE]', '[NO, DE]')],
  ['a byte order mark', `\ufeff${FILE}`],
  ['line ends of Windows', FILE.replaceAll('\n', '\r\n')],
  [
    'items at the left margin',
    FILE.replaceAll(/^ {2}- name/gm, '- name')
      .replaceAll(/^ {4}(dataset|filters)/gm, '  $1')
      .replaceAll(/^ {6}(countries|devices)/gm, '    $1'),
  ],
])('%s is no mistake', (_name, text) => {
  expect(remarksOn(text)).toEqual([]);
});

it('tells of a file whose jobs are a mapping nothing about its domains', () => {
  const text = FILE.replace('  schedule:', '  own_domains: { 12345: [a.example], 67890: [b.example] }\n  schedule:').replace(
    /jobs:.*/s,
    'jobs: { a: { dataset: ai_search_brands } }\n',
  );
  expect(remarksOn(text)).toEqual([expect.stringMatching(/^13:1: jobs: is a mapping; expected a list of jobs/)]);
});
