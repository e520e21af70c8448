// Real processes of the built program: stopped, stopped impatiently, killed, and several at once.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addDays, lastCompleteWeek } from '../../../src/core/weeks.ts';
import { ensureBuilt, killPrograms, startProgram } from '../../support/program.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createTestStack, describeOnEachQueue, SANDBOX_CONNECTION, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const NEWEST = lastCompleteWeek(new Date(), 'UTC', 'sunday');
const DATASET: string = 'keyword_rankings';
const STOPS_WITHIN_MS = 10_000;

const HEADER = `
${SANDBOX_CONNECTION}
# Fires when a week is over, so that the newest complete week is expected on whatever day the test runs.
defaults: { account_id: 12345, schedule: { cron: "0 0 * * 0", timezone: UTC }, lookback_weeks: 0, page_size: 50 }
`;
const ONE_LOAD = `${HEADER}
jobs:
  - { name: rankings, dataset: ${DATASET}, since: ${NEWEST} }
`;

const CREW_JOBS = `${HEADER}
jobs:
  - { name: rankings, dataset: keyword_rankings, since: ${addDays(NEWEST, -14)} }
  - { name: citations, dataset: ai_search_citations, since: ${addDays(NEWEST, -14)} }
`;

let stack: TestStack;
beforeAll(ensureBuilt);
afterEach(() => stack.close());
afterAll(killPrograms);

const pagesLoaded = async (): Promise<number> =>
  (await stack.read<{ pages: number }>('SELECT coalesce(sum(pages), 0)::integer AS pages FROM searchmill.executions'))[0]?.pages ?? 0;
const lease = async (): Promise<unknown> =>
  (
    await stack.read(`SELECT state, lease_owner AS owner, coalesce(lease_until > now(), false) AS "isLeased" FROM searchmill.executions`)
  )[0];

describeOnEachQueue('a process', (queue) => {
  it('exits with 0 on SIGTERM in the middle of a load, and the next one continues where it stopped', async () => {
    stack = await createTestStack({ queue, jobs: ONE_LOAD, sandbox: { pageMs: 15 } });
    const first = startProgram(['start'], stack.env);
    await until('some pages', async () => (await pagesLoaded()) >= 5);
    const toldAt = performance.now();
    first.send('SIGTERM');
    expect(await first.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - toldAt).toBeLessThan(STOPS_WITHIN_MS);
    expect(await lease()).toEqual({ state: 'loading', owner: null, isLeased: false });
    expect(await stack.read('SELECT id FROM searchmill.instances')).toEqual([]);

    const second = startProgram(['start'], stack.env);
    await second.says(/"msg":"published"/);
    second.send('SIGTERM');
    expect(await second.ended).toEqual({ code: 0, signal: null });
    await expectExactlyServed(stack);
    expect(stack.sandbox.report().submits).toHaveLength(1);
  });

  it('that is killed leaves a lease, and another goes on at the committed page when that ends', async () => {
    stack = await createTestStack({ queue, jobs: ONE_LOAD, sandbox: { pageMs: 15 } });
    const first = startProgram(['start'], stack.env);
    await until('some pages', async () => (await pagesLoaded()) >= 5);
    first.send('SIGKILL');
    expect(await first.ended).toEqual({ code: null, signal: 'SIGKILL' });
    expect(await lease()).toMatchObject({ state: 'loading', isLeased: true });
    const committed = await pagesLoaded();

    const second = startProgram(['start'], stack.env);
    await second.says(/"msg":"started"/);
    expect(await pagesLoaded()).toBe(committed);
    // What waiting for 20 s would do.
    await stack.pool.query('UPDATE searchmill.executions SET lease_until = now()');
    await second.says(/"msg":"published"/);
    second.send('SIGTERM');
    await second.ended;
    await expectExactlyServed(stack);
    expect(stack.sandbox.report().submits).toHaveLength(1);
    // Only what was read but not committed yet is asked for again.
    const [{ pages } = { pages: 0 }] = await stack.read<{ pages: number }>('SELECT pages FROM searchmill.executions');
    expect(stack.sandbox.report().calls[DATASET]?.page).toBeLessThan(pages + 10);
  });

  it('is one of many: a scheduler and two workers share the work, and nothing is loaded twice', async () => {
    stack = await createTestStack({ queue, jobs: CREW_JOBS, sandbox: { pageMs: 5, queryMs: 500 } });
    // One process alone cannot take all six loads at once.
    const worker = ['start', '--role', 'worker', '--concurrency', '2'];
    const workers = [startProgram(worker, stack.env), startProgram(worker, stack.env)];
    for (const each of workers) await each.says(/"msg":"started"/);
    const scheduler = startProgram(['start', '--role', 'scheduler'], stack.env);
    await until('every week', async () => {
      const published = await stack.read('SELECT id FROM searchmill.slices WHERE published_at IS NOT NULL');
      return published.length === 6;
    });
    const roles = await stack.read<{ role: string }>('SELECT role FROM searchmill.instances ORDER BY 1');
    expect(roles.map(({ role }) => role)).toEqual(['scheduler', 'worker', 'worker']);
    for (const program of [...workers, scheduler]) program.send('SIGTERM');
    for (const program of [...workers, scheduler]) expect((await program.ended).code).toBe(0);

    const linesOf = (text: string, message: string): number => text.split(`"msg":"${message}"`).length - 1;
    expect(workers.map(({ stdout }) => linesOf(stdout, 'published') > 0)).toEqual([true, true]);
    expect(linesOf(scheduler.stdout, 'published') + linesOf(scheduler.stdout, 'submitted')).toBe(0);
    await expectExactlyServed(stack);
    const { submits, violations } = stack.sandbox.report();
    expect(submits).toHaveLength(6);
    expect(violations).toMatchObject({ parallelPages: 0, outOfOrderPages: 0, repeatedPages: 0, overLimit: 0 });
  });
});

