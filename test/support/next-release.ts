// A release after this one, made up: its files of the schema, and a build of it whose processes can run beside those of this one.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS_FOLDER } from '../../src/postgres/schema/migration-files.ts';
import { copyProgram } from './program-copy.ts';

/** Its migration, behind all of this release. */
export const NEXT_MIGRATION = '0900_next';
/** The file of this release that it defines anew. */
const CHANGED_VIEW = 'repeatable/13_weeks.sql';

export type NextSchema = Readonly<{
  /** Statements of its migration; a column of a table that every process uses when not given. */
  statements?: string;
  /** Why processes of this release must be stopped before; they go on when not given. */
  reason?: string;
  /** Statements behind those of the view search_reports.weeks. */
  definitions?: string;
}>;

const ADDED_COLUMN = 'ALTER TABLE searchmill.jobs ADD COLUMN colour text;';
const ADDED_COMMENT = "COMMENT ON VIEW search_reports.weeks IS 'Of the next release.';";

const folders: string[] = [];

/** The folder of its migrations, for migrate(). */
export async function nextMigrations(schema: NextSchema = {}): Promise<string> {
  const folder = join(await makeFolder(), 'migrations');
  await writeMigrations(folder, schema);
  return folder;
}

/** Returns the executable of a build of it. */
export async function buildNextRelease(schema: NextSchema = {}): Promise<string> {
  const folder = await copyProgram();
  folders.push(folder);
  await writeMigrations(join(folder, 'migrations'), schema);
  return join(folder, 'dist/main.js');
}

/** Removes all that was made here. Call it in afterEach or afterAll. */
export async function removeNextReleases(): Promise<void> {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'searchmill-next-'));
  folders.push(folder);
  return folder;
}

async function writeMigrations(
  folder: string,
  { statements = ADDED_COLUMN, reason, definitions = ADDED_COMMENT }: NextSchema,
): Promise<void> {
  await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
  const header = reason === undefined ? 'go on' : `must be stopped, since ${reason}`;
  if (statements !== '') await writeFile(join(folder, `${NEXT_MIGRATION}.sql`), `-- Old processes: ${header}.\n${statements}\n`);
  const view = await readFile(join(folder, CHANGED_VIEW), 'utf8');
  await writeFile(join(folder, CHANGED_VIEW), `${view}\n${definitions}\n`);
}
