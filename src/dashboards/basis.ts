// The basis of a page: a digest of the state of an account's figures. A cached page is served again while its basis is unchanged, so the basis
// must cover everything that the page was made from. Whether it does is decided from the tables that were read and the text of the statements.
import type { Client, Pool } from '../postgres/pool.ts';
import { inSavepoint } from '../postgres/transaction.ts';
import { findUncovered, readState } from './sources.ts';

export type Basis = Readonly<{ accountId: string; state: string }>;
/** A result and its basis. Without a basis the result must not be cached. */
export type Based<T> = Readonly<{ read: T; basis: Basis | undefined }>;

/** Matches what makes a result depend on the time, the session, randomness, or the ledger, which changes with every call. */
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

/** Whether a statement's result depends only on the rows of the tables that it reads. */
export function isSteady(sql: string): boolean {
  return !UNSTEADY.test(sql.replaceAll(/--.*/g, ''));
}

type Question = Readonly<{ accountId: string | null | undefined; statements: readonly string[] }>;

/**
 * Runs `read` in a snapshot transaction and returns its result with its basis. The basis is undefined if none covers the result.
 * Throws what `read` throws.
 */
export async function readOnBasis<T>(client: Client, { accountId, statements }: Question, read: () => Promise<T>): Promise<Based<T>> {
  if (!accountId || !statements.every(isSteady)) return { read: await read(), basis: undefined };
  // A login may not be allowed to read the ledger.
  const state = await inSavepoint(
    client,
    () => readState(client, accountId),
    () => true,
  );
  const result = await read();
  const isCovered = state !== undefined && (await findUncovered(client)).length === 0;
  return { read: result, basis: isCovered ? { accountId, state } : undefined };
}

/** The state of an account's figures now; undefined if it cannot be read, and then the figures themselves are read. */
export const stateOf = (pool: Pool, accountId: string): Promise<string | undefined> => readState(pool, accountId).catch(() => undefined);
