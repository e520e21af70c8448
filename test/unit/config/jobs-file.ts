// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables, as people write it
// Texts of jobs.config.yaml for tests, and what Searchmill says about them.

import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import type { Job } from '../../../src/config/settings.ts';
import type { EnvironmentVariables } from '../../../src/config/variables.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { ConfigurationError } from '../../../src/core/errors.ts';

/** Line 6 of the file that `jobFile` makes is the first of `lines`. */
const HEAD = `connections:
  main: { base_url: "https://gateway.example.com", auth: { token: "\${TOKEN:-abc}" } }
jobs:
  - name: acme
    dataset: keyword_rankings
`;

/** A valid file with one job that has these lines more, indented by four; it needs account_id and since. */
export function jobFile(...lines: string[]): string {
  return HEAD + lines.map((line) => `    ${line}\n`).join('');
}

/** `jobFile` with what every job needs: line 8 of the file is the first of `lines`. */
export function completeJobFile(...lines: string[]): string {
  return jobFile('account_id: 1', 'since: 2026-09-06', ...lines);
}

/** A file of jobs, a line each, whose defaults begin on line 4 with these lines more. */
export function defaultsFile(defaults: readonly string[], jobs: readonly string[]): string {
  return [
    'connections: { main: { base_url: "https://gateway.example.com", auth: { token: abc } } }',
    'defaults:',
    '  since: 2026-09-06',
    ...defaults.map((line) => `  ${line}`),
    'jobs:',
    ...jobs.map((job) => `  - { ${job} }`),
    '',
  ].join('\n');
}

export function onlyJob(text: string, env: EnvironmentVariables = {}, clock?: Pick<Clock, 'now'>): Job {
  const [job] = parseJobsConfig('jobs.yaml', text, env, clock).config.jobs;
  if (!job) throw new Error('the file has no job');
  return job;
}

/** The mistakes of a file, each without the file's name: `line:column: path: text`. */
export function mistakesIn(text: string, env: EnvironmentVariables = {}, clock?: Pick<Clock, 'now'>): string[] {
  try {
    parseJobsConfig('jobs.yaml', text, env, clock);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const [, ...lines] = error.message.split('\n');
    return lines.map((line) => line.replace(/^jobs\.yaml:/, ''));
  }
  return [];
}

/** A jobs file as people have it, and the variables that it needs. */
export const COMMON_FILE = `connections:
  main:
    base_url: "\${SEARCH_API_URL}"
    auth: { token: "\${SEARCH_API_TOKEN}" }
defaults:
  account_id: 12345
  since: 2026-09-06
  schedule: { cron: "0 6 * * 1", timezone: Europe/Berlin }
jobs:
  - name: acme-rankings
    dataset: keyword_rankings
    filters: { countries: [US], devices: [DESKTOP] }
  - name: acme-brands
    dataset: ai_search_brands
`;
export const COMMON_ENV = { SEARCH_API_URL: 'https://gateway.example.com', SEARCH_API_TOKEN: 'abcdefghij' };

/** That file with one change. Throws where it does not have what is to be changed. */
export function withChange(from: string, to: string): string {
  if (!COMMON_FILE.includes(from)) throw new Error(`the file has no ${from}`);
  return COMMON_FILE.replace(from, () => to);
}
