// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as people write them
// What two readings of the configuration differ in: names of fields, never values.
import { expect, it } from 'vitest';
import { changedVariables, describeChanges } from '../../../src/config/compare-configs.ts';
import { loadEnvironment } from '../../../src/config/environment.ts';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { webhookTarget } from '../../../src/config/notify.ts';
import { retentionSchema } from '../../../src/config/retention.ts';
import { connectionSchema, jobSchema } from '../../../src/config/schema.ts';
import type { JobsConfig } from '../../../src/config/settings.ts';

const FILE = `
connections:
  main: { base_url: https://gateway.example.com, auth: { token: old-secret }, headers: { x-key: old-secret } }
  other: { base_url: https://other.example.com, auth: { token: other-secret } }
defaults: { account_id: 1, since: 2026-09-06, connection: main }
jobs:
  - { name: rankings, dataset: keyword_rankings }
  - { name: brands, dataset: ai_search_brands }
notify: { targets: { ops: { webhook: "$HOOK", secret: "$KEY" } } }
`.replace(/\$(\w+)/g, '$${$1}');
const KEY = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const read = (text: string, hook = 'https://hook.example/old-secret') =>
  parseJobsConfig('jobs.yaml', text, { HOOK: hook, KEY }, { now: () => new Date('2026-11-16') }).config;
const changes = (...edits: [from: string, to: string][]): Promise<string[]> =>
  describeChanges(read(FILE), read(edits.reduce((text, [from, to]) => text.replace(from, to), FILE)));

it('is empty when the file says the same in another form', async () => {
  expect(await changes(['name: brands, dataset: ai_search_brands', 'dataset: ai_search_brands, name: brands, lookback_weeks: 1'])).toEqual(
    [],
  );
});

it.each([
  [
    ['name: brands', 'name: mentions'],
    ['job brands removed', 'job mentions added'],
  ],
  [
    ['dataset: ai_search_brands', 'dataset: ai_search_brands, filters: { languages: [en_US] }, max_rejected: 0.1, enabled: false'],
    ['job brands changed (enabled, filters, max_rejected)'],
  ],
  [
    ['since: 2026-09-06', 'since: 2026-09-13'],
    ['job rankings changed (since)', 'job brands changed (since)'],
  ],
  [['token: old-secret', 'token: new-secret'], ['connection main changed (auth)']],
  [['x-key: old-secret', 'x-key: new-secret'], ['connection main changed (headers)']],
  [['https://gateway', 'https://new'], ['connection main changed (base_url)']],
  [
    ['other: { base_url', 'third: { base_url'],
    ['connection other removed', 'connection third added'],
  ],
  [['https://other.example.com,', 'https://other.example.com, limits: hard,'], ['connection other changed (limits)']],
  [['secret: "${KEY}"', 'secret: "${KEY}", after: 5m, digest: true'], ['target ops changed (after, digest)']],
  [['targets:', 'pages: https://pages.example, targets:'], ['notify changed (pages)']],
  [['jobs:', 'retention: { drift: 60d }\njobs:'], ['retention changed (drift)']],
] as [[string, string], string[]][])('of %j is described as %j', async (edit, told) => {
  expect(await changes(edit)).toEqual(told);
});

it('notices a changed secret by its value, and does not show it', async () => {
  expect(await describeChanges(read(FILE), read(FILE, 'https://hook.example/new-secret'))).toEqual(['target ops changed (address)']);
});

it('names every field as the file does', async () => {
  const config = read(FILE);
  const anew = <T extends object>(value: T | undefined): T =>
    Object.fromEntries(
      Object.keys(value ?? {}).map((key) => [key, key === 'name' ? (value as Record<string, unknown>).name : Symbol(key)]),
    ) as T;
  const [[, connection] = []] = config.connections;
  const everyField: JobsConfig = {
    ...config,
    connections: new Map(connection && [[connection.name, anew(connection)]]),
    jobs: config.jobs.slice(0, 1).map(anew),
    notify: { pages: undefined, targets: config.notify.targets.map(anew) },
    retention: anew(config.retention),
  };
  const told = await describeChanges({ ...config, jobs: config.jobs.slice(0, 1) }, everyField);
  const known = {
    connection: Object.keys(connectionSchema.shape),
    job: Object.keys(jobSchema.shape),
    target: ['address', ...Object.keys(webhookTarget.shape)],
    retention: Object.keys(retentionSchema.shape),
  };
  const changed = told.flatMap((text) => [/^(\w+) .*\((.*)\)$/.exec(text)].flatMap((found) => (found ? [found.slice(1)] : [])));
  expect(changed.map(([what]) => what)).toEqual(['connection', 'job', 'target', 'retention']);
  for (const [what = '', names = ''] of changed)
    expect(known[what as keyof typeof known]).toEqual(expect.arrayContaining(names.split(', ')));
});

it('names variables that differ', () => {
  const before = loadEnvironment({ DATABASE_URL: 'postgres://a/b' });
  expect(changedVariables(before, loadEnvironment({ DATABASE_URL: 'postgres://a/b' }))).toEqual([]);
  const after = loadEnvironment({ DATABASE_URL: 'postgres://a/c', REDIS_URL: 'redis://r', OPS_PORT: '1' });
  expect(changedVariables(before, after)).toEqual(['DATABASE_URL', 'REDIS_URL', 'OPS_PORT']);
});
