import { expect, it } from 'vitest';
import { describeNodes, describeServer, parseFacts } from '../../../../src/queue/backend/redis-facts.ts';

const info = (facts: Readonly<Record<string, string>>): string =>
  `# Server\r\n${Object.entries(facts)
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join('')}`;
const GOOD = { redis_version: '7.2.4', redis_mode: 'standalone', role: 'master', connected_slaves: '0', maxmemory_policy: 'noeviction' };
const server = (facts: Readonly<Record<string, string>>) => describeServer(parseFacts(info({ ...GOOD, ...facts })));

it('names the product, its version and its replicas', () => {
  expect(server({})).toEqual({ answer: 'Redis 7.2.4', warnings: [] });
  expect(server({ valkey_version: '8.0.1', connected_slaves: '2' })).toEqual({
    answer: 'Valkey 8.0.1, a primary with 2 replicas',
    warnings: [],
  });
  expect(describeServer(parseFacts(''))).toEqual({ answer: 'Redis of an unknown version', warnings: [] });
});

it('warns of settings that would lose bells, and of old versions', () => {
  expect(server({ maxmemory_policy: 'allkeys-lru' }).warnings).toEqual([
    'maxmemory-policy is allkeys-lru: Redis may drop bells when memory is short; set noeviction',
  ]);
  expect(server({ redis_version: '6.0.16' }).warnings).toEqual([
    'Redis 6.0.16 is older than 6.2, the oldest version that is supported; upgrade it',
  ]);
  expect(server({ redis_version: '6.2.0' }).warnings).toEqual([]);
});

it.each([
  [{ role: 'slave' }, 'this Redis is a replica; REDIS_URL must name its primary, or the Sentinels that know it'],
  [{ redis_mode: 'cluster' }, 'this Redis is a node of a cluster: REDIS_URL must name several of its nodes'],
])('refuses %j', (facts, saying) => {
  expect(() => server(facts)).toThrow(saying);
});

it('tells of a cluster as a whole', () => {
  const nodes = [{ connected_slaves: '1' }, { connected_slaves: '0', maxmemory_policy: 'volatile-ttl' }];
  expect(describeNodes(nodes.map((facts) => parseFacts(info({ ...GOOD, redis_mode: 'cluster', ...facts }))))).toEqual({
    answer: 'Redis 7.2.4, a cluster of 2 primaries with 1 replica',
    warnings: [
      'maxmemory-policy is volatile-ttl: Redis may drop bells when memory is short; set noeviction',
      '1 primary of the cluster has no replica: while the node of the queue is down, so is the queue',
    ],
  });
});
