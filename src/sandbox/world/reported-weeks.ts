// Which weeks the company has data for: whole weeks from the start of its history to the last one that is over.
import {
  addDays,
  daysBetween,
  type IsoDate,
  lastCompleteWeek,
  startOfWeek,
  type Weekday,
  type Window,
  weeksFromTo,
} from '../../core/weeks.ts';

/** When weeks begin, in UTC, and the day nothing is known before. */
export type Calendar = Readonly<{ weekStartsOn: Weekday; historyStart: IsoDate }>;

/** `number` counts weeks from the first week of 1970, so it is the same for a week in every answer. */
export type ReportedWeek = Readonly<{ number: number; start: IsoDate; end: IsoDate }>;

const FIRST_SUNDAY = '1970-01-04';

/** First day of the newest week that is over at the instant `at`. */
export function newestWeek(at: Date, { weekStartsOn }: Calendar): IsoDate {
  return lastCompleteWeek(at, 'UTC', weekStartsOn);
}

/** The weeks with data that lie wholly inside the window, oldest first. `newest` is the first day of the last of them. */
export function reportedWeeks(window: Window, newest: IsoDate, { weekStartsOn, historyStart }: Calendar): ReportedWeek[] {
  const earliest = window.start > historyStart ? window.start : historyStart;
  const first = startOfWeek(addDays(earliest, 6), weekStartsOn);
  const lastStart = addDays(window.end, -6);
  return weeksFromTo(first, lastStart < newest ? lastStart : newest).map((start) => ({
    number: Math.floor(daysBetween(FIRST_SUNDAY, start) / 7),
    start,
    end: addDays(start, 6),
  }));
}
