// Rows of the seven tables that differ from what publishing recorded (published-periods.ts): verification looks for changes made by hand, and
// publishing for changes that triggers and rules made to the rows it wrote.
import { keyArguments } from '../codec/row-key.ts';
import type { IsoDate } from '../core/weeks.ts';
import { datasetNamed } from '../datasets/index.ts';
import type { Client } from '../postgres/pool.ts';
import { executeTemplate } from '../postgres/statements.ts';
import { warehouseTable } from './partitions.ts';
import { rowDigest } from './published-periods.ts';

/** Rows that one statement compares: all rows of an account with time_period_start between two days, inclusive. */
export type Place = Readonly<{ dataset: string; accountId: string; from: IsoDate; to: IsoDate }>;

/** Rows of a slice that are not in the table as published. `job` is null for a slice that the ledger does not know. */
export type UnlikePeriod = Readonly<{
  sliceId: string;
  job: string | null;
  isRemoved: boolean;
  period: IsoDate;
  week: IsoDate;
  expected: number;
  found: number;
  /** The number of rows is as published, but their content differs. */
  isAltered: boolean;
  /** Identity columns were altered: another load takes such a row for what its key says, and leaves it. */
  isMisnamed: boolean;
}>;

/** What differs in a place from what was recorded: row counts only, or the content as well. Throws StoreError. */
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
