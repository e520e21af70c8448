// Peer: psql's \copy, the fastest way to load an existing file into a table. It fetches, decodes and checks nothing, and after a failure it starts
// from the beginning.
import { spawnSync } from 'node:child_process';
import type { Bench } from '../support/bench.ts';
import { runChild } from '../support/children.ts';
import type { Database } from '../support/database.ts';
import { LINE_COLUMNS, TABLE } from './row-lines.ts';

/** Why psql cannot run here; undefined when it can. */
export function whyNoPsql(): string | undefined {
  return spawnSync('psql', ['--version']).error ? 'no psql on the PATH (Debian: postgresql-client)' : undefined;
}

/** Copies a file of lines into the table with psql. Returns the seconds. */
export async function copyWithPsql(bench: Bench, database: Database, path: string): Promise<number> {
  const command = `\\copy ${TABLE} (${LINE_COLUMNS.join(', ')}) from '${path}'`;
  const { password, href } = withoutPassword(database.url.reveal());
  const { seconds } = await runChild(bench, 'psql', ['--no-psqlrc', '--set=ON_ERROR_STOP=1', '--dbname', href, '--command', command], {
    env: { PATH: process.env.PATH, PGPASSWORD: password },
  });
  return seconds;
}

/** Separates the password, because the address may be visible in the process list. */
function withoutPassword(address: string): { href: string; password: string } {
  const url = new URL(address);
  const password = decodeURIComponent(url.password);
  url.password = '';
  return { href: url.href, password };
}
