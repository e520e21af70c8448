// Job Schedulers: one per job, upserted by its name and removed with it. A firing only means "plan this job now"; planning finds out what
// is missing, so a firing missed while everything was down is made up for at start-up.

import type { Job } from '../config/settings.ts';
import { ConfigurationError, describeError, isPassing } from '../core/errors.ts';
import { mapInTurns } from '../core/turns.ts';
import { type IsoDate, startOfWeek } from '../core/weeks.ts';
import { type Actor, noteForExecutions } from '../ledger/actions.ts';
import { abandonRemoved } from '../ledger/endings.ts';
import { findLacking, lockJobs, markRemovedJobs, type PlannedSlice, recordJobs, refuseOther } from '../ledger/jobs.ts';
import { type Renames, renameJobs } from '../ledger/renames.ts';
import { type Expectation, expectBySchedule, newestWeekAt, refuseUnkept } from '../pipeline/expected-weeks.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { chooseBackfill, choosePlan, describeWanted, type PlannedJob, planJob, refuseAhead } from '../pipeline/plan.ts';
import type { Client } from '../postgres/pool.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { QueueBackend, RingingQueue, RunningWorker } from './backend/backend.ts';
import { GONE_WHEN_DONE, TICK_QUEUE, tickMessageSchema } from './messages.ts';

/** A job, and what its schedule expects of it; undefined while it expects nothing or the job is disabled. */
type ExpectedJob = Readonly<{ job: Job; expectation: Expectation | undefined }>;

/** Plans every job according to its schedule and the current time, and marks jobs that were removed. Throws as planJob does. */
export async function planAllJobs(pipeline: Pipeline, jobs: readonly Job[]): Promise<PlannedJob[]> {
  const names = jobs.map((job) => job.name);
  // One transaction, so that no other process abandons the loads of a job that is being renamed.
  const { removed, settled, abandoned } = await inTransaction(pipeline.pool, async (client) => {
    await lockJobs(client);
    const renames = await renameJobs(client, jobs, pipeline.owner);
    return {
      removed: await markRemovedJobs(client, names, pipeline.owner),
      settled: { renames, records: await recordExpected(pipeline, client, jobs, renames) },
      abandoned: await abandonRemoved(client),
    };
  });
  for (const job of removed) pipeline.log.info({ job }, 'job is no longer configured; its published rows stay');
  const plannable = tellSettled(pipeline, settled);
  if (abandoned > 0) pipeline.log.info({ abandoned }, 'loads of jobs that are no longer configured were abandoned');
  return planEach(pipeline, jobs, plannable);
}

/** Plans one job whose schedule fired. */
async function planDueJob(pipeline: Pipeline, jobs: readonly Job[], due: string): Promise<void> {
  const dueJobs = jobs.filter(({ name }) => name === due);
  const settled = await inTransaction(pipeline.pool, async (client) => {
    await lockJobs(client);
    const renames = await renameJobs(client, jobs, pipeline.owner);
    return { renames, records: await recordExpected(pipeline, client, dueJobs, renames) };
  });
  await planEach(pipeline, jobs, tellSettled(pipeline, settled));
}

/** Renames, and for each recorded job its expectation or the reason why it was refused. */
type Settled = Readonly<{ renames: Renames; records: readonly (ExpectedJob & Readonly<{ refusal?: ConfigurationError }>)[] }>;

/** Records jobs and their expected weeks, except jobs that wait for their slices. Throws as refuseAhead does. */
async function recordExpected(
  { clock }: Pipeline,
  client: Client,
  jobs: readonly Job[],
  { waiting }: Renames,
): Promise<Settled['records']> {
  const now = clock.now();
  const settled = jobs.filter(({ name }) => !waiting.has(name));
  const expected = await mapInTurns(settled, (job) => ({ job, expectation: job.isEnabled ? expectBySchedule(job, now) : undefined }));
  const records = expected.map(({ job, expectation }) => ({ job, expectedThrough: expectation?.weeks.at(-1) }));
  const recorded = new Map((await recordJobs(client, records)).map((record) => [record.name, record]));
  return expected.map(({ job, expectation }) => {
    const record = recorded.get(job.name);
    if (expectation && record) refuseAhead(now, record.now);
    return { job, expectation, ...(record ? {} : { refusal: refuseOther(job) }) };
  });
}

/**
 * Logs renames and refusals, and returns the jobs that can be planned: those that were not refused. Jobs whose old name another process still
 * has, as in a rolling deploy, were left out by recordExpected; they wait for the next round.
 */
