// Checks the result of a whole publication or replay. Triggers and rules may keep, change, move or remove rows that Postgres counts as
// written (written-rows.ts). So where there are any, the rows of the table are compared with what was recorded.
import { count } from '../core/numbers.ts';
import type { Dataset } from '../datasets/dataset.ts';
import type { Client } from '../postgres/pool.ts';
import { execute, readRows } from '../postgres/statements.ts';
import type { RowExtent } from './lock-rows.ts';
import { warehouseTable } from './partitions.ts';
import type { PublishedSlice } from './published-periods.ts';
import { findUnlike, type UnlikePeriod } from './unlike-rows.ts';
import { UnwrittenRowsError } from './written-rows.ts';

/**
 * Checks that a table with triggers or rules holds the rows recorded for the slice and, in its window, for its job. Call it when a
 * publication or a replay has written everything. Throws UnwrittenRowsError, StoreError.
 */
export async function expectContent(
  client: Client,
  dataset: Dataset,
  { sliceId, job, windowStart, windowEnd }: PublishedSlice,
  { accounts, from, to }: Pick<RowExtent, 'accounts' | 'from' | 'to'>,
): Promise<void> {
  const [triggers] = await readRows(client, 'tables/has-triggers', { dataset: dataset.name });
  if (!triggers?.found) return;
  await execute(client, 'tables/run-deferred-triggers');
  for (const accountId of accounts) {
    const unlike = (await findUnlike(client, { dataset: dataset.name, accountId, from, to }, true)).find(
      (each) => each.sliceId === String(sliceId) || (each.job === job && each.period >= windowStart && each.period <= windowEnd),
    );
    if (!unlike) continue;
    throw new UnwrittenRowsError(`for ${unlike.period} ${warehouseTable(dataset)} has ${describeUnlike(unlike)} after all was written`, {
      retryable: false,
    });
  }
}

/** A load leaves rows alone that people altered before if their keys match, so they are told apart from what a trigger altered now. */
function describeUnlike({ expected, found, isAltered, isMisnamed }: UnlikePeriod): string {
  if (!isAltered) return `${count(found, 'row')} where ${expected} were meant`;
  const often = 'rows with other content than was meant';
  return isMisnamed
    ? `${often}, whose keys are not those of their values (of rows altered before, "searchmill verify --deep" says what mends them)`
    : often;
}
