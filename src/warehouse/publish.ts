// Publishing: one transaction makes the table equal to the new slice and marks the ledger. It deletes what vanished, rewrites what
// differs and inserts what is new. Rows of other jobs with the same keys are reassigned to the slice. A reader sees the week as it was
// before, or as it is afterwards.
import pg from 'pg';
import { type IsoDate, monthsFromTo, weeksOfWindow, windowOf } from '../core/weeks.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { daysOfPeriod } from '../datasets/submit-body.ts';
import { type Execution, fenceOf, requireLease } from './executions.ts';
import { sweepAfterEnd } from './leftover-staging.ts';
import { waitForNodes } from './node-commits.ts';
import { columnLists, ensurePartitions, partitionName, warehouseTable } from './partitions.ts';
import type { Client, Pool } from './pool.ts';
import { stagingTable } from './staging.ts';
import { execute, executeTemplate, type FragmentsOf } from './statements.ts';
import { isOutOfRoom, isUniqueViolation } from './store-errors.ts';
import { attempt, inTransaction } from './transaction.ts';

/** A comparison of at least so many rows is shared by several processes of the server. */
const MANY_ROWS = 20_000;

/** What a publication did to the table, in rows. */
export type Publication = Readonly<{ inserted: number; updated: number; unchanged: number; deleted: number }>;

/** Rows of the comparison by kind, see sql/publish/find-changes.sql. */
type Changes = { inserts: number; updates: number; deletes: number; reassigns: number; surplus: number };

/** `duplicates`: rows that share their key with an earlier one. */
type Replacement = Publication & Readonly<{ duplicates: number }>;

/**
 * What the audit looks at. `outside` are rows beyond the window. `offPeriod` are rows within it whose period is not one of its weeks
 * (or days), with an example of such a period. `first` and `last` are the earliest and latest time_period_start, null without
 * rows. `weekRows` has the rows of each week of the window, the first week first.
 */
export type StagedFacts = Readonly<{
  rows: number;
  outside: number;
  offPeriod: number;
  offPeriodExample: string | null;
  otherAccount: number;
  first: string | null;
  last: string | null;
  weekRows: readonly number[];
}>;

/** Reads the staged rows for the audit: once, and those of several weeks a second time. */
export async function readStagedFacts(
  db: Pool | Client,
  execution: Pick<Execution, 'id' | 'windowStart' | 'windowEnd' | 'accountId' | 'request'>,
): Promise<StagedFacts> {
  const { windowStart, windowEnd, accountId } = execution;
  const staging = stagingTable(execution.id);
  const periodDays = daysOfPeriod(execution.request);
  const found = await executeTemplate<Omit<StagedFacts, 'weekRows'>>(
    db,
    'staging/audit',
    { staging },
    { windowStart, windowEnd, accountId, periodDays },
  );
  const none = { rows: 0, outside: 0, offPeriod: 0, offPeriodExample: null, otherAccount: 0, first: null, last: null };
  const facts = found.rows[0] ?? none;
  if (weeksOfWindow(windowOf(execution)).length === 1) return { ...facts, weekRows: [facts.rows] };
  const { rows } = await executeTemplate<WeekCount>(db, 'staging/count-weeks', { staging }, { windowStart, windowEnd });
  return { ...facts, weekRows: rowsByWeek(execution, rows) };
}

type WindowDays = Pick<Execution, 'windowStart' | 'windowEnd'>;
type WeekCount = { week: number; rows: number };

function rowsByWeek(window: WindowDays, counts: readonly WeekCount[]): number[] {
  const byWeek = new Map(counts.map(({ week, rows }) => [week, rows]));
  return weeksOfWindow(windowOf(window)).map((_, week) => byWeek.get(week) ?? 0);
}

/** At least as many rows as countPublished finds, without reading the table. */
export async function boundPublished(
  db: Pool | Client,
  { job, windowStart, windowEnd }: Pick<Execution, 'job' | 'windowStart' | 'windowEnd'>,
): Promise<number[]> {
  return (await execute<{ rows: number }>(db, 'slices/bound-published', { job, windowStart, windowEnd })).rows.map(({ rows }) => rows);
}

/** Rows of the execution's job that are in the table now, in each week of its window. */
export async function countPublished(
  db: Pool | Client,
  dataset: Dataset,
  { job, accountId, windowStart, windowEnd }: Pick<Execution, 'job' | 'accountId' | 'windowStart' | 'windowEnd'>,
): Promise<number[]> {
  const values = { job, accountId, windowStart, windowEnd };
  const { rows } = await executeTemplate<WeekCount>(db, 'tables/count-weeks', { table: warehouseTable(dataset) }, values);
  return rowsByWeek(values, rows);
}

/** The submit bodies of those of the weeks that are published, the newest week first. Throws StoreError. */
export async function readPublishedRequests(client: Client, job: string, weeks: readonly IsoDate[]): Promise<Record<string, unknown>[]> {
  const { rows } = await execute<{ request: Record<string, unknown> }>(client, 'slices/read-requests', { job, weeks });
  return rows.map(({ request }) => request);
}

