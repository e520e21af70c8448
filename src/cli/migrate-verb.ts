// searchmill migrate: brings the database to this release.
import { Command } from 'commander';
import type { Secret } from '../core/secret.ts';
import { migrateQueue } from '../queue/backend.ts';
import { migrate } from '../warehouse/migrate.ts';
import { type GlobalOptions, printJson, readEnvironment, requireDatabase, type Terminal } from './terminal.ts';

/** Applies Searchmill's migrations, and BullMQ's own where the queue lives in Postgres. Returns what was applied. */
export async function migrateAll(databaseUrl: Secret, redisUrl: Secret | undefined): Promise<string[]> {
  const applied = await migrate(databaseUrl);
  if (!redisUrl) await migrateQueue(databaseUrl);
  return applied;
}

export function migrateVerb(terminal: Terminal): Command {
  return new Command('migrate')
    .description('create or update the ledger and the seven tables in DATABASE_URL')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `
Safe to repeat, and safe when many processes do it at once.

Example:
  DATABASE_URL=postgres://me:secret@db/warehouse searchmill migrate`,
    )
    .action(async (options: { json?: boolean }, command: Command) => {
      const environment = readEnvironment(terminal, command.optsWithGlobals<GlobalOptions>());
      const applied = await migrateAll(requireDatabase(environment), environment.redisUrl);
      if (options.json) return printJson(terminal, { applied });
      terminal.print(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`);
    });
}
