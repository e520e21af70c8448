// `since` against the calendar: a day in the future is probably a typo, and would silently load nothing; one long ago, or many weeks of many
// jobs, would make a plan without end.
import { addDays, dateInZone, daysBetween, FIRST_DAY, type IsoDate, isIsoDate } from '../core/weeks.ts';
import { valueOrDefault } from './entry-jobs.ts';
import { type Path, type Remark, valueAt } from './remarks.ts';
import { scheduleField } from './schedule.ts';
import type { Job } from './settings.ts';
import type { YamlSource } from './yaml-source.ts';

/** The date of one instant in a time zone. */
export type Today = (timezone: string) => IsoDate;

/** Each zone is looked up once: a lookup is slow, and there are many jobs. */
export function todayAt(now: Date): Today {
  const dates = new Map<string, IsoDate>();
  return (timezone) => {
    const date = dates.get(timezone) ?? dateInZone(now, timezone);
    dates.set(timezone, date);
    return date;
  };
}

/** Most weeks that the jobs of a file may have together: at 40 submits a minute, a million take over 17 days. */
export const MAX_WEEKS = 1_000_000;

/** A mistake if the first day of an entry is before FIRST_DAY, or after today in its time zone. */
export function checkSince(entry: Path, source: YamlSource, today: Today): Remark[] {
  const path = sincePath(entry, source);
  const since = valueAt(source.value, path);
  const zone = scheduleField.shape.timezone.safeParse(valueOrDefault(source.value, entry, ['schedule', 'timezone']));
  if (typeof since !== 'string' || !isIsoDate(since)) return [];
  const subject = source.hasVariable(path) ? 'comes from a variable and' : `is ${since}, which`;
  if (since < FIRST_DAY) return [source.remark(path, `${subject} is before ${FIRST_DAY}; expected a day from then on`)];
  if (!zone.success || since <= today(zone.data)) return [];
  const text = `${subject} is after today, ${today(zone.data)} in ${zone.data}; expected a day up to today`;
  return [source.remark(path, text)];
}

/** A warning when not even the first week of a job is over, so that nothing is expected yet. */
export function warnOfFirstWeek({ since, schedule }: Job, entry: Path, source: YamlSource, today: Today): Remark[] {
  const end = addDays(since, 7);
  if (end <= today(schedule.timezone)) return [];
  return [source.remark(sincePath(entry, source), `is in the current week, so nothing is expected before ${end}`)];
}

/** A mistake at the first job with which the enabled jobs of a file have more than `most` weeks together. Disabled jobs plan none. */
export function checkWeekCount(
  jobs: readonly Readonly<{ job: Job; entry: Path }>[],
  source: YamlSource,
  today: Today,
  most: number = MAX_WEEKS,
): Remark[] {
  let weeks = 0;
  for (const { job, entry } of jobs) {
    if (!job.isEnabled) continue;
    const all = Math.max(0, Math.floor(daysBetween(job.since, today(job.schedule.timezone)) / 7));
    weeks += Math.min(all, job.keepWeeks ?? all);
    if (weeks <= most) continue;
    const text = `makes the jobs up to ${job.name} have ${weeks} weeks together, more than the ${most} that one file may plan; expected a later day, fewer jobs, or keep_weeks`;
    return [source.remark(sincePath(entry, source), text)];
  }
  return [];
}

/** Where the first day of an entry is written. */
function sincePath(entry: Path, source: YamlSource): Path {
  const own = [...entry, 'since'];
  return valueAt(source.value, own) === undefined ? ['defaults', 'since'] : own;
}
