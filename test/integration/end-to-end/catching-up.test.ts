// The service off for five weeks, jobs added, removed, renamed and put back, filters changed, `since` moved: what is expected
// becomes complete with the fewest possible submits. The sandbox counts them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { weeksFromTo } from '../../../src/core/weeks.ts';
import { chooseBackfill, planJob } from '../../../src/pipeline/plan.ts';
import type { Instance } from '../../../src/queue/instance.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, describeOnEachQueue, SANDBOX_CONNECTION, type TestStack } from '../../support/test-stack.ts';

const JOBS = `
${SANDBOX_CONNECTION}
defaults:
  account_id: 12345
  since: 2026-09-06
  # Daylight saving ends in Berlin on October 25, in New York on November 1.
  schedule: { cron: "0 6 * * 1", timezone: Europe/Berlin }
  lookback_weeks: 1
jobs:
  - { name: rankings, dataset: keyword_rankings }
  - { name: brands, dataset: ai_search_brands, schedule: { cron: "0 6 * * 1", timezone: America/New_York }, weeks_per_query: 4 }
  - { name: citations, dataset: ai_search_citations, since: 2026-10-25 }
`;

describeOnEachQueue('coverage', (queue) => {
  const clock = createSimulatedClock('2026-09-14T12:00:00Z');
  let stack: TestStack;
  let instance: Instance | undefined;
  let told = 0;

  /** Restarts with other jobs at another time, and lets everything settle. Returns the submits that took, as `operation start..end`. */
  async function restart(time: string, jobs: readonly Job[]): Promise<string[]> {
    await instance?.stop();
    clock.set(time);
    instance = await stack.start({ config: { ...stack.config, jobs } });
    await stack.settle();
    await instance.planNow();
    await stack.settle();
    return submits();
  }
  function submits(): string[] {
    const all = stack.sandbox.report().submits.map(({ operation, body }) => {
      const { start_date, end_date } = body as { start_date: string; end_date: string };
      return `${operation} ${start_date}..${end_date}`;
    });
    const recent = all.slice(told);
    told = all.length;
    return recent.toSorted();
  }
  const jobNamed = (name: string, changes: Partial<Job> = {}): Job => {
    const job = stack.config.jobs.find((each) => each.name === name);
    if (!job) throw new Error(`no job ${name}`);
    return { ...job, ...changes };
  };
  const coverage = () =>
    stack.read(`SELECT job, state, count(*) AS weeks FROM searchmill.coverage WHERE is_expected GROUP BY 1, 2 ORDER BY 1, 2`);

  beforeAll(async () => {
    stack = await createTestStack({ queue, jobs: JOBS, clock, sandbox: { size: 'tiny' } });
  });
  afterAll(() => stack.close());

  it('begins with one submit for each job that expects a week', async () => {
    expect(await restart('2026-09-14T12:00:00Z', stack.config.jobs)).toEqual([
      'ai_search_brands 2026-09-06..2026-09-12',
      'keyword_rankings 2026-09-06..2026-09-12',
    ]);
  });

  it('catches up with five weeks of silence: each missing week once, by as many weeks as a query may have', async () => {
    expect(await restart('2026-10-19T12:00:00Z', stack.config.jobs)).toEqual([
      // The newest by itself, since it goes first; the four before it in one query.
      'ai_search_brands 2026-09-13..2026-10-10',
      'ai_search_brands 2026-10-11..2026-10-17',
      ...[
        '2026-09-13..2026-09-19',
        '2026-09-20..2026-09-26',
        '2026-09-27..2026-10-03',
        '2026-10-04..2026-10-10',
        '2026-10-11..2026-10-17',
      ].map((window) => `keyword_rankings ${window}`),
    ]);
    expect(await coverage()).toEqual([
      { job: 'brands', state: 'published', weeks: 6 },
      { job: 'rankings', state: 'published', weeks: 6 },
    ]);
  });

  it('expects the week of the change of the clocks when its Monday has come in the zone of the job', async () => {
    // 6:00 in Berlin is 5:00Z from October 26 on, and New York is still four hours behind UTC: 10:00Z.
    expect(await restart('2026-10-26T04:59:00Z', stack.config.jobs)).toEqual([]);
    expect(await restart('2026-10-26T05:00:30Z', stack.config.jobs)).toEqual([
      'keyword_rankings 2026-10-11..2026-10-17',
      'keyword_rankings 2026-10-18..2026-10-24',
    ]);
    expect(await restart('2026-10-26T10:00:30Z', stack.config.jobs)).toEqual([
      'ai_search_brands 2026-10-11..2026-10-17',
      'ai_search_brands 2026-10-18..2026-10-24',
    ]);
  });

  it('asks nothing for a job that is taken out, renamed or put back', async () => {
    const at = '2026-10-26T11:00:00Z';
    expect(await restart(at, [jobNamed('rankings')])).toEqual([]);
    expect(await restart(at, [jobNamed('rankings'), jobNamed('brands')])).toEqual([]);
    expect(await restart(at, [jobNamed('rankings', { name: 'acme-rankings' }), jobNamed('brands')])).toEqual([]);
    expect(await restart(at, stack.config.jobs)).toEqual([]);
    expect(await coverage()).toEqual([
      { job: 'brands', state: 'published', weeks: 7 },
      { job: 'rankings', state: 'published', weeks: 7 },
    ]);
  });

  it('asks for the weeks that are new when since moves back or a job is added, and for no other', async () => {
    const since = '2026-08-23';
    expect(await restart('2026-10-26T12:00:00Z', [jobNamed('rankings', { since }), jobNamed('brands', { since })])).toEqual([
      'ai_search_brands 2026-08-23..2026-09-05',
      'keyword_rankings 2026-08-23..2026-08-29',
      'keyword_rankings 2026-08-30..2026-09-05',
    ]);
    const earlier = '2026-10-18';
    const added = await restart('2026-10-26T13:00:00Z', [
      jobNamed('rankings', { since }),
      jobNamed('brands', { since }),
      jobNamed('citations', { since: earlier }),
    ]);
    expect(added).toEqual(['ai_search_citations 2026-10-18..2026-10-24']);
    // When `since` moves forward again, nothing is asked for and nothing is dropped.
    expect(await restart('2026-10-26T14:00:00Z', stack.config.jobs)).toEqual([]);
    expect(await stack.read("SELECT count(*) AS weeks FROM searchmill.coverage WHERE job = 'rankings' AND state = 'published'")).toEqual([
      { weeks: 9 },
    ]);
  });

  it('leaves published weeks when the filters change, knows which they are, and loads exactly them again when told to', async () => {
    // One of three devices has less than half of the rows, and the job says that this is right.
    const changed = jobNamed('rankings', { filters: { devices: ['DESKTOP'] }, filtersDigest: 'desktop only', minKeepShare: 0.1 });
    const jobs = [changed, jobNamed('brands')];
    expect(await restart('2026-10-26T15:00:00Z', jobs)).toEqual([]);
    // The next Monday reads the newest week and the lookback with them.
    const monday = await restart('2026-11-02T12:00:00Z', jobs);
    expect(monday.filter((submit) => submit.startsWith('keyword'))).toEqual([
      'keyword_rankings 2026-10-18..2026-10-24',
      'keyword_rankings 2026-10-25..2026-10-31',
    ]);
    const stale = () =>
      stack.read<{ week: string }>(
        `SELECT c.week::text FROM searchmill.coverage c JOIN searchmill.jobs j ON j.name = c.job
          WHERE j.name = 'rankings' AND c.published_filters_digest <> j.filters_digest AND c.is_expected ORDER BY 1`,
      );
    const old = weeksFromTo('2026-09-06', '2026-10-11');
    expect((await stale()).map(({ week }) => week)).toEqual(old);
    const backfill = () =>
      planJob(instance?.pipeline as Instance['pipeline'], changed, {
        configured: [changed],
        expectedThrough: undefined,
        choose: (slices) => chooseBackfill(changed, slices, { weeks: weeksFromTo('2026-09-06', '2026-10-25'), mode: 'stale' }),
      });
    expect((await backfill()).planned).toHaveLength(old.length);
    await stack.settle();
    expect(submits()).toHaveLength(old.length);
    expect(await stale()).toEqual([]);
    expect((await backfill()).planned).toEqual([]);
    expect(await stack.read("SELECT DISTINCT device FROM search.keyword_rankings WHERE time_period_start >= '2026-09-06'")).toHaveLength(1);
  });
});
