// Faults on demand: set, cleared, restated, expired, revoked, by function and over HTTP.
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import type { SandboxOptions } from '../../sandbox/options.ts';
import type { Sandbox } from '../../sandbox/server.ts';
import { call, question, readAll, startTinySandbox, submit } from './sandbox-calls.ts';

const OPERATION = 'ai_search_sentiments';
const BODY = question(OPERATION);

async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startTinySandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

type ControlReply = Readonly<{ status: number; body: Readonly<Record<string, unknown>> }>;

async function control(sandbox: Pick<Sandbox, 'url'>, method: string, path: string, body?: string): Promise<ControlReply> {
  const response = await fetch(`${sandbox.url}/control/${path}`, { method, ...(body === undefined ? {} : { body }) });
  return { status: response.status, body: (await response.json()) as ControlReply['body'] };
}

test('without a plan nothing is noted and nothing goes wrong', async () => {
  const sandbox = await start();
  await readAll(sandbox, OPERATION, BODY);
  expect(sandbox.report().faults).toEqual({ injected: {}, ruleHits: [], executions: {}, log: [], restatements: 0, revoked: [] });
});

test('a plan can be set, replaced (counting starts again), and cleared', async () => {
  const sandbox = await start();
  sandbox.setFaults({ rules: [{ when: { nth: 2 }, fault: 'error' }] });
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(202);
  sandbox.setFaults({ rules: [{ when: { nth: 2 }, fault: 'error' }] });
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(202);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(500);
  expect(sandbox.report().faults.ruleHits).toEqual([1]);
  sandbox.setFaults({ rules: [{ fault: 'error' }] });
  sandbox.clearFaults();
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(202);
  expect(sandbox.report().faults).toMatchObject({ ruleHits: [], injected: { error: { submit: 1 } } });
});

test('a plan that makes no sense is refused, at the start and later, and the one before stays', async () => {
  const nonsense = { rules: [{ fault: { kind: 'shrink', keep: 2 } as const }] };
  const message = 'the fault plan cannot be used: rules[0].fault.keep must be a number from 0 to 1';
  await expect(startTinySandbox({ faults: nonsense })).rejects.toThrow(message);
  const sandbox = await start({ faults: { rules: [{ fault: 'error' }] } });
  expect(() => sandbox.setFaults(nonsense)).toThrow(message);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(500);
});

test('restate changes the rows of all operations, or of one, each time again', async () => {
  const sandbox = await start();
  const original = [...sandbox.rowsOf(OPERATION, BODY)];
  expect(sandbox.restate({ share: 1 })).toBe(1);
  const first = [...sandbox.rowsOf(OPERATION, BODY)];
  expect(first).not.toEqual(original);
  expect(first).toHaveLength(original.length);
  expect(await readAll(sandbox, OPERATION, BODY)).toEqual(first);
  expect(sandbox.restate({ operation: 'ai_search_brands', share: 1, weeks: ['2026-11-08'] })).toBe(2);
  expect([...sandbox.rowsOf(OPERATION, BODY)]).toEqual(first);
  expect(sandbox.restate({ share: 1 })).toBe(3);
  expect([...sandbox.rowsOf(OPERATION, BODY)]).not.toEqual(first);
  sandbox.restate({ weeks: ['2024-01-07'] });
  expect([...sandbox.rowsOf(OPERATION, BODY)]).toEqual(original);
  expect(sandbox.report().faults).toMatchObject({ restatements: 4, injected: { restate: { submit: 1 } } });
  expect(() => sandbox.restate({ share: -1 })).toThrow('share must be a number from 0 to 1');
});

test('an execution that was submitted before a restatement keeps its rows', async () => {
  const sandbox = await start();
  const executionId = await submit(sandbox, OPERATION, BODY);
  const original = [...sandbox.rowsOf(OPERATION, BODY)];
  sandbox.restate({ share: 1 });
  expect((await call(sandbox, OPERATION, { executionId })).body.results).toEqual(original);
  expect([...sandbox.rowsOfExecution(executionId)]).toEqual(original);
});

test('expire ends all ids given out so far; the first use of one afterwards counts as no violation', async () => {
  const sandbox = await start();
  const old = await submit(sandbox, OPERATION, BODY);
  await submit(sandbox, OPERATION, BODY);
  expect(sandbox.expire()).toBe(2);
  const young = await submit(sandbox, OPERATION, BODY);
  expect((await call(sandbox, OPERATION, { executionId: young })).status).toBe(200);
  const refused = await call(sandbox, OPERATION, { executionId: old });
  expect([refused.status, refused.body.message]).toEqual([400, `executionId ${old} has expired`]);
  expect(sandbox.report().violations.expiredExecutions).toBe(0);
  expect((await call(sandbox, OPERATION, { executionId: old })).body.message).toBe(`executionId ${old} has expired`);
  expect(sandbox.report().violations.expiredExecutions).toBe(1);
  expect(sandbox.report().faults.executions).toEqual({ [old]: ['expired_id'] });
});

test('revoke refuses credentials until they are restored', async () => {
  const sandbox = await start({ credentials: [{ token: 'sandbox-token' }, { name: 'other', token: 'another-token' }] });
  const executionId = await submit(sandbox, OPERATION, BODY);
  const statuses = async (): Promise<number[]> => {
    const own = await call(sandbox, OPERATION, { executionId });
    const others = await call(sandbox, OPERATION, BODY, { headers: { authorization: 'Bearer another-token' } });
    return [own.status, others.status];
  };
  expect(sandbox.revoke('other')).toEqual(['other']);
  expect(await statuses()).toEqual([200, 401]);
  expect(sandbox.revoke()).toEqual(['token 1', 'other']);
  expect(await statuses()).toEqual([401, 401]);
  expect(sandbox.report().faults).toMatchObject({
    revoked: ['other', 'token 1'],
    injected: { unauthorized: { submit: 2, poll: 1, page: 0 } },
  });
  expect(sandbox.restore('token 1')).toEqual(['token 1']);
  expect(await statuses()).toEqual([200, 401]);
  sandbox.restore();
  expect(await statuses()).toEqual([200, 202]);
  expect(() => sandbox.revoke('nobody')).toThrow('there is no credential nobody; there is token 1, other');
});

