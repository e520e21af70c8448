// What every verb that uses the ledger asks first.
import { ConfigurationError } from '../core/errors.ts';
import { pendingMigrations } from '../warehouse/migrate.ts';
import type { Pool } from '../warehouse/pool.ts';

/** Throws ConfigurationError when the database is not at this release. */
export async function requireMigrated(pool: Pool): Promise<void> {
  const pending = await pendingMigrations(pool);
  if (pending.length > 0) {
    throw new ConfigurationError(`the database lacks ${pending.join(', ')}; run "searchmill migrate", or "searchmill start --migrate"`);
  }
}
