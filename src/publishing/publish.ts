// Publishing: one transaction makes the table equal to the new slice and updates the ledger. It deletes vanished rows, rewrites changed ones
// and inserts new ones. Rows of other jobs with the same keys are reassigned to the slice. A reader sees the week either as it was before
// or as it is afterwards.
import { type IsoDate, monthsFromTo, weeksOfWindow, windowOf } from '../core/weeks.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { datasetNamed } from '../datasets/index.ts';
import { daysOfPeriod } from '../datasets/submit-body.ts';
import type { Publication } from '../ledger/execution-histories.ts';
import { type Execution, fenceOf, requireLease } from '../ledger/executions.ts';
import { sweepAfterEnd } from '../ledger/leftover-staging.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { execute, executeTemplate, readRows } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { lockRows, type RowExtent } from '../tables/lock-rows.ts';
import { ensurePartitions, warehouseTable } from '../tables/partitions.ts';
import { type Period, replacePeriods, rowDigest } from '../tables/published-periods.ts';
import { stagingTable } from '../tables/staging.ts';
import { expectContent } from '../tables/written-content.ts';
import { explainRows } from '../tables/written-rows.ts';
import { replaceSlice } from './replace-slice.ts';

/**
 * What the audit checks. `outside`: rows beyond the window. `offPeriod`: rows within it whose period is not one of its weeks (or days),
 * with an example of such a period. `first` and `last`: the earliest and latest time_period_start, null without rows. `weekRows`: rows per
 * week of the window, first week first.
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

/** What publishing needs in addition: the periods of the rows, in order; null when they are too many to keep in memory. */
export type StagedRows = StagedFacts & Readonly<{ periods: readonly Period[] | null }>;

/** A sensible answer has one period per week or per day, so only an invalid one exceeds this. */
const MAX_PERIODS = 1_000;

/** Reads the staged rows for the audit and for publishing: once, and rows of several weeks a second time. */
export async function readStagedFacts(
  db: Pool | Client,
  execution: Pick<Execution, 'id' | 'dataset' | 'windowStart' | 'windowEnd' | 'accountId' | 'request'>,
): Promise<StagedRows> {
  const { windowStart, windowEnd, accountId } = execution;
  const staging = stagingTable(execution.id);
  const digest = rowDigest(datasetNamed(execution.dataset), 's');
  const values = { windowStart, windowEnd, accountId, periodDays: daysOfPeriod(execution.request), maxPeriods: MAX_PERIODS };
  const found = await executeTemplate<'staging/audit', Omit<StagedRows, 'weekRows'>>(db, 'staging/audit', { staging, digest }, values);
  const none = { rows: 0, outside: 0, offPeriod: 0, offPeriodExample: null, otherAccount: 0, first: null, last: null, periods: [] };
  const facts = found.rows[0] ? { ...found.rows[0], periods: found.rows[0].rows === 0 ? [] : found.rows[0].periods } : none;
  if (weeksOfWindow(windowOf(execution)).length === 1) return { ...facts, weekRows: [facts.rows] };
  const { rows } = await executeTemplate(db, 'staging/count-weeks', { staging }, { windowStart, windowEnd });
  return { ...facts, weekRows: rowsByWeek(execution, rows) };
}

type WindowDays = Pick<Execution, 'windowStart' | 'windowEnd'>;
type WeekCount = { week: number; rows: number };

function rowsByWeek(window: WindowDays, counts: readonly WeekCount[]): number[] {
  const byWeek = new Map(counts.map(({ week, rows }) => [week, rows]));
  return weeksOfWindow(windowOf(window)).map((_, week) => byWeek.get(week) ?? 0);
}

/** An upper bound of what countPublished returns, without reading the table. */
export async function boundPublished(
  db: Pool | Client,
  { job, windowStart, windowEnd }: Pick<Execution, 'job' | 'windowStart' | 'windowEnd'>,
): Promise<number[]> {
  return (await execute(db, 'slices/bound-published', { job, windowStart, windowEnd })).rows.map(({ rows }) => rows);
}

