import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadJobsConfig } from '../../../src/config/jobs-config.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { buildSubmitBody } from '../../../src/datasets/submit-body.ts';

const pathOf = (file: string): string => fileURLToPath(new URL(`../../../${file}`, import.meta.url));
const DEMO = pathOf('demo/jobs.config.yaml');
const PRODUCTION = pathOf('jobs.config.yaml');

describe('the jobs of the demo', () => {
  it('work as they are, without a variable set and without a warning, for every dataset', () => {
    const { config, warnings } = loadJobsConfig(DEMO, {});
    expect(warnings).toEqual([]);
    expect(config.jobs.slice(0, DATASETS.length).map((job) => job.dataset)).toEqual(DATASETS);
    expect(new Set(config.jobs.map((job) => job.accountId)).size).toBe(2);
    expect(config.connections.get('main')).toMatchObject({ baseUrl: 'http://127.0.0.1:4010', callsPerMinute: { submit: 40, read: 5000 } });
  });

  it('never send the token of the environment to the sandbox', () => {
    const { config } = loadJobsConfig(DEMO, { SEARCH_API_TOKEN: 'a-real-one', SEARCHMILL_SINCE: '2026-11-04' });
    const auth = config.connections.get('main')?.auth;
    expect(auth?.kind === 'token' && auth.token.reveal()).toBe('sandbox-token');
    expect(new Set(config.jobs.map((job) => job.since))).toEqual(new Set(['2026-11-01']));
  });

  it('need fewer queries for their 13 weeks than are allowed in a minute', () => {
    const { config } = loadJobsConfig(DEMO, {});
    const queries = config.jobs.map(({ weeksPerQuery }) => Math.ceil(13 / weeksPerQuery)).reduce((a, b) => a + b);
    expect(queries).toBeLessThan(config.connections.get('main')?.callsPerMinute.submit ?? 0);
  });

  it('make bodies that carry their filters', () => {
    const [rankings] = loadJobsConfig(DEMO, {}).config.jobs;
    if (!rankings) throw new Error('the demo has no job');
    expect(buildSubmitBody(rankings, { start: '2026-11-08', end: '2026-11-14' })).toEqual({
      account_id: 12345,
      start_date: '2026-11-08',
      end_date: '2026-11-14',
      collection_frequency: 'WEEKLY',
      includeMsv: true,
      devices: ['DESKTOP', 'SMARTPHONE'],
      countries: ['US', 'DE'],
    });
  });
});

describe('the example of production', () => {
  const real = { SEARCH_API_URL: 'https://gateway.example.com/', SEARCH_API_TOKEN: 'abc' };

  it('is the one that init writes', () => {
    const [example = '', written = ''] = [PRODUCTION, pathOf('init/jobs.config.yaml')].map((path) => readFileSync(path, 'utf8'));
    const body = (text: string): string => text.slice(text.indexOf('connections:')).replaceAll('npx searchmill', 'searchmill');
    expect(body(example)).toBe(body(written));
  });

  it('has no address and no token of its own, and the recommended limits', () => {
    expect(() => loadJobsConfig(PRODUCTION, {})).toThrow(/SEARCH_API_URL is not set[\s\S]*SEARCH_API_TOKEN is not set/);
    expect(() => loadJobsConfig(PRODUCTION, { SEARCH_API_TOKEN: 'abc' })).toThrow(/SEARCH_API_URL is not set/);
    const { config, warnings } = loadJobsConfig(PRODUCTION, real);
    expect(warnings).toEqual([]);
    expect(config.connections.get('main')).toMatchObject({
      baseUrl: 'https://gateway.example.com',
      callsPerMinute: { submit: 5, read: 1000 },
    });
  });
});

it.each([
  ['demo/jobs.config.yaml', '../jobs.config.schema.json'],
  ['jobs.config.yaml', './jobs.config.schema.json'],
  ['init/jobs.config.yaml', './node_modules/searchmill/jobs.config.schema.json'],
])('%s begins with the line that connects editors to the schema', (file, schema) => {
  expect(readFileSync(pathOf(file), 'utf8').split('\n')[0]).toBe(`# yaml-language-server: $schema=${schema}`);
});
