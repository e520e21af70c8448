// A network that swallows everything on the connections there are, while TCP acknowledges it and new connections work: no
// keepalive notices that. The shipped time-outs do, within a minute; so these tests take about as long.
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { openProxy, type TcpProxy } from '../../chaos/tcp-proxy.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, describeOnEachQueue, sandboxJobs, type TestQueue, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const JOBS = sandboxJobs('account_id: 12345, since: 2026-09-06, page_size: 100, lookback_weeks: 0, schedule: { cron: "0 6 * * 1" }', {
  rankings: 'keyword_rankings',
  citations: 'ai_search_citations',
});

describeOnEachQueue('connections that swallow everything', (queue) => {
  const clock = createSimulatedClock('2026-09-14T07:00:00Z');
  const proxies: TcpProxy[] = [];
  const strand = (): void => {
    for (const proxy of proxies) proxy.strand();
  };
  let stack: TestStack;
  let throughProxy: Secret;

  beforeAll(async () => {
    const proxied = async (url: string): Promise<string> => {
      const address = new URL(url);
      const proxy = await openProxy(Number(address.port));
      proxies.push(proxy);
      address.host = `127.0.0.1:${proxy.port}`;
      return address.href;
    };
    const { redis } = inject('servers');
    const ownQueue: TestQueue = queue.kind === 'redis' ? { kind: 'redis', redisUrl: new Secret(await proxied(redis.url ?? '')) } : queue;
    stack = await createTestStack({ queue: ownQueue, jobs: JOBS, clock, sandbox: { pageMs: 30, queryMs: 3_000 } });
    throughProxy = new Secret(await proxied(stack.databaseUrl));
    await stack.start({ role: 'worker', databaseUrl: throughProxy });
  });
  afterAll(async () => {
    for (const proxy of proxies) proxy.release();
    await stack.close();
    await Promise.all(proxies.map((proxy) => proxy.close()));
  });

  it('are given up in the middle of polls and loads, which go on at their committed page', async () => {
    const scheduler = await stack.start({ role: 'scheduler' });
    const found = async (condition: string): Promise<number> =>
      (await stack.read(`SELECT FROM searchmill.executions WHERE ${condition}`)).length;
    await until('both submits', async () => (await found('submitted_at IS NOT NULL')) === 2);
    strand();
    await until('the middle of a load', async () => (await found('pages >= 5 AND ended_at IS NULL')) > 0);
    strand();
    await stack.settle();
    await scheduler.stop();
    expect(await expectExactlyServed(stack)).toHaveLength(2);
    expect(stack.sandbox.report().submits).toHaveLength(2);
    expect(await stack.read(`SELECT id FROM searchmill.executions WHERE state <> 'published'`)).toEqual([]);
    // Pages that were read ahead but not committed are read again: for the sandbox that is a step back.
    expect(stack.sandbox.report().violations).toMatchObject({ parallelPages: 0, foreignPageIds: 0, overLimit: 0 });
  });

  it('are given up while there is nothing to do, so that new work is done', async () => {
    const [stranded] = await stack.read<{ at: Date }>('SELECT now() AS at');
    strand();
    clock.set('2026-09-21T07:00:00Z');
    const scheduler = await stack.start({ role: 'scheduler' });
    await until(
      'the new week',
      async () => (await stack.read('SELECT FROM searchmill.slices WHERE published_at IS NOT NULL')).length === 4,
    );
    await expectExactlyServed(stack);
    if (queue.kind === 'postgres') {
      // Named after its queue by BullMQ: the connection on which the worker hears bells at once.
      const listening = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'steps' AND backend_start > $1`;
      await until('another connection that listens', async () => (await stack.read(listening, [stranded?.at])).length > 0);
    }
    await scheduler.stop();
  });
});
