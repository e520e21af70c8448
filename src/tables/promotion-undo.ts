// Takes a promotion back: the column goes, and the key of _extra is all there is, as before. The trigger gives the column nothing that _extra lacks;
// values that were written while triggers were off are put into _extra first, week by week, so that none is lost.
import pg from 'pg';
import { CancelledError, ConfigurationError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import type { KnownDataset } from '../datasets/index.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { execute, executeTemplate, readRows } from '../postgres/statements.ts';
import { codeOf } from '../postgres/store-errors.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { warehouseTable } from './partitions.ts';
import { changeTable, lockWeek } from './promotions.ts';

const DEPENDENT_OBJECTS = '2BP01';

export type PromotedColumn = Readonly<{ dataset: KnownDataset; column: string }>;
/** `rows` had a value in the column that their _extra lacked, in so many weeks. */
export type GivenBack = Readonly<{ weeks: number; rows: number }>;

/** Throws ConfigurationError when the column is none that can be taken back by this role; StoreError. */
export async function requireUndoable(pool: Pool, { dataset, column }: PromotedColumn): Promise<void> {
  const name = `${column} of search.${dataset.name}`;
  const [known] = await readRows(pool, 'promotions/read', { dataset: dataset.name, column });
  if (!known) throw new ConfigurationError(`${name} is no promoted column; "searchmill promote" lists them`);
  if (known.adoptedAt !== null) throw new ConfigurationError(`${name} cannot be taken back: this release knows it by itself`);
  const [found] = await readRows(pool, 'promotions/read-table', { dataset: dataset.name, column });
  if (!found?.isOwner)
    throw new ConfigurationError(
      `only the owner of the tables, ${found?.owner ?? 'who runs "searchmill migrate"'}, can take back a column`,
    );
}

/** Puts values that only the column has into _extra, each week in a transaction; a trial only counts them. Throws CancelledError, StoreError. */
export async function giveBack(
  pool: Pool,
  { dataset, column }: PromotedColumn,
  { signal, isTrial }: Readonly<{ signal: AbortSignal; isTrial: boolean }>,
): Promise<GivenBack> {
  const fragments = { table: warehouseTable(dataset), column: pg.escapeIdentifier(column) };
  const find = (client: Client) => executeTemplate(client, 'promotions/find-lacking-weeks', fragments, { column });
  const { rows: weeks } = await inTransaction(pool, find, { isReadOnly: true, signal });
  for (const week of isTrial ? [] : weeks) {
    if (signal.aborted) throw new CancelledError();
    await inTransaction(
      pool,
      async (client) => {
        await lockWeek(client, dataset, week);
        const about = { column, accountId: week.account, week: week.week };
        await executeTemplate(client, 'promotions/give-back-week', fragments, about);
      },
      { signal },
    );
  }
  return { weeks: weeks.length, rows: weeks.reduce((sum, { rows }) => sum + rows, 0) };
}

/**
 * Removes the column, from the view of arrays and the trigger, too, in one transaction. Throws ConfigurationError when something of people depends on the
 * column or the view; StoreError.
 */
export async function dropColumn(
  url: Secret,
  { dataset, column }: PromotedColumn,
  { tell }: Readonly<{ tell: (line: string) => void }>,
): Promise<void> {
  const describe = async (): Promise<string> => `column ${column} of search.${dataset.name}`;
  try {
    await changeTable(url, { dataset, describe, tell }, async (client) => {
      await execute(client, 'promotions/delete', { dataset: dataset.name, column });
      await execute(client, 'promotions/apply', { dataset: dataset.name });
      await executeTemplate(client, 'promotions/drop-column', { table: warehouseTable(dataset), column: pg.escapeIdentifier(column) });
    });
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    if (codeOf(error) !== DEPENDENT_OBJECTS && codeOf(cause) !== DEPENDENT_OBJECTS) throw error;
    const { detail } = (cause ?? error) as { detail?: string };
    throw new ConfigurationError(
      `${await describe()} is used: ${detail?.split('\n').join('; ') ?? 'views depend on it'}. Drop these, run the command again, and make them anew without the column`,
      { cause: error },
    );
  }
}
