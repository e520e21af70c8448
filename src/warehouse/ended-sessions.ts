// Sessions of the pages that were ended by logging out, so that every process refuses them. The ledger has the digest of a random number in
// the cookie, from which nobody makes a cookie.
import type { Pool } from './pool.ts';
import { readRows } from './statements.ts';
import { inTransaction } from './transaction.ts';

/** Ends a session in all processes. The pool may be one that only reads, of a role that only reads. Throws StoreError. */
export async function endSession(pool: Pool, digest: Buffer): Promise<void> {
  await inTransaction(pool, (client) => readRows(client, 'logins/end', { digest }), { isReadOnly: false });
}

/** Throws StoreError. */
export async function isSessionEnded(pool: Pool, digest: Buffer): Promise<boolean> {
  const [found] = await readRows(pool, 'logins/is-ended', { digest });
  return found?.isEnded === true;
}
