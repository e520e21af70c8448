// The SQL files of migrations/: versioned ones for tables, each applied once, in order; and repeatable ones for views and functions, which are
// applied together whenever one of them has changed. The header of a versioned file says whether processes of older releases may keep
// running.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { ConfigurationError } from '../../core/errors.ts';
import { packagePath } from '../../core/package-folder.ts';

export const MIGRATIONS_FOLDER = packagePath('migrations');

export type SchemaFile = Readonly<{
  /** File name without its extension. */
  name: string;
  text: string;
}>;

const ENDING = '.sql';
const OLD_PROCESSES = /^-- Old processes: (?:go on|must be stopped, since (?<reason>.+))\.$/m;

/** All versioned migrations of this release, in order. Throws ConfigurationError when their folder is missing. */
export function readMigrations(folder: string = MIGRATIONS_FOLDER): SchemaFile[] {
  return readFiles(folder);
}

/** All repeatable files of this release, in dependency order. */
export function readRepeatable(folder: string = MIGRATIONS_FOLDER): SchemaFile[] {
  return readFiles(`${folder}/repeatable`);
}

function readFiles(folder: string): SchemaFile[] {
  if (!existsSync(folder)) throw new ConfigurationError(`the folder of migrations is missing: ${folder}`);
  return readdirSync(folder)
    .filter((file) => file.endsWith(ENDING))
    .sort()
    .map((file) => ({ name: file.slice(0, -ENDING.length), text: readFileSync(`${folder}/${file}`, 'utf8') }));
}

/** Why processes of older releases must be stopped before a migration; undefined when they may run. Throws when the file does not say. */
export function whyStopBefore({ name, text }: SchemaFile): string | undefined {
  const line = OLD_PROCESSES.exec(text);
  if (!line) throw new Error(`migrations/${name}${ENDING} does not say whether old processes go on or must be stopped`);
  return line.groups?.reason;
}

/** Digest of a migration's statements; comment lines do not count. */
export function digestOf({ text }: SchemaFile): string {
  const statements = text.split('\n').filter((line) => !line.trimStart().startsWith('--'));
  return sha256(statements.join('\n'));
}

/**
 * Digest of all views and functions. It also covers the names of the migrations: a migration may drop a view whose columns change, so all
 * views and functions are applied again after any migration.
 */
export function digestOfRepeatable(migrations: readonly SchemaFile[], repeatable: readonly SchemaFile[]): string {
  return sha256(JSON.stringify([migrations.map(({ name }) => name), repeatable]));
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
