// What is sent between the thread that reads the jobs file and the one that uses it.
import { expect, it } from 'vitest';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { packParts, Unpacker } from '../../../src/config/packed-settings.ts';
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

async function passOn(settings: object): Promise<unknown> {
  const unpacker = new Unpacker();
  for (const part of packParts(settings)) await unpacker.add(structuredClone(part));
  return unpacker.last;
}

it('settings come out of a thread as they went in, with their secrets, datasets and maps', async () => {
  const { config } = parseJobsConfig('jobs.yaml', FILE, { TOKEN: 'secret-token', SMTP: 'smtps://user:password@mail.example.com' });
  const received = (await passOn(config)) as typeof config;
  expect(received).toEqual(config);
  const { auth, headers } = received.connections.get('main') ?? {};
  expect(auth?.kind === 'token' && auth.token.reveal()).toBe('secret-token');
  expect(headers?.['X-Key']?.reveal()).toBe('secret-token');
  const [target] = received.notify.targets;
  expect(target && 'url' in target && target.url.reveal()).toBe('smtps://user:password@mail.example.com');
  expect(received.jobs[0]?.dataset).toBe(datasetNamed('keyword_rankings'));
});

it('what jobs share is sent once, in parts of a bounded size, and comes out shared and frozen', async () => {
  const filters = { topics: Array.from({ length: 500 }, (_, at) => `topic ${at}`) };
  const jobs = Array.from({ length: 10_000 }, (_, at) => ({ name: `job ${at}`, filters: { ...filters }, keepWeeks: undefined }));
  const parts = packParts(jobs);
  expect(Math.max(...parts.slice(0, -1).map((part) => part.length))).toBeLessThanOrEqual(2_000);
  expect(parts.length).toBeGreaterThan(20);
  const received = (await passOn(jobs)) as typeof jobs;
  expect(received[9_999]).toStrictEqual(jobs[9_999]);
  expect(received[9_999]?.filters.topics).toBe(received[0]?.filters.topics);
  expect([received, received[7], received[7]?.filters, received[7]?.filters.topics].every(Object.isFrozen)).toBe(true);
});
