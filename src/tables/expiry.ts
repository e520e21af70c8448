// keep_weeks: removes partitions that no job needs any more. All jobs of a dataset share a partition, so it is removed when none of them
// needs it, one day after that was noted. Readers wait briefly at most; publishes of the dataset wait while the partition is counted.
// A partition that somebody else created is only reported. Once a partition is gone, the ledger forgets its weeks.

import { DAY, MINUTE, SECOND, systemClock } from '../core/clock.ts';
import { openDeadline } from '../core/deadline.ts';
import type { Logger } from '../core/log.ts';
import { sumOf } from '../core/numbers.ts';
import { formatWindow, type IsoDate, windowOfWeeks } from '../core/weeks.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { execute, executeTemplate, type RowOf, readRows } from '../postgres/statements.ts';
import { isLockTimeout } from '../postgres/store-errors.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { nameOnCoordinator } from './citus/citus.ts';
import { monthTable, warehouseTable } from './partitions.ts';
import { expectRows, explainRows } from './written-rows.ts';

/** Time from the note to the removal, so that somebody can notice it and object. */
export const EXPIRY_GRACE_MS = DAY;
const MAX_REMOVAL_MS = 10 * MINUTE;
/** Short, because a session that waits for the table's lock makes all later ones wait behind it. */
const LOCK_TIMEOUT_MS = 2 * SECOND;
const MAX_ATTEMPTS = 5;
const PAUSE_MS = 5 * SECOND;

/** What a configured job keeps: `newest` is its newest expected week, null while there is none; `keep` the number of weeks, null for all. */
export type KeptWeeks = Readonly<{ name: string; dataset: string; since: IsoDate; newest: IsoDate | null; keep: number | null }>;

/** The kept weeks of all jobs now. */
type ReadKeptWeeks = () => readonly KeptWeeks[] | Promise<readonly KeptWeeks[]>;

/** A month that none of the jobs that load into it needs. `month` is its first day. */
export type ExpiredMonth = Readonly<{
  dataset: string;
  month: IsoDate;
  /** Partition name as Searchmill makes it, in search_partitions; null when no such partition is attached. */
  partition: string | null;
  /** A partition not made by Searchmill that holds the rows instead; null when the rows are gone, too. */
  foreignPartition: string | null;
  jobs: readonly string[];
  /** Decimal text. */
  sliceIds: readonly string[];
  weeks: number;
  /** First days of its first and last week. */
  firstWeek: IsoDate;
  lastWeek: IsoDate;
  /** Rows as published; rows that several jobs share count once per job. */
  rows: number;
  /** When the removal was noted; null before. */
  notedAt: Date | null;
}>;

type ExpiryOptions = Readonly<{ log: Logger; stopping: AbortSignal; graceMs?: number; pauseMs?: number; lockTimeoutMs?: number }>;

/** The months that would be removed, and those that stay because Searchmill has no partition for them. Throws StoreError. */
export async function findExpired(db: Pool | Client, jobs: readonly KeptWeeks[]): Promise<readonly ExpiredMonth[]> {
  if (jobs.every(({ keep }) => keep === null)) return [];
  const found = await readRows(db, 'expiry/find-expired', { jobs: JSON.stringify(jobs) });
  const months: ExpiredMonth[] = [];
  for (const month of found) months.push({ ...month, foreignPartition: month.partition === null ? await findForeign(db, month) : null });
  return months;
}

async function findForeign(
  db: Pool | Client,
  { dataset, sliceIds, month }: Omit<ExpiredMonth, 'foreignPartition'>,
): Promise<string | null> {
  const table = warehouseTable({ name: dataset });
  const { rows } = await executeTemplate(db, 'expiry/find-foreign-partition', { table }, { sliceIds, month });
  const partition = rows[0]?.partition ?? null;
  return partition === null ? null : nameOnCoordinator(db, table, partition);
}

/** The statement with which an operator removes a month that Searchmill leaves. */
export const detachStatement = ({ dataset, foreignPartition }: ExpiredMonth): string =>
  `ALTER TABLE ${warehouseTable({ name: dataset })} DETACH PARTITION ${foreignPartition}`;

/**
 * Notes what will be removed, and removes what was noted long enough ago, one partition after another. `readJobs` is called again for each,
 * because the configuration may change meanwhile. Returns the removed partitions. Throws StoreError.
 */