describe('a process that cannot finish, because the database hangs', () => {
  it('exits at once on a second signal, and by itself before ten seconds are over', async () => {
    stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: ONE_LOAD, sandbox: { pageMs: 15 } });
    for (const signals of [2, 1]) {
      const program = startProgram(['start'], stack.env);
      const before = await pagesLoaded();
      await until('some pages', async () => (await pagesLoaded()) >= before + 3);
      const client = await stack.pool.connect();
      try {
        await client.query('BEGIN');
        await client.query('SELECT id FROM searchmill.executions FOR UPDATE');
        program.send('SIGTERM');
        await program.says(/"msg":"stopping/);
        const toldAt = performance.now();
        if (signals === 2) program.send('SIGINT');
        const end = await program.ended;
        expect(end).toEqual({ code: signals === 2 ? 130 : 1, signal: null });
        expect(performance.now() - toldAt).toBeLessThan(signals === 2 ? 2_000 : STOPS_WITHIN_MS);
        if (signals === 1) expect(program.stderr).toContain('Could not stop cleanly');
      } finally {
        await client.query('ROLLBACK');
        client.release();
      }
      await stack.pool.query('UPDATE searchmill.executions SET lease_until = now()');
    }
  });
});

describe('a process whose Redis is away', () => {
  it('exits in time with 0 on SIGTERM, and with 2 when its port is taken', async () => {
    stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: ONE_LOAD });
    await using taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const env = { ...stack.env, REDIS_URL: 'redis://127.0.0.1:1' };
    const [served, unserved] = [startProgram(['start'], env), startProgram(['start'], { ...env, OPS_PORT: String(port) })];
    await served.says(/"url":/);
    const toldAt = performance.now();
    served.send('SIGTERM');
    expect(await served.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - toldAt).toBeLessThan(STOPS_WITHIN_MS);
    expect(await unserved.ended).toEqual({ code: 2, signal: null });
    expect(unserved.stderr).toMatch(/cannot be served/);
  });
});
