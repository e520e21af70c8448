// A migrated database for a test file, and the way of a slice through the ledger in single steps, without a service.
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { createDecoder, type SchemaEntry } from '../../src/codec/decode.ts';
import type { Job } from '../../src/config/settings.ts';
import { Secret } from '../../src/core/secret.ts';
import { type IsoDate, type Window, windowOfWeeks } from '../../src/core/weeks.ts';
import type { Dataset } from '../../src/datasets/dataset.ts';
import {
  claimExecution,
  type Execution,
  finishSubmit,
  type LoadReason,
  readExecution,
  releaseLease,
  startSubmit,
} from '../../src/warehouse/executions.ts';
import { planChosen, type WantedLoad } from '../../src/warehouse/jobs.ts';
import { createPool, type Pool } from '../../src/warehouse/pool.ts';
import { publishStaged, readStagedFacts } from '../../src/warehouse/publish.ts';
import type { Publication } from '../../src/warehouse/replace-slice.ts';
import { commitPages, type DecodedPage } from '../../src/warehouse/staging.ts';
import { decodePage } from './decode-page.ts';
import { findBrokenInvariants } from './invariants.ts';
import { jobOf as anyJob } from './jobs.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

export const LEASE = { owner: 'test', leaseMs: 60_000 };
export const WEEK: Window = windowOfWeeks('2026-11-08', 1);

/** The database of a test file: `pool` is there from beforeAll on. */
export interface Ledger {
  readonly pool: Pool;
  readonly url: string;
  /** One more pool, as another process would have; ended with the file. */
  openPool(max?: number): Pool;
}

/**
 * Makes a migrated database before the tests of a file and drops it after them. What must hold of every ledger is checked
 * after each test, unless the file writes rows of its own into it (`keepsInvariants: false`).
 */
export function useLedger({ keepsInvariants = true } = {}): Ledger {
  let database: TestDatabase;
  const pools: Pool[] = [];
  const openPool = (max = 10): Pool => {
    const pool = createPool(new Secret(database.url), { applicationName: 'test', max });
    pools.push(pool);
    return pool;
  };
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool();
  });
  afterEach(async () => {
    if (keepsInvariants) expect(await findBrokenInvariants(pool)).toEqual([]);
  });
  afterAll(async () => {
    await Promise.all(pools.map((each) => each.end()));
    await database.drop();
  });
  return {
    openPool,
    get pool() {
      return pool;
    },
    get url() {
      return database.url;
    },
  };
}

let lastJob = 0;

/** A job of its own name, so that tests of a file don't meet. */
export function jobOf(changes: Partial<Job> = {}): Job {
  lastJob += 1;
  return anyJob({ name: `job-${lastJob}`, accountId: 1000 + lastJob, ...changes });
}

/** Plans loads of a job. Returns the executions that are new. */
export async function planLoads(pool: Pool, job: Job, loads: readonly WantedLoad[], plannedAt = new Date()): Promise<number[]> {
  return planChosen(pool, job, { configured: [job], instanceId: 'test', expectedThrough: undefined, plannedAt, choose: () => loads });
}

/** Plans one window of a job. Returns its new execution. Throws when one was live. */
export async function planWindow(pool: Pool, job: Job, window: Window = WEEK, reason: LoadReason = 'newest'): Promise<number> {
  const [id] = await planLoads(pool, job, [{ window, reason }]);
  if (id === undefined) throw new Error('nothing was planned');
  return id;
}

/** Takes the lease on an execution that must be there to be taken. */
export async function claim(pool: Pool, id: number): Promise<Execution> {
  const execution = await claimExecution(pool, id, LEASE);
  if (!execution) throw new Error(`execution ${id} could not be claimed`);
  return execution;
}

