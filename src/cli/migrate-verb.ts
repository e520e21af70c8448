// searchmill migrate: brings the database to this release.
import { StoreError } from '../core/errors.ts';
import { count } from '../core/numbers.ts';
import type { Secret } from '../core/secret.ts';
import { createPool } from '../postgres/pool.ts';
import { type MigrateOptions, migrate } from '../postgres/schema/migrate.ts';
import { readRows } from '../postgres/statements.ts';
import { migrateQueue } from '../queue/backend/backend.ts';
import { type GlobalOptions, printJson, readEnvironment, requireDatabase, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';

type Options = Pick<MigrateOptions, 'tell' | 'isWhileRunning' | 'withoutRoles'>;

/**
 * Applies Searchmill's migrations, and BullMQ's own where the queue lives in Postgres. Returns what was applied. `tell` is called with
 * the sessions it waits for. Throws as migrate() does; what was applied before stays.
 */
export async function migrateAll(databaseUrl: Secret, redisUrl: Secret | undefined, options: Options = {}): Promise<string[]> {
  const applied = await migrate(databaseUrl, options);
  if (redisUrl) return applied;
  try {
    await migrateQueue(databaseUrl, { tell: options.tell });
  } catch (error) {
    throw new StoreError(
      'the ledger is up to date, but the tables of the queue could not be created; fix the following error and run "searchmill migrate" again, which continues from there',
      { retryable: false, cause: error },
    );
  }
  return applied;
}

/** Weeks that boards leave out until they are stored. Throws StoreError. */
async function countWaiting(url: Secret): Promise<number> {
  await using pool = createPool(url, { applicationName: 'searchmill migrate', max: 1 });
  const marked = await readRows(pool, 'reports/find-marked', { accountId: undefined, dataset: undefined });
  return marked.filter(({ isLive }) => !isLive).length;
}

export function migrateVerb(terminal: Terminal): Verb {
  return new Verb('migrate')
    .description('create or update the ledger and the tables in DATABASE_URL')
    .option('--while-running', 'also apply migrations that require older processes to be stopped')
    .option('--without-roles', 'do without roles for other logins than the owner')
    .option('--json', 'as JSON')
    .more(`Safe to repeat, and safe when many processes do it at once. If another session
locks a table that must change, it says which, lets others through, and retries
for five minutes. Processes of the older release may continue, unless a
migration says otherwise: then it names those that show signs of life, and
applies nothing. Without REDIS_URL it creates the tables of the queue as well.
Each run also gives the roles of Searchmill what they lack. What this role may
not do is shown as statements for an administrator; an empty database is then
left as it is.

Example:
  DATABASE_URL=postgres://me:secret@db/warehouse searchmill migrate`)
    .action(async (options: { json?: boolean; whileRunning?: boolean; withoutRoles?: boolean }, command: Verb) => {
      const environment = readEnvironment(terminal, command.optsWithGlobals<GlobalOptions>());
      const applied = await migrateAll(requireDatabase(environment), environment.redisUrl, {
        tell: terminal.warn,
        isWhileRunning: options.whileRunning,
        withoutRoles: options.withoutRoles,
      });
      if (options.json) return printJson(terminal, { applied });
      const queue = environment.redisUrl ? '' : ', and so are the tables of the queue';
      terminal.print(applied.length === 0 ? `The database is up to date${queue}.` : `Applied: ${applied.join(', ')}`);
      const weeks = await countWaiting(requireDatabase(environment));
      if (weeks > 0)
        terminal.print(
          `${count(weeks, 'week')} of figures wait to be stored with what this release adds, and boards say so: "searchmill start" stores them, the newest first, or "searchmill reports rebuild" now.`,
        );
    });
}
