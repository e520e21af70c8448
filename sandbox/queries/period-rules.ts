// Which periods a submit may ask for. The specification only requires the two days to be in order. Publicly documented: a WEEKLY period (or one
// without collection_frequency) begins on the first day of a week and ends on the last, and no period is longer than 92 days.
import { MAX_PERIOD_DAYS } from '../../src/core/limits.ts';
import { addDays, daysBetween, startOfWeek, WEEKDAYS, type Weekday } from '../../src/core/weeks.ts';
import { DEFAULT_COLLECTION_FREQUENCY } from '../../src/datasets/submit-body.ts';
import type { Query } from './query.ts';

/** `weeks`: as publicly documented. `any`: every period whose end is after its start. */
export const PERIOD_RULES = ['weeks', 'any'] as const;
export type PeriodRule = (typeof PERIOD_RULES)[number];

/** Returns a check that lists the problems with a question's period, each as a sentence that names its field. */
export function createPeriodCheck(rule: PeriodRule, weekStartsOn: Weekday): (query: Query) => readonly string[] {
  if (rule === 'any') return () => [];
  const first = capitalized(weekStartsOn);
  const last = capitalized(WEEKDAYS[(WEEKDAYS.indexOf(weekStartsOn) + 6) % 7] ?? weekStartsOn);
  return ({ dataset: { period }, window: { start, end }, filters }) => {
    const problems: string[] = [];
    if ((filters.collection_frequency ?? DEFAULT_COLLECTION_FREQUENCY) === DEFAULT_COLLECTION_FREQUENCY) {
      if (startOfWeek(start, weekStartsOn) !== start) problems.push(`${period.start} ${start} must be a ${first} for WEEKLY data`);
      const next = addDays(end, 1);
      if (startOfWeek(next, weekStartsOn) !== next) problems.push(`${period.end} ${end} must be a ${last} for WEEKLY data`);
    }
    const days = daysBetween(start, end) + 1;
    if (days > MAX_PERIOD_DAYS) {
      problems.push(`${period.start} ${start} to ${period.end} ${end} are ${days} days; a period has at most ${MAX_PERIOD_DAYS}`);
    }
    return problems;
  };
}

function capitalized(day: string): string {
  return `${day.slice(0, 1).toUpperCase()}${day.slice(1)}`;
}
