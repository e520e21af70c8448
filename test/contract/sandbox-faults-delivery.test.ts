// Faults on the way back: the call does its work, and its answer comes late, in pieces, cut off, or not at all.
import { expect, test } from 'vitest';
import { call, question, type ReplyBody, submit } from './sandbox-calls.ts';
import { post, postRaw, settle, startFaulty } from './sandbox-fault-calls.ts';

const OPERATION = 'ai_search_brands';
const BODY = question(OPERATION);

/** The body of a raw answer, and the length its header promises. */
function bodyOf(received: string): { body: string; promised: number } {
  const body = received.slice(received.indexOf('\r\n\r\n') + 4);
  return { body, promised: Number(/content-length: (\d+)/i.exec(received)?.[1] ?? Number.NaN) };
}

function parse(received: string): ReplyBody {
  return JSON.parse(Buffer.from(bodyOf(received).body, 'latin1').toString()) as ReplyBody;
}

test('lost_submit starts the query and never answers', async () => {
  const { sandbox } = await startFaulty([{ when: { nth: 1 }, fault: 'lost_submit' }]);
  expect(await postRaw(sandbox, OPERATION, BODY).ended).toEqual({ received: '', ending: 'reset' });
  const { executions, submits, faults } = sandbox.report();
  expect(executions).toBe(1);
  expect(submits).toMatchObject([{ operation: OPERATION, body: BODY }]);
  expect(faults.executions).toEqual({ [submits[0]?.executionId ?? '']: ['lost_submit'] });
  expect((await call(sandbox, OPERATION, { executionId: submits[0]?.executionId })).status).toBe(200);
});

