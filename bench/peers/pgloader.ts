// Peer: pgloader, with the same file.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../support/bench.ts';
import { runChild } from '../support/children.ts';
import type { Database } from '../support/database.ts';
import { LINE_COLUMNS, TABLE } from './row-lines.ts';

/** Why pgloader cannot run here; undefined when it can. */
export function whyNoPgloader(): string | undefined {
  return spawnSync('pgloader', ['--version']).error ? 'no pgloader on the PATH (Debian: pgloader)' : undefined;
}

/** Loads a file of lines into the table with pgloader. Returns the seconds. */
export async function loadWithPgloader(bench: Bench, database: Database, path: string): Promise<number> {
  const columns = LINE_COLUMNS.join(', ');
  const commands = join(bench.directory, 'pgloader.load');
  // The address contains a password, so the file is readable only by its owner.
  writeFileSync(
    commands,
    `LOAD COPY FROM '${path}' (${columns})
     INTO ${database.url.reveal().replace(/^postgres:/, 'postgresql:')}
     TARGET TABLE ${TABLE} (${columns})
     WITH delimiter '\\t', null '\\N';`,
    { mode: 0o600 },
  );
  const { seconds } = await runChild(bench, 'pgloader', ['--on-error-stop', '--root-dir', bench.directory, commands], {
    env: { PATH: process.env.PATH, HOME: bench.directory },
  });
  return seconds;
}
