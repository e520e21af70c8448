// One transaction, or nothing. The only place that says BEGIN and COMMIT.
import { MINUTE } from '../core/clock.ts';
import { StoreError } from '../core/errors.ts';
import type { Client, Pool } from './pool.ts';
import { asStoreError } from './store-errors.ts';

/** A transaction without a signal is given up after this: a server that does not answer must not hold a worker for ever. */
const LONGEST_MS = MINUTE;

export type TransactionOptions = Readonly<{
  /** Cuts the transaction when it aborts; without it, the transaction is cut after a minute. */
  signal?: AbortSignal | undefined;
  /** False commits without waiting for the disk: a crash of the server may undo the last moments, wholly. Default true. */
  isDurable?: boolean;
}>;

/**
 * Runs `work` in a transaction and commits.
 * Throws what `work` threw, the signal's reason, or StoreError; in all cases nothing is written.
 * A connection that failed is not given back to the pool.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: Client) => Promise<T>,
  { signal, isDurable = true }: TransactionOptions = {},
): Promise<T> {
  let client: Client;
  try {
    client = await pool.connect();
  } catch (error) {
    throw asStoreError(error);
  }
  let broken: Error | undefined;
  const noteBroken = (error: Error): void => {
    broken = error;
  };
  client.on('error', noteBroken);
  // Ending a client that waits for an answer destroys its socket: what it waits for fails, and the server rolls back.
  let cutBecause: unknown;
  const cut = (reason: unknown): void => {
    cutBecause = reason;
    noteBroken(new Error('the transaction was cut'));
    (client as unknown as { end(): Promise<void> }).end().catch(() => undefined);
  };
  const timer = signal
    ? undefined
    : setTimeout(() => cut(new StoreError('the database did not answer for a minute', { retryable: true })), LONGEST_MS);
  const onAbort = (): void => cut(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    signal?.throwIfAborted();
    await client.query(isDurable ? 'BEGIN' : 'BEGIN; SET LOCAL synchronous_commit = off');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    if (broken === undefined) await client.query('ROLLBACK').catch(noteBroken);
    throw asStoreError(cutBecause ?? error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    client.off('error', noteBroken);
    client.release(broken);
  }
}
