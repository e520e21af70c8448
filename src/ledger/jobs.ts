// What planning reads from and writes to the ledger.

import type { Job } from '../config/settings.ts';
import { ConfigurationError } from '../core/errors.ts';
import { mapInTurns } from '../core/turns.ts';
import type { IsoDate, Window } from '../core/weeks.ts';
import { datasetNamed } from '../datasets/index.ts';
import { buildSubmitBody, type Question } from '../datasets/submit-body.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { execute, type RowOf, readRows } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { readJobs } from './coverage.ts';
import { type LoadReason, PRIORITY } from './executions.ts';
import { findSource, isRecorded, type NamedQuestion, type Renames, renameJobs } from './renames.ts';
import type { EndState, LiveState } from './states.ts';

/** A slice as planning needs it. */
export type PlannedSlice = Readonly<{
  sliceId: number;
  start: IsoDate;
  end: IsoDate;
  publishedAt: Date | null;
  publishedFiltersDigest: string | null;
  publishedRows: number | null;
  /** Rows per week of a window of several weeks; null for a single week, whose rows are `publishedRows`. */
  publishedWeekRows: readonly number[] | null;
  /** When the currently published execution was planned. */
  publishedPlannedAt: Date | null;
  latestState: LiveState | EndState | null;
  latestPlannedAt: Date | null;
  latestEndedAt: Date | null;
  latestFiltersDigest: string | null;
}>;

/** A load that should happen: its window and reason. */
export type WantedLoad = Readonly<{
  window: Window;
  reason: LoadReason;
  /** The person who asked for it allows its weeks to have fewer rows than are published. */
  mayShrink?: boolean;
}>;

/** Every slice of a job with its latest execution. */
export const readSlices = (db: Pool | Client, job: string): Promise<PlannedSlice[]> => readRows(db, 'slices/read', { job });

/** A job to be recorded; `expectedThrough` is the first day of its newest expected week. */
export type JobRecord = Readonly<{ job: Job; expectedThrough: IsoDate | undefined }>;

/** What the ledger returns for a recorded job; `now` is the time of the database. */
export type RecordedJob = Readonly<{
  name: string;
  /** When the job or its connection was paused. */
  pausedSince: Date | null;
  now: Date;
}>;

/**
 * Records jobs as configured. Planned executions that are not yet submitted get the new question. Until its transaction ends, nobody else
 * plans or renames these jobs.
 * Returns no entry for a job under whose name another dataset or account was loaded, because its weeks would count as loaded.
 */
export async function recordJobs(db: Pool | Client, records: readonly JobRecord[]): Promise<RecordedJob[]> {
  const written = await mapInTurns(records, ({ job, expectedThrough }) =>
    JSON.stringify({ ...job, ...job.schedule, dataset: job.dataset.name, expectedThrough }),
  );
  const recorded = await readRows(db, 'jobs/upsert', { jobs: `[${written.join(',')}]` });
  const jobs = new Map(records.map(({ job }) => [job.name, job]));
  const outdated = await readRows(db, 'executions/find-outdated', { jobs: recorded.map(({ name }) => name) });
  for (const { sliceId, job: name, ...window } of outdated) {
    const job = jobs.get(name);
    if (job) await execute(db, 'executions/refresh-planned', { ...submissionOf(job, window), sliceId, mayShrink: false });
  }
  return recorded;
}

/**
 * Records all jobs of a process that plans some of them, because the current questions of the others determine whose rows are whose. Jobs
 * that wait for their slices are left out. Throws StoreError.
 */
export async function settleJobs(pool: Pool, jobs: readonly Job[], instanceId: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    await lockJobs(client);
    const { waiting } = await renameJobs(client, jobs, instanceId);
    const settled = jobs.filter(({ name }) => !waiting.has(name));
    await recordJobs(
      client,
      settled.map((job) => ({ job, expectedThrough: undefined })),
    );
  });
}

/** What an execution submits. */
type Submission = Readonly<{ connection: string; filtersDigest: string; request: string }>;

function submissionOf(job: Question & Pick<Job, 'connection' | 'filtersDigest'>, window: Window): Submission {
  const { connection, filtersDigest } = job;
  return { connection, filtersDigest, request: JSON.stringify(buildSubmitBody(job, window)) };
}

/** What an execution's slice would submit now. Nobody can change it until the transaction ends. */
export async function readSubmission(client: Client, executionId: number): Promise<Submission> {
  type Found = RowOf<'jobs/read-question'> & Pick<Question, 'filters'>;
  const [found] = await readRows<'jobs/read-question', Found>(client, 'jobs/read-question', { executionId });
  if (!found) throw new Error(`execution ${executionId} has no job`);
  return submissionOf({ ...found, dataset: datasetNamed(found.dataset) }, found);
}

/** Records one job. Throws ConfigurationError when recordJobs leaves it out. */
export async function recordJob(db: Pool | Client, job: Job, expectedThrough: IsoDate | undefined): Promise<RecordedJob> {
  const [recorded] = await recordJobs(db, [{ job, expectedThrough }]);
  if (!recorded) throw refuseOther(job);
  return recorded;
}

