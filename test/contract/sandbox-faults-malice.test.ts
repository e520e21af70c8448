// Faults by which an answer means harm: bombs, drips, depths, circles, tokens that cannot be kept.
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { findDataset } from '../../src/datasets/index.ts';
import { call, type NextPageId, question, type Reply, submit } from './sandbox-calls.ts';
import { type Held, post, postRaw, type Rule, settle, startFaulty } from './sandbox-fault-calls.ts';

const OPERATION = 'keyword_rankings';
const BODY = question(OPERATION);
const COLUMNS = findDataset(OPERATION)?.columns.map(({ name }) => name) ?? [];
const DEEP = '['.repeat(20_000) + ']'.repeat(20_000);

/** A sandbox with three pages of a thousand rows at the most, and an execution that met the first rule. */
async function startPaged(...rules: readonly Rule[]): Promise<Held & { executionId: string }> {
  const held = await startFaulty(rules, { sizes: { keywords: 60 } });
  return { ...held, executionId: await submit(held.sandbox, OPERATION, BODY) };
}

async function walk({ sandbox, executionId }: Pick<Held, 'sandbox'> & { executionId: string }, pages: number): Promise<Reply['body'][]> {
  const found: Reply['body'][] = [];
  let nextPageId: NextPageId;
  do {
    const { body } = await call(sandbox, OPERATION, { executionId, ...(nextPageId ? { nextPageId } : {}) });
    found.push(body);
    nextPageId = body.nextPageId;
  } while (nextPageId && found.length < pages);
  return found;
}

test.each([
  ['list', 200],
  ['text', 500],
  ['nested', 400],
] as const)(
  'a bomb in the shape of a %s is JSON, small when compressed and as large as the plan says, with status %i',
  async (shape, status) => {
    const { sandbox, executionId } = await startPaged({ on: { call: 'poll' }, fault: { kind: 'bomb', mib: 2, shape, status } });
    const { received } = await postRaw(sandbox, OPERATION, { executionId }, true).ended;
    expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(received).toMatch(/content-encoding: gzip/);
    const sent = Buffer.from(received.slice(received.indexOf('\r\n\r\n') + 4), 'latin1');
    const text = gunzipSync(sent).toString();
    expect(text.length / sent.length).toBeGreaterThan(400);
    expect(Math.round(text.length / 1024 / 1024)).toBe(2);
    if (shape === 'nested') expect(text.replaceAll('[[', '').replaceAll(']]', '')).toBe('');
    else expect(() => JSON.parse(text) as unknown).not.toThrow();
  },
);

test('drip sends a few bytes now and then', async () => {
  const { sandbox, clock, executionId } = await startPaged({ on: { call: 'poll' }, fault: { kind: 'drip', bytes: 3 } });
  const dripping = postRaw(sandbox, OPERATION, { executionId });
  await dripping.until('\r\n\r\n{"e');
  clock.advance(9_999);
  await settle();
  expect(dripping.received.endsWith('\r\n\r\n{"e')).toBe(true);
  clock.advance(1);
  await dripping.until('\r\n\r\n{"exec');
  dripping.hangUp();
});

test('the message of an error can be deeply nested, long, or hold control characters', async () => {
  const { sandbox } = await startFaulty([
    { when: { nth: 1 }, fault: { kind: 'error', message: 'deep' } },
    { when: { nth: 2 }, fault: { kind: 'error', message: 'long', size: 50_000 } },
    { when: { nth: 3 }, fault: { kind: 'error', status: 503, message: 'control_characters' } },
  ]);
  expect((await post(sandbox, OPERATION, BODY)).text).toBe(`{"error":"INTERNAL_ERROR","message":${DEEP}}`);
  expect((await call(sandbox, OPERATION, BODY)).body.message).toHaveLength(50_000);
  const last = await call(sandbox, OPERATION, BODY);
  expect([last.status, last.body.message.startsWith('something\u001b]0;')]).toEqual([503, true]);
});

test('a failure can say the same many times', async () => {
  const { sandbox, executionId } = await startPaged({ fault: { kind: 'failed', message: 'no ', message_times: 1_000 } });
  expect((await call(sandbox, OPERATION, { executionId })).body.message).toBe('no '.repeat(1_000));
});

