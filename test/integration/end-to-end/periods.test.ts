// Periods other than weeks from Sunday: rows of single days beside rows of weeks, and weeks from Monday, which the
// service is documented to refuse.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { weeksFromTo } from '../../../src/core/weeks.ts';
import { chooseBackfill, planJob } from '../../../src/pipeline/plan.ts';
import type { Instance } from '../../../src/queue/instance.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, STACK_TOKEN, type TestStack } from '../../support/test-stack.ts';

const QUEUE = { kind: 'postgres', redisUrl: undefined } as const;

function jobsFile(...jobs: string[]): string {
  return `
connections: { main: { base_url: "\${SANDBOX_URL}", auth: { token: ${STACK_TOKEN} }, limits: hard } }
defaults: { account_id: 12345, schedule: { cron: "0 6 * * 2", timezone: UTC }, lookback_weeks: 0 }
jobs:
${jobs.map((job) => `  - { ${job} }\n`).join('')}`;
}

/** Loads weeks of a job again, from one first day to another, and waits until that has ended. */
async function loadAgain(stack: TestStack, instance: Instance, name: string, from: string, to: string): Promise<void> {
  const job = stack.config.jobs.find((one) => one.name === name);
  if (!job) throw new Error(`there is no job ${name}`);
  await planJob(instance.pipeline, job, {
    configured: stack.config.jobs,
    expectedThrough: to,
    choose: (slices) => chooseBackfill(job, slices, { weeks: weeksFromTo(from, to), mode: 'all' }),
  });
  await stack.settle();
}

describe('a DAILY job and a WEEKLY job of the same dataset', () => {
  const JOBS = ['keyword_rankings', 'ai_search_brands'].flatMap((dataset) =>
    ['WEEKLY', 'DAILY'].map(
      (frequency) =>
        `name: ${dataset}-${frequency.toLowerCase()}, dataset: ${dataset}, since: 2026-08-23, weeks_per_query: 2, filters: { collection_frequency: ${frequency} }`,
    ),
  );
  let stack: TestStack;
  let instance: Instance;
  beforeAll(async () => {
    const clock = createSimulatedClock('2026-09-16T12:00:00Z');
    stack = await createTestStack({ queue: QUEUE, jobs: jobsFile(...JOBS), clock, sandbox: { size: 'tiny' } });
    instance = await stack.start();
    await stack.settle();
  });
  afterAll(() => stack.close());

  it('both publish exactly what they are served: seven days for each week', async () => {
    // The newest week, and the two before it.
    expect(await expectExactlyServed(stack)).toHaveLength(2 * JOBS.length);
    const lengths = await stack.read<{ days: number; periods: number }>(`
      SELECT time_period_end - time_period_start + 1 AS days, count(DISTINCT time_period_start) AS periods
        FROM search.keyword_rankings GROUP BY 1 ORDER BY 1`);
    expect(lengths).toEqual([
      { days: 1, periods: 21 },
      { days: 7, periods: 3 },
    ]);
  });

  it('do not touch each other when either is loaded again', async () => {
    for (const { name } of stack.config.jobs) {
      await loadAgain(stack, instance, name, '2026-08-23', '2026-08-30');
      await loadAgain(stack, instance, name, '2026-09-06', '2026-09-06');
      await expectExactlyServed(stack);
    }
    const changed = await stack.read(`
      SELECT p.rows_inserted, p.rows_updated, p.rows_deleted FROM searchmill.publications p
        JOIN searchmill.executions e ON e.id = p.execution_id
       WHERE e.reason = 'backfill' AND (p.rows_inserted, p.rows_updated, p.rows_deleted) <> (0, 0, 0)`);
    expect(changed).toEqual([]);
    expect(await stack.read(`SELECT count(*) AS loads FROM searchmill.executions WHERE reason = 'backfill'`)).toEqual([
      { loads: 2 * JOBS.length },
    ]);
  });
});

describe('a job with weeks from Monday that was asked for twice', () => {
  const WEEK = '2026-09-07';
  let stack: TestStack;
  let instance: Instance;
  beforeAll(async () => {
    const job = `name: mondays, dataset: ai_search_brands, since: ${WEEK}, week_starts_on: { day: monday, even_if_refused: true }`;
    const clock = createSimulatedClock('2026-09-16T12:00:00Z');
    stack = await createTestStack({ queue: QUEUE, jobs: jobsFile(job), clock, sandbox: { size: 'tiny' } });
    instance = await stack.start();
    await stack.settle();
  });
  afterAll(() => stack.close());

  it('fails with the message of a service that refuses such weeks', async () => {
    const [{ failure = '' } = {}] = await stack.read<{ failure: string }>(`SELECT end_reason AS failure FROM searchmill.executions`);
    expect(failure).toContain('start_date 2026-09-07 must be a Sunday');
  });

  it('publishes them exactly when the service has them', async () => {
    await stack.replaceSandbox({ size: 'tiny', weekStartsOn: 'monday' });
    await loadAgain(stack, instance, 'mondays', WEEK, WEEK);
    const [slice, ...others] = await expectExactlyServed(stack);
    expect(slice?.rows).toBeGreaterThan(0);
    expect(others).toEqual([]);
  });

  it('keeps what is published when the service answers such weeks with no rows', async () => {
    const before = await stack.read('SELECT * FROM search.ai_search_brands ORDER BY _key');
    await stack.replaceSandbox({ size: 'tiny', periods: 'any' });
    await loadAgain(stack, instance, 'mondays', WEEK, WEEK);
    expect(await stack.read(`SELECT rows_received AS rows FROM searchmill.executions WHERE state = 'held'`)).toEqual([{ rows: 0 }]);
    expect(await stack.read('SELECT * FROM search.ai_search_brands ORDER BY _key')).toEqual(before);
  });
});