test('reset_in_body breaks the connection when half of the body is out', async () => {
  const { sandbox } = await startFaulty([{ on: { call: 'poll' }, fault: 'reset_in_body' }]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  // When bytes and reset are found at once, Node calls it an end; that is for chance to decide.
  let reply = await postRaw(sandbox, OPERATION, { executionId }).ended;
  for (let tries = 1; tries < 20 && reply.ending !== 'reset'; tries++) reply = await postRaw(sandbox, OPERATION, { executionId }).ended;
  const { received, ending } = reply;
  expect(ending).toBe('reset');
  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  const { body, promised } = bodyOf(received);
  expect(body.length).toBeGreaterThan(100);
  expect(body.length).toBeLessThan(promised);
});

test('truncated ends the connection before the promised length', async () => {
  const { sandbox } = await startFaulty([{ on: { call: 'poll' }, when: { nth: 1 }, fault: 'truncated' }]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  const { received, ending } = await postRaw(sandbox, OPERATION, { executionId }).ended;
  expect(ending).toBe('end');
  const { body, promised } = bodyOf(received);
  expect(body).toHaveLength(Math.floor(promised / 2));
  const whole = await post(sandbox, OPERATION, { executionId }, { authorization: 'Bearer sandbox-token', 'accept-encoding': 'identity' });
  expect(promised).toBe(Buffer.byteLength(whole.text));
});

test('truncated can leave out the end of a chunked body', async () => {
  const { sandbox } = await startFaulty([{ on: { call: 'poll' }, fault: { kind: 'truncated', body: 'chunked' } }]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  const { received, ending } = await postRaw(sandbox, OPERATION, { executionId }).ended;
  expect(ending).toBe('end');
  expect(received).toMatch(/transfer-encoding: chunked/i);
  expect(received).not.toMatch(/content-length/i);
  expect(received.endsWith('0\r\n\r\n')).toBe(false);
  expect(received).toContain('"executionState":"COMPLETED"');
});

test('not_json answers 200 with a page of HTML, or with garbage that says it is JSON', async () => {
  const { sandbox } = await startFaulty([
    { on: { call: 'poll' }, when: { nth: 1 }, fault: 'not_json' },
    { on: { call: 'poll' }, when: { nth: 2 }, fault: { kind: 'not_json', body: 'garbage' } },
  ]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  const html = await post(sandbox, OPERATION, { executionId });
  expect([html.status, html.headers.get('content-type')]).toEqual([200, 'text/html']);
  expect(html.text).toMatch(/^<!doctype html>/);
  const garbage = await post(sandbox, OPERATION, { executionId });
  expect([garbage.status, garbage.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  expect(() => JSON.parse(garbage.text) as unknown).toThrow();
  expect(garbage.text.length).toBeGreaterThan(100);
});

test('empty_body answers 200 with nothing', async () => {
  const { sandbox } = await startFaulty([{ on: { call: 'submit' }, fault: 'empty_body' }]);
  const reply = await post(sandbox, OPERATION, BODY);
  expect([reply.status, reply.text, reply.headers.get('content-length')]).toEqual([200, '', '0']);
  expect(sandbox.report().executions).toBe(1);
});

test('stall_headers holds back the whole answer for its time', async () => {
  const { sandbox, clock } = await startFaulty([{ on: { call: 'poll' }, fault: { kind: 'stall_headers', ms: 5_000 } }]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  const stalled = postRaw(sandbox, OPERATION, { executionId });
  await untilPolled(sandbox, 1);
  clock.advance(4_999);
  await settle();
  expect(stalled.received).toBe('');
  clock.advance(1);
  await stalled.until('"totalRowCount"');
  expect(parse(stalled.received)).toMatchObject({ executionState: 'COMPLETED', executionId });
  stalled.hangUp();
});

test('stall_headers without a time never answers', async () => {
  const { sandbox, clock } = await startFaulty([{ on: { call: 'poll' }, when: { nth: 1 }, fault: 'stall_headers' }]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  const stalled = postRaw(sandbox, OPERATION, { executionId });
  await untilPolled(sandbox, 1);
  clock.advance(24 * 60 * 60 * 1000);
  await settle();
  expect(stalled.received).toBe('');
  stalled.hangUp();
  expect((await call(sandbox, OPERATION, { executionId })).status).toBe(200);
  const { answers, faults } = sandbox.report();
  expect(answers).toEqual({ 200: 1, 202: 1 });
  expect(faults.log.map(({ status }) => status)).toEqual([202, null, 200]);
});

test('stall_body sends half of the body, and the rest after its time', async () => {
  const { sandbox, clock } = await startFaulty([{ on: { call: 'poll' }, fault: { kind: 'stall_body', ms: 5_000 } }]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  const stalled = postRaw(sandbox, OPERATION, { executionId });
  await stalled.until('"results"');
  clock.advance(4_999);
  await settle();
  const { body, promised } = bodyOf(stalled.received);
  expect(body).toHaveLength(Math.floor(promised / 2));
  clock.advance(1);
  await stalled.until('"totalRowCount"');
  expect(parse(stalled.received)).toMatchObject({ executionState: 'COMPLETED', executionId });
  stalled.hangUp();
});

test('stall_body without a time never sends the rest, and closing the sandbox ends it', async () => {
  const { sandbox } = await startFaulty([{ on: { call: 'poll' }, fault: 'stall_body' }]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  const stalled = postRaw(sandbox, OPERATION, { executionId });
  await stalled.until('"results"');
  await sandbox.close();
  const { received } = await stalled.ended;
  const { body, promised } = bodyOf(received);
  expect(body).toHaveLength(Math.floor(promised / 2));
});

test('slow lets the body drip, a tenth at a time', async () => {
  const { sandbox, clock } = await startFaulty([{ on: { call: 'poll' }, fault: { kind: 'slow', ms: 10_000 } }]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  const slow = postRaw(sandbox, OPERATION, { executionId });
  await slow.until('\r\n\r\n');
  const { promised } = bodyOf(slow.received);
  for (let tenth = 0; tenth < 10; tenth++) {
    expect(bodyOf(slow.received).body).toHaveLength(Math.floor((promised * tenth) / 10));
    clock.advance(1_000);
    while (bodyOf(slow.received).body.length < Math.floor((promised * (tenth + 1)) / 10)) await settle(1);
  }
  expect(parse(slow.received).results.length).toBeGreaterThan(0);
  slow.hangUp();
});

test('a client may ask again at once for a page that was cut off', async () => {
  const operation = 'keyword_rankings';
  const { sandbox } = await startFaulty([{ on: { call: 'page' }, when: { nth: 1 }, fault: 'reset_in_body' }], { sizes: { keywords: 60 } });
  const executionId = await submit(sandbox, operation, question(operation));
  const { nextPageId } = (await call(sandbox, operation, { executionId })).body;
  const { received } = await postRaw(sandbox, operation, { executionId, nextPageId }).ended;
  expect(() => parse(received)).toThrow();
  const again = await call(sandbox, operation, { executionId, nextPageId });
  expect([again.status, again.body.results.length]).toEqual([200, 1000]);
  expect(sandbox.report().violations).toMatchObject({ parallelPages: 0, repeatedPages: 1, outOfOrderPages: 0 });
});

async function untilPolled(sandbox: Awaited<ReturnType<typeof startFaulty>>['sandbox'], count: number): Promise<void> {
  while (sandbox.report().faults.log.filter(({ call: kind }) => kind === 'poll').length < count) await settle(1);
}

test('interim sends as many interim answers as told before the answer, which is whole', async () => {
  const { sandbox } = await startFaulty([
    { when: { nth: 1 }, fault: 'interim' },
    { when: { nth: 2 }, fault: { kind: 'interim', status: 103, times: 3 } },
  ]);
  const received = [
    (await postRaw(sandbox, OPERATION, BODY, true).ended).received,
    (await postRaw(sandbox, OPERATION, BODY, true).ended).received,
  ];
  const [one = '', three = ''] = received;
  expect(one).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 202 /);
  expect(three).toMatch(/^(?:HTTP\/1\.1 103 Early Hints\r\n\r\n){3}HTTP\/1\.1 202 /);
  const bodies = received.map((text) => parse(text.slice(text.indexOf('HTTP/1.1 202'))));
  expect(bodies.map(({ executionId }) => executionId)).toEqual(sandbox.report().submits.map(({ executionId }) => executionId));
  expect(sandbox.report().faults.injected).toEqual({ interim: { submit: 2, poll: 0, page: 0 } });
});
