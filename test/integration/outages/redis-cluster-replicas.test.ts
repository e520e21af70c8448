// A real Redis Cluster of three primaries with a replica each as the queue: all weeks are loaded while the queue's slot moves
// key by key, and while the node that has it is relieved and killed.
import { beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { openQueueBackend } from '../../../src/queue/backend/backend.ts';
import { type RedisCluster, startRedisCluster } from '../../support/redis-cluster.ts';
import { countIn, useRedisLoads } from '../../support/redis-loads.ts';
import { documentedRule } from '../../support/redis-rule.ts';
import { isRedisMissing } from '../../support/redis-server.ts';
import { until } from '../../support/wait.ts';

const PASSWORD = 'hunter2-of-the-cluster';

describe.skipIf(isRedisMissing('a Redis Cluster with replicas'))('a Redis Cluster with replicas', () => {
  let cluster: RedisCluster;
  let key: string;
  const loads = useRedisLoads({
    async open() {
      cluster = await startRedisCluster(PASSWORD, true);
      const [first, second] = cluster.nodes.map((node) => `127.0.0.1:${node.port}`);
      return `redis://:${PASSWORD}@${first},redis://${second}`;
    },
    close: () => cluster.stop(),
  });
  beforeAll(async () => {
    key = `{searchmill-${loads.ledgerId}}`;
    await loads.startScheduler();
  });

  it('is recognised by check, also for a user with the rights that the documentation names', async () => {
    for (const { redis } of cluster.nodes) await redis.acl('SETUSER', 'searchmill', ...documentedRule(PASSWORD));
    const options = { databaseUrl: new Secret(loads.stack.databaseUrl), ledgerId: 'none', onError: () => undefined };
    const asUser = new Secret(loads.redisUrl.reveal().replace('://:', '://searchmill:'));
    const backend = await openQueueBackend({ ...options, redisUrl: asUser });
    const { answer, warnings } = await backend.inspect();
    await backend.close();
    expect(answer).toMatch(/^(Redis|Valkey) [\d.]+, a cluster of 3 primaries with 3 replicas$/);
    expect(warnings).toEqual([]);
    for (const { redis } of cluster.nodes) expect(await redis.acl('LOG')).toEqual([]);
  });

  it('goes on loading while the slot of the queue moves from node to node', async () => {
    await until('the submits', async () => (await countIn(loads.stack, 'in_progress')) > 0);
    for (let move = 0; move < 3; move++) {
      const before = await cluster.nodeOf(key);
      await cluster.moveSlotOf(key, 100);
      await until('the others to know', async () => (await cluster.nodeOf(key)) !== before);
    }
    await loads.untilPublished(6);
  });

  it('goes on loading when a replica takes the place of the node that has the queue', async () => {
    const before = await cluster.nodeOf(key);
    await loads.plan('2026-09-21');
    await cluster.failOver(key);
    await until('another primary', async () => (await cluster.nodeOf(key)) !== before);
    await loads.untilPublished(9);
  });

  it('goes on loading when the node that has the queue is killed, and comes back as a replica', async () => {
    const before = await cluster.nodeOf(key);
    // Just promoted: without a replica that follows it, nobody could take its place.
    await until('a replica to follow it', async () => /slave0:.*state=online/.test(await before.redis.info('replication')));
    await loads.plan('2026-09-28');
    await before.kill();
    await loads.untilPublished(12);
    await before.start();
    await until('it to be a replica', async () => /role:slave[\s\S]*master_link_status:up/.test(await before.redis.info('replication')));
    expect(await cluster.nodeOf(key)).not.toBe(before);
  });

  it('has cost no row and no submit, and no log shows its password', async () => {
    await loads.expectNothingLost(12);
    expect(loads.lines.join('')).not.toContain(PASSWORD);
  });
});
