// One transaction, or nothing. The only place that says BEGIN and COMMIT.
import type { Client, Pool } from './pool.ts';
import { asStoreError } from './store-errors.ts';

/**
 * Runs `work` in a transaction and commits. Throws what `work` threw, or StoreError; in both cases nothing is written.
 * A connection that failed is not given back to the pool.
 */
export async function inTransaction<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
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
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(noteBroken);
    throw asStoreError(error);
  } finally {
    client.off('error', noteBroken);
    client.release(broken);
  }
}
