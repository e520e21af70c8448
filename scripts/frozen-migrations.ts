// Digests of the migrations that were released. Views and functions (migrations/repeatable) are applied again, so they may change.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));
export const FROZEN_FILE = fileURLToPath(new URL('frozen-migrations.json', import.meta.url));

/** SHA-256 by file name. */
export type Digests = Readonly<Record<string, string>>;

export function readFrozen(): Digests {
  return JSON.parse(readFileSync(FROZEN_FILE, 'utf8')) as Digests;
}

export function readMigrations(folder = MIGRATIONS): Digests {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  const digestOf = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex');
  return Object.fromEntries(files.sort().map((file) => [file, digestOf(file)]));
}

/** Frozen migrations that have changed or are missing. */
export function changedMigrations(frozen: Digests, now: Digests): string[] {
  return Object.keys(frozen).filter((file) => now[file] !== frozen[file]);
}
