// Sessions of the pages that ended by logging out, so that every process refuses them. The ledger stores a digest of a random number in the
// cookie; no cookie can be made from it.
import type { Pool } from './pool.ts';
import { readRows } from './statements.ts';
import { inTransaction } from './transaction.ts';

/** Ends a session in all processes. Also works with a pool and a role for reading. Throws StoreError. */
export async function endSession(pool: Pool, digest: Buffer): Promise<void> {
  await inTransaction(pool, (client) => readRows(client, 'logins/end', { digest }), { isReadOnly: false });
}

/** Throws StoreError. */
export async function isSessionEnded(pool: Pool, digest: Buffer): Promise<boolean> {
  const [found] = await readRows(pool, 'logins/is-ended', { digest });
  return found?.isEnded === true;
}

/** What tells this installation apart from others, the same in all of its processes. Throws StoreError. */
export async function readSessionPlace(pool: Pool): Promise<string> {
  const [found] = await readRows(pool, 'logins/read-place');
  return found?.place ?? '';
}
