// Files generated from a migrated database. Creating one takes seconds, so it is skipped while the sources of the files are unchanged.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../embedded/postgres.ts';
import { Secret } from '../../src/core/secret.ts';
import { createPool, type Pool } from '../../src/postgres/pool.ts';
import { migrate } from '../../src/postgres/schema/migrate.ts';
import { readStatementFiles } from '../../src/postgres/statement-files.ts';
import { dbtSources } from './dbt-sources.ts';
import { schemaText } from './schema-text.ts';
import { statementResults } from './statement-results.ts';

const ROOT = new URL('../../', import.meta.url);
const REMEMBERED = new URL('node_modules/.cache/searchmill-database-files', ROOT);

const STATEMENTS = readStatementFiles().map(({ folder, name }) => `src/${folder}/sql/${name}.sql`);
const SOURCES = ['migrations', ...STATEMENTS, 'src/postgres/value-types.ts', 'src/datasets', 'dashboards', 'scripts/documents'];

/** Paths are relative to the repository. */
export const DATABASE_FILES: readonly Readonly<{ path: string; content: (pool: Pool) => Promise<string> }>[] = [
  { path: 'docs/schema.sql', content: schemaText },
  { path: 'dbt/models/sources.yml', content: dbtSources },
  { path: 'src/postgres/statement-results.ts', content: statementResults },
];

/** Writes the files that differ since the last call on this machine. `tell` is called with each path. */
export async function writeDatabaseFiles(tell: (path: string) => void): Promise<void> {
  if (existsSync(REMEMBERED) && readFileSync(REMEMBERED, 'utf8') === digestOfAll()) return;
  const server = await startEmbeddedPostgres({
    directory: join(tmpdir(), `searchmill-generate-${process.pid}`),
    isDurable: false,
    isKept: false,
  });
  try {
    const url = new Secret(server.url);
    await migrate(url);
    await using pool = createPool(url, { applicationName: 'searchmill generate', max: 1 });
    for (const { path, content } of DATABASE_FILES) {
      writeFileSync(new URL(path, ROOT), await content(pool));
      tell(path);
    }
  } finally {
    await server.stop();
  }
  mkdirSync(new URL('./', REMEMBERED), { recursive: true });
  writeFileSync(REMEMBERED, digestOfAll());
}

function digestOfAll(): string {
  const hash = createHash('sha256');
  for (const path of [...SOURCES.flatMap(filesIn), ...DATABASE_FILES.map(({ path }) => path)]) {
    hash.update(path);
    const file = new URL(path, ROOT);
    if (existsSync(file)) hash.update(readFileSync(file));
  }
  return hash.digest('hex');
}

function filesIn(path: string): string[] {
  if (/\.(ts|sql)$/.test(path)) return [path];
  const files = readdirSync(new URL(path, ROOT), { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files.map((each) => join(each.parentPath, each.name)).sort();
}
