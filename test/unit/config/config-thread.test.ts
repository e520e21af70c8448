// What is sent between the thread that reads the jobs file and the one that uses it.
import { expect, it } from 'vitest';
import { pack, unpack } from '../../../src/config/config-thread.ts';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';

const FILE = `
connections:
  main: { base_url: "https://api.example.com", auth: { token: "\${TOKEN}" }, headers: { X-Key: "\${TOKEN}" } }
  old: { base_url: "https://api.example.com", auth: { api_key: "\${TOKEN}", shared_secret: "\${TOKEN}" } }
defaults: { account_id: 1, since: 2026-01-04, connection: main, schedule: { cron: "0 6 * * 1", timezone: UTC } }
jobs:
  - { name: rankings, dataset: keyword_rankings, filters: { countries: [US], min_rank: 1 }, own_domains: [a.example] }
notify:
  targets:
    mail: { email: "\${SMTP}", from: a@example.com, to: [b@example.com] }
`;

it('settings come out of a thread as they went in, with their secrets, datasets and maps', () => {
  const { config } = parseJobsConfig('jobs.yaml', FILE, { TOKEN: 'secret-token', SMTP: 'smtps://user:password@mail.example.com' });
  const received = unpack(structuredClone(pack(config))) as typeof config;
  expect(received).toEqual(config);
  const { auth, headers } = received.connections.get('main') ?? {};
  expect(auth?.kind === 'token' && auth.token.reveal()).toBe('secret-token');
  expect(headers?.['X-Key']?.reveal()).toBe('secret-token');
  expect(received.notify.targets[0]?.url.reveal()).toBe('smtps://user:password@mail.example.com');
  expect(received.jobs[0]?.dataset).toBe(datasetNamed('keyword_rankings'));
});
