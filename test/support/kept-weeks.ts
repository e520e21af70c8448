// What tests of keep_weeks do to a ledger and look at.
import type { Job } from '../../src/config/settings.ts';
import { silentLogger } from '../../src/core/log.ts';
import { addDays, type IsoDate, monthsFromTo, type Window, weeksFromTo, windowOfWeeks } from '../../src/core/weeks.ts';
import { readCoverage } from '../../src/ledger/coverage.ts';
import { describeKept } from '../../src/pipeline/expected-weeks.ts';
import { expirePartitions, type KeptWeeks } from '../../src/tables/expiry.ts';
import type { Ledger } from './ledger.ts';
import { loadWindow } from './window-steps.ts';
import { wireRow } from './wire-rows.ts';

type Row = { account: number; slice: number; day: IsoDate; place: string };

const stopping = new AbortController().signal;

/** What is known of jobs when `newest` is the last week that is over. */
export const kept = (jobs: readonly Job[], newest: IsoDate): KeptWeeks[] => describeKept(jobs, new Date(`${addDays(newest, 9)}T12:00:00Z`));

/** Windows of one week each. */
export const weekly = (first: IsoDate, weeks: number): Window[] =>
  weeksFromTo(first, addDays(first, 7 * (weeks - 1))).map((week) => windowOfWeeks(week, 1));

export function keepingOf(ledger: Ledger) {
  return {
    expire: (jobs: readonly Job[], newest: IsoDate, options: Partial<Parameters<typeof expirePartitions>[2]> = {}) =>
      expirePartitions(ledger.pool, () => kept(jobs, newest), { log: silentLogger, stopping, graceMs: 0, pauseMs: 0, ...options }),

    /** Loads windows of a job: a row at the first day of each week, and one at its last day. */
    async load(job: Job, windows: readonly Window[]): Promise<void> {
      for (const window of windows) {
        const days = weeksFromTo(window.start, window.end).flatMap((week) => [week, addDays(week, 6)]);
        const rows = days.map((day) => wireRow(job, { query: job.name, time_period_start: day }));
        await loadWindow(ledger.pool, job, rows, window);
      }
    },

    /** All rows of a span of days, with where they are stored: rows that were written again are elsewhere. */
    async rowsFrom(first: IsoDate, before: IsoDate): Promise<Row[]> {
      const { rows } = await ledger.pool.query<Row>(
        `SELECT account_id AS account, _slice AS slice, time_period_start::text AS day, tableoid::regclass || ' ' || ctid AS place
           FROM search.keyword_rankings WHERE time_period_start >= $1 AND time_period_start < $2 ORDER BY 1, 3, 4`,
        [first, before],
      );
      return rows;
    },

    async partitionsFrom(first: IsoDate, before: IsoDate): Promise<string[]> {
      const names = monthsFromTo(first, addDays(before, -1)).map((month) => `keyword_rankings_${month.slice(0, 7).replace('-', '_')}`);
      const { rows } = await ledger.pool.query<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relnamespace = 'search_partitions'::regnamespace AND relname = ANY ($1) AND relispartition ORDER BY 1`,
        [names],
      );
      return rows.map(({ name }) => name);
    },

    async stateOf(job: Job, week: IsoDate): Promise<string | undefined> {
      const found = (await readCoverage(ledger.pool, job.name)).find((each) => each.week === week);
      return found && `${found.state}${found.isExpected ? '' : ', not expected'}`;
    },
  };
}
