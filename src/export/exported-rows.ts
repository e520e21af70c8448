// What an export reads: which weeks have changed, and all rows of one week in one snapshot, in batches of bounded size.
import type { CustomTypesConfig, QueryArrayConfig } from 'pg';
import type { IsoDate } from '../core/weeks.ts';
import { datasetNamed } from '../datasets/index.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { type DescribedRow, readRows, statement, template } from '../postgres/statements.ts';
import { asStoreError } from '../postgres/store-errors.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { warehouseTable } from '../tables/partitions.ts';

export type WeekOfTable = Readonly<{ dataset: string; account: string; week: IsoDate }>;
export type ChangedWeek = DescribedRow<'export/read-changes'>;
/** `publication` is null when the week was removed. */
export type WeekChange = DescribedRow<'export/read-change'>;

/** A column as the database names its type, and the number of that type. */
export type ExportedColumn = Readonly<{ name: string; typeId: number }>;
/** Rows as text, as Postgres writes it: dates as ISO 8601, times in UTC. */
export type Batch = Readonly<{ columns: readonly ExportedColumn[]; rows: readonly (readonly (string | null)[])[] }>;

const FIRST_ROWS = 100;
const MAX_ROWS = 10_000;
/** Of a batch, as far as the rows before tell. A single row may be larger. */
const MAX_CHARACTERS = 4_000_000;

export const readChanges = (db: Pool | Client, accountId: string | null, after: number): Promise<ChangedWeek[]> =>
  readRows(db, 'export/read-changes', { accountId, after });

/** The mark of the ledger to which cursors belong. Throws StoreError. */
export async function readLedgerMark(pool: Pool): Promise<string> {
  const [found] = await readRows(pool, 'export/read-ledger');
  return found?.ledger ?? '';
}

/** Promoted columns by dataset, as a text that changes when one comes, is filled, or goes. Throws StoreError. */
export async function readPromotedColumns(pool: Pool): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries((await readRows(pool, 'export/promoted-columns')).map(({ dataset, columns }) => [dataset, columns]));
}

/**
 * Runs `work` with one snapshot of a week: its last change, undefined when the ledger knows none, and its rows. Throws StoreError, and what
 * `work` throws.
 */
export async function readWeek<T>(
  pool: Pool,
  { dataset, account, week }: WeekOfTable,
  signal: AbortSignal,
  work: (change: WeekChange | undefined, batches: AsyncGenerator<Batch>) => Promise<T>,
): Promise<T> {
  return inSnapshot(pool, signal, async (client) => {
    const [change] = await readRows(client, 'export/read-change', { dataset, accountId: account, week });
    const table = warehouseTable(datasetNamed(dataset));
    return work(change, readBatches(client, template('export/rows-of-week', { table }, { accountId: account, week })));
  });
}

/** A chart of search_reports.points. */
export type PointChart = DescribedRow<'export/point-charts'>;

/** Of one account, or of all. Throws StoreError. */
export const readPointCharts = (pool: Pool, accountId: string | null): Promise<PointChart[]> =>
  readRows(pool, 'export/point-charts', { accountId });

/** Runs `work` with the points of a chart, in one snapshot. Throws StoreError, and what `work` throws. */
export async function readPoints<T>(
  pool: Pool,
  { account: accountId, measure, groupedBy }: PointChart,
  signal: AbortSignal,
  work: (batches: AsyncGenerator<Batch>) => Promise<T>,
): Promise<T> {
  const points = statement('export/points-of-chart', { accountId, measure, groupedBy });
  return inSnapshot(pool, signal, (client) => work(readBatches(client, points)));
}

/** Runs `work` with all rows of the view of changed weeks, in one snapshot. Throws StoreError, and what `work` throws. */
export async function readChangedWeeks<T>(
  pool: Pool,
  accountId: string | null,
  signal: AbortSignal,
  work: (batches: AsyncGenerator<Batch>) => Promise<T>,
): Promise<T> {
  return inSnapshot(pool, signal, (client) => work(readBatches(client, statement('export/all-changes', { accountId }))));
}

function inSnapshot<T>(pool: Pool, signal: AbortSignal, work: (client: Client) => Promise<T>): Promise<T> {
  const read = async (client: Client): Promise<T> => {
    await client.query("SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO'; SET LOCAL extra_float_digits = 1");
    return work(client);
  };
  return inTransaction(pool, read, { isSnapshot: true, isReadOnly: true, signal });
}

const types = { getTypeParser: () => (text: string) => text } as unknown as CustomTypesConfig;

/** The first batch comes even if it has no rows, with the columns. */
async function* readBatches(client: Client, query: Readonly<{ text: string; values: unknown[] }>): AsyncGenerator<Batch> {
  try {
    const declare = `DECLARE searchmill_export NO SCROLL CURSOR FOR ${query.text}`;
    await client.query({ text: declare, values: query.values });
    for (let wanted = FIRST_ROWS; ; ) {
      const next: QueryArrayConfig = { text: `FETCH FORWARD ${wanted} FROM searchmill_export`, rowMode: 'array', types };
      const { fields, rows } = await client.query<(string | null)[]>(next);
      yield { columns: fields.map(({ name, dataTypeID }) => ({ name, typeId: dataTypeID })), rows };
      if (rows.length < wanted) return;
      const perRow = Math.max(1, rows.reduce((sum, row) => sum + row.reduce((all, cell) => all + (cell?.length ?? 0), 0), 0) / rows.length);
      wanted = Math.max(1, Math.min(MAX_ROWS, Math.floor(MAX_CHARACTERS / perRow)));
    }
  } catch (error) {
    throw asStoreError(error);
  }
}