/** Why a job that recordJobs left out cannot be planned. */
export function refuseOther(job: Job): ConfigurationError {
  return new ConfigurationError(
    `job "${job.name}" has loaded another dataset or account than ${job.dataset.name} of account ${job.accountId}; give this one a new name`,
    { context: { job: job.name } },
  );
}

/** The weeks a job should have. Those from `recent` on should have been read since `tick`, the last firing of its schedule. */
export type WantedWeeks = Readonly<{ name: string; first: IsoDate; recent: IsoDate; newest: IsoDate; tick: Date }>;

/** Names of the jobs that may lack a week. All other jobs are complete. */
export async function findLacking(db: Pool | Client, wanted: readonly WantedWeeks[]): Promise<Set<string>> {
  const lacking = await readRows(db, 'jobs/find-lacking', { wanted: JSON.stringify(wanted) });
  return new Set(lacking.map(({ name }) => name));
}

/** Until the transaction ends, no other process changes which jobs there are. */
export async function lockJobs(client: Client): Promise<void> {
  await execute(client, 'jobs/lock-all');
}

/**
 * Marks jobs that are not among `configured` as removed, unless a running process other than `instanceId` has them. Returns those that were
 * not marked before.
 */
export async function markRemovedJobs(db: Pool | Client, configured: readonly string[], instanceId: string): Promise<string[]> {
  return (await readRows(db, 'jobs/mark-removed', { configured, instanceId })).map(({ name }) => name);
}

/** What planning a job starts from: its slices, including ones it would take over, and the name they are stored under (undefined: none). */
export type PlanningBasis = Readonly<{ slicesOf: string | undefined; slices: readonly PlannedSlice[] }>;

/** Reads what planning would start from after renames. Writes nothing. Throws as recordJob does. */
export async function readPlanning(db: Pool | Client, job: Job, renames: Renames): Promise<PlanningBasis> {
  const slicesOf = findSource(renames, job.name);
  if (slicesOf === undefined) return { slicesOf, slices: [] };
  const [known] = slicesOf === job.name ? await readJobs(db, job.name) : [];
  const slices = await readSlices(db, slicesOf);
  const isOther = known !== undefined && (known.dataset !== job.dataset.name || known.accountId !== job.accountId);
  if (isOther && slices.length > 0) throw refuseOther(job);
  return { slicesOf, slices };
}

export type Planning = Readonly<{
  /** All jobs of this process, and its id: jobs may have other names than in the ledger. */
  configured: readonly NamedQuestion[];
  instanceId: string;
  expectedThrough: IsoDate | undefined;
  /** Compared with ticks of the schedule, so it must come from the same clock as the expected weeks. */
  plannedAt: Date;
  /** Returns what should be loaded, given the slices and the database's time. When it throws, nothing is written. */
  choose: (slices: readonly PlannedSlice[], databaseNow: Date) => readonly WantedLoad[];
}>;

/**
 * Records a job and plans what `choose` returns. Repeating it plans nothing twice. It is one transaction in which nobody else plans the job:
 * two planners that read the same slices could plan overlapping windows. Nothing is planned for a paused job.
 * Returns the new executions. Throws as recordJob and `choose` do; ConfigurationError while the job waits for its slices.
 */
export async function planChosen(pool: Pool, job: Job, planning: Planning): Promise<number[]> {
  const { expectedThrough, plannedAt, choose } = planning;
  return inTransaction(pool, async (client) => {
    await settleName(client, job, planning);
    const { now, pausedSince } = await recordJob(client, job, expectedThrough);
    if (pausedSince) return [];
    const planned: number[] = [];
    for (const load of choose(await readSlices(client, job.name), now)) {
      const id = await planLoad(client, job, load, plannedAt);
      if (id !== undefined) planned.push(id);
    }
    return planned;
  });
}

/** Gives each job the slices that answer its question, even if jobs were renamed or swapped names. */
async function settleName(client: Client, job: Job, { configured, instanceId }: Planning): Promise<void> {
  await lockJobs(client);
  if (await isRecorded(client, job)) return;
  const { waiting } = await renameJobs(client, configured, instanceId);
  const former = waiting.get(job.name);
  if (former === undefined) return;
  throw new ConfigurationError(
    `job "${job.name}" waits: another running process has what it has loaded under the name "${former}"; stop that process, or give it the same jobs file`,
    { context: { job: job.name } },
  );
}

async function planLoad(client: Client, job: Job, { window, reason, mayShrink = false }: WantedLoad, plannedAt: Date) {
  const { pageSize, maxRejectedShare, maxRejectedRows, minKeepShare, maxWaitMs, maxSubmits } = job;
  const wanted = {
    job: job.name,
    dataset: job.dataset.name,
    accountId: job.accountId,
    windowStart: window.start,
    windowEnd: window.end,
  };
  const [slice] = await readRows(client, 'slices/insert', wanted);
  const submission = { ...submissionOf(job, window), sliceId: slice?.id, mayShrink };
  const limits = { pageSize, maxRejectedShare, maxRejectedRows, minKeepShare, maxWaitMs, maxSubmits };
  const planned = { ...submission, ...limits, reason, priority: PRIORITY[reason], plannedAt };
  const [inserted] = await readRows(client, 'transitions/plan', planned);
  if (!inserted) await execute(client, 'executions/refresh-planned', submission);
  return inserted?.id;
}