/**
 * Where the staged rows go, and where those of the slice's last publication are. `months` are the first days of the months that need
 * partitions. `accounts` are in order, as text: those of rows outside may be beyond 2^53. All rows lie between `from` and `to`.
 */
export type RowExtent = Readonly<{ months: readonly IsoDate[]; accounts: readonly string[]; from: IsoDate; to: IsoDate }>;

/** `startedAt`, by performance.now(), is when the audit began. */
export type PublishOptions = Readonly<{ facts: StagedFacts; startedAt: number; signal?: AbortSignal | undefined }>;

/**
 * Publishes a staged execution whose facts the audit has read; nothing is added to it any more. Returns the four counts.
 * Throws LostLeaseError when another worker holds it, StoreError; in both cases the table is as before.
 */
export async function publishStaged(
  pool: Pool,
  dataset: Dataset,
  execution: Execution,
  { facts, startedAt, signal }: PublishOptions,
): Promise<Publication> {
  const extent = await readExtent(pool, dataset, execution, facts);
  await ensurePartitions(pool, dataset, extent.months);
  const publication = await inTransaction(
    pool,
    async (client) => {
      requireLease(await execute(client, 'publish/lock', fenceOf(execution)), execution);
      await lockRows(client, dataset, execution, extent);
      const { duplicates, ...publication } = await replaceSlice(client, dataset, execution, { facts, extent });
      const done = await execute(client, 'publish/finish', {
        ...fenceOf(execution),
        ...publication,
        duplicates,
        elapsedMs: Math.round(performance.now() - startedAt),
        weekRows: facts.weekRows.length > 1 ? facts.weekRows : null,
      });
      requireLease(done, execution);
      return publication;
    },
    { signal },
  );
  await sweepAfterEnd(pool, execution.id);
  return publication;
}

/**
 * Until the transaction ends nobody else publishes rows that may meet those of the slice: its days are locked, or the whole
 * dataset where rows lie beyond them. What was published before is there. Throws StoreError.
 */
export async function lockRows(
  client: Client,
  dataset: Pick<Dataset, 'name'>,
  { accountId, windowStart, windowEnd }: Pick<Execution, 'accountId' | 'windowStart' | 'windowEnd'>,
  extent?: RowExtent,
): Promise<void> {
  const isBeyond = extent !== undefined && (extent.accounts.length > 1 || extent.from < windowStart || extent.to > windowEnd);
  await execute(client, 'publish/lock-dataset', { dataset: dataset.name, isAlone: isBeyond });
  if (!isBeyond) await execute(client, 'publish/lock-days', { dataset: dataset.name, accountId, windowStart, windowEnd });
  await waitForNodes(client);
}

type OutsideExtent = { months: IsoDate[] | null; accounts: string[] | null; first: IsoDate | null; last: IsoDate | null };

/** The window and the account asked for; wider when rows go beyond them, now or when they were last published (approved). */
async function readExtent(pool: Pool, dataset: Dataset, execution: Execution, facts: StagedFacts): Promise<RowExtent> {
  const { windowStart, windowEnd, sliceId } = execution;
  const isInside = (facts.first ?? windowStart) >= windowStart && (facts.last ?? windowEnd) <= windowEnd && facts.otherAccount === 0;
  const staging = stagingTable(execution.id);
  const staged = isInside ? [] : (await executeTemplate<OutsideExtent>(pool, 'staging/read-extent', { staging })).rows;
  const table = warehouseTable(dataset);
  const published = await executeTemplate<OutsideExtent>(pool, 'tables/read-approved-extent', { table }, { sliceId });
  const outside = [...staged, ...published.rows];
  return {
    months: isInside ? (facts.rows === 0 ? [] : monthsFromTo(windowStart, windowEnd)) : (staged[0]?.months ?? []),
    accounts: [...new Set([String(execution.accountId), ...outside.flatMap(({ accounts }) => accounts ?? [])])].sort(),
    from: outside.reduce((from, { first }) => (first !== null && first < from ? first : from), windowStart),
    to: outside.reduce((to, { last }) => (last !== null && last > to ? last : to), windowEnd),
  };
}

/** The partition that takes all rows, if one does. Postgres would find it again for each row, in a fourth of the time of an insert. */
async function findTarget(client: Client, dataset: Dataset, { first, last }: StagedFacts): Promise<string> {
  if (first === null || first.slice(0, 7) !== last?.slice(0, 7)) return warehouseTable(dataset);
  const name = partitionName(dataset, first);
  const { rows } = await execute<{ found: boolean }>(client, 'tables/is-partition', { name, parent: dataset.name });
  return rows[0]?.found ? `search.${pg.escapeIdentifier(name)}` : warehouseTable(dataset);
}

