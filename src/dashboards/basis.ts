// What a page follows from: the figures of an account at a moment. A page that was read before is given again while its basis is the same,
// so the basis has to cover all that the page was made from. Whether it does is known from the tables that were read and the text of the
// statements.
import type { Client, Pool } from '../warehouse/pool.ts';
import { findUncovered, readState } from '../warehouse/sources.ts';
import { inSavepoint } from '../warehouse/transaction.ts';

export type Basis = Readonly<{ accountId: string; state: string }>;
/** Without a basis it may have changed a moment later. */
export type Based<T> = Readonly<{ read: T; basis: Basis | undefined }>;

/** The time, the session, chance, and the ledger itself, which changes with every call. */
const UNSTEADY = new RegExp(
  [
    String.raw`\b(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|random|gen_random_uuid|nextval|lastval|version|age)\s*\(`,
    String.raw`\b(?:current_date|current_time|current_timestamp|localtime|localtimestamp|session_user|current_setting)\b`,
    "'(?:now|today|yesterday|tomorrow|allballs)'",
    String.raw`\b(?:pg|txid|inet|ts|lo)_\w+\s*\(`,
    String.raw`\bsearchmill"?\s*\.`,
    String.raw`\btablesample\b`,
  ].join('|'),
  'i',
);

/** Whether the rows of a statement follow from those of the tables that it reads. */
export function isSteady(sql: string): boolean {
  return !UNSTEADY.test(sql.replaceAll(/--.*/g, ''));
}

type Question = Readonly<{ accountId: string | null | undefined; statements: readonly string[] }>;

/**
 * What `read` returns in a transaction that sees one state of the database, and its basis; undefined where there is none that covers it.
 * Throws what `read` throws.
 */
export async function readOnBasis<T>(client: Client, { accountId, statements }: Question, read: () => Promise<T>): Promise<Based<T>> {
  if (!accountId || !statements.every(isSteady)) return { read: await read(), basis: undefined };
  // A login may lack the right to look at the ledger.
  const state = await inSavepoint(
    client,
    () => readState(client, accountId),
    () => true,
  );
  const result = await read();
  const isCovered = state !== undefined && (await findUncovered(client)).length === 0;
  return { read: result, basis: isCovered ? { accountId, state } : undefined };
}

/** The state of an account's figures now; undefined where the database does not say, so that it is asked for the figures. */
export const stateOf = (pool: Pool, accountId: string): Promise<string | undefined> => readState(pool, accountId).catch(() => undefined);
