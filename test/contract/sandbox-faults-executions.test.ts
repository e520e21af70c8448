// Faults of executions, of the tokens that lead from page to page, and of statuses that belie the state.
import { expect, test } from 'vitest';
import type { Sandbox } from '../../sandbox/server.ts';
import { call, type NextPageId, question, type Reply, type Row, submit } from './sandbox-calls.ts';
import { post, startFaulty } from './sandbox-fault-calls.ts';

const OPERATION = 'ai_search_brands';
const BODY = question(OPERATION);

test('failed ends the execution for good, with the status and message of the plan', async () => {
  const { sandbox } = await startFaulty([
    { on: { call: 'poll' }, when: { nth: 2 }, fault: { kind: 'failed', status: 500, message: 'out of disk' } },
  ]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  expect((await call(sandbox, OPERATION, { executionId })).status).toBe(200);
  const failed = await call(sandbox, OPERATION, { executionId });
  expect(failed.status).toBe(500);
  expect(failed.body).toEqual({
    executionId,
    executionState: 'FAILED',
    requestId: expect.any(String),
    results: [],
    schema: [],
    nextPageId: null,
    totalRowCount: null,
    error: 'QUERY_FAILED',
    message: 'out of disk',
  });
  expect(sandbox.report().violations.failedExecutions).toBe(0);
  const again = await call(sandbox, OPERATION, { executionId });
  expect([again.status, again.body.message]).toEqual([500, 'out of disk']);
  expect(sandbox.report().violations.failedExecutions).toBe(1);
  sandbox.clearFaults();
  expect((await call(sandbox, OPERATION, { executionId })).body.executionState).toBe('FAILED');
});

test('failed has status 200 by default and may come without a message, at a submit and in the middle of the pages too', async () => {
  const operation = 'keyword_rankings';
  const { sandbox } = await startFaulty(
    [
      { on: { operation: OPERATION, call: 'submit' }, fault: { kind: 'failed', message: null } },
      { on: { operation, call: 'page' }, when: { nth: 2 }, fault: { kind: 'failed', status: 202 } },
    ],
    { sizes: { keywords: 60 } },
  );
  const refused = await call(sandbox, OPERATION, BODY);
  expect([refused.status, refused.body.executionState]).toEqual([200, 'FAILED']);
  expect(refused.body).not.toHaveProperty('message');
  expect(refused.body).not.toHaveProperty('error');
  const executionId = await submit(sandbox, operation, question(operation));
  const first = await call(sandbox, operation, { executionId });
  const second = await call(sandbox, operation, { executionId, nextPageId: first.body.nextPageId });
  const third = await call(sandbox, operation, { executionId, nextPageId: second.body.nextPageId });
  expect([second.status, third.status, third.body.executionState]).toEqual([200, 202, 'FAILED']);
});

test('stuck keeps an execution in progress for a number of polls, or until the plan is cleared', async () => {
  const { sandbox } = await startFaulty([
    { on: { operation: OPERATION }, when: { nth: 1 }, fault: { kind: 'stuck', polls: 3 } },
    { on: { operation: 'ai_search_citations', call: 'submit' }, fault: 'stuck' },
  ]);
  const statesOf = async (operation: string, executionId: string, polls: number): Promise<string[]> => {
    const states: string[] = [];
    for (let poll = 0; poll < polls; poll++) states.push((await call(sandbox, operation, { executionId })).body.executionState);
    return states;
  };
  const slow = await submit(sandbox, OPERATION, BODY);
  expect(await statesOf(OPERATION, slow, 5)).toEqual(['IN_PROGRESS', 'IN_PROGRESS', 'IN_PROGRESS', 'COMPLETED', 'COMPLETED']);
  const stuck = await submit(sandbox, 'ai_search_citations', question('ai_search_citations'));
  expect(new Set(await statesOf('ai_search_citations', stuck, 50))).toEqual(new Set(['IN_PROGRESS']));
  sandbox.clearFaults();
  expect(await statesOf('ai_search_citations', stuck, 1)).toEqual(['COMPLETED']);
  expect(sandbox.report().faults.injected).toEqual({
    stuck: { submit: 1, poll: 53, page: 0 },
  });
});

test.each([
  ['expired_id', 'has expired', { expiredExecutions: 1, unknownExecutions: 0 }],
  ['rejected_id', 'is not known', { expiredExecutions: 0, unknownExecutions: 1 }],
] as const)('%s refuses an id that was good; only using the id again is a violation', async (kind, words, violations) => {
  const { sandbox } = await startFaulty([{ when: { nth: 2 }, fault: kind }]);
  const executionId = await submit(sandbox, OPERATION, BODY);
  expect((await call(sandbox, OPERATION, { executionId })).status).toBe(200);
  const refused = await call(sandbox, OPERATION, { executionId });
  expect(refused.status).toBe(400);
  expect(refused.body).toEqual({ error: 'INVALID_PARAMETERS', message: `executionId ${executionId} ${words}` });
  expect(sandbox.report().violations).toMatchObject({ expiredExecutions: 0, unknownExecutions: 0 });
  const again = await call(sandbox, OPERATION, { executionId });
  expect([again.status, again.body]).toEqual([400, refused.body]);
  expect(sandbox.report().violations).toMatchObject(violations);
  expect((await call(sandbox, OPERATION, BODY)).status).toBe(202);
});

test('wrong_status answers 200 while in progress and 202 when completed, or what the plan says', async () => {
  const { sandbox, clock } = await startFaulty(
    [
      { on: { operation: OPERATION }, fault: 'wrong_status' },
      { on: { operation: 'ai_search_fan_out', call: 'submit' }, fault: { kind: 'wrong_status', in_progress: 201 } },
    ],
    { queryMs: 1000 },
  );
  const executionId = await submit(sandbox, OPERATION, BODY);
  const running = await call(sandbox, OPERATION, { executionId });
  expect([running.status, running.body.executionState]).toEqual([200, 'IN_PROGRESS']);
  clock.advance(1500);
  const completed = await call(sandbox, OPERATION, { executionId });
  expect([completed.status, completed.body.executionState]).toEqual([202, 'COMPLETED']);
  expect(completed.body.results.length).toBeGreaterThan(0);
  const accepted = await call(sandbox, 'ai_search_fan_out', question('ai_search_fan_out'));
  expect([accepted.status, accepted.body.executionState]).toEqual([201, 'IN_PROGRESS']);
});

const PAGED = 'keyword_rankings';

type Paged = Readonly<{ sandbox: Sandbox; executionId: string; first: Reply }>;

async function startPaged(...rules: Parameters<typeof startFaulty>[0]): Promise<Paged> {
  const { sandbox } = await startFaulty(rules, { sizes: { keywords: 60 } });
  const executionId = await submit(sandbox, PAGED, question(PAGED));
  return { sandbox, executionId, first: await call(sandbox, PAGED, { executionId }) };
}

/** Five pages follow the first, the last one not full. */
const readPage = ({ sandbox, executionId }: Paged, nextPageId: NextPageId): Promise<Reply> =>
  call(sandbox, PAGED, { executionId, nextPageId, pageSize: 300 });

test('repeated_token points a page to itself, even the last one', async () => {
  const paged = await startPaged({ when: { nth: 2 }, fault: 'repeated_token' }, { when: { nth: 6 }, fault: 'repeated_token' });
  let { nextPageId } = paged.first.body;
  const asked: NextPageId[] = [];
  const pages: (readonly Row[])[] = [];
  for (let page = 1; page <= 7; page++) {
    asked.push(nextPageId);
    const { body } = await readPage(paged, nextPageId);
    pages.push(body.results);
    nextPageId = body.nextPageId;
  }
  expect(asked[2]).toBe(asked[1]);
  expect(pages[2]).toEqual(pages[1]);
  expect(asked[6]).toBe(asked[5]);
  expect(pages[6]).toEqual(pages[5]);
  expect(pages[5]?.length).toBeLessThan(300);
  expect(nextPageId).toBeNull();
  expect(new Set(asked).size).toBe(5);
  expect(paged.sandbox.report().violations).toMatchObject({ outOfOrderPages: 0, foreignPageIds: 0 });
});

test('cyclic_token points to the page before, or to the very first when there was none', async () => {
  const paged = await startPaged(
    { when: { nth: 3 }, fault: 'cyclic_token' },
    { on: { execution: 2 }, when: { nth: 1 }, fault: 'cyclic_token' },
  );
  const second = await readPage(paged, paged.first.body.nextPageId);
  const third = await readPage(paged, second.body.nextPageId);
  const fourth = await readPage(paged, third.body.nextPageId);
  expect(fourth.body.nextPageId).toBe(second.body.nextPageId);
  const back = await readPage(paged, fourth.body.nextPageId);
  expect(back.body.results).toEqual(third.body.results);
  expect(paged.sandbox.report().violations).toMatchObject({ outOfOrderPages: 0, foreignPageIds: 0 });

  const executionId = await submit(paged.sandbox, PAGED, question(PAGED));
  const { nextPageId } = (await call(paged.sandbox, PAGED, { executionId })).body;
  const astray = await readPage({ ...paged, executionId }, nextPageId);
  const start = await readPage({ ...paged, executionId }, astray.body.nextPageId);
  expect(start.body.results).toEqual(paged.first.body.results.slice(0, 300));
});

test('empty_page has no rows and a next page where they are; no row is lost', async () => {
  const paged = await startPaged({ on: { call: 'read' }, when: { probability: 0.5 }, fault: 'empty_page' });
  const rows: Row[] = [...paged.first.body.results];
  const tokens: string[] = [];
  let empty = paged.first.body.results.length === 0 ? 1 : 0;
  for (let { nextPageId } = paged.first.body; typeof nextPageId === 'string'; ) {
    tokens.push(nextPageId);
    const { status, body } = await readPage(paged, nextPageId);
    expect(status).toBe(200);
    expect(body.schema).toHaveLength(31);
    if (body.results.length === 0) empty++;
    rows.push(...body.results);
    nextPageId = body.nextPageId;
  }
  expect(empty).toBeGreaterThan(0);
  expect(new Set(tokens).size).toBe(tokens.length);
  expect(rows).toEqual([...paged.sandbox.rowsOf(PAGED, question(PAGED))]);
  const { injected } = paged.sandbox.report().faults;
  expect((injected.empty_page?.poll ?? 0) + (injected.empty_page?.page ?? 0)).toBe(empty);
  expect(paged.sandbox.report().violations).toMatchObject({ outOfOrderPages: 0, repeatedPages: 0, foreignPageIds: 0 });
});

test('violations of the protocol are still counted', async () => {
  const paged = await startPaged({ when: { nth: 3 }, fault: 'bad_gateway' });
  const second = await readPage(paged, paged.first.body.nextPageId);
  const lost = { executionId: paged.executionId, nextPageId: second.body.nextPageId };
  expect((await post(paged.sandbox, PAGED, lost)).status).toBe(200);
  expect((await post(paged.sandbox, PAGED, lost)).status).toBe(502);
  expect((await readPage(paged, paged.first.body.nextPageId)).status).toBe(200);
  expect((await readPage(paged, 'nonsense')).status).toBe(400);
  expect((await call(paged.sandbox, PAGED, { executionId: 'never given' })).status).toBe(400);
  expect(paged.sandbox.report().violations).toMatchObject({
    outOfOrderPages: 1,
    foreignPageIds: 1,
    unknownExecutions: 1,
    repeatedPages: 0,
  });
});

test('lower_case writes the state in lower case at every call, and nothing else', async () => {
  const { sandbox, clock } = await startFaulty(
    [
      { when: { nth: 1 }, fault: 'lower_case' },
      { on: { call: 'poll' }, fault: 'lower_case' },
    ],
    {
      queryMs: 1000,
    },
  );
  const submitted = await call(sandbox, OPERATION, BODY);
  expect([submitted.status, submitted.body.executionState]).toEqual([202, 'in_progress']);
  const { executionId } = submitted.body;
  expect((await call(sandbox, OPERATION, { executionId })).body.executionState).toBe('in_progress');
  clock.advance(1500);
  const completed = await call(sandbox, OPERATION, { executionId });
  expect([completed.status, completed.body.executionState]).toEqual([200, 'completed']);
  expect(completed.body.results).toEqual([...sandbox.rowsOfExecution(executionId)].slice(0, completed.body.results.length));
  expect(completed.body.schema[0]).toEqual({ name: 'organization_name', type: 'string' });
});
