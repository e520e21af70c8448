// What planning reads from and writes to the ledger.

import type { Job } from '../config/settings.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { IsoDate, Window } from '../core/weeks.ts';
import type { EndState, LiveState, LoadReason } from './executions.ts';
import { PRIORITY } from './executions.ts';
import type { Client, Pool } from './pool.ts';
import { execute } from './statements.ts';
import { inTransaction } from './transaction.ts';

/** A slice as planning sees it. */
export type PlannedSlice = Readonly<{
  sliceId: number;
  start: IsoDate;
  end: IsoDate;
  publishedAt: Date | null;
  publishedFiltersDigest: string | null;
  /** When the execution that is published now was planned. */
  publishedPlannedAt: Date | null;
  latestState: LiveState | EndState | null;
  latestPlannedAt: Date | null;
  latestEndedAt: Date | null;
  latestFiltersDigest: string | null;
}>;

/** A load that should happen: a window and why. */
export type WantedLoad = Readonly<{ window: Window; reason: LoadReason }>;

/** Every slice of a job with its latest execution. */
export async function readSlices(pool: Pool, job: string): Promise<PlannedSlice[]> {
  return (await execute<PlannedSlice>(pool, 'read-loads', [job])).rows;
}

/**
 * Writes a job down as it is configured; `expectedThrough` is the first day of its newest expected week.
 * Throws ConfigurationError when under its name another dataset or account was loaded: its weeks would count as loaded.
 */
export async function recordJob(pool: Pool, job: Job, expectedThrough: IsoDate | undefined): Promise<void> {
  const { rowCount } = await execute(pool, 'upsert-job', [
    job.name,
    job.dataset.name,
    job.connection,
    job.accountId,
    JSON.stringify(job.filters),
    job.filtersDigest,
    job.schedule.cron,
    job.schedule.timezone,
    job.since,
    expectedThrough ?? null,
    job.lookbackWeeks,
  ]);
  if (rowCount === 0) {
    throw new ConfigurationError(
      `job "${job.name}" has loaded another dataset or account than ${job.dataset.name} of account ${job.accountId}; give this one a new name`,
      { context: { job: job.name } },
    );
  }
}

/**
 * Marks jobs that are not among `names` as removed, unless another running scheduler than `instance` has them; returns those
 * that were not marked before.
 */
export async function markRemovedJobs(pool: Pool, names: readonly string[], instance: string): Promise<string[]> {
  return (await execute<{ name: string }>(pool, 'remove-jobs', [names, instance])).rows.map((row) => row.name);
}

/** The job that a renamed one takes its slices from; not yet while another running scheduler still has it. */
export type FormerJob = Readonly<{ name: string; isAdopted: boolean }>;

/** Gives a renamed job the slices of its old name. `names` are the jobs that are configured. Undefined: there are none. */
export async function adoptSlices(pool: Pool, job: Job, names: readonly string[]): Promise<FormerJob | undefined> {
  const { rows } = await execute<FormerJob>(pool, 'adopt-slices', [job.name, job.dataset.name, job.accountId, job.filtersDigest, names]);
  return rows[0];
}

/**
 * Plans loads, each once whoever asks how often. Returns the executions that are new. `bodyOf` builds a submit body;
 * `plannedAt` is compared with ticks of the schedule and so comes from the clock that says what is expected.
 */
export async function planLoads(
  pool: Pool,
  job: Job,
  loads: readonly WantedLoad[],
  bodyOf: (window: Window) => Record<string, unknown>,
  plannedAt: Date,
): Promise<number[]> {
  if (loads.length === 0) return [];
  return inTransaction(pool, async (client) => {
    const planned: number[] = [];
    for (const load of loads) {
      const id = await planLoad(client, job, load, bodyOf(load.window), plannedAt);
      if (id !== undefined) planned.push(id);
    }
    return planned;
  });
}

async function planLoad(
  client: Client,
  job: Job,
  load: WantedLoad,
  body: Record<string, unknown>,
  plannedAt: Date,
): Promise<number | undefined> {
  const { rows: slices } = await execute<{ id: number }>(client, 'insert-slice', [
    job.name,
    job.dataset.name,
    job.accountId,
    load.window.start,
    load.window.end,
  ]);
  const request = JSON.stringify(body);
  const { rows } = await execute<{ id: number }>(client, 'insert-execution', [
    slices[0]?.id,
    job.connection,
    load.reason,
    PRIORITY[load.reason],
    job.filtersDigest,
    request,
    job.pageSize,
    job.maxRejectedShare,
    job.minKeepShare,
    job.maxWaitMs,
    job.maxSubmits,
    plannedAt,
  ]);
  if (rows[0] === undefined) await execute(client, 'refresh-planned', [slices[0]?.id, job.connection, job.filtersDigest, request]);
  return rows[0]?.id;
}
