// Job Schedulers: one per job, upserted by its name and removed with it. A firing only says "plan this job now"; planning
// finds out by itself what is missing, so a firing that was missed while everything was down is made up for at start-up.

import type { Job } from '../config/settings.ts';
import { ConfigurationError, describeError } from '../core/errors.ts';
import { expectBySchedule } from '../pipeline/expected-weeks.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { choosePlan, type PlannedJob, planJob } from '../pipeline/plan.ts';
import { abandonRemoved } from '../warehouse/endings.ts';
import { adoptSlices, markRemovedJobs, recordJob } from '../warehouse/jobs.ts';
import type { QueueBackend, RingingQueue, RunningWorker } from './backend.ts';
import { TICK_QUEUE, tickMessageSchema } from './messages.ts';

/** Plans every job as its schedule expects at the instant the clock shows, and marks jobs that are gone. Throws StoreError. */
export async function planAllJobs(pipeline: Pipeline, jobs: readonly Job[]): Promise<PlannedJob[]> {
  const names = jobs.map((job) => job.name);
  const removed = await markRemovedJobs(pipeline.pool, names, pipeline.owner);
  for (const job of removed) pipeline.log.info({ job }, 'job is no longer configured; its published rows stay');
  const settled = await adoptRenamed(pipeline, jobs, names);
  const abandoned = await abandonRemoved(pipeline.pool);
  if (abandoned > 0) pipeline.log.info({ abandoned }, 'loads of jobs that are no longer configured were abandoned');
  const planned: PlannedJob[] = [];
  for (const job of settled) planned.push(await planBySchedule(pipeline, job));
  return planned;
}

/**
 * A job that only has another name now keeps what it has loaded, and what it is loading. Returns the jobs that can be
 * planned: one whose old name another scheduler still has, as in a rolling deploy, waits for the next round.
 */
async function adoptRenamed(pipeline: Pipeline, jobs: readonly Job[], names: readonly string[]): Promise<Job[]> {
  const settled: Job[] = [];
  for (const job of jobs) {
    if (!(await isRecorded(pipeline, job))) continue;
    const former = await adoptSlices(pipeline.pool, job, names);
    if (former?.isAdopted) pipeline.log.info({ job: job.name, former: former.name }, 'job was renamed; its slices are kept');
    if (former && !former.isAdopted)
      pipeline.log.warn({ job: job.name, former: former.name }, 'job waits: another scheduler still has it under another name');
    else settled.push(job);
  }
  return settled;
}

/** False for a job that cannot be planned as it is configured; the others are. */
async function isRecorded(pipeline: Pipeline, job: Job): Promise<boolean> {
  try {
    await recordJob(pipeline.pool, job, undefined);
    return true;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    pipeline.log.error({ job: job.name, err: describeError(error) }, 'job is not planned');
    return false;
  }
}

async function planBySchedule(pipeline: Pipeline, job: Job): Promise<PlannedJob> {
  const expectation = expectBySchedule(job, pipeline.clock.now());
  return planJob(pipeline, job, expectation?.weeks.at(-1), (slices) => (expectation ? choosePlan(job, expectation, slices) : []));
}

/** Makes BullMQ's Job Schedulers those of the configuration. Repeating changes nothing. Throws when the queue is away. */
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
  const names = jobs.map((job) => job.name);
  return backend.openWorker(
    TICK_QUEUE,
    async (message) => {
      try {
        const due = jobs.filter(({ name }) => name === tickMessageSchema.parse(message.data).job);
        for (const job of await adoptRenamed(pipeline, due, names)) await planBySchedule(pipeline, job);
      } catch (error) {
        pipeline.log.warn({ err: describeError(error) }, 'planning was cut short; it is done again within minutes');
      }
    },
    { concurrency: 1 },
  );
}
