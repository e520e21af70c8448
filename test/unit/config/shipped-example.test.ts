import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadJobsConfig } from '../../../src/config/jobs-config.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { buildSubmitBody } from '../../../src/datasets/submit-body.ts';

const PATH = fileURLToPath(new URL('../../../jobs.config.yaml', import.meta.url));

it('works as it is, without a variable set and without a warning, for every dataset', () => {
  const { config, warnings } = loadJobsConfig(PATH, {});
  expect(warnings).toEqual([]);
  expect(config.jobs.slice(0, DATASETS.length).map((job) => job.dataset)).toEqual(DATASETS);
  expect(new Set(config.jobs.map((job) => job.accountId)).size).toBe(2);
  expect(config.connections.get('main')).toMatchObject({ baseUrl: 'http://127.0.0.1:4010', callsPerMinute: { submit: 40, read: 5000 } });
});

it('is moved to the real service, another token and another first day by three variables', () => {
  const { config } = loadJobsConfig(PATH, {
    SEARCH_API_URL: 'https://gateway.example.com/',
    SEARCH_API_TOKEN: 'abc',
    SEARCHMILL_SINCE: '2026-11-04',
  });
  const connection = config.connections.get('main');
  expect(connection?.baseUrl).toBe('https://gateway.example.com');
  expect(connection?.auth.kind === 'token' && connection.auth.token.reveal()).toBe('abc');
  expect(new Set(config.jobs.map((job) => job.since))).toEqual(new Set(['2026-11-01']));
});

it('makes bodies that carry the filters of its jobs', () => {
  const [rankings] = loadJobsConfig(PATH, {}).config.jobs;
  if (!rankings) throw new Error('the example has no job');
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

it('begins with the line that connects editors to the schema', () => {
  expect(readFileSync(PATH, 'utf8').split('\n')[0]).toBe('# yaml-language-server: $schema=./jobs.config.schema.json');
});
