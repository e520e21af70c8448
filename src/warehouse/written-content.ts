// The post-condition of a whole publication or replay. Triggers and rules may keep, change, move or take back rows that Postgres counts as
// written (written-rows.ts), so where there are any, the rows of the table are compared with what was written down of them.
import { count } from '../core/numbers.ts';
import type { Dataset } from '../datasets/dataset.ts';
import type { Execution } from './executions.ts';
import { warehouseTable } from './partitions.ts';
import type { Client } from './pool.ts';
import type { RowExtent } from './replace-slice.ts';
import { execute, readRows } from './statements.ts';
import { findUnlike, type UnlikePeriod } from './unlike-rows.ts';
import { UnwrittenRowsError } from './written-rows.ts';

/**
 * Where triggers or rules are on the table, its rows must be those that were written down of the slice and, in its window, of its job: called
 * when a publication or a replay has written all. Throws UnwrittenRowsError, StoreError.
 */
export async function expectContent(
  client: Client,
  dataset: Dataset,
  { sliceId, job, windowStart, windowEnd }: Pick<Execution, 'sliceId' | 'job' | 'windowStart' | 'windowEnd'>,
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

/** Rows that people altered before are left by a load that finds their keys, so they are told apart from what a trigger has altered now. */
function describeUnlike({ expected, found, isAltered, isMisnamed }: UnlikePeriod): string {
  if (!isAltered) return `${count(found, 'row')} where ${expected} were meant`;
  const often = 'rows with other content than was meant';
  return isMisnamed
    ? `${often}, whose keys are not those of their values (of rows altered before, "searchmill verify --deep" says what mends them)`
    : often;
}
