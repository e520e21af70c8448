// What a database has of this release's schema, according to the migration runner's table and the digests of the applied files.
import type pg from 'pg';
import { ConfigurationError } from '../../core/errors.ts';
import type { Pool } from '../pool.ts';
import { digestOf, digestOfRepeatable, readMigrations, readRepeatable, type SchemaFile } from './migration-files.ts';

export const MIGRATIONS_TABLE = 'migrations';
export const MIGRATIONS_SCHEMA = 'searchmill';

/** The name of all repeatable files together in lists of migrations. */
export const VIEWS_AND_FUNCTIONS = 'views_and_functions';

/** The schema that the files of a release define. */
export type ReleaseSchema = Readonly<{
  migrations: readonly SchemaFile[];
  repeatable: readonly SchemaFile[];
  /** By name: of each migration and, last, of the views and functions. */
  digests: ReadonlyMap<string, string>;
}>;

export type AppliedSchema = Readonly<{
  /** Names of migrations, in the order in which they were applied. */
  migrations: readonly string[];
  /** All digests that were ever applied under a name. */
  digests: ReadonlyMap<string, ReadonlySet<string>>;
}>;

/** Reads the files. Throws ConfigurationError when their folder is missing. */
export function releaseSchema(folder: string): ReleaseSchema {
  const [migrations, repeatable] = [readMigrations(folder), readRepeatable(folder)];
  const digests = new Map(migrations.map((file) => [file.name, digestOf(file)]));
  digests.set(VIEWS_AND_FUNCTIONS, digestOfRepeatable(migrations, repeatable));
  return { migrations, repeatable, digests };
}

export async function readApplied(db: Pool | pg.Client): Promise<AppliedSchema> {
  const { rows: found } = await db.query<{ migrations: boolean; digests: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS migrations, to_regclass($2) IS NOT NULL AS digests',
    [`${MIGRATIONS_SCHEMA}.${MIGRATIONS_TABLE}`, `${MIGRATIONS_SCHEMA}.schema_digests`],
  );
  const migrations = found[0]?.migrations
    ? (await db.query<{ name: string }>(`SELECT name FROM ${MIGRATIONS_SCHEMA}.${MIGRATIONS_TABLE} ORDER BY id`)).rows
    : [];
  const digests = new Map<string, Set<string>>();
  if (found[0]?.digests) {
    const { rows } = await db.query<{ name: string; digest: string }>('SELECT name, digest FROM searchmill.schema_digests');
    for (const { name, digest } of rows) digests.set(name, (digests.get(name) ?? new Set()).add(digest));
  }
  return { migrations: migrations.map(({ name }) => name), digests };
}

/**
 * What the database lacks of a release, in the order of application. Views and functions that were applied once are not lacking, even if
 * others have replaced them since: a process of the previous release that starts on a newer ledger leaves them alone.
 */
export function lacking({ migrations, digests }: ReleaseSchema, applied: AppliedSchema): string[] {
  const names = migrations.map(({ name }) => name).filter((name) => !applied.migrations.includes(name));
  const isDefined = applied.digests.get(VIEWS_AND_FUNCTIONS)?.has(digests.get(VIEWS_AND_FUNCTIONS) ?? '');
  return isDefined ? names : [...names, VIEWS_AND_FUNCTIONS];
}

/** Throws ConfigurationError for a database whose tables were created by another build: there is no upgrade from them to this build's. */
export function requireSameBuild({ migrations, digests }: ReleaseSchema, applied: AppliedSchema): void {
  if (applied.migrations.length === 0) return;
  const [first] = migrations;
  const other =
    first && !applied.migrations.includes(first.name)
      ? applied.migrations[0]
      : migrations.find(({ name }) => applied.digests.get(name)?.has(digests.get(name) ?? '') === false)?.name;
  if (other === undefined) return;
  throw new ConfigurationError(
    `the database was made by an earlier build of Searchmill (its ${other} is not that of this one), whose rows cannot be taken over; nothing of it ` +
      'was touched. Begin anew: set DATABASE_URL to an empty database, or remove what is there by DROP SCHEMA IF EXISTS search, search_partitions, search_reports, search_stored, ' +
      'searchmill, searchmill_staging, bullmq CASCADE (for the demo: remove .searchmill); then run "searchmill migrate", and every week is loaded again',
  );
}
