// An instance that stops in the middle of a load gives it back, and the next goes on at the page where it stopped. A queue
// that loses everything it has loses nothing that matters.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, describeOnEachQueue, SANDBOX_CONNECTION, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const DATASET: string = 'keyword_rankings';
const JOBS = `
${SANDBOX_CONNECTION}
jobs:
  - { name: rankings, dataset: ${DATASET}, account_id: 12345, since: 2026-09-06, page_size: 50, schedule: { cron: "0 6 * * 1" } }
`;

type LoadState = Readonly<{ state: string; pages: number; cursor: string | null; owner: string | null; isLeased: boolean; rows: number }>;

describeOnEachQueue('a load that is interrupted', (queue) => {
  let stack: TestStack;
  const load = async (): Promise<LoadState | undefined> =>
    (
      await stack.read<LoadState>(`
        SELECT state, pages, next_cursor AS cursor, lease_owner AS owner, coalesce(lease_until > now(), false) AS "isLeased",
               rows_received AS rows FROM searchmill.executions`)
    )[0];

  beforeAll(async () => {
    const clock = createSimulatedClock('2026-09-14T07:00:00Z');
    stack = await createTestStack({ queue, jobs: JOBS, clock, sandbox: { pageMs: 10 } });
  });
  afterAll(() => stack.close());

  it('goes on at the page where it stopped, however often it is stopped', async () => {
    let stops = 0;
    for (const pages of [3, 20, 40]) {
      const instance = await stack.start();
      await until(`page ${pages}`, async () => ((await load())?.pages ?? 0) >= pages);
      await instance.stop();
      stops += 1;
      const left = await load();
      expect(left).toMatchObject({ state: 'loading', owner: null, isLeased: false });
      expect(left?.cursor).not.toBeNull();
    }
    await stack.start();
    await stack.settle();
    await expectExactlyServed(stack);

    const pages = (await load())?.pages ?? 0;
    expect(pages).toBeGreaterThan(60);
    const { submit, page } = stack.sandbox.report().calls[DATASET] ?? { submit: 0, page: 0 };
    expect(submit).toBe(1);
    // At each stop, the page that was on its way then is asked for again. The first page came with the poll.
    expect(page).toBeGreaterThanOrEqual(pages - 1);
    expect(page).toBeLessThanOrEqual(pages - 1 + stops);
    expect(stack.sandbox.report().violations).toMatchObject({ parallelPages: 0, outOfOrderPages: 0, foreignPageIds: 0, overLimit: 0 });
  });
});

describeOnEachQueue('a queue that is emptied', (queue) => {
  let stack: TestStack;

  beforeAll(async () => {
    const jobs = `
${SANDBOX_CONNECTION}
defaults: { account_id: 12345, since: 2026-09-06, page_size: 50 }
jobs:
  - { name: rankings, dataset: keyword_rankings }
  - { name: citations, dataset: ai_search_citations }
  - { name: answers, dataset: ai_search_response }
`;
    const clock = createSimulatedClock('2026-09-14T07:00:00Z');
    stack = await createTestStack({ queue, jobs, clock, sandbox: { pageMs: 10, queryMs: 2_000 } });
  });
  afterAll(() => stack.close());

  it('costs seconds: every bell is rung again, and nothing is asked twice', async () => {
    const countIn = async (state: string): Promise<number> =>
      (await stack.read(`SELECT id FROM searchmill.executions WHERE state = '${state}'`)).length;
    await stack.start();
    await until('the queries to run', async () => (await countIn('in_progress')) === 3);
    await stack.emptyQueue();
    await until('a load', async () => (await countIn('loading')) > 0);
    await stack.emptyQueue();
    await stack.settle();
    const slices = await expectExactlyServed(stack);
    expect(slices).toHaveLength(3);
    expect(stack.sandbox.report().submits).toHaveLength(3);
  });
});
