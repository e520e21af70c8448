// For verbs that only read or write the ledger: a pool on a database of this release, closed at the end.
import type { Command } from 'commander';
import type { Environment } from '../config/settings.ts';
import { createPool, type Pool } from '../postgres/pool.ts';
import { requireMigrated } from './require-migrated.ts';
import { type GlobalOptions, readEnvironment, requireDatabase, type Terminal } from './terminal.ts';

/** Runs `work` with a pool of two connections. Throws ConfigurationError when the database is not at this release. */
export async function withLedger(
  terminal: Terminal,
  command: Command,
  work: (pool: Pool, environment: Environment) => Promise<void>,
): Promise<void> {
  const environment = readEnvironment(terminal, command.optsWithGlobals<GlobalOptions>());
  await using pool = createPool(requireDatabase(environment), { applicationName: `searchmill ${command.name()}`, max: 2 });
  await requireMigrated(pool);
  await work(pool, environment);
}
