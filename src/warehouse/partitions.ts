// Partitions of the warehouse tables: one per month of time_period_start, made just before the first row of the month is
// published, in a transaction of their own so that the publish itself changes no schema.
import { addDays, type IsoDate } from '../core/weeks.ts';
import type { Dataset } from '../datasets/dataset.ts';
import type { Pool } from './pool.ts';
import { execute, executeTemplate, quoteIdentifier } from './statements.ts';
import { inTransaction } from './transaction.ts';

/** Qualified name of a dataset's table. */
export function warehouseTable(dataset: Dataset): string {
  return `search.${quoteIdentifier(dataset.name)}`;
}

/** Makes the partitions of `months` (first days) that are missing. Any number of processes may do it at once. */
export async function ensurePartitions(pool: Pool, dataset: Dataset, months: readonly IsoDate[]): Promise<void> {
  for (const month of months) {
    const name = `${dataset.name}_${month.slice(0, 7).replace('-', '_')}`;
    if (await exists(pool, name)) continue;
    await inTransaction(pool, async (client) => {
      await execute(client, 'lock-partitions', [dataset.name]);
      const { rows } = await execute<{ found: boolean }>(client, 'partition-exists', [name]);
      if (rows[0]?.found) return;
      const table = warehouseTable(dataset);
      const partition = `search.${quoteIdentifier(name)}`;
      const next = `${addDays(month, 31).slice(0, 7)}-01`;
      await executeTemplate(client, 'create-partition', { table, partition });
      await executeTemplate(client, 'attach-partition', { table, partition, from: `'${month}'`, to: `'${next}'` });
    });
  }
}

async function exists(pool: Pool, table: string): Promise<boolean> {
  const { rows } = await execute<{ found: boolean }>(pool, 'partition-exists', [table]);
  return rows[0]?.found === true;
}
