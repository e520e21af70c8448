// Turns a key of _extra into a column of its table. The key stays in _extra, and a trigger fills the column from it, so whatever writes rows goes
// on as before: loads and replays of any release, comparisons, digests, forgetting. Rows from before are filled week by week, and whoever runs
// the command again goes on where it was stopped.
import pg from 'pg';
import { CancelledError, ConfigurationError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import { addDays } from '../core/weeks.ts';
import type { KnownDataset } from '../datasets/index.ts';
import { retryWhileLocked } from '../postgres/lock-retries.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { execute, executeTemplate, readRows } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { allowPromotion } from './citus/citus.ts';
import { warehouseTable } from './partitions.ts';

export const PROMOTED_TYPES = ['text', 'bigint', 'numeric', 'boolean', 'date', 'timestamptz'] as const;
export type PromotedType = (typeof PROMOTED_TYPES)[number];

/** Postgres takes 63 bytes. What begins with an underscore is the pipeline's own. */
const COLUMN_NAME = /^[a-z][a-z0-9_]{0,62}$/;
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']);
const MAX_EXAMPLES = 5;

export type Promotion = Readonly<{ dataset: KnownDataset; column: string; type: PromotedType }>;

/** A value that is none of the type, and where it is. */
export type OddValue = Readonly<{ account: string; week: string; key: string; value: string }>;
/** `rows` have a value; of `odd` of them it is none of the type. `filled`: rows that were changed. */
export type PromotionProgress = Readonly<{
  weeks: number;
  of: number;
  rows: number;
  odd: number;
  filled: number;
  examples: readonly OddValue[];
}>;

/** A week of an account, with the number of rows that are meant. */
export type Week = Readonly<{ account: string; week: string; rows: number }>;
export type FillOptions = Readonly<{ signal: AbortSignal; onProgress: (progress: PromotionProgress) => void; isTrial?: boolean }>;

/**
 * Checks that a column can be promoted, or that its promotion can go on. Returns whether the column is there already.
 * Throws ConfigurationError when it cannot, StoreError.
 */
export async function requirePromotable(
  pool: Pool,
  { dataset, column, type }: Promotion,
  { isForced, signal }: Readonly<{ isForced: boolean; signal: AbortSignal }>,
): Promise<boolean> {
  const table = `search.${dataset.name}`;
  if (!COLUMN_NAME.test(column) || SYSTEM_COLUMNS.has(column))
    throw new ConfigurationError(`"${column}" cannot be the name of a column: use a key of small letters, digits and underscores`);
  if (dataset.columns.some(({ name }) => name === column)) throw new ConfigurationError(`${table} has the column ${column} already`);
  const [known] = await readRows(pool, 'promotions/read', { dataset: dataset.name, column });
  if (known && known.type !== type)
    throw new ConfigurationError(`${column} of ${table} was promoted as ${known.type}; go on with --type ${known.type}`);
  const [found] = await readRows(pool, 'promotions/read-table', { dataset: dataset.name, column });
  if (!found?.isOwner)
    throw new ConfigurationError(`only the owner of the tables, ${found?.owner ?? 'who runs "searchmill migrate"'}, can promote a column`);
  if (known) return true;
  if (found.hasColumn) throw new ConfigurationError(`${table} has a column ${column} that Searchmill did not make`);
  if (!isForced && (await findWeeks(pool, { dataset, column, type }, null, signal)).length === 0)
    throw new ConfigurationError(`no row of ${table} has the key ${column} in _extra; --force makes the column nevertheless`);
  return false;
}

/**
 * Makes the column and its trigger, in one transaction. From then on all that is written is filled. Tells what it waits for.
 * Throws StoreError when another session keeps the table locked.
 */
export async function makeColumn(
  url: Secret,
  { dataset, column, type }: Promotion,
  { promotedBy, tell }: Readonly<{ promotedBy: string; tell: (line: string) => void }>,
): Promise<void> {
  const table = warehouseTable(dataset);
  const name = pg.escapeIdentifier(column);
  const comment = pg.escapeLiteral(`Promoted from the key ${column} of _extra, which has it, too. NULL if the value is no ${type}.`);
  const describe = async (): Promise<string> => `column ${column} of search.${dataset.name}`;
  await changeTable(url, { dataset, describe, tell }, async (client) => {
    await executeTemplate(client, 'promotions/add-column', { table, column: name, type });
    await executeTemplate(client, 'promotions/comment', { table, column: name, comment });
    await execute(client, 'promotions/insert', { dataset: dataset.name, column, type, promotedBy });
    await execute(client, 'promotions/apply', { dataset: dataset.name });
  });
}

/** Runs `work` in a transaction of its own session that has the table and its view to itself, and repeats it while a lock is not free. Throws StoreError, and what `work` throws. */
export async function changeTable(
  url: Secret,
  { dataset, ...options }: Readonly<{ dataset: KnownDataset; describe: () => Promise<string>; tell: (line: string) => void }>,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  await retryWhileLocked(url, { ...options, verb: 'promote' }, async (client) => {
    await client.query('BEGIN');
    try {
      await allowPromotion(client);
      await executeTemplate(client, 'promotions/lock', { view: warehouseTable({ name: `${dataset.name}_arrays` }) });
      await work(client);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  });
}

/**
 * Fills the column in rows from before, each week in a transaction; a trial only looks. Goes on after the week at which it was stopped.
 * Throws CancelledError, StoreError.
 */
export async function fillColumn(
  pool: Pool,
  promotion: Promotion,
  { signal, onProgress, isTrial = false }: FillOptions,
): Promise<PromotionProgress> {
  const { dataset, column } = promotion;
  const [known] = await readRows(pool, 'promotions/read', { dataset: dataset.name, column });
  const isFilled = !isTrial && known?.filledAt !== null && known?.filledAt !== undefined;
  const after = isTrial || isFilled || !known?.filledAccount ? null : { account: known.filledAccount, week: known.filledWeek };
  const weeks = await findWeeks(pool, promotion, after, signal);
  let progress: PromotionProgress = { weeks: 0, of: weeks.length, rows: 0, odd: 0, filled: 0, examples: [] };
  for (const week of weeks) {
    if (signal.aborted) throw new CancelledError();
    const done = await inTransaction(pool, (client) => (isTrial ? lookAt(client, promotion, week) : fillWeek(client, promotion, week)), {
      signal,
    });
    progress = {
      ...progress,
      weeks: progress.weeks + 1,
      rows: progress.rows + done.rows,
      odd: progress.odd + done.odd,
      filled: progress.filled + done.filled,
      examples: [...progress.examples, ...done.examples].slice(0, MAX_EXAMPLES),
    };
    onProgress(progress);
  }
  if (!isTrial) await execute(pool, 'promotions/finish', { dataset: dataset.name, column });
  return progress;
}

async function findWeeks(
  pool: Pool,
  { dataset, column }: Promotion,
  after: Readonly<{ account: string; week: string | null }> | null,
  signal: AbortSignal,
): Promise<Week[]> {
  const about = { column, afterAccount: after?.account, afterWeek: after?.week };
  const find = (client: Client) => executeTemplate(client, 'promotions/find-weeks', { table: warehouseTable(dataset) }, about);
  return (await inTransaction(pool, find, { isReadOnly: true, signal })).rows;
}

type Done = Readonly<{ rows: number; odd: number; filled: number; examples: readonly OddValue[] }>;

async function lookAt(client: Client, { dataset, column, type }: Promotion, { account, week }: Week): Promise<Done> {
  const about = { column, type, accountId: account, week };
  const { rows: found } = await executeTemplate(client, 'promotions/look-at-week', { table: warehouseTable(dataset) }, about);
  const { rows = 0, odd = 0, examples, keys } = found[0] ?? {};
  const where = (examples ?? []).map((value, at) => ({ account, week, key: keys?.[at] ?? '', value }));
  return { rows, odd, filled: 0, examples: where };
}

/** Publications of the same days wait until the transaction ends, as it waits for them. */
export async function lockWeek(client: Client, { name: dataset }: Pick<KnownDataset, 'name'>, { account, week }: Week): Promise<void> {
  await execute(client, 'tables/lock-dataset', { dataset, isAlone: false });
  await execute(client, 'tables/lock-days', { dataset, accountId: account, windowStart: week, windowEnd: addDays(week, 6) });
}

async function fillWeek(client: Client, promotion: Promotion, week: Week): Promise<Done> {
  const { dataset, column, type } = promotion;
  await lockWeek(client, dataset, week);
  const done = await lookAt(client, promotion, week);
  const fragments = { table: warehouseTable(dataset), column: pg.escapeIdentifier(column) };
  const about = { accountId: week.account, week: week.week };
  const { rowCount } = await executeTemplate(client, 'promotions/fill-week', fragments, { column, type, ...about });
  await execute(client, 'promotions/note-filled', { dataset: dataset.name, column, ...about });
  return { ...done, filled: rowCount ?? 0 };
}
