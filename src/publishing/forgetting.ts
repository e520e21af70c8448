// Rows of jobs that were removed or are disabled. They stay in the tables, where figures add them to those of the jobs beside them, until
// somebody removes them.
import { compareText } from '../core/compare-text.ts';
import { ConfigurationError } from '../core/errors.ts';
import { sumOf } from '../core/numbers.ts';
import { areDisjoint, selectionOf } from '../datasets/disjoint-filters.ts';
import { datasetNamed } from '../datasets/index.ts';
import { type Actor, noteAction } from '../ledger/actions.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { type DescribedRow, execute, executeTemplate, readRows } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { warehouseTable } from '../tables/partitions.ts';
import { expectRows, explainRows } from '../tables/written-rows.ts';

type Asked = Readonly<{ filters: Readonly<Record<string, unknown>>; isAsWritten: boolean }>;
type FoundRows = DescribedRow<
  'forgetting/find-left',
  Pick<Asked, 'filters'> & { besides: readonly (Asked & Readonly<{ name: string }>)[] }
>;

/**
 * Rows of a removed or disabled job in weeks that configured jobs, `beside`, have published, and whose filters may select the same rows.
 * `isSure`: all of these rows were asked for with the filters that the jobs have now; otherwise nobody can tell.
 */
export type LeftRows = Omit<FoundRows, 'filters' | 'isAsWritten' | 'besides'> & Readonly<{ beside: readonly string[]; isSure: boolean }>;

/** Of one job, or of all. Throws StoreError. */
export async function readLeftRows(pool: Pool, job?: string): Promise<LeftRows[]> {
  const found = await readRows(pool, 'forgetting/find-left', { job });
  return (found as FoundRows[]).flatMap(({ filters, isAsWritten, besides, ...left }) => {
    const dataset = datasetNamed(left.dataset);
    const own = selectionOf(dataset, filters);
    const isApart = (other: Asked): boolean => isAsWritten && other.isAsWritten && areDisjoint(own, selectionOf(dataset, other.filters));
    const near = besides.filter((other) => !isApart(other));
    if (near.length === 0) return [];
    return [
      {
        ...left,
        beside: near.map(({ name }) => name).toSorted(compareText),
        isSure: isAsWritten && near.some((other) => other.isAsWritten),
      },
    ];
  });
}

type LeftSlice = DescribedRow<'forgetting/find-slices'>;

/** The slices of a removed or disabled job that have rows; none of one that is loaded. Throws StoreError. */
export const readLeftSlices = (pool: Pool, job: string): Promise<LeftSlice[]> => readRows(pool, 'forgetting/find-slices', { job });

/**
 * Deletes the rows of a slice of a removed or disabled job, in one transaction, and notes who did it. Returns how many they were; repeating finds none.
 * Throws ConfigurationError when the job is loaded again, UnwrittenRowsError when the table keeps rows, StoreError.
 */
export async function forgetSlice(
  pool: Pool,
  { job, dataset }: Readonly<{ job: string; dataset: string }>,
  { id: sliceId, windowStart, windowEnd }: LeftSlice,
  by: Actor,
): Promise<number> {
  const table = warehouseTable({ name: dataset });
  const forget = async (client: Client): Promise<number> => {
    // Nobody publishes or replays rows of the dataset meanwhile.
    await execute(client, 'tables/lock-dataset', { dataset, isAlone: true });
    const stopped = await readRows(client, 'forgetting/lock-stopped', { job });
    if (stopped.length === 0) throw new ConfigurationError(`job "${job}" is loaded; only rows of removed or disabled jobs are removed`);
    const { rows: counted } = await executeTemplate(client, 'forgetting/count-rows', { table }, { sliceId });
    const { rows: gone } = await executeTemplate(client, 'forgetting/delete-rows', { table }, { sliceId });
    const rows = sumOf(gone, (week) => week.rows);
    expectRows({ command: 'DELETE', rowCount: rows }, counted[0]?.rows ?? 0, table);
    const [accounts, weeks] = [gone.map(({ accountId }) => accountId), gone.map(({ week }) => week)];
    await execute(client, 'forgetting/note', { sliceId, accounts, weeks });
    await noteAction(client, 'expire', by, { job, windowStart, windowEnd });
    return rows;
  };
  return explainRows(pool, { name: dataset }, () => inTransaction(pool, forget));
}
