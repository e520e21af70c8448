// Faults of the gateway: the call is answered, or cut off, before the backend hears of it.
import { expect, test } from 'vitest';
import { call, NOON, question, submit } from './sandbox-calls.ts';
import { post, postRaw, startFaulty } from './sandbox-fault-calls.ts';

const OPERATION = 'ai_search_brands';
const BODY = question(OPERATION);

test('too_many answers 429, without saying when to come back unless told to', async () => {
  const { sandbox } = await startFaulty([
    { on: { call: 'submit' }, when: { nth: 1 }, fault: 'too_many' },
    { on: { call: 'submit' }, when: { nth: 2 }, fault: { kind: 'too_many', retry_after: 7 } },
    { on: { call: 'submit' }, when: { nth: 3 }, fault: { kind: 'too_many', retry_after: 90, as: 'date' } },
  ]);
  const replies = [];
  for (let count = 0; count < 4; count++) replies.push(await call(sandbox, OPERATION, BODY));
  expect(replies.map(({ status }) => status)).toEqual([429, 429, 429, 202]);
  const waits = replies.map(({ headers }) => headers.get('retry-after'));
  expect(waits).toEqual([null, '7', new Date(NOON.getTime() + 90_000).toUTCString(), null]);
  expect(replies[0]?.body).toEqual({ error: 'RATE_LIMITED', message: 'too many requests' });
  expect(sandbox.report()).toMatchObject({ executions: 1, violations: { overLimit: 0 }, peaks: { 'token 1': { submit: 4 } } });
});

test('a storm of 429 lasts for its time, for every call of the credential that met it', async () => {
  const credentials = [{ token: 'sandbox-token' }, { token: 'another-token' }];
  const { sandbox, clock } = await startFaulty(
    [{ on: { call: 'submit' }, when: { nth: 2, times: 1 }, fault: { kind: 'storm', for_ms: 30_000 } }],
    {
      credentials,
    },
  );
  const executionId = await submit(sandbox, OPERATION, BODY);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(429);
  clock.advance(29_999);
  expect((await call(sandbox, 'ai_search_fan_out', question('ai_search_fan_out'))).status).toBe(429);
  expect((await call(sandbox, OPERATION, { executionId })).status).toBe(429);
  expect(
    (await call(sandbox, 'ai_search_response', question('ai_search_response'), { headers: { authorization: 'Bearer another-token' } }))
      .status,
  ).toBe(202);
  clock.advance(1);
  expect((await call(sandbox, OPERATION, { executionId })).status).toBe(200);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(202);
  expect(sandbox.report().faults.injected).toEqual({ storm: { submit: 2, poll: 1, page: 0 } });
});

test('error answers 500, or another 5xx, with an error body', async () => {
  const { sandbox } = await startFaulty([
    { when: { nth: 1 }, fault: 'error' },
    { when: { nth: 2 }, fault: { kind: 'error', status: 504 } },
  ]);
  const first = await call(sandbox, OPERATION, BODY);
  expect([first.status, first.body.error]).toEqual([500, 'INTERNAL_ERROR']);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(504);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(202);
});

test('bad_gateway answers 502 with a page of HTML', async () => {
  const { sandbox } = await startFaulty([{ fault: 'bad_gateway' }]);
  const reply = await post(sandbox, OPERATION, BODY);
  expect(reply.status).toBe(502);
  expect(reply.headers.get('content-type')).toBe('text/html');
  expect(reply.text).toContain('<h1>502 Bad Gateway</h1>');
});

test('unavailable answers 503, and may say until when', async () => {
  const { sandbox } = await startFaulty([{ fault: { kind: 'unavailable', retry_after: 120 } }]);
  const reply = await post(sandbox, OPERATION, BODY);
  expect(reply.status).toBe(503);
  expect(reply.headers.get('retry-after')).toBe('120');
});

test('redirect points elsewhere', async () => {
  const { sandbox } = await startFaulty([
    { when: { nth: 1 }, fault: 'redirect' },
    { when: { nth: 2 }, fault: { kind: 'redirect', status: 307, to: 'http://127.0.0.1:1/trap' } },
  ]);
  const first = await post(sandbox, OPERATION, BODY);
  expect([first.status, first.headers.get('location'), first.text]).toEqual([302, 'http://elsewhere.invalid/', '']);
  const second = await post(sandbox, OPERATION, BODY);
  expect([second.status, second.headers.get('location')]).toEqual([307, 'http://127.0.0.1:1/trap']);
});

