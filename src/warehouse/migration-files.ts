// The SQL files of migrations/. The header of each says what becomes of processes of older releases that run on beside it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { ConfigurationError } from '../core/errors.ts';
import { packagePath } from '../core/package-folder.ts';

export const MIGRATIONS_FOLDER = packagePath('migrations');

const ENDING = '.sql';
const OLD_PROCESSES = /^-- Old processes: (?:go on|must be stopped, since (?<reason>.+))\.$/m;

/** Names of all migrations of this release, without ending, in order. Throws ConfigurationError when their folder is missing. */
export function migrationNames(): string[] {
  if (!existsSync(MIGRATIONS_FOLDER)) throw new ConfigurationError(`the folder of migrations is missing: ${MIGRATIONS_FOLDER}`);
  return readdirSync(MIGRATIONS_FOLDER)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();
}

/** Why processes of older releases must be stopped before a migration; undefined when they go on. Throws when it does not say. */
export function whyStopBefore(name: string): string | undefined {
  const line = OLD_PROCESSES.exec(readFileSync(`${MIGRATIONS_FOLDER}/${name}${ENDING}`, 'utf8'));
  if (!line) throw new Error(`migrations/${name}${ENDING} does not say whether old processes go on or must be stopped`);
  return line.groups?.reason;
}
