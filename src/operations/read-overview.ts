// Reads what the operators' overview shows.

import { systemClock } from '../core/clock.ts';
import { compareText } from '../core/compare-text.ts';
import { addDays, type IsoDate } from '../core/weeks.ts';
import { type CalendarWeek, type KnownJob, readCalendar } from '../ledger/coverage.ts';
import type { Pool } from '../postgres/pool.ts';
import { findProblems } from '../problems/find-problems.ts';
import { findNotices } from '../problems/notices.ts';
import { readStatus } from '../problems/read-status.ts';
import type { Problem, Status } from '../problems/status.ts';

/** Jobs on one page of the calendar. */
export const JOBS_PER_PAGE = 50;

export type Choice = Readonly<{
  weeks: number;
  /** Shows only jobs whose names contain this text, ignoring case. */
  name: string;
  /** Page number, from 1. */
  page: number;
}>;

export type Overview = Readonly<{
  now: Date;
  status: Status;
  problems: readonly Problem[];
  notes: readonly Problem[];
  choice: Choice;
  /** Jobs of the chosen page; `matching` counts the matching jobs of all pages. */
  jobs: readonly KnownJob[];
  matching: number;
  weeks: readonly IsoDate[];
  calendar: readonly CalendarWeek[];
}>;

/** Throws StoreError. */
export async function readOverview(pool: Pool, choice: Choice): Promise<Overview> {
  const status = await readStatus(pool);
  const now = systemClock.now();
  const wanted = choice.name.toLowerCase();
  const found = status.jobs.filter(({ name, removedAt }) => removedAt === null && name.toLowerCase().includes(wanted));
  const jobs = found.slice((choice.page - 1) * JOBS_PER_PAGE, choice.page * JOBS_PER_PAGE);
  const newest = jobs
    .flatMap(({ expectedThrough }) => expectedThrough ?? [])
    .sort()
    .at(-1);
  const weeks = newest === undefined ? [] : Array.from({ length: choice.weeks }, (_, n) => addDays(newest, -7 * (choice.weeks - 1 - n)));
  const names = jobs.map(({ name }) => name);
  const calendar = weeks[0] === undefined ? [] : await readCalendar(pool, names, weeks[0]);
  // Starts at the first week that any of these jobs expects or has.
  const known = calendar.map(({ week }) => week);
  const first = known.toSorted(compareText)[0] ?? '';
  const all = [...new Set([...weeks.filter((week) => week >= first), ...known])].sort(compareText);
  return {
    now,
    status,
    problems: findProblems(status, now),
    notes: findNotices(status, now),
    choice,
    jobs,
    matching: found.length,
    weeks: all,
    calendar,
  };
}
