// Each answer that the specification leaves open, from a sandbox that gives it, through the whole program to the tables: what
// it means is published, once and for one submit; what it cannot mean is held, and what was there stays. Loads take a second
// each, whatever they hold, so those of a test go side by side.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FaultInput } from '../../../sandbox/faults/fault.ts';
import { addDays, type IsoDate } from '../../../src/core/weeks.ts';
import { chooseBackfill, planJob } from '../../../src/pipeline/plan.ts';
import type { Instance } from '../../../src/queue/instance.ts';
import { findUnaskedErasures } from '../../support/invariants.ts';
import { compareBags, publishedAs, readPublishedSlices, servedTo } from '../../support/row-bags.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, STACK_TOKEN, type TestStack } from '../../support/test-stack.ts';

const NEWEST = '2026-09-06';

const JOBS = `
connections:
  main: { base_url: "\${SANDBOX_URL}", auth: { token: ${STACK_TOKEN} }, limits: hard }
defaults: { account_id: 12345, since: ${NEWEST}, schedule: { cron: "0 6 * * 1", timezone: UTC }, lookback_weeks: 0, page_size: 50, max_submits: 1 }
jobs:
  - { name: rankings, dataset: keyword_rankings }
  - { name: four-weeks, dataset: highest_ranking_url_per_keyword, weeks_per_query: 4 }
  - { name: brands, dataset: ai_search_brands }
  - { name: responses, dataset: ai_search_response, filters: { limit: 10 } }
`;

type Outcome = Readonly<{
  state: string;
  submits: number;
  received: number;
  rejected: number;
  rules: readonly string[] | null;
  reason: string | null;
  changed: readonly number[] | null;
}>;

