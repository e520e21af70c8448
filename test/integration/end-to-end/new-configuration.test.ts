// A process that goes on with another configuration while loads are under way: what was submitted ends as it began, what was not is asked
// as it is configured now.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loadJobsConfig } from '../../../src/config/jobs-config.ts';
import type { JobsConfig } from '../../../src/config/settings.ts';
import { startFakeService } from '../../support/fake-service.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, STACK_KEY, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

/** One submit a minute: all weeks but one wait for theirs. */
const BEFORE = `
connections:
  old: { base_url: "\${SANDBOX_URL}", auth: { token: stack-token }, limits: { submits_per_minute: 1, reads_per_minute: 5000 } }
jobs:
  - { name: rankings, dataset: keyword_rankings, connection: old, account_id: 12345, since: 2026-08-02, weeks_per_query: 1 }
`;
const AFTER = `
connections:
  new: { base_url: "\${SANDBOX_URL}", auth: { api_key: ${STACK_KEY.apiKey}, shared_secret: ${STACK_KEY.sharedSecret} }, limits: hard }
jobs:
  - { name: rankings, dataset: keyword_rankings, connection: new, account_id: 12345, since: 2026-08-02, filters: { devices: [DESKTOP] } }
`;

describe('a process that goes on with another configuration', () => {
  const queue = { kind: 'postgres', redisUrl: undefined } as const;
  let stack: TestStack;
  afterEach(() => stack.close());

  const read = async (text: string): Promise<JobsConfig> => {
    const path = join(stack.folder, 'next.config.yaml');
    await writeFile(path, text);
    return loadJobsConfig(path, { SANDBOX_URL: stack.sandbox.url }).config;
  };
  const loads = () =>
    stack.read<{ state: string; connection: string; devices: string[] | null; loads: number }>(`
      SELECT state, connection, request->'devices' AS devices, count(*)::int AS loads FROM searchmill.executions GROUP BY 1, 2, 3 ORDER BY 2, 1`);

  it('submits what waits for a submit with the new filters, over the new connection', async () => {
    stack = await createTestStack({ queue, jobs: BEFORE, clock: createSimulatedClock('2026-09-14T07:00:00Z'), hasAmpleBudget: false });
    const instance = await stack.start();
    await until('the first week', async () => (await loads()).some(({ state }) => state === 'published'));
    expect(await loads()).toEqual([
      { state: 'planned', connection: 'old', devices: null, loads: 5 },
      { state: 'published', connection: 'old', devices: null, loads: 1 },
    ]);
    await instance.configure(await read(AFTER));
    await stack.settle();
    expect(await loads()).toEqual([
      { state: 'published', connection: 'new', devices: ['DESKTOP'], loads: 5 },
      { state: 'published', connection: 'old', devices: null, loads: 1 },
    ]);
    const digests = await stack.read(
      'SELECT DISTINCT (published_filters_digest = filters_digest) AS "isCurrent", count(*)::int AS weeks FROM searchmill.slices s JOIN searchmill.jobs j ON j.name = s.job GROUP BY 1 ORDER BY 2',
    );
    expect(digests).toEqual([
      { isCurrent: false, weeks: 1 },
      { isCurrent: true, weeks: 5 },
    ]);
  });

  it('finishes what was submitted as it began, with one submit each, however often the configuration changes meanwhile', async () => {
    const jobs = (reads: number): string =>
      BEFORE.replace('submits_per_minute: 1, reads_per_minute: 5000', `submits_per_minute: 40, reads_per_minute: ${reads}`).replace(
        'weeks_per_query: 1',
        'weeks_per_query: 1, page_size: 25',
      );
    const clock = createSimulatedClock('2026-09-14T07:00:00Z');
    stack = await createTestStack({ queue, jobs: jobs(5000), clock, sandbox: { pageMs: 100 }, hasAmpleBudget: false });
    const instance = await stack.start({ concurrency: 4 });
    await until('pages', async () => (await stack.read('SELECT FROM searchmill.executions WHERE pages > 2')).length > 0);
    let reads = 5_000;
    for (; reads > 4_990 && (await loads()).some(({ state }) => state === 'loading'); reads -= 1)
      await instance.configure(await read(jobs(reads - 1)));
    expect(reads).toBeLessThan(4_998);
    await stack.settle();
    expect(await loads()).toEqual([{ state: 'published', connection: 'old', devices: null, loads: 6 }]);
    expect(stack.sandbox.report().submits).toHaveLength(6);
    await expectExactlyServed(stack);
  });

  it('lets no hanging connection hold up another, however many the new configuration adds', async () => {
    const hung = await startFakeService((response, { body }) => {
      // Polls are never answered.
      if (!body.includes('account_id')) return;
      response.writeHead(202, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ executionId: 'hung', executionState: 'IN_PROGRESS', results: [], schema: [] }));
    });
    const connectionTo = (name: string, url: string): string =>
      `  ${name}: { base_url: "${url}", auth: { token: stack-token }, limits: hard }\n`;
    const jobOn = (connection: string, account: number): string =>
      `  - { name: ${connection}, dataset: keyword_rankings, connection: ${connection}, account_id: ${account}, since: 2026-08-02 }\n`;
    const first = connectionTo('first', hung.url);
    const jobs = `connections:\n${first}jobs:\n${jobOn('first', 1)}`;
    const more = `connections:\n${first}${connectionTo('second', `${hung.url}/second`)}${connectionTo('well', `\${SANDBOX_URL}`)}jobs:\n${jobOn('first', 1)}${jobOn('second', 2)}${jobOn('well', 12345)}`;
    try {
      stack = await createTestStack({ queue, jobs, clock: createSimulatedClock('2026-08-10T07:00:00Z') });
      const instance = await stack.start({ concurrency: 1 });
      const polls = (path: string) => hung.received.filter(({ url, body }) => url.startsWith(path) && body.includes('executionId')).length;
      await until('the first to hang', () => polls('/data-api') > 0);
      await instance.configure(await read(more));
      await until('the second to hang', () => polls('/second') > 0);
      // Calls that hang are given up after a minute.
      await until(
        'the week of the one that does not hang',
        async () => (await loads()).some(({ state, connection }) => state === 'published' && connection === 'well'),
        30_000,
      );
    } finally {
      await hung.close();
    }
  });

  it('submits an overdue load again if its connection is gone, so that nobody can read its execution', async () => {
    const sandbox = { queryMs: 3_600_000 };
    stack = await createTestStack({
      queue,
      jobs: BEFORE,
      clock: createSimulatedClock('2026-08-10T07:00:00Z'),
      sandbox,
      hasAmpleBudget: false,
    });
    const instance = await stack.start();
    await until('a poll', async () => (await stack.read('SELECT FROM searchmill.executions WHERE poll_calls > 0')).length > 0);
    await instance.configure(await read(AFTER));
    await stack.pool.query('UPDATE searchmill.executions SET due_at = clock_timestamp()');
    await until(
      'nobody to read it',
      async () =>
        (await stack.read("SELECT FROM searchmill.executions WHERE waiting_for = 'a process configured with connection old'")).length > 0,
    );
    await stack.pool.query("UPDATE searchmill.executions SET due_at = clock_timestamp(), submitted_at = submitted_at - interval '3 days'");
    await until('the next attempt', async () => (await loads()).some(({ state }) => state === 'planned'));
    await instance.planNow();
    await until('its submit', async () => (await loads()).some(({ state, connection }) => state === 'in_progress' && connection === 'new'));
    expect(await loads()).toEqual([
      { state: 'in_progress', connection: 'new', devices: ['DESKTOP'], loads: 1 },
      { state: 'abandoned', connection: 'old', devices: null, loads: 1 },
    ]);
  });
});
