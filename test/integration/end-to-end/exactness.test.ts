// All seven tables hold exactly what the service served, for both authentications, over many compressed pages; and doing
// it all again changes nothing and spends nothing.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addDays, weeksFromTo } from '../../../src/core/weeks.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { chooseBackfill, planJob } from '../../../src/pipeline/plan.ts';
import type { Instance } from '../../../src/queue/instance.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, describeOnOneQueue, STACK_KEY, STACK_TOKEN, type TestStack } from '../../support/test-stack.ts';

const NEWEST = '2026-09-06';
/** Small enough that the larger datasets have many pages. */
const PAGE_SIZE = 50;
/** The size of the page that a poll brings. */
const FIRST_PAGE = 1000;

// One account for each credential, so that no rows overlap.
const ACCOUNTS = [
  { auth: 'token', id: 12345, since: addDays(NEWEST, -7) },
  { auth: 'signature', id: 67890, since: NEWEST },
] as const;
const WEEKS_LOADED = 3;

const JOBS = `
connections:
  token: { base_url: "\${SANDBOX_URL}", auth: { token: ${STACK_TOKEN} }, limits: hard }
  signature:
    base_url: "\${SANDBOX_URL}"
    auth: { api_key: ${STACK_KEY.apiKey}, shared_secret: ${STACK_KEY.sharedSecret} }
    limits: hard
defaults: { schedule: { cron: "0 6 * * 1", timezone: UTC }, lookback_weeks: 0 }
jobs:
${ACCOUNTS.flatMap(({ auth, id, since }) =>
  DATASETS.map(
    ({ name }) =>
      `  - { name: ${auth}-${name}, dataset: ${name}, connection: ${auth}, account_id: ${id}, since: ${since}, page_size: ${PAGE_SIZE} }`,
  ),
).join('\n')}`;

const account = (id: number, name: string, domain: string) => ({
  id,
  name,
  organizationId: `org-${id}`,
  organizationName: `${name} Group`,
  webProperties: [{ id: id + 1, name: `${name} Shop`, brand: name, domain }],
});

describeOnOneQueue('what was served is what is in the tables', (queue) => {
  let stack: TestStack;
  let instance: Instance;
  const encodings = new Set<string>();
  const noteEncoding = (message: unknown): void => {
    const { headers } = (message as { response: { headers: Buffer[] } }).response;
    const position = headers.findIndex((header, at) => at % 2 === 0 && header.toString().toLowerCase() === 'content-encoding');
    encodings.add(position < 0 ? 'none' : String(headers[position + 1]));
  };

  beforeAll(async () => {
    subscribe('undici:request:headers', noteEncoding);
    stack = await createTestStack({
      queue,
      jobs: JOBS,
      clock: createSimulatedClock('2026-09-16T12:00:00Z'),
      sandbox: {
        accounts: [account(12345, 'Brightpeak', 'brightpeak.example'), account(67890, 'Nordlicht', 'nordlicht.example')],
        sizes: { keywords: 50, prompts: 70, aiEngines: 4, aiLocales: 2 },
        duplicates: 0.05,
      },
    });
    instance = await stack.start();
    await stack.settle();
  });
  afterAll(async () => {
    unsubscribe('undici:request:headers', noteEncoding);
    await stack.close();
  });

  it('publishes every week of every job, each row as often as it was served', async () => {
    const slices = await expectExactlyServed(stack);
    expect(slices).toHaveLength(DATASETS.length * WEEKS_LOADED);
    for (const slice of slices) expect(slice.rows, `${slice.job} ${slice.window}`).toBeGreaterThan(0);
  });

  it('keeps the duplicates that the service sends', async () => {
    const [duplicates] = await stack.read<{ count: number }>('SELECT count(*) FROM search.ai_search_citations WHERE _occurrence > 1');
    expect(duplicates?.count).toBeGreaterThan(50);
  });

  it('reads every page once, in order, and breaks no rule of the protocol', async () => {
    const executions = await stack.read<{ dataset: string; pages: number; rows: number }>(`
      SELECT s.dataset, e.pages, e.rows_received AS rows FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id`);
    const report = stack.sandbox.report();
    for (const { name } of DATASETS) {
      const own = executions.filter(({ dataset }) => dataset === name);
      for (const { pages, rows } of own) expect(pages, name).toBe(1 + Math.ceil(Math.max(0, rows - FIRST_PAGE) / PAGE_SIZE));
      expect(report.calls[name]?.page, name).toBe(own.reduce((sum, { pages }) => sum + pages - 1, 0));
      expect(report.calls[name]?.submit, name).toBe(WEEKS_LOADED);
    }
    const manyPaged = new Set(executions.filter(({ pages }) => pages > 5).map(({ dataset }) => dataset));
    expect(manyPaged.size).toBeGreaterThanOrEqual(3);
    expect(Object.entries(report.violations).filter(([, count]) => count > 0)).toEqual([]);
  });

  it('asks for compressed answers and gets them', () => {
    expect([...encodings].filter((encoding) => encoding !== 'none')).not.toEqual([]);
  });

  it('plans nothing again, neither at once nor after a restart, and asks the service nothing', async () => {
    const before = { rows: await rowVersions(stack), calls: stack.sandbox.report().calls };
    await instance.planNow();
    await instance.stop();
    instance = await stack.start();
    await instance.planNow();
    await stack.settle();
    expect({ rows: await rowVersions(stack), calls: stack.sandbox.report().calls }).toEqual(before);
  });

  it('touches no row when everything is loaded again', async () => {
    const before = await rowVersions(stack);
    for (const job of stack.config.jobs) {
      const weeks = weeksFromTo(job.since, NEWEST);
      await planJob(instance.pipeline, job, {
        configured: stack.config.jobs,
        expectedThrough: NEWEST,
        choose: (slices) => chooseBackfill(job, slices, { weeks, mode: 'all' }),
      });
    }
    await stack.settle();
    expect(await rowVersions(stack)).toEqual(before);
    const publications = await stack.read<{ inserted: number; updated: number; deleted: number; isWhole: boolean }>(`
      SELECT p.rows_inserted AS inserted, p.rows_updated AS updated, p.rows_deleted AS deleted, p.rows_unchanged = e.rows_staged AS "isWhole"
        FROM searchmill.publications p JOIN searchmill.executions e ON e.id = p.execution_id WHERE e.reason = 'backfill'`);
    expect(publications).toHaveLength(DATASETS.length * WEEKS_LOADED);
    for (const publication of publications) expect(publication).toEqual({ inserted: 0, updated: 0, deleted: 0, isWhole: true });
  });
});

/** Per table: a digest of where each row version is and which transaction wrote it. */
async function rowVersions(stack: TestStack): Promise<Record<string, unknown>> {
  const versions: Record<string, unknown> = {};
  for (const { name } of DATASETS) {
    versions[name] = await stack.read(`
      SELECT count(*) AS rows, md5(string_agg(tableoid || ctid::text || xmin, ',' ORDER BY tableoid, ctid)) AS digest FROM search.${name}`);
  }
  return versions;
}
