// Peer: pgloader, from the same file.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../support/bench.ts';
import { runChild } from '../support/children.ts';
import type { Database } from '../support/database.ts';
import { LINE_COLUMNS, TABLE } from './row-lines.ts';

/** Why pgloader cannot be run here; undefined when it can. */
export function whyNoPgloader(): string | undefined {
  return spawnSync('pgloader', ['--version']).error ? 'no pgloader on the PATH (Debian: pgloader)' : undefined;
}

/** Seconds that pgloader takes to load a file of lines into the table. */
export async function loadWithPgloader(bench: Bench, database: Database, path: string): Promise<number> {
  const columns = LINE_COLUMNS.join(', ');
  const commands = join(bench.directory, 'pgloader.load');
  // The address has a password in it, hence a file that only its owner reads.
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
