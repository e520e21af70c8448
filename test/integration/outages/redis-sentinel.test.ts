// Real Sentinels with a primary and two replicas as the queue: all weeks are loaded while the primary is killed with bells that
// no replica has, while it is changed on request, and while it hangs. The old one comes back as a replica that nobody writes to.
import { describe, expect, it } from 'vitest';
import { countIn, useRedisLoads } from '../../support/redis-loads.ts';
import type { RedisNode } from '../../support/redis-node.ts';
import { PRIMARY_NAME, startWatchedRedis, type WatchedRedis } from '../../support/redis-sentinel.ts';
import { isRedisMissing } from '../../support/redis-server.ts';
import { until } from '../../support/wait.ts';

const PASSWORD = 'hunter2-of-the-primary';
const SENTINEL_PASSWORD = 'hunter3-of-the-sentinels';

describe.skipIf(isRedisMissing('Sentinels'))('a Redis that Sentinels watch', () => {
  let watched: WatchedRedis;
  const addressOf = (credential: string, name: string, options: string): string =>
    // The third Sentinel is found.
    `redis+sentinel://${credential}@${watched.sentinelPorts
      .slice(0, 2)
      .map((port) => `127.0.0.1:${port}`)
      .join(',')}/${name}${options}`;

  const loads = useRedisLoads({
    async open() {
      watched = await startWatchedRedis({ password: PASSWORD, sentinelPassword: SENTINEL_PASSWORD });
      return addressOf(`:${PASSWORD}`, PRIMARY_NAME, `?sentinel_password=${SENTINEL_PASSWORD}`);
    },
    close: () => watched.stop(),
  });

  const countKeys = async ({ redis }: RedisNode): Promise<number> => (await redis.keys('{searchmill-*')).length;
  it('continues when the primary is killed and all bells are lost, since no replica has them', async () => {
    const primary = await watched.primary();
    const replicas = watched.servers.filter((server) => server !== primary);
    for (const replica of replicas) replica.hang();
    await loads.startScheduler();
    await until('queries to run', async () => (await countIn(loads.stack, 'in_progress')) > 1);
    expect(await countKeys(primary)).toBeGreaterThan(0);
    await primary.kill();
    for (const replica of replicas) replica.wake();
    const next = await watched.untilFailedOver(primary);
    await loads.untilPublished(6);
    expect(await countKeys(next)).toBeGreaterThan(0);

    await primary.start();
    await until('it to be a replica', async () => /role:slave[\s\S]*master_link_status:up/.test(await primary.redis.info('replication')));
    await primary.redis.config('RESETSTAT');
  });

  it('goes on loading when the Sentinels are asked for another primary', async () => {
    const primary = await watched.primary();
    await loads.plan('2026-09-21');
    await watched.failOver();
    await watched.untilFailedOver(primary);
    await loads.untilPublished(9);
  });

  it('goes on loading with another primary while the old one hangs, and the old one writes nothing when it wakes up', async () => {
    const primary = await watched.primary();
    await loads.plan('2026-09-28');
    primary.hang();
    try {
      await watched.untilFailedOver(primary);
      await loads.untilPublished(12);
    } finally {
      primary.wake();
    }
    await until('it to be a replica', async () => /role:slave/.test(await primary.redis.info('replication')));
    await primary.redis.config('RESETSTAT');
    loads.clock.set('2026-10-05T07:00:00Z');
    await loads.scheduler.planNow();
    await loads.untilPublished(15);
    const asked = await primary.redis.info('commandstats');
    expect(asked).not.toMatch(/cmdstat_(eval|evalsha|bzpopmin):/);
  });

  it.each([
    [
      'a name that they do not watch',
      () => addressOf(`:${PASSWORD}`, 'other', `?sentinel_password=${SENTINEL_PASSWORD}`),
      /watch no primary of the name in REDIS_URL/,
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
    const complaints = await loads.complaintsOf(address());
    expect(complaints[0]).toMatch(saying);
    expect(complaints.join()).not.toMatch(/hunter/);
  });

  it('has cost no row and no submit, and no log shows a password', async () => {
    await loads.expectNothingLost(15);
    expect(loads.lines.join('')).toContain('queue problem');
    expect(loads.lines.join('')).not.toMatch(/hunter/);
  });
});