export async function expirePartitions(
  pool: Pool,
  readJobs: ReadKeptWeeks,
  { log, stopping, graceMs = EXPIRY_GRACE_MS, pauseMs = PAUSE_MS, lockTimeoutMs = LOCK_TIMEOUT_MS }: ExpiryOptions,
): Promise<string[]> {
  const expired = await findExpired(pool, await readJobs());
  const partitions = JSON.stringify(expired.map(({ dataset, month }) => ({ dataset, month })));
  const noted = await readRows(pool, 'expiry/note-expiring', { partitions, graceMs });
  const removed: string[] = [];
  for (const found of expired) {
    const note = noted.find(({ dataset, month }) => dataset === found.dataset && month === found.month);
    if (note?.isNew && found.foreignPartition !== null)
      log.warn(
        { ...describeExpired(found), statement: detachStatement(found) },
        'keep_weeks leaves a partition that Searchmill did not create; detach it yourself if its other weeks may go, too',
      );
    else if (note?.isNew && found.partition !== null)
      log.warn({ ...describeExpired(found), goesAt: note.goesAt }, 'keep_weeks will remove a partition');
    if (!note?.isDue || found.foreignPartition !== null) continue;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS && !stopping.aborted; attempt += 1) {
      try {
        const gone = await removePartition(pool, readJobs, found, { log, stopping, lockTimeoutMs });
        if (gone) {
          log.info(
            describeExpired(gone),
            gone.partition === null ? 'keep_weeks forgot weeks whose rows are gone' : 'keep_weeks removed a partition',
          );
          if (gone.partition !== null) removed.push(gone.partition);
        }
        break;
      } catch (error) {
        // Other sessions go first.
        if (!isLockTimeout(error)) throw error;
        if (attempt === MAX_ATTEMPTS) log.warn({ partition: partitionOf(found) }, 'a partition is in use and is removed later');
        else await systemClock.sleep(pauseMs, stopping).catch(() => undefined);
      }
    }
  }
  return removed;
}

/** The partition that holds its rows; null when they are gone. */
export const partitionOf = ({ partition, foreignPartition }: ExpiredMonth): string | null =>
  partition === null ? foreignPartition : `search_partitions.${partition}`;

const describeExpired = (found: ExpiredMonth) => {
  const { jobs, weeks, firstWeek, lastWeek, rows } = found;
  return {
    partition: partitionOf(found),
    window: formatWindow({ start: firstWeek, end: windowOfWeeks(lastWeek, 1).end }),
    weeks,
    rows,
    jobs,
  };
};

/** Removes a partition and what the ledger and the summaries store about its weeks, in one transaction. Undefined: it has to stay. */
async function removePartition(
  pool: Pool,
  readJobs: ReadKeptWeeks,
  { dataset, month }: ExpiredMonth,
  { log, stopping, lockTimeoutMs }: Required<Pick<ExpiryOptions, 'log' | 'stopping' | 'lockTimeoutMs'>>,
): Promise<ExpiredMonth | undefined> {
  const remove = async (client: Client): Promise<ExpiredMonth | undefined> => {
    await execute(client, 'expiry/limit-waiting', { lockTimeoutMs: String(lockTimeoutMs) });
    // From here on nobody publishes or replays rows of the dataset, so the findings below stay valid.
    await execute(client, 'tables/lock-dataset', { dataset, isAlone: true });
    const found = (await findExpired(client, await readJobs())).find((each) => each.dataset === dataset && each.month === month);
    if (!found || found.foreignPartition !== null) return undefined;
    const { sliceIds } = found;
    const table = warehouseTable({ name: dataset });
    const counted = found.partition === null ? [] : await countPartition(client, found.partition, sliceIds);
    const strangers = sumOf(counted, (each) => each.strangers);
    if (strangers > 0) {
      log.warn({ partition: partitionOf(found), rows: strangers }, 'a partition stays: it has rows of loads that are to be kept');
      return undefined;
    }
    const { rows: outside } = await executeTemplate(client, 'expiry/count-straddling', { table }, { sliceIds, month });
    const straddling = await executeTemplate(client, 'expiry/delete-straddling', { table }, { sliceIds, month });
    expectRows({ command: 'DELETE', rowCount: straddling.rows.length }, outside[0]?.rows ?? 0, table);
    await execute(client, 'expiry/expire-slices', { sliceIds, dataset, month });
    const weeks = [...new Map([...counted, ...straddling.rows].map((each) => [`${each.accountId} ${each.week}`, each])).values()];
    const gone = { dataset, accounts: weeks.map(({ accountId }) => accountId), weeks: weeks.map(({ week }) => week) };
    await execute(client, 'expiry/mark-expired', gone);
    await execute(client, 'expiry/note-removed', gone);
    if (found.partition !== null) await execute(client, 'expiry/drop-partition', { dataset, month });
    return { ...found, rows: sumOf(counted, (each) => each.rows) + straddling.rows.length };
  };
  using deadline = openDeadline(MAX_REMOVAL_MS, stopping);
  return await explainRows(pool, { name: dataset }, () => inTransaction(pool, remove, { signal: deadline.signal }));
}

async function countPartition(
  client: Client,
  partition: string,
  sliceIds: readonly string[],
): Promise<readonly RowOf<'expiry/count-partition'>[]> {
  const table = monthTable(partition);
  return (await executeTemplate(client, 'expiry/count-partition', { table }, { sliceIds })).rows;
}
