// How many more connections the database can give this process. Other clients come and go, so it is an estimate; a connection that is
// refused later is tried again.
import type { Pool } from './pool.ts';
import { execute } from './statements.ts';

/** `name` tells whose limit is the tightest: the server's, the database's or the login role's. */
export type FreeConnections = Readonly<{ free: number; most: number; name: string }>;

/** Connections available to this process, including those of `pool`. Throws StoreError. */
export async function readFreeConnections(pool: Pool): Promise<FreeConnections> {
  const { rows } = await execute(pool, 'database/read-connection-limits');
  const limits = rows.map(({ name, most, used }) => ({ name, most, free: Math.max(0, most - used + pool.totalCount) }));
  return limits.reduce((least, limit) => (limit.free < least.free ? limit : least), {
    name: 'the server (max_connections)',
    most: Number.POSITIVE_INFINITY,
    free: Number.POSITIVE_INFINITY,
  });
}
