// A job whose answers drip, never to their end, holds all places it can get: another job of its connection, and what loads from
// another connection, goes on all the same.
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeService, startFakeService } from '../../support/fake-service.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, describeOnOneQueue, SANDBOX_CONNECTION, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const DRIPPING = 'ai_search_brands';
const CONCURRENCY = 2;

const jobOf = (name: string, dataset: string, connection: string, since: string) =>
  `  - { name: ${name}, dataset: ${dataset}, connection: ${connection}, account_id: 12345, since: ${since}, weeks_per_query: 1, lookback_weeks: 0, schedule: { cron: "0 6 * * 1", timezone: UTC } }\n`;

describeOnOneQueue('answers that drip', (queue) => {
  let stack: TestStack;
  let front: FakeService;
  const dripping = new Set<ServerResponse>();

  // The sandbox, but for polls of one dataset.
  beforeEach(async () => {
    front = await startFakeService(async (response, { url, headers, body }) => {
      if (url.includes(DRIPPING) && body.includes('executionId')) {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{');
        dripping.add(response);
        response.once('close', () => dripping.delete(response));
        return;
      }
      const { authorization = '', 'content-type': type = '' } = headers;
      const answer = await fetch(`${stack.sandbox.url}${url}`, { method: 'POST', headers: { authorization, 'content-type': type }, body });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
  });
  afterEach(async () => {
    await front.close();
    await stack.close();
  });

  it('keep neither another job of their connection nor another connection waiting', async () => {
    const jobs = `
${SANDBOX_CONNECTION}
  front: { base_url: "${front.url}", auth: { token: stack-token }, limits: hard }
jobs:
${jobOf('dripping', DRIPPING, 'front', '2026-08-02')}${jobOf('beside', 'ai_search_citations', 'front', '2026-09-13')}${jobOf('elsewhere', 'keyword_rankings', 'main', '2026-09-13')}`;
    const clock = createSimulatedClock('2026-09-14T07:00:00Z');
    stack = await createTestStack({ queue, jobs, clock });
    const instance = await stack.start({ concurrency: CONCURRENCY });
    await until('all places that one job gets to be taken, and others of it to wait', async () => {
      const due = await stack.read(`SELECT FROM searchmill.executions WHERE state = 'in_progress' AND due_at < clock_timestamp()`);
      return dripping.size === CONCURRENCY / 2 && due.length > CONCURRENCY;
    });
    const held = [...dripping];
    clock.set('2026-09-21T07:00:00Z');
    await instance.planNow();
    await until('the healthy loads', async () => {
      const published = await stack.read(
        `SELECT s.job FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id WHERE e.state = 'published' ORDER BY s.job`,
      );
      return published.map(({ job }) => job).join() === 'beside,elsewhere';
    });
    expect([...dripping]).toEqual(held);
  });
});