/** Plans and submits a window; the execution is in progress and its lease is held. */
export async function submitWindow(pool: Pool, job: Job, window: Window = WEEK, reason: LoadReason = 'newest'): Promise<Execution> {
  const planned = await claim(pool, await planWindow(pool, job, window, reason));
  await startSubmit(pool, planned);
  await finishSubmit(pool, planned, {
    remoteExecutionId: `remote-${planned.id}`,
    requestId: null,
    validityMs: 7 * 86_400_000,
    firstPollMs: 0,
  });
  return claim(pool, planned.id);
}

/** A row as the service sends it: strings by column name, the rest NULL. */
export type WireValues = Readonly<Record<string, unknown>>;

/** A row of `job` in the order of its dataset, in the window's first week unless said otherwise. */
export function wireRow(job: Job, values: WireValues, start: IsoDate = WEEK.start): unknown[] {
  const usual: WireValues = {
    account_id: String(job.accountId),
    time_period_start: start,
    time_period_end: windowOfWeeks(start, 1).end,
    ...values,
  };
  return job.dataset.columns.map(({ name }) => usual[name] ?? null);
}

export const schemaOf = (dataset: Dataset): SchemaEntry[] => dataset.columns.map(({ name, wire }) => ({ name, type: wire }));

/** A decoded page, ready to be committed. `nextCursor` is null on the last. */
export function decodedPage(
  dataset: Dataset,
  page: number,
  rows: readonly unknown[],
  { nextCursor = null, schema = schemaOf(dataset) }: { nextCursor?: string | null; schema?: readonly SchemaEntry[] } = {},
): DecodedPage {
  const decoder = createDecoder(dataset, schema);
  const { copyData, staged, rejected } = decodePage(decoder, rows, page);
  return {
    page,
    nextCursor,
    cursorAnchor: null,
    copyData,
    received: rows.length,
    staged,
    rejected,
    columnNames: decoder.columnNames,
    drift: decoder.drift,
    bytes: 1,
    totalRowCount: null,
    pageCalls: 1,
    pollCalls: 0,
    waitMs: 0,
    networkMs: 0,
    decodeMs: 0,
  };
}

/** Decoded pages that follow one another, the last one without a cursor. */
export function decodedPages(dataset: Dataset, pages: readonly (readonly unknown[])[]): DecodedPage[] {
  return pages.map((rows, i) => decodedPage(dataset, i + 1, rows, { nextCursor: i === pages.length - 1 ? null : `cursor-${i + 2}` }));
}

/** Submits a window and stages rows for it, each list a page. The lease is held. */
export async function stageWindow(pool: Pool, job: Job, pages: readonly (readonly unknown[])[], window: Window = WEEK): Promise<Execution> {
  const execution = await submitWindow(pool, job, window);
  for (const page of decodedPages(job.dataset, pages)) await commitPages(pool, job.dataset, execution, { ...LEASE, pages: [page] });
  return readExecution(pool, execution);
}

/** Publishes what is staged, without an audit. */
export async function publish(pool: Pool, job: Job, execution: Execution): Promise<Publication> {
  return publishStaged(pool, job.dataset, execution, { facts: await readStagedFacts(pool, execution), startedAt: performance.now() });
}

/** The whole way of one window: plan, submit, stage in one page, publish. */
export async function loadWindow(pool: Pool, job: Job, rows: readonly unknown[], window: Window = WEEK): Promise<Publication> {
  return publish(pool, job, await stageWindow(pool, job, [rows], window));
}

/** Gives a lease back, so that the execution can be claimed again at once. */
export async function release(pool: Pool, execution: Execution): Promise<void> {
  await releaseLease(pool, execution);
}

/** The published rows of an account, some columns of each, in a steady order. */
export async function publishedRows(pool: Pool, job: Job, columns: readonly string[]): Promise<Record<string, unknown>[]> {
  const list = columns.map((name) => `"${name}"`).join(', ');
  const { rows } = await pool.query<Record<string, unknown>>(
    `SELECT ${list} FROM search."${job.dataset.name}" WHERE account_id = $1 ORDER BY ${list}`,
    [job.accountId],
  );
  return rows;
}
