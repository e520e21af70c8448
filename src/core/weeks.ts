// Calendar arithmetic on whole weeks. A date is a `YYYY-MM-DD` string everywhere, so no time zone can shift it;
// a window is a span of whole weeks whose end is its last day (inclusive), as the service's start_date..end_date.
import { DAY } from './clock.ts';

/** A calendar date, `YYYY-MM-DD`. */
export type IsoDate = string;

/** Whole weeks from `start` to `end`, both days included. */
export type Window = Readonly<{ start: IsoDate; end: IsoDate }>;

export const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/**
 * The first day that is loaded. No service has older data, and a mistyped year would make a plan of tens of thousands of weeks: 0026 for
 * 2026.
 */
export const FIRST_DAY: IsoDate = '2000-01-01';

const DATE_PATTERN = /^(\d{4})-(\d{2})-(\d{2})$/;

/** True for a `YYYY-MM-DD` string that is a calendar date (so not 2026-02-30, and no year 0000). */
export function isIsoDate(text: string): boolean {
  const match = DATE_PATTERN.exec(text);
  if (!match || match[1] === '0000') return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

export function addDays(date: IsoDate, days: number): IsoDate {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);
}

/** Whole days from `from` to `to`; negative when `to` is earlier. */
export function daysBetween(from: IsoDate, to: IsoDate): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY);
}

/** The first day of the week that contains `date`. */
export function startOfWeek(date: IsoDate, weekStartsOn: Weekday): IsoDate {
  const day = new Date(`${date}T00:00:00Z`).getUTCDay();
  return addDays(date, -((day - WEEKDAYS.indexOf(weekStartsOn) + 7) % 7));
}

/** The calendar date at the instant `at` in an IANA time zone. */
export function dateInZone(at: Date, timezone: string): IsoDate {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, year: 'numeric', month: '2-digit', day: '2-digit' }).formatToParts(
    at,
  );
  const part = (type: string): string => parts.find((p) => p.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
}

/** First day of the last week that is wholly in the past at the instant `at`, in `timezone`. */
export function lastCompleteWeek(at: Date, timezone: string, weekStartsOn: Weekday): IsoDate {
  return addDays(startOfWeek(dateInZone(at, timezone), weekStartsOn), -7);
}

/** First days of all weeks from the one starting at `first` to the one starting at `last`, oldest first. */
export function weeksFromTo(first: IsoDate, last: IsoDate): IsoDate[] {
  const weeks: IsoDate[] = [];
  // Counted in milliseconds, since a job may have a thousand weeks and a file ten thousand jobs.
  const [from, to] = [Date.parse(`${first}T00:00:00Z`), Date.parse(`${last}T00:00:00Z`)];
  for (let at = from; at <= to; at += 7 * DAY) weeks.push(new Date(at).toISOString().slice(0, 10));
  return weeks;
}

/** The window of a slice or an execution. */
export function windowOf({ windowStart, windowEnd }: Readonly<{ windowStart: IsoDate; windowEnd: IsoDate }>): Window {
  return { start: windowStart, end: windowEnd };
}

/** The window of `weeks` whole weeks that starts on `start`. */
export function windowOfWeeks(start: IsoDate, weeks: number): Window {
  return { start, end: addDays(start, weeks * 7 - 1) };
}

/** First days of the weeks inside a window. */
export function weeksOfWindow(window: Window): IsoDate[] {
  return weeksFromTo(window.start, addDays(window.end, -6));
}

/** First days of the months from the one of `first` to the one of `last`, oldest first. */
export function monthsFromTo(first: IsoDate, last: IsoDate): IsoDate[] {
  const months: IsoDate[] = [];
  for (let month = `${first.slice(0, 7)}-01`; month <= last; month = `${addDays(month, 31).slice(0, 7)}-01`) months.push(month);
  return months;
}

/** `2026-11-08..2026-11-14`: the form of windows in logs, the ledger and tables. */
export function formatWindow(window: Window): string {
  return `${window.start}..${window.end}`;
}
