// Service specification: "States and transitions", "Flow rules", "Endpoints", "Query execution".
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { RECORD_FORMS } from '../../sandbox/protocol/answers.ts';
import type { Sandbox } from '../../sandbox/server.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import { executionRecordSchema } from '../../src/service/wire.ts';
import { call, firstPage, question, type ReplyBody, readAll, StandingClock, startTinySandbox, submit, TOKEN } from './sandbox-calls.ts';

/** An answer without its token. */
function omitToken({ nextPageId: _, ...rest }: ReplyBody): Omit<ReplyBody, 'nextPageId'> {
  return rest;
}

describe.each(RECORD_FORMS)('the flow of a query, its records %s', (records) => {
  const isSpecified = records === 'specified';
  const lastPage = isSpecified ? { nextPageId: null } : {};
  const clock = new StandingClock();
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startTinySandbox({ clock, queryMs: 1000, sizes: { keywords: 60 }, records });
  });
  afterAll(() => sandbox.close());

  test.each(DATASETS.map(({ name }) => name))('%s is submitted, runs, completes and is read to the last row', async (operation) => {
    const body = question(operation);
    const accepted = await call(sandbox, operation, body);
    expect(accepted.status).toBe(202);
    expect(accepted.body).toEqual({
      executionId: expect.any(String),
      executionState: 'IN_PROGRESS',
      requestId: expect.any(String),
      ...(isSpecified ? { results: [], schema: [], nextPageId: null, totalRowCount: null } : {}),
    });
    const { executionId } = accepted.body;

    const running = await call(sandbox, operation, { executionId });
    expect(running.status).toBe(202);
    expect(running.body).toEqual({ ...accepted.body, requestId: running.body.requestId });
    expect(running.body.requestId).not.toBe(accepted.body.requestId);

    clock.advance(1500);
    const first = await firstPage(sandbox, operation, executionId);
    expect(first.status).toBe(200);
    expect(first.body.executionState).toBe('COMPLETED');
    expect(first.body.executionId).toBe(executionId);
    expect(executionRecordSchema.safeParse(first.body).success).toBe(true);
    const columns = DATASETS.find(({ name }) => name === operation)?.columns ?? [];
    expect(first.body.schema).toEqual(columns.map(({ name, wire }) => ({ name, type: wire })));

    const rows = [...first.body.results];
    let { nextPageId } = first.body;
    while (typeof nextPageId === 'string') {
      const page = await call(sandbox, operation, { executionId, nextPageId });
      expect(page.status).toBe(200);
      expect(page.body.totalRowCount).toBe(first.body.totalRowCount);
      rows.push(...page.body.results);
      nextPageId = page.body.nextPageId;
    }
    expect(rows).toHaveLength(first.body.totalRowCount ?? -1);
    expect(rows).toEqual([...sandbox.rowsOf(operation, body)]);
    expect(rows.length).toBeGreaterThan(10);
  });

  test('ids have a prefix before a colon, and are no UUIDs', async () => {
    const body = question('ai_search_brands');
    const ids = [await submit(sandbox, 'ai_search_brands', body), await submit(sandbox, 'ai_search_brands', body)];
    for (const id of ids) expect(id).toMatch(/^sandbox:[\w-]{20}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });

  test('pages hold 1000 rows unless another size is asked for, and the last one what is left', async () => {
    const operation = 'keyword_rankings';
    const executionId = await submit(sandbox, operation, question(operation));
    clock.advance(1500);
    const first = await firstPage(sandbox, operation, executionId);
    const total = first.body.totalRowCount ?? 0;
    expect(total).toBeGreaterThan(2000);
    expect(first.body.results).toHaveLength(1000);
    const second = await call(sandbox, operation, { executionId, nextPageId: first.body.nextPageId, pageSize: 7 });
    expect(second.body.results).toHaveLength(7);
    const third = await call(sandbox, operation, { executionId, nextPageId: second.body.nextPageId });
    expect(third.body.results).toHaveLength(1000);
    expect(third.body.nextPageId).toEqual(expect.any(String));
    const last = await call(sandbox, operation, { executionId, nextPageId: third.body.nextPageId });
    expect(last.body.results).toHaveLength(total - 2007);
    expect({ ...last.body, results: [] }).toEqual({ ...omitToken(third.body), requestId: last.body.requestId, results: [], ...lastPage });
  });

  test('a completed query answers every further poll with its first page', async () => {
    const operation = 'keyword_rankings';
    const executionId = await submit(sandbox, operation, question(operation));
    clock.advance(1500);
    const first = await firstPage(sandbox, operation, executionId);
    await call(sandbox, operation, { executionId, nextPageId: first.body.nextPageId });
    const again = await call(sandbox, operation, { executionId });
    expect(again.body).toEqual({ ...first.body, requestId: again.body.requestId });
  });

  test('a query without rows completes with an empty page, its schema and a count of 0', async () => {
    const operation = 'keyword_rankings';
    const executionId = await submit(sandbox, operation, question(operation, { domains: ['nobody.example'] }));
    clock.advance(1500);
    const { status, body } = await firstPage(sandbox, operation, executionId);
    expect(status).toBe(200);
    expect(body).toMatchObject({ executionState: 'COMPLETED', results: [], totalRowCount: 0, ...lastPage });
    expect('nextPageId' in body).toBe(isSpecified);
    expect(body.schema).toHaveLength(31);
  });
});

