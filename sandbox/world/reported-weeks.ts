// The weeks with data: whole weeks from the start of the company's history to the last one that is over.
import {
  addDays,
  daysBetween,
  type IsoDate,
  lastCompleteWeek,
  startOfWeek,
  type Weekday,
  type Window,
  weeksFromTo,
} from '../../src/core/weeks.ts';

/** When weeks begin, in UTC, and the first day with data. */
export type Calendar = Readonly<{ weekStartsOn: Weekday; historyStart: IsoDate }>;

/**
 * A week, or a day of DAILY data. `number` counts weeks from the first week of 1970, so a week has the same number in every answer; days are
 * sevenths of their week.
 */
export type ReportedPeriod = Readonly<{ number: number; frequency: 'WEEKLY' | 'DAILY'; start: IsoDate; end: IsoDate }>;

/** DAILY is collected for every eighth keyword and prompt, so that seven times as many periods still have fewer rows. */
export const DAILY_STEP = 8;

const FIRST_SUNDAY = '1970-01-04';

/** First day of the newest week that is over at the instant `at`. */
export function newestWeek(at: Date, { weekStartsOn }: Calendar): IsoDate {
  return lastCompleteWeek(at, 'UTC', weekStartsOn);
}

/** The weeks with data that lie entirely in the window, oldest first. `newest` is the first day of the newest one that may be included. */
export function reportedWeeks(window: Window, newest: IsoDate, { weekStartsOn, historyStart }: Calendar): ReportedPeriod[] {
  const earliest = window.start > historyStart ? window.start : historyStart;
  const first = startOfWeek(addDays(earliest, 6), weekStartsOn);
  const lastStart = addDays(window.end, -6);
  return weeksFromTo(first, lastStart < newest ? lastStart : newest).map((start) => ({
    number: numberOfWeek(start),
    frequency: 'WEEKLY',
    start,
    end: addDays(start, 6),
  }));
}

/** The days with data in the window, oldest first. `newest` is the first day of the last week that is over. */
export function reportedDays(window: Window, newest: IsoDate, { weekStartsOn, historyStart }: Calendar): ReportedPeriod[] {
  const days: ReportedPeriod[] = [];
  const last = addDays(newest, 6) < window.end ? addDays(newest, 6) : window.end;
  for (let day = window.start > historyStart ? window.start : historyStart; day <= last; day = addDays(day, 1)) {
    const week = startOfWeek(day, weekStartsOn);
    days.push({ number: numberOfWeek(week) + daysBetween(week, day) / 7, frequency: 'DAILY', start: day, end: day });
  }
  return days;
}

/** Number of a week, counted from the first week of 1970. */
export function numberOfWeek(start: IsoDate): number {
  return Math.floor(daysBetween(FIRST_SUNDAY, start) / 7);
}
