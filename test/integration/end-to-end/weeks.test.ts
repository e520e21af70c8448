// Several weeks of a running service in seconds: the clock of sandbox and instance goes from Monday to Monday, the
// instance is stopped and started in between, a Monday is missed, a week is restated.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sandbox } from '../../../sandbox/server.ts';
import type { Instance } from '../../../src/queue/instance.ts';
import { TICK_QUEUE } from '../../../src/queue/messages.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, describeOnOneQueue, SANDBOX_CONNECTION, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const JOBS = `
${SANDBOX_CONNECTION}
defaults:
  account_id: 12345
  since: 2026-08-26 # a Wednesday: the week begins on 2026-08-23
  schedule: { cron: "0 6 * * 1", timezone: Europe/Berlin }
  lookback_weeks: 1
jobs:
  - { name: rankings, dataset: keyword_rankings }
  - { name: citations, dataset: ai_search_citations }
`;
const JOB_COUNT = 2;

describeOnOneQueue('week after week', (queue) => {
  const clock = createSimulatedClock('2026-09-14T07:00:00Z');
  let stack: TestStack;
  let instance: Instance;
  let firstSandbox: Sandbox;
  /** Submits seen so far, as `week: how often`. */
  const submitted = (): Record<string, number> => {
    const weeks: Record<string, number> = {};
    for (const { body } of stack.sandbox.report().submits) {
      const { start_date: week } = body as { start_date: string };
      weeks[week] = (weeks[week] ?? 0) + 1;
    }
    return weeks;
  };
  const versionsOf = (weeks: string): Promise<Record<string, unknown>[]> =>
    stack.read(`
      SELECT time_period_start::text AS week, md5(string_agg(ctid::text || xmin, ',' ORDER BY ctid)) AS versions
        FROM search.keyword_rankings WHERE time_period_start ${weeks} GROUP BY 1 ORDER BY 1`);

  beforeAll(async () => {
    stack = await createTestStack({ queue, jobs: JOBS, clock, sandbox: { size: 'tiny' } });
    firstSandbox = stack.sandbox;
  });
  afterAll(() => stack.close());

  it('loads every week since the beginning on the first day', async () => {
    instance = await stack.start();
    await stack.settle();
    expect(submitted()).toEqual({ '2026-08-23': JOB_COUNT, '2026-08-30': JOB_COUNT, '2026-09-06': JOB_COUNT });
  });

  it('asks for nothing until the next Monday, however often it plans', async () => {
    for (const time of ['2026-09-16T12:00:00Z', '2026-09-20T23:59:00Z', '2026-09-21T03:59:00Z']) {
      clock.set(time);
      await instance.planNow();
    }
    await stack.settle();
    expect(stack.sandbox.report().submits).toHaveLength(3 * JOB_COUNT);
  });

  it('loads the new week and the one before, once, when the schedule fires', async () => {
    const before = await versionsOf('< $$2026-09-13$$');
    clock.set('2026-09-21T04:00:10Z');
    // What BullMQ's Job Schedulers send.
    await stack.withQueue(TICK_QUEUE, async (ticks) => {
      for (const { name } of stack.config.jobs) await ticks.add('tick', { job: name });
    });
    await until('both jobs to be planned', () => submitted()['2026-09-13'] === JOB_COUNT);
    await instance.planNow();
    await stack.settle();
    await instance.planNow();
    await stack.settle();
    expect(submitted()).toMatchObject({ '2026-08-30': JOB_COUNT, '2026-09-06': 2 * JOB_COUNT, '2026-09-13': JOB_COUNT });
    expect(await versionsOf('< $$2026-09-13$$')).toEqual(before);
  });

  it('catches up with a Monday it missed while it was down', async () => {
    const before = await versionsOf('<= $$2026-09-13$$');
    await instance.stop();
    clock.set('2026-10-07T12:00:00Z');
    instance = await stack.start();
    await stack.settle();
    expect(submitted()).toEqual({
      '2026-08-23': JOB_COUNT,
      '2026-08-30': JOB_COUNT,
      '2026-09-06': 2 * JOB_COUNT,
      '2026-09-13': JOB_COUNT,
      '2026-09-20': JOB_COUNT,
      '2026-09-27': JOB_COUNT,
    });
    expect(await versionsOf('<= $$2026-09-13$$')).toEqual(before);
  });

  it('takes over what the service restates within the lookback, and nothing else', async () => {
    const before = await versionsOf('<= $$2026-09-20$$');
    await stack.replaceSandbox({ seed: 2 });
    clock.set('2026-10-12T05:00:00Z');
    await instance.planNow();
    await stack.settle();
    expect(submitted()).toEqual({ '2026-09-27': JOB_COUNT, '2026-10-04': JOB_COUNT });
    expect(await versionsOf('<= $$2026-09-20$$')).toEqual(before);
    const slices = await expectExactlyServed(stack, ({ window }) => (window < '2026-09-27' ? firstSandbox : stack.sandbox));
    expect(slices).toHaveLength(7 * JOB_COUNT);
  });

  it('ends with every week covered, and the ledger says which load changed what', async () => {
    const states = await stack.read<{ job: string; state: string; weeks: number; newest: string }>(`
      SELECT job, state, count(*) AS weeks, max(week)::text AS newest FROM searchmill.coverage GROUP BY 1, 2 ORDER BY 1`);
    expect(states).toEqual([
      { job: 'citations', state: 'published', weeks: 7, newest: '2026-10-04' },
      { job: 'rankings', state: 'published', weeks: 7, newest: '2026-10-04' },
    ]);
    const changes = await stack.read<{ week: string; reason: string; isChanged: boolean }>(`
      SELECT s.window_start::text AS week, e.reason, p.rows_inserted + p.rows_updated + p.rows_deleted > 0 AS "isChanged"
        FROM searchmill.publications p JOIN searchmill.executions e ON e.id = p.execution_id
        JOIN searchmill.slices s ON s.id = p.slice_id
       WHERE s.job = 'rankings' ORDER BY p.id`);
    expect(changes.filter(({ reason }) => reason === 'lookback')).toEqual([
      { week: '2026-09-06', reason: 'lookback', isChanged: false },
      { week: '2026-09-27', reason: 'lookback', isChanged: true },
    ]);
    expect(changes.filter(({ reason }) => reason !== 'lookback').every(({ isChanged }) => isChanged)).toBe(true);
  });

  it('has a Job Scheduler for each configured job, and none for one that was taken out', async () => {
    await instance.stop();
    instance = await stack.start({ config: { ...stack.config, jobs: stack.config.jobs.filter(({ name }) => name === 'rankings') } });
    const schedulers = await stack.withQueue(TICK_QUEUE, (ticks) => ticks.getJobSchedulers(0, -1, true));
    expect(schedulers).toHaveLength(1);
    expect(schedulers[0]).toMatchObject({ key: 'job-rankings', pattern: '0 6 * * 1', tz: 'Europe/Berlin' });
    // Published weeks stay.
    expect(await stack.read('SELECT count(*) AS slices FROM searchmill.slices WHERE published_at IS NOT NULL')).toEqual([{ slices: 14 }]);
  });
});