function tellSettled({ log }: Pipeline, { renames: { moves, waiting }, records }: Settled): ExpectedJob[] {
  for (const [job, former] of moves) log.info({ job, former }, 'job was renamed; its slices are kept');
  for (const [job, former] of waiting) log.warn({ job, former }, 'job waits: another process still has it under another name');
  for (const { job, refusal } of records) if (refusal) log.error({ job: job.name, err: describeError(refusal) }, 'job is not planned');
  return records.filter(({ refusal }) => !refusal);
}

/**
 * Plans jobs that lack weeks; one query finds them, as most jobs lack none. Disabled jobs are left out. A job that cannot be planned does not
 * keep the others from it: throws its error at the end.
 */
async function planEach(pipeline: Pipeline, configured: readonly Job[], expected: readonly ExpectedJob[]): Promise<PlannedJob[]> {
  const wanted = expected.flatMap(({ job, expectation }) => (expectation && describeWanted(job, expectation)) ?? []);
  const lacking = await findLacking(pipeline.pool, wanted);
  const planned: PlannedJob[] = [];
  const failures: unknown[] = [];
  for (const { job, expectation } of expected.filter((each) => each.job.isEnabled)) {
    const expectedThrough = expectation?.weeks.at(-1);
    if (!expectation || !lacking.has(job.name)) {
      planned.push({ job: job.name, planned: [], expectedThrough });
      continue;
    }
    try {
      const choose = (slices: readonly PlannedSlice[]) => choosePlan(job, expectation, slices);
      planned.push(await planJob(pipeline, job, { configured, expectedThrough, choose }));
    } catch (error) {
      // Of a database that is away, every other job would fail alike.
      if (isPassing(error)) throw error;
      pipeline.log.error({ job: job.name, err: describeError(error) }, 'job could not be planned');
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return planned;
}

/** Plans a week of a job again, even if it is published, and records who asked for it. Throws ConfigurationError, StoreError. */
export async function reloadWeek(
  pipeline: Pipeline,
  jobs: readonly Job[],
  { job: name, week, by }: Readonly<{ job: string; week: IsoDate; by: Actor }>,
): Promise<void> {
  const job = jobs.find((candidate) => candidate.name === name);
  if (!job) throw new ConfigurationError(`the process that serves this page has no job "${name}" in its file`);
  if (!job.isEnabled) throw new ConfigurationError(`job "${name}" is disabled (enabled: false); enable it in the jobs file first`);
  const first = startOfWeek(week, job.weekStartsOn);
  if (first > newestWeekAt(job, pipeline.clock.now())) throw new ConfigurationError(`the week of ${first} is not over yet`);
  // A form takes one click; loading before `since` needs an explicit command.
  if (first < startOfWeek(job.since, job.weekStartsOn)) {
    const command = `searchmill backfill ${name} --from ${first} --to ${first}`;
    throw new ConfigurationError(
      `the week of ${first} is before ${job.since}, from when on the job is loaded (since); to load it all the same: ${command}`,
    );
  }
  const weeks = [first];
  refuseUnkept(job, weeks, pipeline.clock.now());
  const { planned } = await planJob(pipeline, job, {
    configured: jobs,
    expectedThrough: undefined,
    choose: (slices) => chooseBackfill(job, slices, { weeks, mode: 'all' }),
  });
  if (planned.length === 0) throw new ConfigurationError(`nothing was planned: ${name} ${first} is under way already, or paused`);
  const executions = planned.map((id) => ({ id }));
  await inTransaction(pipeline.pool, (client) => noteForExecutions(client, 'reload', by, executions));
}

/** Makes BullMQ's Job Schedulers match the given jobs. Repeating changes nothing. Throws when the queue is unreachable. */
export async function upsertSchedulers(queue: RingingQueue, jobs: readonly Job[]): Promise<void> {
  const wanted = new Set(jobs.map(schedulerId));
  for (const scheduler of await queue.getJobSchedulers(0, -1, true)) {
    if (!wanted.has(scheduler.key)) await queue.removeJobScheduler(scheduler.key);
  }
  for (const job of jobs) {
    await queue.upsertJobScheduler(
      schedulerId(job),
      { pattern: job.schedule.cron, tz: job.schedule.timezone },
      { name: 'tick', data: { job: job.name }, opts: GONE_WHEN_DONE },
    );
  }
}

function schedulerId(job: Job): string {
  return `job-${job.name}`;
}

/** Creates a worker that plans a job when its schedule fires, using the jobs configured at that time. The worker is not running yet. */
export function openTickWorker(backend: QueueBackend, pipeline: Pipeline, jobs: () => readonly Job[]): RunningWorker {
  return backend.openWorker(
    TICK_QUEUE,
    async (message) => {
      try {
        await planDueJob(pipeline, jobs(), tickMessageSchema.parse(message.data).job);
      } catch (error) {
        pipeline.log.warn({ err: describeError(error) }, 'planning was cut short; it is done again within minutes');
      }
    },
    { concurrency: 1 },
  );
}