test('reset_before drops the connection before a byte of the answer, and nothing was started', async () => {
  const { sandbox } = await startFaulty([{ when: { nth: 1 }, fault: 'reset_before' }]);
  expect(await postRaw(sandbox, OPERATION, BODY).ended).toEqual({ received: '', ending: 'reset' });
  expect(sandbox.report()).toMatchObject({ executions: 0, answers: {}, calls: { [OPERATION]: { submit: 1 } } });
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(202);
});

test.each([
  ['one call', {}, 1],
  ['so many calls', { calls: 3 }, 3],
] as const)('unauthorized refuses a credential for %s, whatever it calls', async (_, extent, calls) => {
  const { sandbox } = await startFaulty([{ on: { call: 'poll' }, when: { nth: 1 }, fault: { kind: 'unauthorized', ...extent } }]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  const refused = await call(sandbox, OPERATION, { executionId });
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toBe('Bearer');
  for (let count = 1; count < calls; count++) expect((await call(sandbox, OPERATION, BODY)).status).toBe(401);
  expect((await call(sandbox, OPERATION, { executionId })).status).toBe(200);
  expect(sandbox.report().violations).toMatchObject({ wrongCredentials: 0, missingCredentials: 0 });
});

test('unauthorized refuses a credential for a while, and no other', async () => {
  const credentials = [{ token: 'sandbox-token' }, { token: 'another-token' }];
  const { sandbox, clock } = await startFaulty(
    [{ on: { call: 'submit' }, when: { nth: 1 }, fault: { kind: 'unauthorized', for_ms: 60_000 } }],
    { credentials },
  );
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(401);
  clock.advance(59_999);
  expect((await call(sandbox, 'keyword_rankings', question('keyword_rankings'))).status).toBe(401);
  expect((await call(sandbox, OPERATION, BODY, { headers: { authorization: 'Bearer another-token' } })).status).toBe(202);
  clock.advance(1);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(202);
});

test('a call that the sandbox would refuse anyway meets no fault', async () => {
  const { sandbox } = await startFaulty([{ fault: 'error' }], { limits: { submit: 1 } });
  expect((await call(sandbox, OPERATION, BODY, { headers: {} })).status).toBe(401);
  expect((await call(sandbox, OPERATION, '{')).status).toBe(400);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(500);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(429);
  expect(sandbox.report().faults.injected).toEqual({ error: { submit: 1, poll: 0, page: 0 } });
  expect(sandbox.report().faults.log.map(({ call: kind, status, faults }) => [kind, status, faults])).toEqual([
    [null, 401, []],
    [null, 400, []],
    ['submit', 500, ['error']],
    ['submit', 429, []],
  ]);
});

test('rejected answers 4xx as JSON, as a page of HTML or with nothing, and the backend never hears of it', async () => {
  const { sandbox } = await startFaulty([
    { when: { nth: 1 }, fault: 'rejected' },
    { when: { nth: 2 }, fault: { kind: 'rejected', status: 422, body: 'html', connection: 'close' } },
    { when: { nth: 3 }, fault: { kind: 'rejected', status: 499, body: 'empty' } },
  ]);
  const plain = await post(sandbox, OPERATION, BODY);
  expect([plain.status, JSON.parse(plain.text)]).toEqual([400, { error: 'INVALID_PARAMETERS', message: 'the request is refused' }]);
  const { received } = await postRaw(sandbox, OPERATION, BODY).ended;
  expect(received).toMatch(/^HTTP\/1\.1 422 /);
  expect(received).toMatch(/\r\ncontent-type: text\/html\r\n/i);
  expect(received).toMatch(/\r\nconnection: close\r\n/i);
  expect(received).toContain('<h1>Bad Request</h1>');
  const empty = await post(sandbox, OPERATION, BODY);
  expect([empty.status, empty.text]).toEqual([499, '']);
  expect(sandbox.report().executions).toBe(0);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(202);
});
