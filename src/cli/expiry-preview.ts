// Partitions that keep_weeks will remove, and those that it leaves because Searchmill did not create them: for the plan that is shown.
import type { Job, JobsConfig } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import { addDays } from '../core/weeks.ts';
import { describeKept } from '../pipeline/expected-weeks.ts';
import type { Pool } from '../postgres/pool.ts';
import { detachStatement, EXPIRY_GRACE_MS, type ExpiredMonth, findExpired, partitionOf } from '../tables/expiry.ts';
import { formatTable } from './table.ts';

/** Those of `jobs`. Throws StoreError. */
export async function previewExpiry(pool: Pool, { jobs: configured }: JobsConfig, jobs: readonly Job[]): Promise<ExpiredMonth[]> {
  const chosen = new Set(jobs.map(({ name }) => name));
  const expired = await findExpired(pool, describeKept(configured, systemClock.now()));
  return expired.filter((month) => month.jobs.some((job) => chosen.has(job)));
}

/** Both kinds as text, each below an empty line; nothing when there are none. */
export function describeRemovals(expired: readonly ExpiredMonth[]): string[] {
  const cellsOf = (month: ExpiredMonth) => {
    const { weeks, firstWeek, lastWeek, rows, jobs } = month;
    return [partitionOf(month), weeks, `${firstWeek}..${addDays(lastWeek, 6)}`, rows, jobs.join(', ')];
  };
  const header = ['partition', 'weeks', 'days', 'rows', 'jobs'];
  const removed = expired.filter(({ partition }) => partition !== null).map((month) => [...cellsOf(month), removalTime(month)]);
  const left = expired.filter(({ foreignPartition }) => foreignPartition !== null);
  return [
    ...(removed.length > 0 ? ['', 'keep_weeks will remove, unless you raise it before:', formatTable([...header, 'from'], removed)] : []),
    ...(left.length > 0
      ? [
          '',
          'keep_weeks leaves partitions that Searchmill did not create; detach them yourself if their other weeks may go, too:',
          formatTable(header, left.map(cellsOf)),
          ...new Set(left.map((month) => `${detachStatement(month)};`)),
        ]
      : []),
  ];
}

const removalTime = ({ notedAt }: ExpiredMonth): string =>
  notedAt === null ? 'a day after the service sees it' : `${goesAt(notedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const goesAt = (notedAt: Date): Date => new Date(notedAt.getTime() + EXPIRY_GRACE_MS);

const monthAsJson = (month: ExpiredMonth) => {
  const { partition: _, foreignPartition: __, sliceIds: ___, notedAt, ...rest } = month;
  return { partition: partitionOf(month), ...rest };
};

/** Both kinds as JSON. */
export const removalsAsJson = (expired: readonly ExpiredMonth[]) => ({
  removals: expired
    .filter(({ partition }) => partition !== null)
    .map((month) => ({ ...monthAsJson(month), goesAt: month.notedAt && goesAt(month.notedAt) })),
  leaves: expired.filter(({ foreignPartition }) => foreignPartition !== null).map(monthAsJson),
});
