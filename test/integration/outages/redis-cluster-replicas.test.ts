// A real Redis Cluster of three primaries with a replica each as the queue: all weeks are loaded while the queue's slot moves
// key by key, and while the node that has it is relieved and killed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { openQueueBackend } from '../../../src/queue/backend/backend.ts';
import type { Instance } from '../../../src/queue/instance.ts';
import { recordLog } from '../../support/recorded-log.ts';
import { type RedisCluster, startRedisCluster } from '../../support/redis-cluster.ts';
import { countIn, THREE_JOBS, untilQueueAnswers } from '../../support/redis-loads.ts';
import { documentedRule } from '../../support/redis-rule.ts';
import { isRedisMissing } from '../../support/redis-server.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const PASSWORD = 'hunter2-of-the-cluster';

describe.skipIf(isRedisMissing('a Redis Cluster with replicas'))('a Redis Cluster with replicas', () => {
  const clock = createSimulatedClock('2026-09-14T07:00:00Z');
  let cluster: RedisCluster;
  let stack: TestStack;
  let scheduler: Instance;
  let redisUrl: Secret;
  let key: string;
  const { log, lines } = recordLog();

  beforeAll(async () => {
    cluster = await startRedisCluster(PASSWORD, true);
    const [first, second] = cluster.nodes.map((node) => `127.0.0.1:${node.port}`);
    redisUrl = new Secret(`redis://:${PASSWORD}@${first},redis://${second}`);
    stack = await createTestStack({ queue: { kind: 'redis', redisUrl }, jobs: THREE_JOBS, clock, sandbox: { pageMs: 40, queryMs: 2_000 } });
    const [ledger] = await stack.read<{ id: string }>('SELECT id FROM searchmill.ledger');
    key = `{searchmill-${ledger?.id}}`;
    await stack.start({ role: 'worker', log });
    await stack.start({ role: 'worker', log });
    scheduler = await stack.start({ role: 'scheduler', log });
  });
  afterAll(async () => {
    await stack?.close();
    await cluster.stop();
  });

  const untilPublished = async (weeks: number): Promise<void> => {
    await stack.settle();
    await until('all weeks', async () => (await countIn(stack, 'published')) === weeks);
    await untilQueueAnswers(scheduler);
  };
  const plan = async (day: string): Promise<void> => {
    clock.set(`${day}T07:00:00Z`);
    await scheduler.planNow();
    await until('the submits', async () => (await countIn(stack, 'in_progress')) > 0);
  };

  it('is what check says, also to a user with the rights that the documentation names', async () => {
    for (const { redis } of cluster.nodes) await redis.acl('SETUSER', 'searchmill', ...documentedRule(PASSWORD));
    const options = { databaseUrl: new Secret(stack.databaseUrl), ledgerId: 'none', onError: () => undefined };
    const asUser = new Secret(redisUrl.reveal().replace('://:', '://searchmill:'));
    const backend = await openQueueBackend({ ...options, redisUrl: asUser });
    const { answer, warnings } = await backend.inspect();
    await backend.close();
    expect(answer).toMatch(/^(Redis|Valkey) [\d.]+, a cluster of 3 primaries with 3 replicas$/);
    expect(warnings).toEqual([]);
    for (const { redis } of cluster.nodes) expect(await redis.acl('LOG')).toEqual([]);
  });

  it('loads on while the slot of the queue moves from node to node', async () => {
    await until('the submits', async () => (await countIn(stack, 'in_progress')) > 0);
    for (let move = 0; move < 3; move++) {
      const before = await cluster.nodeOf(key);
      await cluster.moveSlotOf(key, 100);
      await until('the others to know', async () => (await cluster.nodeOf(key)) !== before);
    }
    await untilPublished(6);
  });

  it('loads on when a replica takes the place of the node that has the queue', async () => {
    const before = await cluster.nodeOf(key);
    await plan('2026-09-21');
    await cluster.failOver(key);
    await until('another primary', async () => (await cluster.nodeOf(key)) !== before);
    await untilPublished(9);
  });

  it('loads on when the node that has the queue is killed, and comes back as a replica', async () => {
    const before = await cluster.nodeOf(key);
    // Just promoted: without a replica that follows it, nobody could take its place.
    await until('a replica to follow it', async () => /slave0:.*state=online/.test(await before.redis.info('replication')));
    await plan('2026-09-28');
    await before.kill();
    await untilPublished(12);
    await before.start();
    await until('it to be a replica', async () => /role:slave[\s\S]*master_link_status:up/.test(await before.redis.info('replication')));
    expect(await cluster.nodeOf(key)).not.toBe(before);
  });

  it('has cost no row and no submit, and no log shows its password', async () => {
    expect(await expectExactlyServed(stack)).toHaveLength(12);
    expect(stack.sandbox.report().submits).toHaveLength(12);
    expect(await stack.read('SELECT state, count(*) FROM searchmill.executions GROUP BY 1')).toEqual([{ state: 'published', count: 12 }]);
    expect(lines.join('')).not.toContain(PASSWORD);
  });
});
