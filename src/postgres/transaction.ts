// Runs a transaction entirely or not at all. Only pooler.ts, which tests sessions, begins one elsewhere.
import pg, { type QueryResult } from 'pg';
import { watchAbort } from '../core/abort-watch.ts';
import { MINUTE, SECOND } from '../core/clock.ts';
import { isPassing, StoreError } from '../core/errors.ts';
import type { Client, Pool } from './pool.ts';
import { watchSession } from './session-watch.ts';
import { asStoreError } from './store-errors.ts';
import { awaitTurn } from './transaction-turns.ts';

/** Timeout of a transaction without a signal: a server that does not answer must not block a worker for ever. */
const MAX_UNSIGNALLED_MS = MINUTE;
/** BEGIN and ROLLBACK wait for nothing, so a connection that does not answer them is dead. */
const AT_ONCE = { query_timeout: 10 * SECOND };

export type TransactionOptions = Readonly<{
  /** Ends the transaction when it aborts; without it, the transaction is ended after a minute. */
  signal?: AbortSignal | undefined;
  /** False: the commit does not wait for the disk, and a server crash may undo the whole transaction. Default true. */
  isDurable?: boolean;
  /** True: the transaction sees one snapshot throughout, and fails if it would write rows that others have written since. Default false. */
  isSnapshot?: boolean;
  /** True: any write fails. False: it may write, even if the session is read-only. Default: as the session is set. */
  isReadOnly?: boolean;
  /** The snapshot of a transaction that is under way, as pg_export_snapshot names it: both see the same. Needs `isSnapshot`. */
  snapshot?: string;
}>;

/**
 * Runs `work` in a transaction and commits. A session in which both sides wait for each other is cut within 30 s.
 * Throws what `work` threw, the signal's reason, or StoreError; in all cases nothing is written.
 * A connection that failed, or had a transient failure, is not returned to the pool.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: Client) => Promise<T>,
  { signal, isDurable = true, isSnapshot = false, isReadOnly, snapshot }: TransactionOptions = {},
): Promise<T> {
  let endTurn: (() => void) | undefined;
  let client: Client;
  try {
    endTurn = await awaitTurn(pool, signal);
    client = await pool.connect();
  } catch (error) {
    endTurn?.();
    throw asStoreError(error);
  }
  let broken: Error | undefined;
  const noteBroken = (error: Error): void => {
    broken = error;
  };
  client.on('error', noteBroken);
  // Ending a client that waits for an answer destroys its socket. Its statement fails, and the server rolls back.
  let cutBecause: unknown;
  const cut = (reason: unknown): void => {
    cutBecause = reason;
    noteBroken(new Error('the transaction was cut'));
    (client as unknown as { end(): Promise<void> }).end().catch(() => undefined);
  };
  const timer = signal
    ? undefined
    : setTimeout(() => cut(new StoreError('the database did not answer for a minute', { retryable: true })), MAX_UNSIGNALLED_MS);
  const stopListening = watchAbort(signal, () => cut(signal?.reason));
  let stopWatching: (() => void) | undefined;
  try {
    signal?.throwIfAborted();
    stopWatching = watchSession(pool, await begin(client, { isDurable, isSnapshot, isReadOnly, snapshot }, noteBroken), cut);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    if (broken === undefined) await client.query({ text: 'ROLLBACK', ...AT_ONCE }).catch(noteBroken);
    const failure = asStoreError(cutBecause ?? error);
    // The cause may be gone for new sessions only: after a failover the old server stays read-only.
    if (isPassing(failure)) broken ??= failure;
    throw failure;
  } finally {
    clearTimeout(timer);
    stopWatching?.();
    stopListening();
    client.off('error', noteBroken);
    client.release(broken);
    endTurn();
  }
}

/**
 * Runs `work` in a transaction of a session that the caller holds alone, and commits; a trial is rolled back in any case. Throws what `work` threw, and then
 * nothing is written. Other than in `inTransaction`, nothing ends a session that does not answer.
 */
export async function inOwnSession<T>(
  client: pg.ClientBase,
  work: () => Promise<T>,
  { isTrial = false }: Readonly<{ isTrial?: boolean }> = {},
): Promise<T> {
  await client.query('BEGIN');
  let result: T;
  try {
    result = await work();
    if (!isTrial) await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
  if (isTrial) await client.query('ROLLBACK');
  return result;
}

/** Returns what `work` returns; undefined when it throws an error that `isExpected`, and then rolls its work back. Throws other errors. */
export async function inSavepoint<T>(
  client: pg.ClientBase,
  work: () => Promise<T>,
  isExpected: (error: unknown) => boolean,
): Promise<T | undefined> {
  await client.query('SAVEPOINT searchmill');
  let result: T;
  try {
    result = await work();
  } catch (error) {
    if (!isExpected(error)) throw error;
    await client.query('ROLLBACK TO SAVEPOINT searchmill');
    return undefined;
  }
  await client.query('RELEASE SAVEPOINT searchmill');
  return result;
}

type Kind = Readonly<{ isDurable: boolean; isSnapshot: boolean; isReadOnly: boolean | undefined; snapshot: string | undefined }>;

/** Begins a transaction, and returns the number of the server's process. */
async function begin(
  client: Client,
  { isDurable, isSnapshot, isReadOnly, snapshot }: Kind,
  noteBroken: (error: Error) => void,
): Promise<number> {
  const kind = `${isSnapshot ? ' ISOLATION LEVEL REPEATABLE READ' : ''}${isReadOnly === undefined ? '' : isReadOnly ? ' READ ONLY' : ' READ WRITE'}`;
  const seen = snapshot === undefined ? '' : `SET TRANSACTION SNAPSHOT ${pg.escapeLiteral(snapshot)}; `;
  const text = `BEGIN${kind}; ${seen}${isDurable ? '' : 'SET LOCAL synchronous_commit = off; '}SELECT pg_backend_pid() AS pid`;
  try {
    // Several statements return several results, which pg's types do not declare.
    const results = (await client.query({ text, ...AT_ONCE })) as unknown as QueryResult<{ pid: number }>[];
    return results.at(-1)?.rows[0]?.pid ?? 0;
  } catch (error) {
    noteBroken(error as Error);
    throw error;
  }
}
