// Submits have places of their own, some for each connection: neither page loads nor a service that hangs keep what is planned
// for another from being submitted.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { BELL_QUEUES } from '../../../src/queue/messages.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, describeOnOneQueue, sandboxJobs, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const DEFAULTS = 'account_id: 12345, since: 2026-09-06, schedule: { cron: "0 6 * * 1", timezone: UTC }, lookback_weeks: 0';
const RANKINGS = { rankings: 'keyword_rankings, connection: main, page_size: 10' };

describeOnOneQueue('a process whose places are all taken by loads', (queue) => {
  let stack: TestStack;
  afterEach(() => stack.close());

  it('submits what is planned meanwhile', async () => {
    const clock = createSimulatedClock('2026-09-14T07:00:00Z');
    stack = await createTestStack({ queue, jobs: sandboxJobs(DEFAULTS, RANKINGS), clock, sandbox: { pageMs: 100 } });
    const instance = await stack.start({ concurrency: 1 });
    const read = () => stack.read('SELECT state, pages > 0 AS "hasPages" FROM searchmill.executions ORDER BY id');
    await until('the first pages', async () => (await read())[0]?.hasPages);
    clock.set('2026-09-21T07:00:00Z');
    await instance.planNow();
    await until('the submit of the next week', () => stack.sandbox.report().submits.length === 2);
    expect((await read())[0]).toEqual({ state: 'loading', hasPages: true });
  });
});

describeOnOneQueue('a process with a service that answers nothing', (queue) => {
  let stack: TestStack;
  let silent: Server;
  afterEach(async () => {
    silent.closeAllConnections();
    silent.close();
    await stack.close();
  });

  it('submits to the other service, however often the silent one is due', async () => {
    silent = createServer(() => undefined).listen(0, '127.0.0.1');
    const asked = once(silent, 'request');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const silentJob = 'keyword_rankings, connection: silent, account_id: 1, since: 2026-06-07';
    const jobs = sandboxJobs(DEFAULTS, { ...RANKINGS, silent: silentJob }).replace(
      'defaults:',
      `  silent: { base_url: "http://127.0.0.1:${port}", auth: { token: x }, limits: hard }\ndefaults:`,
    );
    const clock = createSimulatedClock('2026-09-14T07:00:00Z');
    stack = await createTestStack({ queue, jobs, clock });
    const instance = await stack.start();
    await asked;
    await stack.withQueue(BELL_QUEUES.submits, async (bells) => {
      for (let bell = 0; bell < 20; bell += 1) await bells.add('submits', { connection: 'silent' }, { priority: 1, jobId: `bell-${bell}` });
    });
    await until('all bells to be answered or under way', () =>
      stack.withQueue(BELL_QUEUES.submits, async (bells) => (await bells.getJobCounts('prioritized')).prioritized === 0),
    );
    clock.set('2026-09-21T07:00:00Z');
    await instance.planNow();
    await until('the submit of the next week', () => stack.sandbox.report().submits.length === 2);
  });
});
