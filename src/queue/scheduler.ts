// Job Schedulers: one per job, upserted by its name and removed with it. A firing only says "plan this job now"; planning
// finds out by itself what is missing, so a firing that was missed while everything was down is made up for at start-up.

import type { Job } from '../config/settings.ts';
import { type ConfigurationError, describeError } from '../core/errors.ts';
import { expectBySchedule } from '../pipeline/expected-weeks.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { choosePlan, describeWanted, type PlannedJob, planJob, refuseAhead } from '../pipeline/plan.ts';
import { abandonRemoved } from '../warehouse/endings.ts';
import { adoptSlices, type FormerJob, findLacking, lockJobs, markRemovedJobs, recordJobs, refuseOther } from '../warehouse/jobs.ts';
import type { Client } from '../warehouse/pool.ts';
import { inTransaction } from '../warehouse/transaction.ts';
import type { QueueBackend, RingingQueue, RunningWorker } from './backend.ts';
import { TICK_QUEUE, tickMessageSchema } from './messages.ts';

/** Plans every job as its schedule expects at the instant the clock shows, and marks jobs that are gone. Throws as planJob does. */
export async function planAllJobs(pipeline: Pipeline, jobs: readonly Job[]): Promise<PlannedJob[]> {
  const names = jobs.map((job) => job.name);
  // Between another scheduler's marking of a renamed job and its adoption nobody may abandon what is loading.
  const { removed, adoptions, abandoned } = await inTransaction(pipeline.pool, async (client) => {
    await lockJobs(client);
    return {
      removed: await markRemovedJobs(client, names, pipeline.owner),
      adoptions: await adoptRenamed(client, jobs, names),
      abandoned: await abandonRemoved(client),
    };
  });
  for (const job of removed) pipeline.log.info({ job }, 'job is no longer configured; its published rows stay');
  const settled = settle(pipeline, adoptions);
  if (abandoned > 0) pipeline.log.info({ abandoned }, 'loads of jobs that are no longer configured were abandoned');
  return planEach(pipeline, settled.filter(isEnabled));
}

/** Plans one job that was due. */
async function planDueJob(pipeline: Pipeline, jobs: readonly Job[], due: string): Promise<void> {
  const names = jobs.map((job) => job.name);
  const adoptions = await inTransaction(pipeline.pool, async (client) => {
    await lockJobs(client);
    return adoptRenamed(
      client,
      jobs.filter(({ name }) => name === due),
      names,
    );
  });
  await planEach(pipeline, settle(pipeline, adoptions).filter(isEnabled));
}

/** A job that is not is known and keeps what it has; no more is planned. */
const isEnabled = (job: Job): boolean => job.isEnabled;

/** What became of a job: written down, or why not; and the job whose slices it has got, or will get. */
type Adoption = Readonly<{ job: Job; refusal?: ConfigurationError; former?: FormerJob | undefined }>;

/** Writes jobs down. One that only has another name now keeps what it has loaded, and what it is loading. */
async function adoptRenamed(client: Client, jobs: readonly Job[], names: readonly string[]): Promise<Adoption[]> {
  const recorded = await recordJobs(
    client,
    jobs.map((job) => ({ job, expectedThrough: undefined })),
  );
  const byName = new Map(recorded.map((record) => [record.name, record]));
  const adoptions: Adoption[] = [];
  for (const job of jobs) {
    const record = byName.get(job.name);
    if (!record) adoptions.push({ job, refusal: refuseOther(job) });
    else adoptions.push({ job, former: record.hasSlices ? undefined : await adoptSlices(client, job, names) });
  }
  return adoptions;
}

/**
 * The jobs that can be planned: neither one that cannot be as it is configured, nor one whose old name another process still
 * has, as in a rolling deploy; that one waits for the next round.
 */
function settle({ log }: Pipeline, adoptions: readonly Adoption[]): Job[] {
  const settled: Job[] = [];
  for (const { job, refusal, former } of adoptions) {
    const names = { job: job.name, former: former?.name };
    if (refusal) log.error({ job: job.name, err: describeError(refusal) }, 'job is not planned');
    else if (former && !former.isAdopted) log.warn(names, 'job waits: another process still has it under another name');
    else settled.push(job);
    if (former?.isAdopted) log.info(names, 'job was renamed; its slices are kept');
  }
  return settled;
}

/** Most jobs have what they should, and are told from the others by one question for all. */
async function planEach(pipeline: Pipeline, jobs: readonly Job[]): Promise<PlannedJob[]> {
  const now = pipeline.clock.now();
  const expected = jobs.map((job) => ({ job, expectation: expectBySchedule(job, now) }));
  const wanted = expected.flatMap(({ job, expectation }) => (expectation && describeWanted(job, expectation)) ?? []);
  const lacking = await findLacking(pipeline.pool, wanted);
  const complete = expected.filter(({ job }) => !lacking.has(job.name));
  const records = complete.map(({ job, expectation }) => ({ job, expectedThrough: expectation?.weeks.at(-1) }));
  await inTransaction(pipeline.pool, async (client) => {
    for (const recorded of await recordJobs(client, records)) refuseAhead(now, recorded.now);
  });
  const planned: PlannedJob[] = [];
  for (const { job, expectation } of expected) {
    const expectedThrough = expectation?.weeks.at(-1);
    planned.push(
      expectation && lacking.has(job.name)
        ? await planJob(pipeline, job, expectedThrough, (slices) => choosePlan(job, expectation, slices))
        : { job: job.name, planned: [], expectedThrough },
    );
  }
  return planned;
}

/** Makes BullMQ's Job Schedulers those of the jobs that are planned. Repeating changes nothing. Throws when the queue is away. */
export async function upsertSchedulers(queue: RingingQueue, jobs: readonly Job[]): Promise<void> {
  const wanted = new Set(jobs.map(schedulerId));
  for (const scheduler of await queue.getJobSchedulers(0, -1, true)) {
    if (!wanted.has(scheduler.key)) await queue.removeJobScheduler(scheduler.key);
  }
  for (const job of jobs) {
    await queue.upsertJobScheduler(
      schedulerId(job),
      { pattern: job.schedule.cron, tz: job.schedule.timezone },
      { name: 'tick', data: { job: job.name }, opts: { attempts: 1, removeOnComplete: true, removeOnFail: true } },
    );
  }
}

function schedulerId(job: Job): string {
  return `job-${job.name}`;
}

/** A worker that plans a job when its schedule fires; not running yet. */
export function openTickWorker(backend: QueueBackend, pipeline: Pipeline, jobs: readonly Job[]): RunningWorker {
  return backend.openWorker(
    TICK_QUEUE,
    async (message) => {
      try {
        await planDueJob(pipeline, jobs, tickMessageSchema.parse(message.data).job);
      } catch (error) {
        pipeline.log.warn({ err: describeError(error) }, 'planning was cut short; it is done again within minutes');
      }
    },
    { concurrency: 1 },
  );
}
