// Requirements on a database, checked before migrating it or loading into it.
import type pg from 'pg';
import { ConfigurationError } from '../../core/errors.ts';
import { asStoreError } from '../store-errors.ts';

const MIN_SERVER_VERSION = 140_000;

/** Throws ConfigurationError with advice when the database cannot be used; StoreError when it does not answer. */
export async function requireFitDatabase(db: pg.Pool | pg.ClientBase): Promise<void> {
  const { version, name, encoding } = await readDatabase(db);
  const unmet: string[] = [];
  if (version < MIN_SERVER_VERSION) unmet.push(`the database is PostgreSQL ${Math.floor(version / 10_000)}; Searchmill needs 14 or newer`);
  if (encoding !== 'UTF8') {
    unmet.push(
      `the database ${name} has the encoding ${encoding}, which cannot hold what the service sends; Searchmill needs UTF8: make another database by "createdb -E UTF8 -T template0 <name>" and set DATABASE_URL to it`,
    );
  }
  if (unmet.length > 0) throw new ConfigurationError(unmet.join('\n'));
}

type Database = Readonly<{ version: number; name: string; encoding: string }>;

async function readDatabase(db: pg.Pool | pg.ClientBase): Promise<Database> {
  try {
    const { rows } = await db.query<Database>(
      `SELECT current_setting('server_version_num')::int AS version, current_database() AS name,
              current_setting('server_encoding') AS encoding`,
    );
    return rows[0] ?? { version: 0, name: '', encoding: '' };
  } catch (error) {
    throw asStoreError(error);
  }
}
