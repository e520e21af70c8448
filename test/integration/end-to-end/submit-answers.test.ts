// What the service answers to a submit, through the whole program: what was answered is known, and unknown is only what nobody answered.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FaultInput } from '../../../sandbox/faults/fault.ts';
import { findProblems } from '../../../src/problems/find-problems.ts';
import { readStatus } from '../../../src/problems/read-status.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, sandboxJobs, type TestStack } from '../../support/test-stack.ts';

const NEWEST = '2026-09-06';
/** Each job with the fault that each of its calls meets, or its submits alone. */
const JOBS: readonly Readonly<{ dataset: string; fault: FaultInput; call?: 'submit'; ends: string; outcome: string; submits: number }>[] = [
  { dataset: 'keyword_rankings', fault: 'lower_case', ends: 'published', outcome: 'accepted', submits: 1 },
  { dataset: 'ai_search_brands', fault: 'interim', ends: 'published', outcome: 'accepted', submits: 1 },
  { dataset: 'ai_search_citations', fault: { kind: 'interim', status: 103, times: 3 }, ends: 'published', outcome: 'accepted', submits: 1 },
  { dataset: 'ai_search_fan_out', fault: 'rejected', call: 'submit', ends: 'failed', outcome: 'refused', submits: 1 },
  {
    dataset: 'ai_search_sentiments',
    fault: { kind: 'rejected', body: 'html', connection: 'close' },
    call: 'submit',
    ends: 'failed',
    outcome: 'refused',
    submits: 1,
  },
  {
    dataset: 'ai_search_response',
    fault: { kind: 'not_json', body: 'html' },
    call: 'submit',
    ends: 'failed',
    outcome: 'unreadable',
    submits: 1,
  },
];

let stack: TestStack;

beforeAll(async () => {
  stack = await createTestStack({
    queue: { kind: 'postgres', redisUrl: undefined },
    jobs: sandboxJobs(
      `account_id: 12345, since: ${NEWEST}, schedule: { cron: "0 6 * * 1", timezone: UTC }, lookback_weeks: 0, max_submits: 1`,
      Object.fromEntries(JOBS.map(({ dataset }) => [dataset.replaceAll('_', '-'), dataset])),
    ),
    clock: createSimulatedClock('2026-09-16T12:00:00Z'),
    sandbox: { size: 'tiny', sizes: { keywords: 30 } },
  });
  stack.sandbox.setFaults({
    rules: JOBS.map(({ dataset, fault, call }) => ({ on: { operation: dataset, call: call ?? ('any' as const) }, fault })),
  });
  await stack.start();
  await stack.settle();
});
afterAll(() => stack.close());

it.each(JOBS)('$dataset with the fault $fault is $ends, and its submit $outcome', async ({ dataset, ends, outcome, submits }) => {
  const found = await stack.read(
    `SELECT e.state, e.submit_outcome AS outcome FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id WHERE s.dataset = $1`,
    [dataset],
  );
  expect(found).toEqual(Array.from({ length: submits }, () => ({ state: ends, outcome })));
});

it('none of it is reported as a submit of unknown outcome', async () => {
  const kinds = findProblems(await readStatus(stack.pool), new Date()).map(({ kind }) => kind);
  expect(kinds).toContain('failed');
  expect(kinds).not.toContain('unknown-submits');
});
