// The post-condition of every statement that writes the seven tables: it touched the rows that were found before. A trigger that returns
// NULL, or a rule, makes Postgres skip rows and report success; the ledger would say what the table does not hold. So a difference is
// an error, which undoes the transaction and names what somebody has put on the table.
import type { QueryResult } from 'pg';
import { StoreError } from '../core/errors.ts';
import { count } from '../core/numbers.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { warehouseTable } from './partitions.ts';
import type { Pool } from './pool.ts';
import { readRows } from './statements.ts';

/** Thrown when a statement touched other rows than were meant. Nothing is written then, and trying again brings the same. */
export class UnwrittenRowsError extends StoreError {}

/** What people have put on one of the seven tables, or on a partition: `name` as ALTER TABLE takes it, `detail` in the words of SQL. */
export type Addition = Readonly<{
  dataset: string;
  /** Qualified name of the table or partition. */
  relation: string;
  kind: 'trigger' | 'rule' | 'policy' | 'constraint' | 'foreign key' | 'index' | 'column';
  name: string;
  detail: string;
}>;

/** Rows that a statement touched, which must be as many as `meant`. Throws UnwrittenRowsError. */
export function expectRows({ command, rowCount }: Pick<QueryResult, 'command' | 'rowCount'>, meant: number, table: string): number {
  if (rowCount === meant) return meant;
  throw new UnwrittenRowsError(`${command} on ${table} touched ${count(rowCount ?? 0, 'row')} where ${meant} were meant`, {
    retryable: false,
  });
}

/** What `work` returns. An UnwrittenRowsError that it throws says what is on the dataset's table. Throws what else it throws. */
export async function explainUnwritten<T>(pool: Pool, dataset: Pick<Dataset, 'name'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnwrittenRowsError)) throw error;
    // Constraints refuse rows aloud; only these skip them.
    const skipping = (await findAdditions(pool, dataset.name)).filter(({ kind }) => ['trigger', 'rule', 'policy'].includes(kind));
    const why =
      skipping.length === 0
        ? `no trigger, rule or policy is on ${warehouseTable(dataset)}`
        : `there are ${skipping.map(describeAddition).join('; ')}`;
    throw new UnwrittenRowsError(`${error.message}, so all was undone; ${why}`, { retryable: false, cause: error });
  }
}

export const describeAddition = ({ kind, name, relation, detail }: Addition): string => `${kind} ${name} on ${relation} (${detail})`;

/** What people have put on the table of a dataset, or on all seven. Throws StoreError. */
export function findAdditions(pool: Pool, dataset?: string): Promise<Addition[]> {
  return readRows(pool, 'database/find-additions', { dataset });
}
