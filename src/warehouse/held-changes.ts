// What a held answer would change in the table, for whoever decides about it. It reads all rows of the window and of the answer.
import pg from 'pg';
import { KEY_VERSION } from '../codec/row-key.ts';
import type { Dataset } from '../datasets/dataset.ts';
import type { Attempt } from './attempts.ts';
import { warehouseTable } from './partitions.ts';
import type { Client } from './pool.ts';
import { stagingTable } from './staging.ts';
import { executeTemplate } from './statements.ts';

/** Rows of one value, in the table and in the answer. */
export type ValueChange = Readonly<{ value: string | null; before: number; after: number }>;

/** The values of a column whose rows change most, and how many more values there are. */
export type ColumnChanges = Readonly<{ what: string; column: string; values: readonly ValueChange[]; more: number }>;

export type HeldChanges = Readonly<{
  columns: readonly ColumnChanges[];
  /** Some rows of the table that the answer lacks, the dataset's columns only; undefined when keys of an older release cannot tell. */
  vanished: readonly Readonly<Record<string, unknown>>[] | undefined;
}>;

type Held = Pick<Attempt, 'executionId' | 'windowStart' | 'windowEnd' | 'keyVersion'> & Readonly<{ job: string; accountId: number }>;

/** Throws StoreError; also when the answer was decided about meanwhile, and is gone. */
export async function readHeldChanges(
  client: Client,
  dataset: Dataset,
  { executionId, keyVersion, job, accountId, windowStart, windowEnd }: Held,
  { maxValues, maxSamples }: Readonly<{ maxValues: number; maxSamples: number }>,
): Promise<HeldChanges> {
  const tables = { table: warehouseTable(dataset), staging: stagingTable(executionId) };
  const of = { job, accountId, windowStart, windowEnd };
  const columns: ColumnChanges[] = [];
  for (const { name: column, breakdown: what } of dataset.columns) {
    if (what === undefined) continue;
    const { rows } = await executeTemplate<ValueChange & { values: number }>(
      client,
      'tables/compare-values',
      { ...tables, column: pg.escapeIdentifier(column) },
      { ...of, maxValues },
    );
    if (rows.every(({ value }) => value === null)) continue;
    const values = rows.map(({ value, before, after }) => ({ value, before, after }));
    columns.push({ what, column, values, more: (rows[0]?.values ?? 0) - values.length });
  }
  if (keyVersion !== KEY_VERSION) return { columns, vanished: undefined };
  const { rows } = await executeTemplate<{ row: Record<string, unknown> }>(client, 'tables/sample-vanishing', tables, {
    ...of,
    maxRows: maxSamples,
  });
  const names = dataset.columns.map(({ name }) => name);
  return { columns, vanished: rows.map(({ row }) => Object.fromEntries(names.map((name) => [name, row[name]]))) };
}