describe('an answer that the specification leaves open', () => {
  let stack: TestStack;
  let instance: Instance;
  let nextWeek: IsoDate = addDays(NEWEST, -7 * 100);

  /** So many weeks that no test has used yet. */
  function takeWeeks(count: number): IsoDate[] {
    const weeks = Array.from({ length: count }, (_, number) => addDays(nextWeek, 7 * number));
    nextWeek = addDays(nextWeek, 7 * count);
    return weeks;
  }

  /** Loads weeks of a job, the first submit with the first faults and so on. Returns what became of each window, oldest first. */
  async function load(name: string, weeks: readonly IsoDate[], answers: readonly (readonly FaultInput[])[]): Promise<Outcome[]> {
    const job = stack.config.jobs.find((one) => one.name === name);
    if (!job) throw new Error(`there is no job ${name}`);
    stack.sandbox.setFaults({
      rules: answers.flatMap((faults, index) =>
        faults.map((fault) => ({ on: { operation: job.dataset.name, execution: index + 1 }, fault })),
      ),
    });
    await planJob(instance.pipeline, job, {
      configured: stack.config.jobs,
      expectedThrough: NEWEST,
      choose: (slices) => chooseBackfill(job, slices, { weeks, mode: 'all' }),
    });
    await stack.settle();
    stack.sandbox.clearFaults();
    return stack.read<Outcome>(
      `SELECT DISTINCT ON (s.window_start) e.state, count(*) FILTER (WHERE e.submitted_at IS NOT NULL) OVER (PARTITION BY s.id) AS submits,
              e.rows_received AS received, e.rows_quarantined AS rejected, e.end_reason AS reason,
              (SELECT array_agg(o ->> 'rule') FROM jsonb_array_elements(e.objections) o) AS rules,
              ARRAY[p.rows_inserted, p.rows_updated, p.rows_deleted]::integer[] AS changed
         FROM searchmill.slices s JOIN searchmill.executions e ON e.slice_id = s.id LEFT JOIN searchmill.publications p ON p.execution_id = e.id
        WHERE s.job = $1 AND s.window_start = ANY ($2::date[]) ORDER BY s.window_start, e.id DESC`,
      [name, weeks],
    );
  }

  /** Loads a new week for each answer. */
  const loadNew = (name: string, answers: readonly (readonly FaultInput[])[]): Promise<Outcome[]> =>
    load(name, takeWeeks(answers.length), answers);

  beforeAll(async () => {
    stack = await createTestStack({
      queue: { kind: 'postgres', redisUrl: undefined },
      jobs: JOBS,
      clock: createSimulatedClock('2026-09-16T12:00:00Z'),
      sandbox: { size: 'tiny', sizes: { keywords: 30 } },
    });
    instance = await stack.start({ role: 'worker' });
  });
  afterEach(async () => {
    for (const slice of await readPublishedSlices(stack.pool)) {
      const { missing, surplus } = compareBags(servedTo(stack.sandbox, slice), await publishedAs(stack.pool, slice));
      const shown = { missing: missing.slice(0, 2), surplus: surplus.slice(0, 2) };
      expect(shown, `${slice.job} ${slice.window}`).toEqual({ missing: [], surplus: [] });
    }
    expect(await findUnaskedErasures(stack.pool)).toEqual([]);
    expect(await stack.read('SELECT execution_id, kind, detail FROM searchmill.drift_events')).toEqual([]);
  });
  afterAll(() => stack.close());

  it('is an ordinary empty week when it has no rows, whatever else it leaves out, and replaces no rows without consent', async () => {
    const answers: FaultInput[][] = [
      ['empty_answer'],
      ['empty_answer', { kind: 'missing_field', field: 'schema', as: 'empty' }],
      ['empty_answer', { kind: 'missing_field', field: 'schema' }],
      ['empty_answer', { kind: 'missing_field', field: 'schema' }, { kind: 'missing_field', field: 'results' }],
    ];
    const weeks = takeWeeks(answers.length);
    for (const outcome of await load('brands', weeks, answers)) {
      expect(outcome).toMatchObject({ state: 'published', submits: 1, received: 0, rules: null, changed: [0, 0, 0] });
    }
    for (const outcome of await load('brands', weeks, []))
      expect(outcome).toMatchObject({ state: 'published', changed: [outcome.received, 0, 0] });
    const rows = await stack.read('SELECT count(*) FROM search.ai_search_brands');
    for (const outcome of await load('brands', weeks, answers))
      expect(outcome).toMatchObject({ state: 'held', received: 0, rules: ['shrink'] });
    expect(await stack.read('SELECT count(*) FROM search.ai_search_brands')).toEqual(rows);
  });

  it('is read all the same when later pages have no schema, the schema no types, and the last page any token but one', async () => {
    const ways = ['absent', 'null', 'empty'] as const;
    const outcomes = await loadNew('rankings', [
      ...ways.map((as): FaultInput[] => [{ kind: 'missing_field', field: 'schema', as, pages: 'later' }]),
      ...ways.map((as): FaultInput[] => [{ kind: 'missing_field', field: 'nextPageId', as, pages: 'last' }]),
      [{ kind: 'drift', change: 'untyped' }],
    ]);
    expect(outcomes).toHaveLength(7);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ state: 'published', submits: 1, rejected: 0 });
    expect(Math.min(...outcomes.map(({ received }) => received))).toBeGreaterThan(1000);
  });

  it('may count the rows that its limit left out', async () => {
    const [outcome] = await loadNew('responses', [[{ kind: 'row_count', count: 'above_limit', by: 500 }]]);
    expect(outcome).toMatchObject({ state: 'published', submits: 1, received: 10, rules: null });
  });

  it('may write values in ways that are seldom seen: what they mean is published, and no row is lost', async () => {
    const [outcome] = await loadNew('rankings', [
      [
        { kind: 'odd_value', value: 'decimal_integer', column: 'account_id', share: 0.5 },
        { kind: 'odd_value', value: 'exponent_integer', column: 'rank_true', share: 0.5 },
        { kind: 'odd_value', value: 'number_in_text', column: 'title', share: 0.5 },
        { kind: 'odd_value', value: 'not_a_number', column: 'cpc', share: 0.1 },
        { kind: 'odd_value', value: 'infinity', column: 'cpc', share: 0.1 },
        { kind: 'odd_value', value: 'minus_infinity', column: 'cpc', share: 0.1 },
      ],
    ]);
    expect(outcome).toMatchObject({ state: 'published', rejected: 0 });
    const found = await stack.read(`SELECT DISTINCT cpc FROM search.keyword_rankings WHERE cpc IN ('NaN', 'Infinity', '-Infinity')`);
    expect(found).toHaveLength(3);
  });

  it('is held when one row stands for all four weeks', async () => {
    const outcomes = await load('four-weeks', takeWeeks(4), [['whole_period']]);
    expect(outcomes).toMatchObject([{ state: 'held', rules: ['period'], changed: [null, null, null] }]);
    expect(await stack.read('SELECT FROM search.highest_ranking_url_per_keyword')).toEqual([]);
  });

  it('may name groups with commas: the arrays invent no items', async () => {
    const weeks = takeWeeks(1);
    await load('rankings', weeks, [[{ kind: 'odd_value', value: 'comma_in_name', share: 0.5 }]]);
    const rows = await stack.read(
      `SELECT keyword_group_names IS NULL AS "isUnknown", bool_and(cardinality(keyword_group_ids) = cardinality(keyword_group_names)) AS "isMatching"
         FROM search.keyword_rankings_arrays WHERE time_period_start = $1 AND cardinality(keyword_group_ids) > 0 GROUP BY 1 ORDER BY 1`,
      [weeks[0]],
    );
    expect(rows).toEqual([
      { isUnknown: false, isMatching: true },
      { isUnknown: true, isMatching: null },
    ]);
  });

  it('is not held for one bad row of a small week, but the row is reported', async () => {
    const [outcome] = await loadNew('brands', [[{ kind: 'bad_value', value: 'nul', rows: 1 }]]);
    expect(outcome).toMatchObject({ state: 'published', rejected: 1, rules: null });
    expect(outcome?.received).toBeLessThan(200);
  });

  it('has the same rows when they were collected again, on another day and with another intent', async () => {
    for (const [name, columns] of [
      ['rankings', ['collection_date']],
      ['brands', ['intent']],
      ['responses', ['collection_date', 'intent']],
    ] as const) {
      const [week = NEWEST] = takeWeeks(1);
      const [first] = await load(name, [week], []);
      const [second] = await load(name, [week], [[{ kind: 'restate', share: 1, columns: [...columns] }]]);
      expect([second?.state, second?.changed?.[0], second?.changed?.[2]], name).toEqual(['published', 0, 0]);
      expect(second?.changed?.[1], name).toBeGreaterThan((first?.received ?? 0) / 2);
    }
  });

  it('says why the query failed, wherever it says so', async () => {
    const outcomes = await loadNew(
      'brands',
      (['message', 'errorMessage', 'error', 'errors'] as const).flatMap((place): FaultInput[][] => [
        [{ kind: 'failed', message: 'out of disk', message_in: place }],
        [{ kind: 'failed', message: 'out of disk', message_in: place, status: 500 }],
      ]),
    );
    expect(outcomes).toHaveLength(8);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ state: 'failed', reason: expect.stringContaining('out of disk') });
  });
});
