// Rows of the seven tables that are other than publishing wrote down (published-periods.ts): verification looks for what people did by hand, and
// publishing for what triggers and rules made of the rows it wrote.
import { keyArguments } from '../codec/row-key.ts';
import type { IsoDate } from '../core/weeks.ts';
import { datasetNamed } from '../datasets/index.ts';
import { warehouseTable } from './partitions.ts';
import type { Client } from './pool.ts';
import { rowDigest } from './published-periods.ts';
import { executeTemplate } from './statements.ts';

/** Rows that one statement compares: all of an account with time_period_start from one day to another. */
export type Place = Readonly<{ dataset: string; accountId: string; from: IsoDate; to: IsoDate }>;

/** Rows of a slice that are not in the table as they were published. `job` is null for a slice that the ledger does not know. */
export type UnlikePeriod = Readonly<{
  sliceId: string;
  job: string | null;
  isRemoved: boolean;
  period: IsoDate;
  week: IsoDate;
  expected: number;
  found: number;
  /** As many rows as published, with other content. */
  isAltered: boolean;
  /** Columns that identify rows were altered: another load takes such a row for what its key says, and leaves it. */
  isMisnamed: boolean;
}>;

/** What of a place is not as was written down: rows only, or their content too. Throws StoreError. */
export async function findUnlike(client: Client, place: Place, isDeep: boolean): Promise<UnlikePeriod[]> {
  const dataset = datasetNamed(place.dataset);
  const table = warehouseTable(dataset);
  const { accountId } = place;
  let { from, to } = place;
  if (!isDeep) {
    const { rows } = await executeTemplate(client, 'periods/find-unlike', { table }, { dataset: dataset.name, accountId, from, to });
    const [first, last] = [rows[0], rows.at(-1)];
    if (!first || !last) return [];
    [from, to] = [first.period, last.period];
  }
  const digest = isDeep ? rowDigest(dataset, 't') : '0';
  const misnamed = isDeep ? `count(*) FILTER (WHERE t._key <> searchmill.row_key(${keyArguments(dataset)}))` : '0';
  const values = { dataset: dataset.name, accountId, from, to, isDeep };
  return (await executeTemplate(client, 'periods/compare', { table, digest, misnamed }, values)).rows;
}