test('the control endpoint is not there unless it was asked for', async () => {
  const sandbox = await start();
  for (const [method, path] of [
    ['GET', 'faults'],
    ['PUT', 'faults'],
    ['DELETE', 'faults'],
    ['POST', 'restate'],
    ['POST', 'expire'],
    ['POST', 'revoke'],
    ['POST', 'restore'],
  ] as const) {
    expect((await control(sandbox, method, path)).status).toBe(404);
  }
});

test('the control endpoint takes a plan as YAML or JSON, shows it, and clears it', async () => {
  const sandbox = await start({ isControllable: true });
  expect((await control(sandbox, 'GET', 'faults')).body).toMatchObject({ plan: null, injected: {} });
  const yaml = 'rules:\n  - on: { call: submit }\n    when: { nth: 1 }\n    fault: bad_gateway\n';
  const set = await control(sandbox, 'PUT', 'faults', yaml);
  expect(set.status).toBe(200);
  expect(set.body).toEqual({
    plan: {
      seed: 1,
      rules: [{ on: { operation: 'any', call: 'submit' }, when: { nth: 1, after_ms: 0 }, fault: { kind: 'bad_gateway' } }],
    },
  });
  const response = await fetch(`${sandbox.url}/data-api/v1/async/${OPERATION}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sandbox-token' },
    body: JSON.stringify(BODY),
  });
  expect(response.status).toBe(502);
  const shown = await control(sandbox, 'GET', 'faults');
  expect(shown.body).toMatchObject({ ...set.body, injected: { bad_gateway: { submit: 1 } }, ruleHits: [1] });
  expect((await control(sandbox, 'PUT', 'faults', JSON.stringify(set.body.plan))).body).toEqual(set.body);
  expect((await control(sandbox, 'DELETE', 'faults')).body).toEqual({ plan: null });
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(202);
});

test('the control endpoint restates, expires, revokes and restores', async () => {
  const sandbox = await start({ isControllable: true });
  const executionId = await submit(sandbox, OPERATION, BODY);
  const original = [...sandbox.rowsOf(OPERATION, BODY)];
  expect((await control(sandbox, 'POST', 'restate', '{"share": 1}')).body).toEqual({ number: 1 });
  expect([...sandbox.rowsOf(OPERATION, BODY)]).not.toEqual(original);
  expect((await control(sandbox, 'POST', 'restate')).body).toEqual({ number: 2 });
  expect((await control(sandbox, 'POST', 'expire')).body).toEqual({ expired: 1 });
  expect((await call(sandbox, OPERATION, { executionId })).body.message).toBe(`executionId ${executionId} has expired`);
  expect((await control(sandbox, 'POST', 'revoke', 'credential: token 1')).body).toEqual({ revoked: ['token 1'] });
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(401);
  expect((await control(sandbox, 'POST', 'restore')).body).toEqual({ restored: ['token 1', 'key 1'] });
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(202);
});

test.each([
  ['PUT', 'faults', 'rules: [{ fault: nothing }]', 'body:1:18 rules[0].fault.kind must be a fault'],
  ['PUT', 'faults', 'rules: [', 'the fault plan cannot be used: body:1:'],
  ['PUT', 'faults', '', 'the plan must be a mapping'],
  ['POST', 'restate', '{"share": "all"}', 'share must be a number from 0 to 1'],
  ['POST', 'restate', '[1]', 'the body must be a mapping'],
  ['POST', 'revoke', '{"credential": "nobody"}', 'there is no credential nobody'],
  ['POST', 'revoke', '{"token": "sandbox-token"}', 'the body does not know token'],
  ['POST', 'restore', '{', 'the body is neither YAML nor JSON'],
])('the control endpoint answers %s %s of %s with 400 and says why', async (method, path, body, message) => {
  const sandbox = await start({ isControllable: true });
  expect(await control(sandbox, method, path, body)).toEqual({
    status: 400,
    body: { error: 'INVALID_PARAMETERS', message: expect.stringContaining(message) },
  });
});

const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

test.skipIf(outside === undefined)('the control endpoint is for callers on this machine, by its loopback address', async () => {
  const sandbox = await start({ isControllable: true, host: '0.0.0.0' });
  const { port } = new URL(sandbox.url);
  const near = { url: `http://127.0.0.1:${port}` };
  const far = { url: `http://${outside}:${port}` };
  expect((await control(near, 'POST', 'revoke')).status).toBe(200);
  expect(await control(far, 'POST', 'restore')).toEqual({ status: 403, body: { error: 'FORBIDDEN', message: expect.any(String) } });
  expect(sandbox.report().faults.revoked).toEqual(['token 1', 'key 1']);
});

test('the control endpoint takes nothing from pages in a browser, whatever name they give this machine', async () => {
  const sandbox = await start({ isControllable: true });
  const statusOf = (headers: Readonly<Record<string, string>>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request(`${sandbox.url}/control/expire`, { method: 'POST', headers }, (answer) =>
        answer.resume().once('end', () => resolve(answer.statusCode)),
      )
        .on('error', reject)
        .end();
    });
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: sandbox.url },
    { host: 'evil.example' },
  ]) {
    expect([headers, await statusOf(headers)]).toEqual([headers, 403]);
  }
  expect(await statusOf({})).toBe(200);
});
