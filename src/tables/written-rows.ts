// Checks every statement that writes the seven tables: it must touch the rows that were found before. A trigger that returns NULL, or a rule,
// makes Postgres skip rows and report success; the ledger would then claim rows that the table does not hold. So a difference is an error,
// which rolls the transaction back and names what somebody has put on the table.
import pg from 'pg';
import { StoreError } from '../core/errors.ts';
import { count } from '../core/numbers.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { quote, relationIn } from '../postgres/failed-objects.ts';
import type { Pool } from '../postgres/pool.ts';
import { isRowSecurity } from '../postgres/sqlstates.ts';
import { readRows } from '../postgres/statements.ts';
import { asStoreError } from '../postgres/store-errors.ts';
import { warehouseTable } from './partitions.ts';

/** Thrown when a statement touched other rows than intended. Then nothing is written, and a retry gives the same result. */
export class UnwrittenRowsError extends StoreError {}

/** Something people have put on one of the seven tables or on a partition: `detail` is SQL-like text. */
export type Addition = Readonly<{
  dataset: string;
  /** Qualified SQL name of the table or partition. */
  relation: string;
  kind: 'trigger' | 'rule' | 'policy' | 'constraint' | 'foreign key' | 'index' | 'column';
  name: string;
  detail: string;
}>;

/** Checks that a statement touched `meant` rows. Throws UnwrittenRowsError. */
export function expectRows({ command, rowCount }: Pick<pg.QueryResult, 'command' | 'rowCount'>, meant: number, table: string): number {
  if (rowCount === meant) return meant;
  throw new UnwrittenRowsError(`${command} on ${table} touched ${count(rowCount ?? 0, 'row')} where ${meant} were meant`, {
    retryable: false,
  });
}

/**
 * Runs `work`. To an UnwrittenRowsError it adds what is on the dataset's table; to a refusal of the database, what has to be changed. Other
 * errors are thrown unchanged.
 */
export async function explainRows<T>(pool: Pool, dataset: Pick<Dataset, 'name'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnwrittenRowsError)) throw await explainRefused(pool, error);
    // Constraints report refused rows; only these skip them silently.
    const skipping = (await findAdditions(pool, dataset.name)).filter(({ kind }) => ['trigger', 'rule', 'policy'].includes(kind));
    const why =
      skipping.length === 0
        ? `no trigger, rule or policy is on ${warehouseTable(dataset)}`
        : `there are ${skipping.map(describeAddition).join('; ')}; what takes them off: ${skipping.map(takeOff).join('; ')}`;
    throw new UnwrittenRowsError(`${error.message}, so all was undone; ${why}`, { retryable: false, cause: error });
  }
}

/**
 * Postgres names the partition that refused rows and the constraint's name there, but the statement that helps needs neither. The catalogue
 * knows what has to be changed.
 */
async function explainRefused(pool: Pool, error: unknown): Promise<unknown> {
  if (!(error instanceof StoreError) || error.retryable || !(error.cause instanceof pg.DatabaseError)) return error;
  const { cause, context } = error;
  const relation = cause.table ?? (isRowSecurity(cause) ? relationIn(cause.message) : undefined);
  if (relation === undefined) return error;
  const names = { schema: cause.schema, relation, constraint: cause.constraint, column: cause.column };
  // If the database is unreachable now, the next attempt reports that.
  const [changed] = await readRows(pool, 'database/find-changed-object', names).catch(() => []);
  if (changed === undefined) return error;
  const { schema, relation: table, constraint } = changed;
  const named = { schema, table, constraint: constraint ?? undefined, isOfCatalogue: true };
  return asStoreError(Object.assign(new pg.DatabaseError(cause.message, cause.length, cause.name), cause, named), context);
}

function takeOff({ kind, name, relation }: Addition): string {
  return `ALTER TABLE ${relation} DISABLE ${kind === 'policy' ? 'ROW LEVEL SECURITY' : `${kind.toUpperCase()} ${quote(name)}`}`;
}

export const describeAddition = ({ kind, name, relation, detail }: Addition): string => `${kind} ${name} on ${relation} (${detail})`;

/** What people have put on the table of a dataset, or on all seven. Throws StoreError. */
export function findAdditions(pool: Pool, dataset?: string): Promise<Addition[]> {
  return readRows(pool, 'database/find-additions', { dataset });
}
