// How many more connections the database says it would give us. Other clients come and go, so the answer is an estimate. A connection
// that is refused later is tried again.
import type { Pool } from './pool.ts';
import { execute } from './statements.ts';

/** `name` says whose limit is the narrowest: of the server, of the database or of the login role. */
export type FreeConnections = Readonly<{ free: number; most: number; name: string }>;

/** Connections that are free for this process, those of `pool` included. Throws StoreError. */
export async function readFreeConnections(pool: Pool): Promise<FreeConnections> {
  const { rows } = await execute(pool, 'database/read-connection-limits');
  const limits = rows.map(({ name, most, used }) => ({ name, most, free: Math.max(0, most - used + pool.totalCount) }));
  return limits.reduce((least, limit) => (limit.free < least.free ? limit : least), {
    name: 'the server (max_connections)',
    most: Number.POSITIVE_INFINITY,
    free: Number.POSITIVE_INFINITY,
  });
}
