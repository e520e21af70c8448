// Partitions of the warehouse tables: one per month of time_period_start, created just before the first row of the month is published, in
// their own transaction, so that publishing itself changes no schema.
import pg from 'pg';
import type { IsoDate } from '../core/weeks.ts';
import type { Dataset } from '../datasets/dataset.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { execute, readRows } from '../postgres/statements.ts';

/** Qualified name of a dataset's table. */
export function warehouseTable(dataset: Pick<Dataset, 'name'>): string {
  return `search.${pg.escapeIdentifier(dataset.name)}`;
}

/** Qualified name of a partition that Searchmill created. */
export function monthTable(name: string): string {
  return `search_partitions.${pg.escapeIdentifier(name)}`;
}

/** Column lists of a dataset for statements; `prefix` is the name of the table in them. */
export function columnLists({ columns }: Pick<Dataset, 'columns'>) {
  const all = columns.map(({ name }) => pg.escapeIdentifier(name));
  const measured = columns.filter(({ isIdentity }) => !isIdentity).map(({ name }) => pg.escapeIdentifier(name));
  const listed = (names: readonly string[], prefix: string): string => names.map((name) => `${prefix}.${name}`).join(', ');
  return {
    columns: all.join(', '),
    columnsOf: (prefix: string) => listed(all, prefix),
    measuresOf: (prefix: string) => listed(measured, prefix),
    assignMeasures: (prefix: string) => measured.map((name) => `${name} = ${prefix}.${name}`).join(', '),
  };
}

/** Name of the partition that Searchmill creates for the month of a day, in schema search_partitions. */
export function partitionName(dataset: Dataset, day: IsoDate): string {
  return `${dataset.name}_${day.slice(0, 7).replace('-', '_')}`;
}

/** `takesAlone`: whether rows may be written to it directly instead of through its table. */
type MonthPartition = Readonly<{ name: string; takesAlone: boolean }>;

/** Searchmill's own partition for the month of a day, if it is attached and covers the whole month. Throws StoreError. */
export async function findPartition(db: Pool | Client, dataset: Dataset, day: IsoDate): Promise<MonthPartition | undefined> {
  const name = partitionName(dataset, day);
  const about = { name, parent: dataset.name, month: `${day.slice(0, 7)}-01` };
  const [found] = await readRows(db, 'tables/find-partition', about);
  return found && { name, ...found };
}

/** Creates missing partitions for `months` (first days). Any number of processes may run it at once. Throws StoreError. */
export async function ensurePartitions(pool: Pool, dataset: Dataset, months: readonly IsoDate[]): Promise<void> {
  for (const month of months) {
    if (!(await findPartition(pool, dataset, month))) await execute(pool, 'tables/ensure-partition', { dataset: dataset.name, month });
  }
}
