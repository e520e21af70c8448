// A real Redis Cluster as the queue: all weeks are loaded through it, while the node that has the queue is killed and comes
// back empty, and while it hangs. It has no replica, so all bells that node held are lost each time.
import type { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { describeError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { openQueueBackend } from '../../../src/queue/backend/backend.ts';
import { openRedisConnections } from '../../../src/queue/backend/redis-connections.ts';
import type { Instance } from '../../../src/queue/instance.ts';
import { recordLog } from '../../support/recorded-log.ts';
import { type RedisCluster, startRedisCluster, untilJoined } from '../../support/redis-cluster.ts';
import { countIn, isQueueAnswering, THREE_JOBS, untilQueueAnswers } from '../../support/redis-loads.ts';
import type { RedisNode } from '../../support/redis-node.ts';
import { isRedisMissing } from '../../support/redis-server.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const PASSWORD = 'hunter2-of-the-cluster';

describe.skipIf(isRedisMissing('a Redis Cluster'))('a Redis Cluster', () => {
  const clock = createSimulatedClock('2026-09-14T07:00:00Z');
  let cluster: RedisCluster;
  let stack: TestStack;
  let scheduler: Instance;
  let ledgerId: string;
  let redisUrl: Secret;
  let home: RedisNode;
  let stranger: RedisNode;
  const single = inject('servers').redis;
  const { log, lines } = recordLog();

  beforeAll(async () => {
    cluster = await startRedisCluster(PASSWORD);
    // The third is found, and so is the credential for the second.
    const [first, second] = cluster.nodes.map((node) => `127.0.0.1:${node.port}`);
    redisUrl = new Secret(`redis://:${PASSWORD}@${first},redis://${second}`);
    // As Redis has it by itself: without one node the whole is down.
    for (const { redis } of cluster.nodes) await redis.config('SET', 'cluster-require-full-coverage', 'yes');
    stack = await createTestStack({ queue: { kind: 'redis', redisUrl }, jobs: THREE_JOBS, clock, sandbox: { pageMs: 40, queryMs: 2_000 } });
    const [ledger] = await stack.read<{ id: string }>('SELECT id FROM searchmill.ledger');
    ledgerId = ledger?.id ?? '';
    home = await cluster.nodeOf(`{searchmill-${ledgerId}}`);
    stranger = cluster.nodes.find((node) => node !== home) ?? home;
    await stack.start({ role: 'worker', log });
    await stack.start({ role: 'worker', log });
  });
  afterAll(async () => {
    await stack?.close();
    await cluster.stop();
  });

  /** BullMQ's workers wait without limit for a connection that they make anew. */
  async function expectToConnect(): Promise<void> {
    const { working, close } = openRedisConnections(redisUrl, () => undefined);
    const anew = (working as Cluster).duplicate([], { lazyConnect: true });
    await anew.connect();
    anew.disconnect();
    close();
  }

  it('has all keys of the queue in one slot, and loads on when the node that has it is killed and comes back empty', async () => {
    scheduler = await stack.start({ role: 'scheduler', log });
    await until('queries to run', async () => (await countIn(stack, 'in_progress')) > 1);
    const keys = await Promise.all(cluster.nodes.map((node) => node.redis.keys('*')));
    const slots = await Promise.all(keys.flat().map((key) => home.redis.cluster('KEYSLOT', key)));
    expect(new Set(slots).size).toBe(1);
    expect(keys.map((own) => own.length > 0)).toEqual(cluster.nodes.map((node) => node === home));

    await until('a load', async () => (await countIn(stack, 'loading')) > 0);
    await home.kill();
    await until('it to be missed', async () => !(await isQueueAnswering(scheduler)));
    await expect(scheduler.pingQueue()).rejects.toThrow();
    await until('the cluster to be down', async () => String(await stranger.redis.cluster('INFO')).includes('cluster_state:fail'));
    await expectToConnect();
    await home.start();
    await untilJoined(home);
    await untilQueueAnswers(scheduler);
    await stack.settle();
    await until('all weeks', async () => (await countIn(stack, 'published')) === 6);
  });

  it('loads on when that node has hung for a while', async () => {
    clock.set('2026-09-21T07:00:00Z');
    await scheduler.planNow();
    await until('the submits', async () => (await countIn(stack, 'in_progress')) > 0);
    home.hang();
    try {
      await until('it to be missed', async () => !(await isQueueAnswering(scheduler)));
    } finally {
      home.wake();
    }
    await stack.settle();
    await until('all weeks', async () => (await countIn(stack, 'published')) === 9);
    await untilJoined(stranger);
  });

  it.each([
    [
      'one address of a cluster',
      (): string => `redis://:${PASSWORD}@127.0.0.1:${stranger.port}`,
      /REDIS_URL must name several of its nodes/,
    ],
    ['several of servers that are none', (): string => `${single.url},${single.url}`, /cluster support disabled/],
  ])('says so when REDIS_URL has %s', async (_, address, saying) => {
    const wrong = new Secret(address());
    const errors: Error[] = [];
    const backend = await openQueueBackend({
      databaseUrl: new Secret(stack.databaseUrl),
      redisUrl: wrong,
      ledgerId,
      onError: (error) => errors.push(error),
    });
    const error: unknown = await backend.ping().catch((thrown: unknown) => thrown);
    await backend.close();
    expect(describeError(error)).toMatch(saying);
    expect(errors.map(describeError).join()).not.toContain(PASSWORD);
  });

  it('has cost no row and no submit, and no log shows its password', async () => {
    expect(await expectExactlyServed(stack)).toHaveLength(9);
    expect(stack.sandbox.report().submits).toHaveLength(9);
    expect(await stack.read('SELECT state, count(*) FROM searchmill.executions GROUP BY 1')).toEqual([{ state: 'published', count: 9 }]);
    expect(lines.join('')).toContain('queue problem');
    expect(lines.join('')).not.toContain(PASSWORD);
  });
});