/** Compares the staged rows, as many as `rows`, with those of the table. Throws StoreError. */
async function findChanges(client: Client, rows: number, fragments: FragmentsOf<'publish/find-changes'>): Promise<void> {
  const compare = async (isShared: boolean) => {
    await execute(client, 'publish/set-planner-settings', { isShared });
    return executeTemplate(client, 'publish/find-changes', fragments);
  };
  // Several processes may need more shared memory than a container gives the server.
  const isCompared = rows >= MANY_ROWS && (await attempt(client, () => compare(true), isOutOfRoom));
  if (isCompared) await execute(client, 'publish/set-planner-settings', { isShared: false });
  else await compare(false);
}

async function replaceSlice(
  client: Client,
  dataset: Dataset,
  execution: Execution,
  { facts, extent }: Readonly<{ facts: StagedFacts; extent: RowExtent }>,
): Promise<Replacement> {
  const table = warehouseTable(dataset);
  const staging = stagingTable(execution.id);
  const { columns, columnsOf, measuresOf, assignMeasures } = columnLists(dataset);
  await execute(client, 'publish/raise-work-mem');
  const numberDuplicates = async (): Promise<number> => {
    const { rows } = await executeTemplate<{ found: boolean }>(client, 'staging/has-duplicates', { staging });
    if (!rows[0]?.found) return 0;
    await executeTemplate(client, 'staging/analyze', { staging, columns: 'account_id, time_period_start, _key' });
    const measures = dataset.columns.filter(({ isIdentity }) => !isIdentity);
    const collated = measures.map(({ name, pg: type }) => `s.${pg.escapeIdentifier(name)}${type === 'text' ? ' COLLATE "C"' : ''}`);
    const order = [...collated, 's._extra'].join(', ');
    return (await executeTemplate(client, 'staging/number-duplicates', { staging, order })).rowCount ?? 0;
  };

  const staged_columns = columnsOf('s');
  const { sliceId } = execution;
  const { accounts, from, to } = extent;
  const span = { accounts, from, to };
  const noteWriting = () => executeTemplate(client, 'publish/note-writing', { table }, { accounts, day: from });
  const { rows: present } = await executeTemplate<{ found: boolean }>(client, 'tables/has-rows', { table }, span);
  if (!present[0]?.found) {
    const target = await findTarget(client, dataset, facts);
    const fragments = { table: target, staging, columns, staged_columns };
    const insert = async (): Promise<number> =>
      (await executeTemplate(client, 'publish/insert-all-rows', fragments, { sliceId })).rowCount ?? 0;
    // Few answers have duplicates, and looking for them takes a third of publishing. So the primary key finds them.
    const { rows: last } = await execute<{ found: boolean }>(client, 'publish/had-duplicates', { job: execution.job });
    await noteWriting();
    const inserted = last[0]?.found ? undefined : await attempt(client, insert, isUniqueViolation);
    if (inserted !== undefined) return { inserted, updated: 0, unchanged: 0, deleted: 0, duplicates: 0 };
    const duplicates = await numberDuplicates();
    return { inserted: await insert(), updated: 0, unchanged: 0, deleted: 0, duplicates };
  }

  const duplicates = await numberDuplicates();
  // CREATE TABLE AS takes no parameters, so the values stand in the statement, as literals.
  await findChanges(client, facts.rows, {
    table,
    staging,
    accounts: `ARRAY[${extent.accounts.join(', ')}]::bigint[]`,
    first: pg.escapeLiteral(extent.from),
    last: pg.escapeLiteral(extent.to),
    account: String(execution.accountId),
    window_start: pg.escapeLiteral(execution.windowStart),
    window_end: pg.escapeLiteral(execution.windowEnd),
    job: pg.escapeLiteral(execution.job),
    slice: String(execution.sliceId),
    table_values: measuresOf('t'),
    staged_values: measuresOf('s'),
  });
  const { rows: counted } = await execute<Changes>(client, 'publish/count-changes');
  const { inserts = 0, updates = 0, deletes = 0, reassigns = 0, surplus = 0 } = counted[0] ?? {};
  if (inserts + updates + deletes + reassigns + surplus > 0) await execute(client, 'publish/analyze-changes');
  const kept = surplus > 0 ? ((await executeTemplate(client, 'publish/keep-unstaged-keys', { staging })).rowCount ?? 0) : 0;
  const deleted = deletes + surplus - kept;
  if (deleted > 0) await executeTemplate(client, 'publish/delete-rows', { table }, span);
  if (reassigns > 0) await executeTemplate(client, 'publish/reassign-rows', { table }, { sliceId, ...span });
  if (updates > 0) {
    await executeTemplate(client, 'publish/update-rows', { table, staging, assignments: assignMeasures('s') }, { sliceId, ...span });
  }
  if (inserts > 0) {
    await noteWriting();
    await executeTemplate(client, 'publish/insert-rows', { table, staging, columns, staged_columns }, { sliceId });
  }
  await execute(client, 'publish/reset-planner-settings');
  return { inserted: inserts, updated: updates, unchanged: facts.rows - inserts - updates, deleted, duplicates };
}
