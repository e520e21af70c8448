// Which weeks a job should have by now. The newest expected week is the last one that was complete when the schedule last
// fired: a service that is not asked before Monday 6:00 is not asked for Sunday's week on Sunday.
import { Cron } from 'croner';
import type { Job } from '../config/settings.ts';
import { SECOND } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { addDays, type IsoDate, lastCompleteWeek, weeksFromTo } from '../core/weeks.ts';
import type { KeptWeeks } from '../warehouse/expiry.ts';

export type Expectation = Readonly<{
  /** When the schedule last fired; recent weeks read before it are read again. */
  tick: Date;
  /** First days of the expected weeks, oldest first. */
  weeks: readonly IsoDate[];
  /** True when weeks that failed since the tick are tried again too. */
  retriesFailed?: boolean;
}>;

/** The latest time at or before `at` at which the job's schedule fired; undefined when it never did. */
export function lastTick(job: Pick<Job, 'schedule'>, at: Date): Date | undefined {
  const cron = new Cron(job.schedule.cron, { timezone: job.schedule.timezone, paused: true });
  // previousRuns looks strictly before its reference; schedules fire on whole seconds.
  return cron.previousRuns(1, new Date(Math.floor(at.getTime() / SECOND) * SECOND + SECOND))[0];
}

/** The first time after `at` at which the schedule fires. */
export function nextTick({ schedule }: Pick<Job, 'schedule'>, at: Date): Date | undefined {
  return new Cron(schedule.cron, { timezone: schedule.timezone, paused: true }).nextRun(at) ?? undefined;
}

/** What the schedule expects at the instant `at`; undefined before its first firing. */
export function expectBySchedule(job: Job, at: Date): Expectation | undefined {
  const tick = lastTick(job, at);
  return tick && { tick, weeks: weeksUpTo(job, tick) };
}

/** What somebody who asks now may expect: all weeks that are complete, whatever the schedule says and whatever failed. */
export function expectNow(job: Job, at: Date): Expectation {
  return { tick: lastTick(job, at) ?? new Date(0), weeks: weeksUpTo(job, at), retriesFailed: true };
}

function weeksUpTo(job: Job, at: Date): IsoDate[] {
  const weeks = weeksFromTo(job.since, newestWeekAt(job, at));
  return job.keepWeeks === undefined ? weeks : weeks.slice(-job.keepWeeks);
}

/** What jobs keep of their data. One that is switched off keeps all. */
export function describeKept(jobs: readonly Job[], at: Date): KeptWeeks[] {
  return jobs.map((job) => ({
    name: job.name,
    dataset: job.dataset.name,
    since: job.since,
    newest: expectBySchedule(job, at)?.weeks.at(-1) ?? null,
    keep: (job.isEnabled ? job.keepWeeks : undefined) ?? null,
  }));
}

/** Refuses weeks that keep_weeks would remove again. Throws ConfigurationError. */
export function refuseUnkept(job: Job, weeks: readonly IsoDate[], at: Date): void {
  const { name, keepWeeks } = job;
  if (keepWeeks === undefined) return;
  const first = addDays(newestWeekAt(job, at), -7 * (keepWeeks - 1));
  const unkept = weeks.find((week) => week < first);
  if (unkept !== undefined)
    throw new ConfigurationError(
      `job "${name}" keeps ${keepWeeks} weeks, from ${first} on; raise its keep_weeks to load the week of ${unkept}`,
    );
}

/** The newest week that is complete then, by the job's calendar. */
export function newestWeekAt(job: Job, at: Date): IsoDate {
  return lastCompleteWeek(at, job.schedule.timezone, job.weekStartsOn);
}