test('how long a query runs depends on what it asks, between half and one and a half times the setting', async () => {
  const clock = new StandingClock();
  const sandbox = await startTinySandbox({ clock, queryMs: 1000 });
  onTestFinished(() => sandbox.close());
  const durations = new Set<number>();
  for (const maxRank of [1, 2, 3]) {
    const body = question('keyword_rankings', { max_rank: maxRank });
    const seen = [];
    for (const _ of ['once', 'twice']) {
      const executionId = await submit(sandbox, 'keyword_rankings', body);
      let waited = 0;
      for (; (await call(sandbox, 'keyword_rankings', { executionId })).status === 202; waited += 50) clock.advance(50);
      seen.push(waited);
    }
    expect(seen[0]).toBe(seen[1]);
    expect(seen[0]).toBeGreaterThanOrEqual(500);
    expect(seen[0]).toBeLessThanOrEqual(1500);
    durations.add(seen[0] ?? 0);
  }
  expect(durations.size).toBeGreaterThan(1);
});

describe('the server', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startTinySandbox();
  });
  afterAll(() => sandbox.close());

  test('takes nothing but POST on an operation', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const response = await fetch(`${sandbox.url}/data-api/v1/async/keyword_rankings`, { method, headers: TOKEN });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST');
    }
  });

  test('knows no further operations and no other version', async () => {
    for (const path of ['/data-api/v1/async/keyword_ranking', '/data-api/v2/async/keyword_rankings', '/']) {
      const response = await fetch(`${sandbox.url}${path}`, { method: 'POST', headers: TOKEN });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: 'NOT_FOUND' });
    }
  });

  test('says that it is healthy, and what it saw', async () => {
    const health = await fetch(`${sandbox.url}/healthz`);
    expect(health.status).toBe(200);
    await readAll(sandbox, 'ai_search_brands', question('ai_search_brands'));
    const report = await fetch(`${sandbox.url}/report`);
    expect(await report.json()).toEqual(JSON.parse(JSON.stringify(sandbox.report())));
    expect(sandbox.report().calls.ai_search_brands).toEqual({ submit: 1, poll: 1, page: 0 });
    expect(sandbox.report().submits).toMatchObject([
      { operation: 'ai_search_brands', credential: 'token 1', body: question('ai_search_brands') },
    ]);
  });

  test.each(['gzip', 'deflate', 'br', 'identity'])(
    'answers %s to a client that accepts only that, with the same rows',
    async (encoding) => {
      const executionId = await submit(sandbox, 'keyword_rankings', question('keyword_rankings'));
      const headers = { ...TOKEN, 'accept-encoding': encoding };
      const reply = await call(sandbox, 'keyword_rankings', { executionId }, { headers });
      expect(reply.headers.get('content-encoding') ?? 'identity').toBe(encoding);
      expect(reply.body.results).toEqual([...sandbox.rowsOf('keyword_rankings', question('keyword_rankings'))]);
    },
  );

  test('forgets the oldest executions when there are too many', async () => {
    const small = await startTinySandbox({ maxExecutions: 2 });
    try {
      const ids = [];
      for (const _ of [1, 2, 3]) ids.push(await submit(small, 'ai_search_brands', question('ai_search_brands')));
      const statuses = await Promise.all(ids.map(async (executionId) => (await call(small, 'ai_search_brands', { executionId })).status));
      expect(statuses).toEqual([400, 200, 200]);
      expect(small.report().executions).toBe(2);
    } finally {
      await small.close();
    }
  });

  test('answers 500 with an error body when it fails itself, and goes on', async () => {
    let isBroken = false;
    const steady = new StandingClock();
    const clock = {
      sleep: () => steady.sleep(0),
      now: () => {
        if (isBroken) throw new Error('no time');
        return steady.now();
      },
    };
    const fragile = await startTinySandbox({ clock });
    try {
      isBroken = true;
      const { status, body } = await call(fragile, 'ai_search_brands', question('ai_search_brands'));
      expect(status).toBe(500);
      expect(body).toEqual({ error: 'INTERNAL_ERROR', message: expect.any(String) });
      isBroken = false;
      expect((await call(fragile, 'ai_search_brands', question('ai_search_brands'))).status).toBe(202);
    } finally {
      await fragile.close();
    }
  });
});
