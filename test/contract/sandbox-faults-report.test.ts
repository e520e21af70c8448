// What the report tells about faults, and that a seed repeats them.
import { expect, test } from 'vitest';
import type { FaultReport } from '../../sandbox/faults/journal.ts';
import type { Sandbox } from '../../sandbox/server.ts';
import { call, question, submit } from './sandbox-calls.ts';
import { post, postRaw, type Rule, startFaulty } from './sandbox-fault-calls.ts';

const OPERATION = 'ai_search_brands';
const BODY = question(OPERATION);

test('the report lists each fault, by kind, by execution and by call', async () => {
  const { sandbox, clock } = await startFaulty([
    { name: 'first submit', on: { call: 'submit' }, when: { nth: 1 }, fault: 'too_many' },
    { on: { call: 'poll' }, when: { nth: 1 }, fault: 'reset_before' },
    // The first poll that earlier rules let through: each rule counts only such calls.
    { on: { call: 'poll' }, when: { nth: 1 }, fault: 'failed' },
    { on: { call: 'page' }, fault: 'error' },
  ]);
  await call(sandbox, OPERATION, BODY);
  clock.advance(1000);
  const executionId = await submit(sandbox, OPERATION, BODY);
  await postRaw(sandbox, OPERATION, { executionId }).ended;
  await call(sandbox, OPERATION, { executionId });
  const other = await submit(sandbox, OPERATION, BODY);
  await call(sandbox, OPERATION, { executionId: other });
  const line = { operation: OPERATION, credential: 'token 1', at: '2026-11-18T12:00:01.000Z' };
  const expected: Partial<FaultReport> = {
    injected: {
      too_many: { submit: 1, poll: 0, page: 0 },
      reset_before: { submit: 0, poll: 1, page: 0 },
      failed: { submit: 0, poll: 1, page: 0 },
    },
    ruleHits: [1, 1, 1, 0],
    executions: { [executionId]: ['reset_before', 'failed'] },
    log: [
      { ...line, at: '2026-11-18T12:00:00.000Z', call: 'submit', executionId: null, status: 429, faults: ['too_many'] },
      { ...line, call: 'submit', executionId, status: 202, faults: [] },
      { ...line, call: 'poll', executionId, status: null, faults: ['reset_before'] },
      { ...line, call: 'poll', executionId, status: 200, faults: ['failed'] },
      { ...line, call: 'submit', executionId: other, status: 202, faults: [] },
      { ...line, call: 'poll', executionId: other, status: 200, faults: [] },
    ],
  };
  expect(sandbox.report().faults).toMatchObject(expected);
  const overHttp = await fetch(`${sandbox.url}/report`);
  expect(await overHttp.json()).toEqual(JSON.parse(JSON.stringify(sandbox.report())));
});

test('a report that was made does not change later', async () => {
  const { sandbox } = await startFaulty([{ fault: 'error' }]);
  await call(sandbox, OPERATION, BODY);
  const before = sandbox.report();
  const copy = structuredClone(before);
  await call(sandbox, OPERATION, BODY);
  expect(before).toEqual(copy);
});

test('the log line of a request tells its faults', async () => {
  const lines: unknown[] = [];
  const logger = {
    level: 'info',
    info: (line: unknown) => lines.push(line),
    error() {},
    warn() {},
    debug() {},
    trace() {},
    fatal() {},
    silent() {},
    child: () => logger,
  };
  const { sandbox } = await startFaulty([{ when: { nth: 1 }, fault: 'error' }], { logger });
  await call(sandbox, OPERATION, BODY);
  await call(sandbox, OPERATION, BODY);
  const answered = lines.filter((line) => typeof line === 'object' && line !== null && 'requestId' in line);
  expect(answered).toMatchObject([{ status: 500, faults: ['error'] }, { status: 202 }]);
  expect(answered[1]).not.toHaveProperty('faults');
});

const CHANCES: readonly Rule[] = [
  { when: { probability: 0.2 }, fault: 'error' },
  { when: { probability: 0.2 }, fault: 'too_many' },
  { on: { call: 'poll' }, when: { probability: 0.3 }, fault: 'wrong_status' },
];

/** The statuses of thirty submits and polls of an operation, with calls of others in between where told so. */
async function statusesOf(sandbox: Sandbox, operation: string, isCrowded: boolean): Promise<number[]> {
  const statuses: number[] = [];
  for (let round = 0; round < 30; round++) {
    const submitted = await call(sandbox, operation, question(operation));
    const polled = await call(sandbox, operation, { executionId: submitted.status === 202 ? submitted.body.executionId : 'none' });
    if (isCrowded) await call(sandbox, 'ai_search_response', question('ai_search_response'));
    statuses.push(submitted.status, polled.status);
  }
  return statuses;
}

test('the same seed makes the same random choices, whatever else is called in between; another seed makes others', async () => {
  const seen: number[][] = [];
  for (const [seed, isCrowded] of [
    [1, false],
    [1, true],
    [2, false],
  ] as const) {
    const { sandbox } = await startFaulty([], { faults: { seed, rules: CHANCES }, limits: { submit: 10_000 } });
    seen.push(await statusesOf(sandbox, OPERATION, isCrowded));
  }
  expect(seen[0]).toContain(500);
  expect(seen[0]).toContain(429);
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[2]).not.toEqual(seen[0]);
});

test('a rule may apply only to the calls of the n-th execution of its operation', async () => {
  const { sandbox } = await startFaulty([
    { on: { execution: 2, call: 'submit' }, when: { times: 1 }, fault: 'error' },
    { on: { execution: 2, call: 'poll' }, when: { nth: 2 }, fault: 'bad_gateway' },
  ]);
  const first = await submit(sandbox, OPERATION, BODY);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(500);
  const second = await submit(sandbox, OPERATION, BODY);
  const third = await submit(sandbox, OPERATION, BODY);
  const statuses: number[] = [];
  for (const executionId of [first, first, second, third, second, third, second])
    statuses.push((await post(sandbox, OPERATION, { executionId })).status);
  expect(statuses).toEqual([200, 200, 200, 200, 502, 200, 200]);
});

test('a call meets at most one fault of the gateway or of the way back: the first of the plan', async () => {
  const { sandbox } = await startFaulty([
    { when: { nth: 1 }, fault: 'error' },
    { fault: 'bad_gateway' },
    { on: { call: 'submit' }, fault: 'lost_submit' },
  ]);
  expect((await post(sandbox, OPERATION, BODY)).status).toBe(500);
  expect((await post(sandbox, OPERATION, BODY)).status).toBe(502);
  expect(sandbox.report().executions).toBe(0);
  expect(sandbox.report().faults.ruleHits).toEqual([1, 1, 0]);
});