test('values, rows and added columns are as deep as the plan says, and numbers as long; none of those rows is to be published', async () => {
  const values = ['deep', 'deep_row', 'deep_extra', 'long_number'] as const;
  const { sandbox } = await startFaulty(
    values.map((value, index) => ({ when: { nth: index + 1 }, fault: { kind: 'bad_value', value, rows: 1 } as const })),
  );
  const rows = [...sandbox.rowsOf(OPERATION, BODY)];
  const first = async (): Promise<{ head: string; executionId: string }> => {
    const executionId = await submit(sandbox, OPERATION, BODY);
    const { text } = await post(sandbox, OPERATION, { executionId });
    return { executionId, head: text.slice(text.indexOf('"results":[') + 11) };
  };
  for (const value of values) {
    const { head, executionId } = await first();
    if (value === 'deep_row') expect(head.startsWith(DEEP)).toBe(true);
    else if (value === 'long_number') expect(head).toContain(`"${'1'.repeat(100_000)}x"`);
    else expect(head.indexOf(DEEP)).toBeGreaterThan(0);
    if (value === 'deep_extra') expect(head).toContain('{"name":"added_in_depth","type":"string"}');
    expect([...sandbox.rowsOfExecution(executionId)]).toEqual(rows.slice(1));
  }
});

test('ignored_section puts unrequested content before or after the rest of an answer', async () => {
  const { sandbox, executionId } = await startPaged(
    { on: { call: 'poll' }, when: { nth: 1 }, fault: { kind: 'ignored_section', mib: 1 } },
    { on: { call: 'poll' }, when: { nth: 2 }, fault: { kind: 'ignored_section', mib: 1, place: 'behind' } },
  );
  const before = (await post(sandbox, OPERATION, { executionId })).text;
  const behind = (await post(sandbox, OPERATION, { executionId })).text;
  expect(before.startsWith('{"before":[0,0,')).toBe(true);
  expect(behind.endsWith(',0,0]}')).toBe(true);
  for (const text of [before, behind]) {
    expect(text.length).toBeGreaterThan(1024 * 1024);
    expect((JSON.parse(text) as Reply['body']).results[0]).toHaveLength(COLUMNS.length);
  }
});

test('odd_token gives ids that cannot be kept, and long ones that are good', async () => {
  const { sandbox, executionId } = await startPaged(
    { on: { call: 'submit' }, when: { nth: 1 }, fault: { kind: 'odd_token', value: 'nul' } },
    { on: { call: 'submit' }, when: { nth: 2 }, fault: { kind: 'odd_token', value: 'long', size: 9_000 } },
    { on: { call: 'poll' }, fault: { kind: 'odd_token', value: 'long', size: 9_000 } },
    { on: { call: 'page' }, when: { nth: 1 }, fault: { kind: 'odd_token', value: 'nul' } },
  );
  expect(executionId.endsWith('\u0000')).toBe(true);
  expect(await submit(sandbox, OPERATION, BODY)).toHaveLength(9_000);
  const good = await submit(sandbox, OPERATION, BODY);
  const pages = await walk({ sandbox, executionId: good }, 2);
  expect(pages[0]?.nextPageId?.length).toBeGreaterThan(9_000);
  expect(pages[1]?.results).toHaveLength(1_000);
  expect(pages[1]?.nextPageId?.endsWith('\u0000')).toBe(true);
});

test('endless_pages begins again after the last row, and comes back to the first token after a circle', async () => {
  const paged = await startPaged({ fault: { kind: 'endless_pages', circle: 5 } });
  const pages = await walk(paged, 12);
  const rows = [...paged.sandbox.rowsOf(OPERATION, BODY)];
  const tokens = pages.map(({ nextPageId }) => nextPageId);
  expect(new Set(tokens).size).toBe(5);
  expect(tokens.slice(5, 10)).toEqual(tokens.slice(0, 5));
  expect(pages.slice(0, 3).flatMap(({ results }) => results)).toEqual(rows);
  expect(pages.slice(3, 5).flatMap(({ results }) => results)).toEqual(rows.slice(0, 2_000));
  expect(pages[5]?.results).toEqual(rows.slice(0, 1_000));
});

test('endless_pages can go on without rows, and without ever coming back', async () => {
  const pages = await walk(await startPaged({ fault: { kind: 'endless_pages', afterwards: 'no_rows' } }), 20);
  expect(pages.slice(3).map(({ results }) => results.length)).toEqual(Array(17).fill(0));
  expect(new Set(pages.map(({ nextPageId }) => nextPageId)).size).toBe(20);
});
