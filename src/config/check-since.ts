// `since` against the calendar: a day in the future is probably a typo, and would silently load nothing.
import { addDays, dateInZone, type IsoDate, isIsoDate } from '../core/weeks.ts';
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

/** A mistake if the first day of an entry is after today in its time zone. */
export function checkSince(entry: Path, source: YamlSource, today: Today): Remark[] {
  const path = sincePath(entry, source);
  const since = valueAt(source.value, path);
  const zone = scheduleField.shape.timezone.safeParse(valueOrDefault(source.value, entry, ['schedule', 'timezone']));
  if (typeof since !== 'string' || !isIsoDate(since) || !zone.success || since <= today(zone.data)) return [];
  const subject = source.hasVariable(path) ? 'comes from a variable and' : `is ${since}, which`;
  const text = `${subject} is after today, ${today(zone.data)} in ${zone.data}; expected a day up to today`;
  return [source.remark(path, text)];
}

/** A warning when not even the first week of a job is over, so that nothing is expected yet. */
export function warnOfFirstWeek({ since, schedule }: Job, entry: Path, source: YamlSource, today: Today): Remark[] {
  const end = addDays(since, 7);
  if (end <= today(schedule.timezone)) return [];
  return [source.remark(sincePath(entry, source), `is in the current week, so nothing is expected before ${end}`)];
}

/** Where the first day of an entry is written. */
function sincePath(entry: Path, source: YamlSource): Path {
  const own = [...entry, 'since'];
  return valueAt(source.value, own) === undefined ? ['defaults', 'since'] : own;
}
