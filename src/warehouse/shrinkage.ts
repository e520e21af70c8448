// What an answer would take away from what a job has published, for the operator who decides about it. This reads all rows of the
// window, so only an answer that is held is looked at.
import pg from 'pg';
import type { IsoDate } from '../core/weeks.ts';
import type { Dataset } from '../datasets/dataset.ts';
import type { Execution } from './executions.ts';
import { warehouseTable } from './partitions.ts';
import type { Client } from './pool.ts';
import { stagingTable } from './staging.ts';
import { execute, executeTemplate } from './statements.ts';

/** Rows of one value of a column, before and after; null where the column is empty. */
export type VanishingValue = Readonly<{ value: string | null; before: number; after: number }>;

/** The values of a column that would have fewer rows, the greatest loss first, and how many more such values there are. */
export type Vanishing = Readonly<{ what: string; column: string; values: readonly VanishingValue[]; more: number }>;

/** The values that would have fewer rows in `weeks` of the window (0 is the first), at most `maxValues` a column. Throws StoreError. */
export async function readVanishing(
  client: Client,
  dataset: Dataset,
  { id, job, accountId, windowStart, windowEnd }: Pick<Execution, 'id' | 'job' | 'accountId' | 'windowStart' | 'windowEnd'>,
  { weeks, maxValues }: Readonly<{ weeks: readonly number[]; maxValues: number }>,
): Promise<Vanishing[]> {
  const vanishing: Vanishing[] = [];
  for (const { name: column, breakdown: what } of dataset.columns) {
    // Domains come and go every week: too many to name in an objection.
    if (what === undefined || what === 'domains') continue;
    const { rows } = await executeTemplate<VanishingValue & { values: number }>(
      client,
      'tables/count-vanishing',
      { table: warehouseTable(dataset), staging: stagingTable(id), column: pg.escapeIdentifier(column) },
      { job, accountId, windowStart, windowEnd, weeks, maxValues },
    );
    if (rows.every(({ value }) => value === null)) continue;
    const values = rows.map(({ value, before, after }) => ({ value, before, after }));
    vanishing.push({ what, column, values, more: (rows[0]?.values ?? 0) - values.length });
  }
  return vanishing;
}

/** The submit bodies of those of the weeks that are published, the newest week first. Throws StoreError. */
export async function readPublishedRequests(client: Client, job: string, weeks: readonly IsoDate[]): Promise<Record<string, unknown>[]> {
  const { rows } = await execute<{ request: Record<string, unknown> }>(client, 'slices/read-requests', { job, weeks });
  return rows.map(({ request }) => request);
}
