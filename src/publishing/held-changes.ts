// What a held answer would change in the table, for the person who decides. Reads all rows of the window and of the answer.
import pg from 'pg';
import type { Dataset } from '../datasets/dataset.ts';
import type { ExecutionHistory } from '../ledger/execution-histories.ts';
import type { Execution } from '../ledger/executions.ts';
import type { Client } from '../postgres/pool.ts';
import { executeTemplate } from '../postgres/statements.ts';
import { warehouseTable } from '../tables/partitions.ts';
import { stagingTable } from '../tables/staging.ts';

/** Number of rows with one value of a column, in the table and in the answer; a null value stands for rows without one. */
export type ValueChange = Readonly<{ value: string | null; before: number; after: number }>;

/** The values of a column whose rows change most, and the number of further such values. */
export type ColumnChanges = Readonly<{ what: string; column: string; values: readonly ValueChange[]; more: number }>;

export type HeldChanges = Readonly<{
  columns: readonly ColumnChanges[];
  /** Some rows of the table that the answer lacks, with the dataset's columns only. */
  vanished: readonly Readonly<Record<string, unknown>>[];
}>;

type Answer = Pick<Execution, 'id' | 'job' | 'accountId' | 'windowStart' | 'windowEnd'>;

const paramsOf = ({ job, accountId, windowStart, windowEnd }: Answer) => ({ job, accountId, windowStart, windowEnd });
const tablesOf = (dataset: Dataset, { id }: Answer) => ({ table: warehouseTable(dataset), staging: stagingTable(id) });

/** At most `maxValues` per column. Throws StoreError, also when the answer is gone because it was decided meanwhile. */
export async function readHeldChanges(
  client: Client,
  dataset: Dataset,
  { executionId, ...held }: Omit<Answer, 'id'> & Pick<ExecutionHistory, 'executionId'>,
  { maxValues, maxSamples }: Readonly<{ maxValues: number; maxSamples: number }>,
): Promise<HeldChanges> {
  const answer = { ...held, id: executionId };
  const columns = await compareValues(client, dataset, answer, { maxValues, shrunkWeeks: null });
  const { rows } = await executeTemplate<'tables/sample-vanishing', { row: Record<string, unknown> }>(
    client,
    'tables/sample-vanishing',
    tablesOf(dataset, answer),
    {
      ...paramsOf(answer),
      maxRows: maxSamples,
    },
  );
  const names = dataset.columns.map(({ name }) => name);
  return { columns, vanished: rows.map(({ row }) => Object.fromEntries(names.map((name) => [name, row[name]]))) };
}

/**
 * Compares the number of rows per value, column by column. With `shrunkWeeks` (0 is the first week of the window), only rows of these weeks,
 * and only values that would lose rows. Throws StoreError.
 */
export async function compareValues(
  client: Client,
  dataset: Dataset,
  answer: Answer,
  limits: Readonly<{ maxValues: number; shrunkWeeks: readonly number[] | null }>,
): Promise<ColumnChanges[]> {
  const compared: ColumnChanges[] = [];
  for (const { name: column, breakdown: what } of dataset.columns) {
    // Domains change every week, so there are too many to list when only losses are wanted.
    if (what === undefined || (what === 'domains' && limits.shrunkWeeks)) continue;
    const { rows } = await executeTemplate(
      client,
      'tables/compare-values',
      { ...tablesOf(dataset, answer), column: pg.escapeIdentifier(column) },
      { ...paramsOf(answer), ...limits },
    );
    if (rows.every(({ value }) => value === null)) continue;
    const values = rows.map(({ value, before, after }) => ({ value, before, after }));
    compared.push({ what, column, values, more: (rows[0]?.values ?? 0) - values.length });
  }
  return compared;
}
