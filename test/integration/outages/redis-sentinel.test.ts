// Real Sentinels with a primary and two replicas as the queue: all weeks are loaded while the primary is killed with bells that
// no replica has, while it is changed on request, and while it hangs. The old one comes back as a replica that nobody writes to.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { openQueueBackend } from '../../../src/queue/backend/backend.ts';
import type { Instance } from '../../../src/queue/instance.ts';
import { recordLog } from '../../support/recorded-log.ts';
import { countIn, THREE_JOBS, untilQueueAnswers } from '../../support/redis-loads.ts';
import type { RedisNode } from '../../support/redis-node.ts';
import { PRIMARY_NAME, startWatchedRedis, type WatchedRedis } from '../../support/redis-sentinel.ts';
import { isRedisMissing } from '../../support/redis-server.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const PASSWORD = 'hunter2-of-the-primary';
const SENTINEL_PASSWORD = 'hunter3-of-the-sentinels';

describe.skipIf(isRedisMissing('Sentinels'))('a Redis that Sentinels watch', () => {
  const clock = createSimulatedClock('2026-09-14T07:00:00Z');
  let watched: WatchedRedis;
  let stack: TestStack;
  let scheduler: Instance;
  const { log, lines } = recordLog();
  const addressOf = (credential: string, name: string, options: string): string =>
    // The third Sentinel is found.
    `redis+sentinel://${credential}@${watched.sentinelPorts
      .slice(0, 2)
      .map((port) => `127.0.0.1:${port}`)
      .join(',')}/${name}${options}`;

  beforeAll(async () => {
    watched = await startWatchedRedis({ password: PASSWORD, sentinelPassword: SENTINEL_PASSWORD });
    const redisUrl = new Secret(addressOf(`:${PASSWORD}`, PRIMARY_NAME, `?sentinel_password=${SENTINEL_PASSWORD}`));
    stack = await createTestStack({ queue: { kind: 'redis', redisUrl }, jobs: THREE_JOBS, clock, sandbox: { pageMs: 40, queryMs: 2_000 } });
    await stack.start({ role: 'worker', log });
    await stack.start({ role: 'worker', log });
  });
  afterAll(async () => {
    await stack?.close();
    await watched.stop();
  });

  const countKeys = async ({ redis }: RedisNode): Promise<number> => (await redis.keys('{searchmill-*')).length;
  it('loads on when the primary is killed with all bells there are, of which no replica knows', async () => {
    const primary = await watched.primary();
    const replicas = watched.servers.filter((server) => server !== primary);
    for (const replica of replicas) replica.hang();
    scheduler = await stack.start({ role: 'scheduler', log });
    await until('queries to run', async () => (await countIn(stack, 'in_progress')) > 1);
    expect(await countKeys(primary)).toBeGreaterThan(0);
    await primary.kill();
    for (const replica of replicas) replica.wake();
    const next = await watched.untilFailedOver(primary);
    await untilQueueAnswers(scheduler);
    await stack.settle();
    await until('all weeks', async () => (await countIn(stack, 'published')) === 6);
    expect(await countKeys(next)).toBeGreaterThan(0);

    await primary.start();
    await until('it to be a replica', async () => /role:slave[\s\S]*master_link_status:up/.test(await primary.redis.info('replication')));
    await primary.redis.config('RESETSTAT');
  });

  it('loads on when the Sentinels are asked for another primary', async () => {
    const primary = await watched.primary();
    clock.set('2026-09-21T07:00:00Z');
    await scheduler.planNow();
    await until('the submits', async () => (await countIn(stack, 'in_progress')) > 0);
    await watched.failOver();
    await watched.untilFailedOver(primary);
    await stack.settle();
    await until('all weeks', async () => (await countIn(stack, 'published')) === 9);
    await untilQueueAnswers(scheduler);
  });

  it('loads on with another primary while the old one hangs, which writes nothing when it wakes up', async () => {
    const primary = await watched.primary();
    clock.set('2026-09-28T07:00:00Z');
    await scheduler.planNow();
    await until('the submits', async () => (await countIn(stack, 'in_progress')) > 0);
    primary.hang();
    try {
      await watched.untilFailedOver(primary);
      await untilQueueAnswers(scheduler);
      await stack.settle();
      await until('all weeks', async () => (await countIn(stack, 'published')) === 12);
    } finally {
      primary.wake();
    }
    await until('it to be a replica', async () => /role:slave/.test(await primary.redis.info('replication')));
    await primary.redis.config('RESETSTAT');
    clock.set('2026-10-05T07:00:00Z');
    await scheduler.planNow();
    await stack.settle();
    await until('all weeks', async () => (await countIn(stack, 'published')) === 15);
    const asked = await primary.redis.info('commandstats');
    expect(asked).not.toMatch(/cmdstat_(eval|evalsha|bzpopmin):/);
  });

  it.each([
    [
      'a name that they do not watch',
      () => addressOf(`:${PASSWORD}`, 'other', `?sentinel_password=${SENTINEL_PASSWORD}`),
      /watches nothing of the name in REDIS_URL/,
    ],
    ['no password for them', () => addressOf(`:${PASSWORD}`, PRIMARY_NAME, ''), /give sentinel_password/],
    [
      'another password for the primary',
      () => addressOf(':hunter4', PRIMARY_NAME, `?sentinel_password=${SENTINEL_PASSWORD}`),
      /refused the user or the password/,
    ],
    [
      'the address of one as that of a server',
      () => `redis://:${SENTINEL_PASSWORD}@127.0.0.1:${watched.sentinelPorts[0]}`,
      /is a Sentinel; write redis\+sentinel:/,
    ],
  ])('says what to do when REDIS_URL has %s', async (_, address, saying) => {
    const errors: Error[] = [];
    const backend = await openQueueBackend({
      databaseUrl: new Secret(stack.databaseUrl),
      redisUrl: new Secret(address()),
      ledgerId: 'none',
      onError: (error) => errors.push(error),
    });
    const error: unknown = await backend.ping().catch((thrown: unknown) => thrown);
    await backend.close();
    expect(describeError(error)).toMatch(saying);
    expect([error, ...errors].map(describeError).join()).not.toMatch(/hunter/);
  });

  it('has cost no row and no submit, and no log shows a password', async () => {
    expect(await expectExactlyServed(stack)).toHaveLength(15);
    expect(stack.sandbox.report().submits).toHaveLength(15);
    expect(await stack.read('SELECT state, count(*) FROM searchmill.executions GROUP BY 1')).toEqual([{ state: 'published', count: 15 }]);
    expect(lines.join('')).toContain('queue problem');
    expect(lines.join('')).not.toMatch(/hunter/);
  });
});
