// Locks the rows that a transaction is going to change or to compare, against other processes that publish.
import type { IsoDate } from '../core/weeks.ts';
import type { Dataset } from '../datasets/dataset.ts';
import type { Client } from '../postgres/pool.ts';
import { execute } from '../postgres/statements.ts';
import { waitForNodes } from './citus/citus.ts';

/**
 * Extent of the staged rows and of the slice's last publication. `months` are the first days of the months that need partitions. `accounts`
 * are sorted text, because accounts of rows outside the window may exceed 2^53. All rows lie between `from` and `to`.
 */
export type RowExtent = Readonly<{ months: readonly IsoDate[]; accounts: readonly string[]; from: IsoDate; to: IsoDate }>;

/**
 * Until the transaction ends, nobody else publishes rows that may overlap those of the slice: locks its days, or the whole dataset when rows
 * lie beyond them. Also waits until earlier publications are visible on all nodes. Throws StoreError.
 */
export async function lockRows(
  client: Client,
  dataset: Pick<Dataset, 'name'>,
  { accountId, windowStart, windowEnd }: Readonly<{ accountId: number | string }> & Readonly<{ windowStart: IsoDate; windowEnd: IsoDate }>,
  extent?: RowExtent,
): Promise<void> {
  const isBeyond = extent !== undefined && (extent.accounts.length > 1 || extent.from < windowStart || extent.to > windowEnd);
  await execute(client, 'tables/lock-dataset', { dataset: dataset.name, isAlone: isBeyond });
  if (!isBeyond) await execute(client, 'tables/lock-days', { dataset: dataset.name, accountId, windowStart, windowEnd });
  await waitForNodes(client);
}
