// The SQL files of migrations/: versioned ones for tables, each applied once, in order, and repeatable ones for views and functions, which
// stand once and are applied together whenever one of them has changed. The header of a versioned one says what becomes of processes of older
// releases that run on beside it.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { ConfigurationError } from '../core/errors.ts';
import { packagePath } from '../core/package-folder.ts';

export const MIGRATIONS_FOLDER = packagePath('migrations');

export type SchemaFile = Readonly<{
  /** Of the file, without its ending. */
  name: string;
  text: string;
}>;

const ENDING = '.sql';
const OLD_PROCESSES = /^-- Old processes: (?:go on|must be stopped, since (?<reason>.+))\.$/m;

/** All versioned migrations of this release, in order. Throws ConfigurationError when their folder is missing. */
export function readMigrations(folder: string = MIGRATIONS_FOLDER): SchemaFile[] {
  return readFiles(folder);
}

/** All repeatable files of this release, in the order in which they need each other. */
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

/** Why processes of older releases must be stopped before a migration; undefined when they go on. Throws when it does not say. */
export function whyStopBefore({ name, text }: SchemaFile): string | undefined {
  const line = OLD_PROCESSES.exec(text);
  if (!line) throw new Error(`migrations/${name}${ENDING} does not say whether old processes go on or must be stopped`);
  return line.groups?.reason;
}

/** Of what a migration does: lines that are comments do not count. */
export function digestOf({ text }: SchemaFile): string {
  const statements = text.split('\n').filter((line) => !line.trimStart().startsWith('--'));
  return sha256(statements.join('\n'));
}

/**
 * Of all views and functions. It covers the names of the migrations, too: a migration may drop a view whose columns change, so all of them
 * are applied again after any.
 */
export function digestOfRepeatable(migrations: readonly SchemaFile[], repeatable: readonly SchemaFile[]): string {
  return sha256(JSON.stringify([migrations.map(({ name }) => name), repeatable]));
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
