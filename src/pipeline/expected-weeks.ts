// Which weeks a job should have by now. The newest expected week is the last one that was complete when the schedule last
// fired: with a schedule of Monday 6:00, the week that has just ended is not expected before then.
import { Cron } from 'croner';
import type { Job } from '../config/settings.ts';
import { SECOND } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { addDays, type IsoDate, lastCompleteWeek, weeksFromTo } from '../core/weeks.ts';
import type { KeptWeeks } from '../tables/expiry.ts';

export type Expectation = Readonly<{
  /** When the schedule last fired. Recent weeks whose load was planned before it are loaded again. */
  tick: Date;
  /** First days of the expected weeks, oldest first. */
  weeks: readonly IsoDate[];
  /** True when weeks that failed since the tick are also retried. */
  retriesFailed?: boolean;
}>;

/** The last tick of a schedule and the next one, between which it does not fire; by expression and time zone. */
const quiet = new Map<string, Readonly<{ tick: Date; until: Date }>>();
/** Schedules whose last tick is remembered: to find it takes a millisecond, and several rounds ask for that of every job. */
const MAX_REMEMBERED = 20_000;

/** The latest time at or before `at` when the job's schedule fired; undefined if it never did. */
export function lastTick({ schedule: { cron: expression, timezone } }: Pick<Job, 'schedule'>, at: Date): Date | undefined {
  const key = `${expression} ${timezone}`;
  const known = quiet.get(key);
  if (known && known.tick <= at && at < known.until) return known.tick;
  const cron = new Cron(expression, { timezone, paused: true });
  // previousRuns excludes its reference time, so pass the next whole second. Schedules fire on whole seconds.
  const [tick] = cron.previousRuns(1, new Date(Math.floor(at.getTime() / SECOND) * SECOND + SECOND));
  const until = cron.nextRun(at);
  if (quiet.size >= MAX_REMEMBERED) quiet.clear();
  if (tick && until) quiet.set(key, { tick, until });
  return tick;
}

/** The first time after `at` when the schedule fires; undefined if it never does again. */
export function nextTick({ schedule }: Pick<Job, 'schedule'>, at: Date): Date | undefined {
  return new Cron(schedule.cron, { timezone: schedule.timezone, paused: true }).nextRun(at) ?? undefined;
}

/** What the schedule expects at `at`; undefined before the schedule fires for the first time. */
export function expectBySchedule(job: Job, at: Date): Expectation | undefined {
  const tick = lastTick(job, at);
  return tick && { tick, weeks: weeksUpTo(job, tick) };
}

/** For a request by hand: all complete weeks, whatever the schedule says, including those that failed. */
export function expectNow(job: Job, at: Date): Expectation {
  return { tick: lastTick(job, at) ?? new Date(0), weeks: weeksUpTo(job, at), retriesFailed: true };
}

function weeksUpTo(job: Job, at: Date): IsoDate[] {
  const weeks = weeksFromTo(job.since, newestWeekAt(job, at));
  return job.keepWeeks === undefined ? weeks : weeks.slice(-job.keepWeeks);
}

/** How many weeks each job keeps. `keep` is null when it keeps all; a disabled job keeps all. */
export function describeKept(jobs: readonly Job[], at: Date): KeptWeeks[] {
  return jobs.map((job) => describeKeptOf(job, at));
}

/** How many weeks a job keeps. */
export function describeKeptOf(job: Job, at: Date): KeptWeeks {
  return {
    name: job.name,
    dataset: job.dataset.name,
    since: job.since,
    newest: expectBySchedule(job, at)?.weeks.at(-1) ?? null,
    keep: (job.isEnabled ? job.keepWeeks : undefined) ?? null,
  };
}

/** Throws ConfigurationError when keep_weeks would remove one of the weeks again. */
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

/** The newest week that is complete at `at`, by the job's time zone and first day of the week. */
export function newestWeekAt(job: Job, at: Date): IsoDate {
  return lastCompleteWeek(at, job.schedule.timezone, job.weekStartsOn);
}
