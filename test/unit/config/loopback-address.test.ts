// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as people write them
// A credential that goes to this machine: that of the service would be shown to whatever listens there.
import { expect, it } from 'vitest';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';

const warningsOf = (address: string, token: string): readonly string[] =>
  parseJobsConfig(
    'jobs.yaml',
    `connections:
  main:
    base_url: "${address}"
    auth: { token: "${token}" }
jobs:
  - { name: a, dataset: keyword_rankings, connection: main, account_id: 1, since: 2026-09-06, schedule: { cron: "0 6 * * 1", timezone: UTC } }
`,
    { TOKEN: 'secret-token' },
    { now: () => new Date('2026-11-16') },
  ).warnings;

it.each(['http://127.0.0.1:4010', 'http://localhost.:4010', 'https://gateway.localhost', 'https://0.0.0.0', 'https://[::ffff:127.0.0.1]'])(
  'at %s is warned of when it comes from a variable',
  (address) => {
    expect(warningsOf(address, '${TOKEN}')).toEqual([
      "jobs.yaml:3:15: connections.main.base_url: is an address of this machine, to which the credential of a variable is sent; expected the service's address, unless a gateway runs here",
    ]);
  },
);

it.each([
  ['http://127.0.0.1:4010', 'sandbox-token'],
  ['http://127.0.0.1:4010', '${UNSET:-sandbox-token}'],
  ['https://gateway.example.com', '${TOKEN}'],
])('at %s is not warned of when it is %s', (address, token) => {
  expect(warningsOf(address, token)).toEqual([]);
});
