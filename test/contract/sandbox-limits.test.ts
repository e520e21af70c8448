// Service specification: "Limits", "Errors" (429), "Query execution" (valid for 7 days).
import { expect, onTestFinished, test } from 'vitest';
import { type SandboxOptions, sandboxDefaults } from '../../sandbox/options.ts';
import type { Sandbox } from '../../sandbox/server.ts';
import { EXECUTION_VALIDITY_MS } from '../../src/core/limits.ts';
import { computeSignature } from '../../src/service/wire.ts';
import { call, firstPage, NOON, question, StandingClock, startTinySandbox, submit } from './sandbox-calls.ts';

const OPERATION = 'ai_search_brands';
const BODY = question(OPERATION);

async function startWith(options: SandboxOptions): Promise<{ sandbox: Sandbox; clock: StandingClock }> {
  const clock = new StandingClock();
  const sandbox = await startTinySandbox({ clock, ...options });
  onTestFinished(() => sandbox.close());
  return { sandbox, clock };
}

test('the hard limits are the default: 40 submits and 5000 reads a minute', () => {
  expect(sandboxDefaults.limits).toEqual({ submit: 40, read: 5000 });
});

test('the 41st submit of a minute is refused, and says when to try again', async () => {
  const { sandbox, clock } = await startWith({});
  for (let count = 0; count < 40; count++) {
    expect((await call(sandbox, OPERATION, BODY)).status).toBe(202);
    clock.advance(1000);
  }
  const refused = await call(sandbox, OPERATION, BODY);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('20');
  expect(refused.body).toEqual({ error: 'RATE_LIMITED', message: expect.stringContaining('40 submit') });
  clock.advance(19_999);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(429);
  clock.advance(1);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(202);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(429);
  expect(sandbox.report().violations.overLimit).toBe(3);
});

test('the limit holds in any 60 seconds, not per minute of the clock', async () => {
  const { sandbox, clock } = await startWith({ limits: { submit: 4 } });
  clock.advance(59_000);
  for (let count = 0; count < 4; count++) expect((await call(sandbox, OPERATION, BODY)).status).toBe(202);
  clock.advance(2_000);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(429);
});

test('polls and pages are limited together, apart from submits', async () => {
  const { sandbox } = await startWith({ limits: { submit: 2, read: 3 } });
  const executionId = await submit(sandbox, OPERATION, BODY);
  expect((await call(sandbox, OPERATION, { executionId })).status).toBe(200);
  expect((await call(sandbox, OPERATION, { executionId, nextPageId: 'x' })).status).toBe(400);
  expect((await call(sandbox, OPERATION, { executionId })).status).toBe(200);
  expect((await call(sandbox, OPERATION, { executionId })).status).toBe(429);
  expect((await call(sandbox, OPERATION, { executionId, nextPageId: 'x' })).status).toBe(429);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(202);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(429);
});

test('all operations share the limits of a credential', async () => {
  const { sandbox } = await startWith({ limits: { submit: 2 } });
  await submit(sandbox, 'ai_search_citations', question('ai_search_citations'));
  await submit(sandbox, 'keyword_rankings', question('keyword_rankings'));
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(429);
});

test('each credential has limits of its own', async () => {
  const { sandbox } = await startWith({ limits: { submit: 1 } });
  await submit(sandbox, OPERATION, BODY);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(429);
  const query = `?apiKey=sandbox-key&sig=${computeSignature('sandbox-key', 'sandbox-secret', NOON.getTime() / 1000)}`;
  expect((await call(sandbox, OPERATION, BODY, { query, headers: {} })).status).toBe(202);
});

test('refused submits do not count against the limit; submits with an invalid body do', async () => {
  const { sandbox, clock } = await startWith({ limits: { submit: 2 } });
  expect((await call(sandbox, OPERATION, {})).status).toBe(400);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(202);
  for (let count = 0; count < 5; count++) expect((await call(sandbox, OPERATION, BODY)).status).toBe(429);
  clock.advance(60_000);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(202);
});

test('the report tells the most calls of any minute, refused ones included', async () => {
  const { sandbox, clock } = await startWith({ limits: { submit: 3 } });
  for (let count = 0; count < 5; count++) await call(sandbox, OPERATION, BODY);
  clock.advance(60_000);
  const executionId = await submit(sandbox, OPERATION, BODY);
  await call(sandbox, OPERATION, { executionId });
  expect(sandbox.report().peaks).toEqual({ 'token 1': { submit: 5, read: 1 }, 'key 1': { submit: 0, read: 0 } });
});

test('an execution and its page tokens are good for seven days', async () => {
  const { sandbox, clock } = await startWith({ sizes: { keywords: 60 } });
  const body = question('keyword_rankings');
  const executionId = await submit(sandbox, 'keyword_rankings', body);
  const { nextPageId } = (await firstPage(sandbox, 'keyword_rankings', executionId)).body;
  expect(nextPageId).toEqual(expect.any(String));
  clock.advance(EXECUTION_VALIDITY_MS - 1);
  expect((await call(sandbox, 'keyword_rankings', { executionId })).status).toBe(200);
  expect((await call(sandbox, 'keyword_rankings', { executionId, nextPageId })).status).toBe(200);
  clock.advance(1);
  for (const expired of [{ executionId }, { executionId, nextPageId }]) {
    const reply = await call(sandbox, 'keyword_rankings', expired);
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({ error: 'INVALID_PARAMETERS', message: `executionId ${executionId} has expired` });
  }
  await submit(sandbox, 'keyword_rankings', body);
  expect((await call(sandbox, 'keyword_rankings', { executionId })).body.message).toBe(`executionId ${executionId} is not known`);
  expect(sandbox.report()).toMatchObject({ executions: 1, violations: { expiredExecutions: 2, unknownExecutions: 1 } });
});

test('an execution of another sandbox is not known', async () => {
  const { sandbox: first } = await startWith({});
  const { sandbox: second } = await startWith({});
  const executionId = await submit(first, OPERATION, BODY);
  const reply = await call(second, OPERATION, { executionId });
  expect(reply.status).toBe(400);
  expect(reply.body.error).toBe('INVALID_PARAMETERS');
});

test('the rows of an execution stay the same when a week ends while it is read', async () => {
  const { sandbox, clock } = await startWith({});
  const body = { account_id: 12345, start_date: '2026-11-08', end_date: '2026-11-21' };
  const executionId = await submit(sandbox, 'keyword_rankings', body);
  const before = await call(sandbox, 'keyword_rankings', { executionId });
  clock.advance(6 * 24 * 60 * 60 * 1000);
  const after = await call(sandbox, 'keyword_rankings', { executionId });
  expect(after.body.results).toEqual(before.body.results);
  const anew = await submit(sandbox, 'keyword_rankings', body);
  const total = (await call(sandbox, 'keyword_rankings', { executionId: anew })).body.totalRowCount;
  expect(total).toBeGreaterThan(before.body.totalRowCount ?? 0);
});
