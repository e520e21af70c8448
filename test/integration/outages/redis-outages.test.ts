// What a Redis does on a bad day, in the middle of loads: for a while it refuses. Loads under way go on without it, the
// rest is rung for when it is back. Killed, emptied and unreachable ones: end-to-end/interruptions, ops, test/chaos.
import { rm } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MINUTE } from '../../../src/core/clock.ts';
import { describeError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { findProblems } from '../../../src/problems/find-problems.ts';
import { readStatus } from '../../../src/problems/read-status.ts';
import { startChaosRedis } from '../../chaos/servers.ts';
import { recordLog } from '../../support/recorded-log.ts';
import { isRedisMissing } from '../../support/redis-server.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, sandboxJobs, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const JOBS = sandboxJobs('account_id: 12345, since: 2026-09-06, page_size: 100, max_submits: 1, schedule: { cron: "0 6 * * 1" }', {
  rankings: 'keyword_rankings',
  answers: 'ai_search_response',
});

type Outage = Readonly<{
  title: string;
  saying: RegExp;
  /** What readiness, status and check say, though the server still answers questions. */
  told: RegExp;
  begin(redis: Redis): Promise<unknown>;
  end(redis: Redis): Promise<unknown>;
}>;

const OUTAGES: readonly Outage[] = [
  {
    title: 'is full',
    saying: /OOM/,
    told: /Redis is full and takes no bells; raise maxmemory/,
    begin: (redis) => redis.config('SET', 'maxmemory', '1'),
    end: (redis) => redis.config('SET', 'maxmemory', '0'),
  },
  {
    // The message of a replica whose primary is away.
    title: 'has become a replica',
    saying: /READONLY/,
    told: /is a replica; REDIS_URL must name its primary.*REPLICAOF NO ONE/,
    begin: (redis) => redis.replicaof('127.0.0.1', 1),
    end: (redis) => redis.replicaof('NO', 'ONE'),
  },
  {
    title: 'wants a password',
    saying: /NOAUTH/,
    told: /has a password and REDIS_URL has none, or the other way round; correct REDIS_URL/,
    async begin(redis) {
      await redis.config('SET', 'requirepass', 'secret');
      await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    },
    end: (redis) => redis.config('SET', 'requirepass', ''),
  },
  {
    title: 'has too few replicas',
    saying: /NOREPLICAS/,
    told: /too few replicas; start them again, or set min-replicas-to-write to 0/,
    begin: (redis) => redis.config('SET', 'min-replicas-to-write', '1'),
    end: (redis) => redis.config('SET', 'min-replicas-to-write', '0'),
  },
  {
    // Its folder is gone, which keeps root out, too.
    title: 'cannot save its data',
    saying: /MISCONF/,
    told: /CONFIG GET dir; .*or set stop-writes-on-bgsave-error to no/,
    async begin(redis) {
      const [, folder = ''] = (await redis.config('GET', 'dir')) as string[];
      await rm(folder, { recursive: true });
      await redis.config('SET', 'stop-writes-on-bgsave-error', 'yes');
      await redis.config('SET', 'save', '3600 1');
      await redis.bgsave();
    },
    end: (redis) => redis.config('SET', 'stop-writes-on-bgsave-error', 'no'),
  },
  {
    title: 'lets in no more clients',
    // The server sends the reason and closes at once, mostly before anybody reads it.
    saying: /max number of clients|EPIPE|ECONNRESET/,
    told: /reached its limit of clients[:;] raise maxclients, or end some of those that CLIENT LIST shows/,
    async begin(redis) {
      await redis.config('SET', 'maxclients', '1');
      await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    },
    end: (redis) => redis.config('SET', 'maxclients', '100'),
  },
];

describe.skipIf(isRedisMissing('outages'))('a Redis that', () => {
  let server: Awaited<ReturnType<typeof startChaosRedis>>;
  let administrator: Redis;
  let stack: TestStack;

  beforeEach(async () => {
    server = await startChaosRedis();
    administrator = new Redis(server.port, '127.0.0.1');
    const clock = createSimulatedClock('2026-09-14T07:00:00Z');
    const redisUrl = new Secret(`redis://127.0.0.1:${server.port}`);
    stack = await createTestStack({ queue: { kind: 'redis', redisUrl }, jobs: JOBS, clock, sandbox: { pageMs: 60, queryMs: 4_000 } });
  });
  afterEach(async () => {
    await stack.close();
    administrator.disconnect();
    await server.stop();
  });

  it.each(OUTAGES)('$title is waited for, and costs nothing', async ({ saying, told, begin, end }) => {
    const { log, lines } = recordLog();
    const instance = await stack.start({ log });
    await until('the submits', async () => {
      const [found] = await stack.read<{ submitted: number }>(
        'SELECT count(submitted_at)::integer AS submitted FROM searchmill.executions',
      );
      return found?.submitted === 2;
    });
    await begin(administrator);
    await until('it to be felt', () => lines.some((line) => saying.test(line)));
    await until('the queue to be asked', () =>
      instance.pingQueue().then(
        () => false,
        (error: unknown) => told.test(describeError(error)),
      ),
    );
    await until('status to say it', async () => {
      // What lasts for less than a minute is no problem yet.
      const problems = findProblems(await readStatus(stack.pool), new Date(Date.now() + 2 * MINUTE));
      return problems.some(({ kind, why, next }) => kind === 'queue-error' && told.test([...why, ...next].join(' ')));
    });
    await end(administrator);
    await stack.settle();
    expect(await expectExactlyServed(stack)).toHaveLength(2);
    expect(stack.sandbox.report().submits).toHaveLength(2);
    expect(await stack.read('SELECT state, count(*) FROM searchmill.executions GROUP BY 1')).toEqual([{ state: 'published', count: 2 }]);
    await until('the queue to answer', () =>
      instance.pingQueue().then(
        () => true,
        () => false,
      ),
    );
    await instance.stop();
  });
});
