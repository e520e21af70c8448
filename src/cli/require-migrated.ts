// The check that every verb makes before it uses the ledger.
import { ConfigurationError } from '../core/errors.ts';
import type { Pool } from '../postgres/pool.ts';
import { requireFitDatabase } from '../postgres/schema/database-needs.ts';
import { pendingMigrations } from '../postgres/schema/migrate.ts';

const MAX_NAMED = 3;

/** `0002_plans`, or `3 migrations, 0001_schemas to 0003_executions`. */
export function nameMigrations(pending: readonly string[]): string {
  if (pending.length <= MAX_NAMED) return pending.join(', ');
  return `${pending.length} migrations, ${pending[0]} to ${pending.at(-1)}`;
}

/** Throws ConfigurationError when the database is not fit, or not at this release. */
export async function requireMigrated(pool: Pool): Promise<void> {
  await requireFitDatabase(pool);
  const pending = await pendingMigrations(pool);
  if (pending.length > 0) {
    throw new ConfigurationError(
      `the database lacks ${nameMigrations(pending)}; run "searchmill migrate", or "searchmill start --migrate"`,
    );
  }
}
