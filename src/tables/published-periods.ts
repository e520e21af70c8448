// What the seven tables must hold: row count and digest of each period of each slice, kept by publish and replay in the transaction that
// changes the table. A slice that takes over another's rows also takes them from its numbers, so these stay correct for overlapping jobs.
import pg from 'pg';
import type { IsoDate } from '../core/weeks.ts';
import type { Column, Dataset } from '../datasets/dataset.ts';
import type { Client } from '../postgres/pool.ts';
import { execute, executeTemplate } from '../postgres/statements.ts';
import { stagingTable } from './staging.ts';

/** Rows of one time_period_start of an account. `account` and `digest` are text, because they may exceed 2^53. */
export type Period = Readonly<{ account: string; period: IsoDate; rows: number; digest: string }>;

/** Rows taken from another slice. */
export type TakenRows = Period & Readonly<{ slice: string }>;

/**
 * SQL for 64 bits of a row's content: its key, which stands for the identity columns, and all other columns. `prefix` is the name of its
 * table. It nests hash calls, because hashing a record takes twice the time, and hashing its text five times; NULL hashes to a value of its
 * own.
 */
export function rowDigest({ columns }: Pick<Dataset, 'columns'>, prefix: string): string {
  const measures = columns.filter(({ isIdentity }) => !isIdentity);
  const ofKey = `uuid_hash_extended(${prefix}._key, 0)`;
  // The hash of an empty object equals its seed; `# 1` makes it differ from NULL.
  const ofExtra = `CASE WHEN ${prefix}._extra IS NULL THEN ${ofKey} ELSE jsonb_hash_extended(${prefix}._extra, ${ofKey}) # 1 END`;
  return measures.reduce((seed, column) => hashOf(column, `${prefix}.${pg.escapeIdentifier(column.name)}`, seed), ofExtra);
}

function hashOf({ pg: type }: Column, value: string, seed: string): string {
  switch (type) {
    case 'text':
      return `hashtextextended(coalesce(${value}, E'\\x01') COLLATE "C", ${seed})`;
    case 'integer':
      return `hashint4extended(coalesce(${value}, -2147483648), ${seed})`;
    case 'bigint':
      return `hashint8extended(coalesce(${value}, '-9223372036854775808'), ${seed})`;
    case 'double precision':
      return `hashfloat8extended(coalesce(${value}, '-Infinity'), ${seed})`;
    case 'boolean':
      return `hashint4extended(coalesce(${value}::integer, -1), ${seed})`;
    case 'date':
      return `hashint4extended(CASE WHEN isfinite(${value}) THEN ${value} - date '2000-01-01' ELSE -2147483648 END, ${seed})`;
  }
}

/** A slice that is being published. */
export type PublishedSlice = Readonly<{ sliceId: number; job: string; windowStart: IsoDate; windowEnd: IsoDate }>;
/** The same, with the execution that has its rows in staging. */
type StagedSlice = PublishedSlice & Readonly<{ id: number; accountId: number }>;

/**
 * Records, as part of a publication, that the slice has exactly the staged rows, and that other slices of its job have none in its window.
 * `periods` are those of the staged rows; null when they are too many to send. `taken` are rows of other jobs' slices.
 */
export async function replacePeriods(
  client: Client,
  dataset: Dataset,
  execution: StagedSlice,
  { periods, taken }: Readonly<{ periods: readonly Period[] | null; taken: readonly TakenRows[] }>,
): Promise<void> {
  const { sliceId, job, accountId, windowStart, windowEnd } = execution;
  await noteTaken(client, job, taken);
  await execute(client, 'periods/forget', { sliceId, job, accountId, windowStart, windowEnd });
  await addPeriods(client, dataset, execution, periods);
}

/** Adds staged rows to the recorded periods of the slice. */
export async function addPeriods(
  client: Client,
  dataset: Dataset,
  { id, sliceId }: Pick<StagedSlice, 'id' | 'sliceId'>,
  periods: readonly Period[] | null,
): Promise<void> {
  if (periods === null) {
    const fragments = { staging: stagingTable(id), digest: rowDigest(dataset, 's') };
    await executeTemplate(client, 'periods/add-staged', fragments, { sliceId });
  } else if (periods.length > 0) {
    const given = periods.map((period) => ({ slice: sliceId, ...period }));
    await execute(client, 'periods/add', { periods: JSON.stringify(given) });
  }
}

/** Records that other jobs' slices lose rows to `job`: the table need not hold them any more, and these slices are missing. */
export async function noteTaken(client: Client, job: string, taken: readonly TakenRows[]): Promise<void> {
  if (taken.length === 0) return;
  const periods = JSON.stringify(taken);
  await execute(client, 'periods/subtract', { periods });
  await execute(client, 'periods/displace-slices', { periods, job });
}
