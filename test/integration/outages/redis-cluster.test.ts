// A real Redis Cluster as the queue: all weeks are loaded through it, while the node that has the queue is killed and comes
// back empty, and while it hangs. It has no replica, so all bells that node held are lost each time.
import type { Cluster } from 'ioredis';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { openRedisConnections } from '../../../src/queue/backend/redis-connections.ts';
import { type RedisCluster, startRedisCluster, untilJoined } from '../../support/redis-cluster.ts';
import { countIn, isQueueAnswering, useRedisLoads } from '../../support/redis-loads.ts';
import type { RedisNode } from '../../support/redis-node.ts';
import { isRedisMissing } from '../../support/redis-server.ts';
import { until } from '../../support/wait.ts';

const PASSWORD = 'hunter2-of-the-cluster';

describe.skipIf(isRedisMissing('a Redis Cluster'))('a Redis Cluster', () => {
  let cluster: RedisCluster;
  let home: RedisNode;
  let stranger: RedisNode;
  const single = inject('servers').redis;
  const loads = useRedisLoads({
    async open() {
      cluster = await startRedisCluster(PASSWORD);
      // The default of Redis: when one node is away, the whole cluster is down.
      for (const { redis } of cluster.nodes) await redis.config('SET', 'cluster-require-full-coverage', 'yes');
      // The third node is found, and so is the credential for the second.
      const [first, second] = cluster.nodes.map((node) => `127.0.0.1:${node.port}`);
      return `redis://:${PASSWORD}@${first},redis://${second}`;
    },
    close: () => cluster.stop(),
  });
  beforeAll(async () => {
    home = await cluster.nodeOf(`{searchmill-${loads.ledgerId}}`);
    stranger = cluster.nodes.find((node) => node !== home) ?? home;
  });

  /** BullMQ's workers wait without limit for a connection that they make anew. */
  async function expectToConnect(): Promise<void> {
    const { working, close } = openRedisConnections(loads.redisUrl, () => undefined);
    const anew = (working as Cluster).duplicate([], { lazyConnect: true });
    await anew.connect();
    anew.disconnect();
    close();
  }

  it('has all keys of the queue in one slot, and goes on loading when the node that has it is killed and comes back empty', async () => {
    await loads.startScheduler();
    await until('queries to run', async () => (await countIn(loads.stack, 'in_progress')) > 1);
    const keys = await Promise.all(cluster.nodes.map((node) => node.redis.keys('*')));
    const slots = await Promise.all(keys.flat().map((key) => home.redis.cluster('KEYSLOT', key)));
    expect(new Set(slots).size).toBe(1);
    expect(keys.map((own) => own.length > 0)).toEqual(cluster.nodes.map((node) => node === home));

    await until('a load', async () => (await countIn(loads.stack, 'loading')) > 0);
    await home.kill();
    await until('it to be missed', async () => !(await isQueueAnswering(loads.scheduler)));
    await expect(loads.scheduler.pingQueue()).rejects.toThrow();
    await until('the cluster to be down', async () => String(await stranger.redis.cluster('INFO')).includes('cluster_state:fail'));
    await expectToConnect();
    await home.start();
    await untilJoined(home);
    await loads.untilPublished(6);
  });

  it('goes on loading when that node has hung for a while', async () => {
    await loads.plan('2026-09-21');
    home.hang();
    try {
      await until('it to be missed', async () => !(await isQueueAnswering(loads.scheduler)));
    } finally {
      home.wake();
    }
    await loads.untilPublished(9);
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
    const complaints = await loads.complaintsOf(address());
    expect(complaints[0]).toMatch(saying);
    expect(complaints.join()).not.toContain(PASSWORD);
  });

  it('has cost no row and no submit, and no log shows its password', async () => {
    await loads.expectNothingLost(9);
    expect(loads.lines.join('')).toContain('queue problem');
    expect(loads.lines.join('')).not.toContain(PASSWORD);
  });
});
