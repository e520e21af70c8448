// What a run loaded, per dataset.
import { DATASETS } from '../datasets/index.ts';
import type { Pool } from '../postgres/pool.ts';
import { executeTemplate, readRows } from '../postgres/statements.ts';
import { warehouseTable } from '../tables/partitions.ts';

export type DatasetSummary = Readonly<{
  dataset: string;
  /** Windows published since the given time, their rows, the calls they took and their duration. */
  windows: number;
  rows: number;
  calls: number;
  seconds: number;
  /** Rows in the table now. */
  rowsInTable: number;
}>;

/** Executions that are live or were planned since `since`, with their jobs. Throws StoreError. */
export const findLoadsSince = (pool: Pool, since: Date): Promise<{ id: number; job: string }[]> =>
  readRows(pool, 'executions/find-since', { since });

/** One summary per dataset, in the registry's order, for the executions planned since `since`. Throws StoreError. */
export async function summarizeDatasets(pool: Pool, since: Date): Promise<DatasetSummary[]> {
  const rows = await readRows(pool, 'executions/summarize', { since });
  return Promise.all(
    DATASETS.map(async (dataset) => {
      const none = { dataset: dataset.name, windows: 0, rows: 0, calls: 0, seconds: 0 };
      const loaded = rows.find((row) => row.dataset === dataset.name) ?? none;
      const counted = await executeTemplate(pool, 'tables/count-rows', { table: warehouseTable(dataset) });
      return { ...loaded, seconds: loaded.seconds ?? 0, rowsInTable: counted.rows[0]?.rows ?? 0 };
    }),
  );
}
