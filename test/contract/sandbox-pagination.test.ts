// Service specification: "Paginate body" (sequential), "Query execution" (nextPageId).
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Sandbox } from '../../sandbox/server.ts';
import {
  call,
  firstPage,
  type NextPageId,
  question,
  type Reply,
  type Row,
  readAll,
  StandingClock,
  startTinySandbox,
  submit,
} from './sandbox-calls.ts';

const OPERATION = 'keyword_rankings';
const BODY = question(OPERATION);

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startTinySandbox({ sizes: { keywords: 60 } });
});
afterAll(() => sandbox.close());

function page(executionId: string, nextPageId: NextPageId, pageSize?: number, where = sandbox): Promise<Reply> {
  return call(where, OPERATION, { executionId, nextPageId, ...(pageSize ? { pageSize } : {}) });
}

test.each([999, 1000, 401, 137])('pages of %i rows make up the same answer', async (pageSize) => {
  expect(await readAll(sandbox, OPERATION, BODY, pageSize)).toEqual([...sandbox.rowsOf(OPERATION, BODY)]);
});

test('a page of one row has one row', async () => {
  const executionId = await submit(sandbox, OPERATION, BODY);
  const first = await firstPage(sandbox, OPERATION, executionId);
  const second = await page(executionId, first.body.nextPageId, 1);
  expect(second.body.results).toEqual([[...sandbox.rowsOf(OPERATION, BODY)][1000]]);
});

test('the last page request can be repeated, as after a lost answer, and has the same answer', async () => {
  const before = sandbox.report().violations;
  const executionId = await submit(sandbox, OPERATION, BODY);
  const first = await firstPage(sandbox, OPERATION, executionId);
  const second = await page(executionId, first.body.nextPageId);
  const repeated = await page(executionId, first.body.nextPageId);
  expect(repeated.body).toEqual({ ...second.body, requestId: repeated.body.requestId });
  const third = await page(executionId, second.body.nextPageId);
  expect(third.status).toBe(200);
  const after = sandbox.report().violations;
  expect(after.repeatedPages - before.repeatedPages).toBe(1);
  expect(after.outOfOrderPages).toBe(before.outOfOrderPages);
});

test('an older token is still good, for a client that goes on from its last checkpoint, and is reported', async () => {
  const executionId = await submit(sandbox, OPERATION, BODY);
  const first = await firstPage(sandbox, OPERATION, executionId);
  const second = await page(executionId, first.body.nextPageId, 100);
  const third = await page(executionId, second.body.nextPageId, 100);
  await page(executionId, third.body.nextPageId, 100);
  const before = sandbox.report().violations.outOfOrderPages;
  const again = await page(executionId, first.body.nextPageId, 100);
  expect(again.body.results).toEqual(second.body.results);
  expect(sandbox.report().violations.outOfOrderPages - before).toBe(1);
});

test('reading on in order is no violation, nor is beginning again with a poll', async () => {
  const before = sandbox.report().violations;
  await readAll(sandbox, OPERATION, BODY, 300);
  const executionId = await submit(sandbox, OPERATION, BODY);
  for (const _ of ['first', 'second']) {
    const first = await firstPage(sandbox, OPERATION, executionId);
    await page(executionId, first.body.nextPageId);
  }
  expect(sandbox.report().violations).toEqual(before);
});

test('a token is good only for its own execution, unchanged', async () => {
  const [own, other] = [await submit(sandbox, OPERATION, BODY), await submit(sandbox, OPERATION, BODY)];
  const token = (await firstPage(sandbox, OPERATION, own)).body.nextPageId ?? '';
  await firstPage(sandbox, OPERATION, other);
  const before = sandbox.report().violations.foreignPageIds;
  const otherThan = (letter: string | undefined): string => (letter === 'A' ? 'B' : 'A');
  const changed = [`${otherThan(token[0])}${token.slice(1)}`, `${token.slice(0, -1)}${otherThan(token.at(-1))}`];
  const forged = [token.slice(1), `${token}A`, ...changed, '', 'x'];
  for (const [executionId, nextPageId] of [[other, token] as const, ...forged.map((text) => [own, text] as const)]) {
    const reply = await page(executionId, nextPageId);
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({ error: 'INVALID_PARAMETERS', message: `nextPageId is not a token of execution ${executionId}` });
  }
  expect(sandbox.report().violations.foreignPageIds - before).toBe(7);
  expect((await page(own, token)).status).toBe(200);
});