/** Rows of the execution's job in the table now, per week of its window. */
export async function countPublished(
  db: Pool | Client,
  dataset: Dataset,
  { job, accountId, windowStart, windowEnd }: Pick<Execution, 'job' | 'accountId' | 'windowStart' | 'windowEnd'>,
): Promise<number[]> {
  const values = { job, accountId, windowStart, windowEnd };
  const { rows } = await executeTemplate(db, 'tables/count-weeks', { table: warehouseTable(dataset) }, values);
  return rowsByWeek(values, rows);
}

/** The submit bodies of the published ones of `weeks`, newest week first. Throws StoreError. */
export async function readPublishedRequests(client: Client, job: string, weeks: readonly IsoDate[]): Promise<Record<string, unknown>[]> {
  const rows: { request: Record<string, unknown> }[] = await readRows(client, 'slices/read-requests', { job, weeks });
  return rows.map(({ request }) => request);
}

/**
 * `startedAt`, by performance.now(), is when the audit began. `examine` inspects what would be deleted or taken (replace-slice.ts); an error it
 * throws rolls everything back.
 */
export type PublishOptions = Readonly<{
  facts: StagedRows;
  startedAt: number;
  examine?: (client: Client) => Promise<void>;
  signal?: AbortSignal | undefined;
}>;

/**
 * Publishes a staged execution whose facts the audit has read; no rows are added to it any more. Returns the four counts.
 * Throws LostLeaseError when another worker holds it, UnwrittenRowsError when the table does not take the rows, StoreError; in all cases
 * the table is unchanged.
 */
export async function publishStaged(
  pool: Pool,
  dataset: Dataset,
  execution: Execution,
  { facts, startedAt, examine, signal }: PublishOptions,
): Promise<Publication> {
  const extent = await readExtent(pool, dataset, execution, facts);
  const publishIn = async (client: Client): Promise<Publication> => {
    requireLease(await execute(client, 'publish/lock', fenceOf(execution)), execution);
    await lockRows(client, dataset, execution, extent);
    const { duplicates, taken, ...publication } = await replaceSlice(client, dataset, execution, { facts, extent, examine });
    await replacePeriods(client, dataset, execution, { periods: facts.periods, taken });
    await expectContent(client, dataset, execution, extent);
    const done = await execute(client, 'transitions/publish', {
      ...fenceOf(execution),
      ...publication,
      duplicates,
      elapsedMs: Math.round(performance.now() - startedAt),
      weekRows: facts.weekRows.length > 1 ? facts.weekRows : null,
      hasTaken: taken.length > 0,
    });
    requireLease(done, execution);
    return publication;
  };
  await ensurePartitions(pool, dataset, extent.months);
  const publication = await explainRows(pool, dataset, () => inTransaction(pool, publishIn, { signal }));
  await sweepAfterEnd(pool, execution.id);
  return publication;
}

/** The requested window and account; wider when staged rows, or rows last published with approval, lie beyond them. */
async function readExtent(pool: Pool, dataset: Dataset, execution: Execution, facts: StagedFacts): Promise<RowExtent> {
  const { windowStart, windowEnd, sliceId } = execution;
  const isInside = (facts.first ?? windowStart) >= windowStart && (facts.last ?? windowEnd) <= windowEnd && facts.otherAccount === 0;
  const staging = stagingTable(execution.id);
  const staged = isInside ? [] : (await executeTemplate(pool, 'staging/read-extent', { staging })).rows;
  const table = warehouseTable(dataset);
  const published = await executeTemplate(pool, 'tables/read-approved-extent', { table }, { sliceId });
  const outside = [...staged, ...published.rows];
  return {
    months: isInside ? (facts.rows === 0 ? [] : monthsFromTo(windowStart, windowEnd)) : (staged[0]?.months ?? []),
    accounts: [...new Set([String(execution.accountId), ...outside.flatMap(({ accounts }) => accounts ?? [])])].sort(),
    from: outside.reduce((from, { first }) => (first !== null && first < from ? first : from), windowStart),
    to: outside.reduce((to, { last }) => (last !== null && last > to ? last : to), windowEnd),
  };
}
