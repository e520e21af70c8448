// Reads the panels of a board on two connections that see the same snapshot, as long as nobody else waits for one: a single reader then has two
// cores of the database.
import { StoreError } from '../core/errors.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { readRows } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { hasFreeTurn, isAwaited } from '../postgres/transaction-turns.ts';
import { findUncovered } from './sources.ts';

/** The server could not write down its snapshot, for example on a full disk. The transaction has failed, and without lanes it would not have. */
export class NoSharedSnapshot extends StoreError {}

type Work<T, R> = Readonly<{
  items: readonly T[];
  read: (client: Client, item: T) => Promise<R>;
  /** How long reading an item is likely to take, in milliseconds. */
  expectMs?: (item: T) => number;
  most: 1 | 2;
  signal: AbortSignal;
}>;
/** What was read of each item, and whether the state of the figures covers the tables that the second connection read (basis.ts). */
type Lanes<R> = Readonly<{ read: readonly R[]; isCovered: boolean }>;

/**
 * Reads the items in their order on `client`, whose transaction has a snapshot, and meanwhile on a second connection that which is likely to
 * take longest, so that it does not come last. What fails on the second one is read on `client`. Nothing waits for the second connection to begin,
 * so that two boards never wait for each other. Throws what `read` throws on `client`.
 */
export async function readInLanes<T, R>(
  pool: Pool,
  client: Client,
  { items, read, expectMs = () => 0, most, signal }: Work<T, R>,
): Promise<Lanes<R>> {
  const results = new Map<T, R>();
  const waiting = [...items];
  let isCovered = true;
  let beside: Promise<boolean> | undefined;
  const readBeside = async (second: Client, item: T): Promise<boolean> => {
    try {
      results.set(item, await read(second, item));
      if ((await findUncovered(second)).length > 0) isCovered = false;
      return true;
    } catch {
      results.delete(item);
      waiting.unshift(item);
      return false;
    }
  };
  const snapshot = most > 1 && items.length > 1 && hasFreeTurn(pool) ? await exportSnapshot(client) : undefined;
  if (snapshot !== undefined && hasFreeTurn(pool)) {
    const work = async (second: Client): Promise<void> => {
      while (!isAwaited(pool) && waiting.length > 0) {
        const expected = waiting.map(expectMs);
        const [item] = waiting.splice(expected.indexOf(Math.max(...expected)), 1) as [T];
        beside = readBeside(second, item);
        if (!(await beside)) return;
      }
    };
    inTransaction(pool, work, { isSnapshot: true, isReadOnly: true, snapshot, signal }).catch(() => undefined);
  }
  try {
    do {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) results.set(item, await read(client, item));
      await beside;
    } while (waiting.length > 0);
  } finally {
    // If this connection has failed, the other one has nothing more to read.
    waiting.length = 0;
  }
  return { read: items.map((item) => results.get(item) as R), isCovered };
}

/** The name of the snapshot of a transaction; undefined where it has none to share. A failure ends the transaction. */
async function exportSnapshot(client: Client): Promise<string | undefined> {
  try {
    return (await readRows(client, 'sessions/export-snapshot'))[0]?.name;
  } catch (error) {
    throw new NoSharedSnapshot('a snapshot cannot be shared', { retryable: true, cause: error });
  }
}
