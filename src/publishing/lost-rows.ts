// What a publication is about to delete, from searchmill_changes, the comparison of the answer with the table in the same transaction.
import pg from 'pg';
import type { Dataset } from '../datasets/dataset.ts';
import type { Execution } from '../ledger/executions.ts';
import type { Client } from '../postgres/pool.ts';
import { executeTemplate, readRows } from '../postgres/statements.ts';
import { warehouseTable } from '../tables/partitions.ts';
import { stagingTable } from '../tables/staging.ts';

type Answer = Pick<Execution, 'id' | 'job' | 'accountId' | 'windowStart' | 'windowEnd'>;

/** A column value whose rows of one week are all deleted. `week` 0 is the first week of the window, here and below. */
export type VanishedValue = Readonly<{ column: string; week: number; value: string; rows: number }>;

/** Only for columns that reflect the question; most rows first. Throws StoreError. */
export async function findVanishedValues(client: Client, dataset: Dataset, answer: Answer): Promise<VanishedValue[]> {
  const asked = dataset.columns.flatMap(({ name, heldFrom }) => (heldFrom === undefined ? [] : [{ name, heldFrom }]));
  const valuesOf = (row: 't' | 's'): string =>
    asked.map(({ name, heldFrom }) => `(${pg.escapeLiteral(name)}, ${row}.${pg.escapeIdentifier(name)}::text, ${heldFrom})`).join(', ');
  const { accountId, windowStart, windowEnd } = answer;
  const { rows } = await executeTemplate(
    client,
    'publish/find-vanished-values',
    { table: warehouseTable(dataset), staging: stagingTable(answer.id), asked_of_table: valuesOf('t'), asked_of_staging: valuesOf('s') },
    { accountId, windowStart, windowEnd },
  );
  return rows;
}

/** For each week of the window, the number of the job's published keys and how many of them the answer lacks. Throws StoreError. */
export async function countLostKeys(
  client: Client,
  dataset: Dataset,
  { job, accountId, windowStart, windowEnd }: Answer,
): Promise<{ week: number; keys: number; lost: number }[]> {
  const values = { job, accountId, windowStart, windowEnd };
  const fragments = { table: warehouseTable(dataset) };
  return (await executeTemplate(client, 'publish/count-lost-keys', fragments, values)).rows;
}

/** Deleted rows, grouped by week and by the values of some columns, in the order of the columns. Throws StoreError. */
export async function groupLostRows(
  client: Client,
  dataset: Dataset,
  { accountId, windowStart, windowEnd }: Answer,
  columns: readonly string[],
): Promise<{ week: number; values: readonly (string | null)[]; rows: number }[]> {
  const fragments = {
    table: warehouseTable(dataset),
    columns: columns.map((column) => `t.${pg.escapeIdentifier(column)}::text`).join(', '),
  };
  const values = { accountId, windowStart, windowEnd };
  return (await executeTemplate(client, 'publish/group-lost-rows', fragments, values)).rows;
}

/** Another configured job of the same dataset and account. `weeks` of the window are published with its current question. */
export type Neighbour = Readonly<{ name: string; filters: Readonly<Record<string, unknown>>; weeks: readonly number[] }>;

export function readNeighbours(client: Client, dataset: Dataset, { job, accountId, windowStart, windowEnd }: Answer): Promise<Neighbour[]> {
  return readRows(client, 'jobs/read-neighbours', { job, dataset: dataset.name, accountId, windowStart, windowEnd });
}

/** Another configured job whose rows a load would take back a second time. */
export type TakenBack = Readonly<{ name: string; filters: Readonly<Record<string, unknown>>; rows: number }>;

export function findTakenBack(client: Client, { job, windowStart, windowEnd }: Answer): Promise<TakenBack[]> {
  return readRows(client, 'publish/find-taken-back', { job, windowStart, windowEnd });
}

/** The questions that the published weeks of the window answer. Throws StoreError. */
export function readQuestions(
  client: Client,
  { job, windowStart, windowEnd }: Answer,
): Promise<{ week: number; filtersDigest: string; request: Record<string, unknown> }[]> {
  return readRows(client, 'slices/read-questions', { job, windowStart, windowEnd });
}