test('no page is given before the query has completed', async () => {
  const clock = new StandingClock();
  const slow = await startTinySandbox({ clock, queryMs: 1000 });
  onTestFinished(() => slow.close());
  const executionId = await submit(slow, OPERATION, BODY);
  const reply = await page(executionId, 'x', undefined, slow);
  expect(reply.status).toBe(400);
  expect(reply.body.message).toContain('not completed');
  expect(slow.report().violations.earlyPages).toBe(1);
});

/** A sandbox whose pages take a second of a standing clock, and a completed execution of it. */
async function startSlowPages(): Promise<{ slow: Sandbox; clock: StandingClock; executionId: string; first: Reply }> {
  const clock = new StandingClock();
  const slow = await startTinySandbox({ clock, pageMs: 1000, sizes: { keywords: 60 } });
  onTestFinished(() => slow.close());
  const executionId = await submit(slow, OPERATION, BODY);
  return { slow, clock, executionId, first: await firstPage(slow, OPERATION, executionId) };
}

function pagesAsked(slow: Sandbox): number {
  return Object.values(slow.report().calls).reduce((sum, { page: pages }) => sum + pages, 0);
}

/** Resolves when the sandbox has got that many page requests. */
async function untilPages(slow: Sandbox, count: number): Promise<void> {
  while (pagesAsked(slow) < count) await new Promise(setImmediate);
}

test('a second page request is refused while another of the same execution is being answered', async () => {
  const { slow, clock, executionId, first } = await startSlowPages();
  const running = page(executionId, first.body.nextPageId, undefined, slow);
  await untilPages(slow, 1);
  const parallel = await page(executionId, first.body.nextPageId, undefined, slow);
  expect(parallel.status).toBe(400);
  expect(parallel.body).toEqual({ error: 'INVALID_PARAMETERS', message: expect.stringContaining('pagination is sequential') });
  clock.advance(1000);
  const second = await running;
  expect(second.status).toBe(200);
  const third = page(executionId, second.body.nextPageId, undefined, slow);
  await untilPages(slow, 3);
  clock.advance(1000);
  expect((await third).status).toBe(200);
  expect(slow.report().violations.parallelPages).toBe(1);
});

test('pages of different executions may be read at the same time', async () => {
  const { slow, clock, executionId, first } = await startSlowPages();
  const otherId = await submit(slow, OPERATION, BODY);
  const other = await firstPage(slow, OPERATION, otherId);
  const both = [page(executionId, first.body.nextPageId, undefined, slow), page(otherId, other.body.nextPageId, undefined, slow)];
  await untilPages(slow, 2);
  clock.advance(1000);
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
});

test('a client that hung up may ask for its page again', async () => {
  const { slow, clock, executionId, first } = await startSlowPages();
  const impatience = new AbortController();
  const { nextPageId } = first.body;
  const abandoned = call(slow, OPERATION, { executionId, nextPageId }, { signal: impatience.signal });
  await untilPages(slow, 1);
  impatience.abort();
  await expect(abandoned).rejects.toThrow();
  // The sandbox learns of it a moment later; a page that is let in waits for the clock, a refused one answers at once.
  for (;;) {
    const known = slow.report().violations.parallelPages;
    const asked = pagesAsked(slow);
    const retry = page(executionId, nextPageId, undefined, slow);
    await untilPages(slow, asked + 1);
    if (slow.report().violations.parallelPages > known) {
      expect((await retry).status).toBe(400);
      continue;
    }
    clock.advance(1000);
    const reply = await retry;
    expect(reply.status).toBe(200);
    const rows: readonly Row[] = reply.body.results;
    expect(rows).toHaveLength(1000);
    return;
  }
});
