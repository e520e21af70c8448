// What an operator does after a service that could not be believed: discards what is held, and has everything loaded again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Pool } from '../../src/warehouse/pool.ts';
import { MAIN } from './crew.ts';

export type OperatorOptions = Readonly<{ env: Readonly<Record<string, string>>; tell: (line: string) => void }>;

/** Returns how many slices were held. Throws when a command fails. */
export async function decideAndReload(pool: Pool, options: OperatorOptions): Promise<number> {
  const { rows: held } = await pool.query<{ id: string }>(`SELECT slice_id::text AS id FROM searchmill.executions WHERE state = 'held'`);
  options.tell(`operator: discards ${held.length} held slices and loads everything again`);
  for (const { id } of held) await runVerb(['discard', id], options);
  const { rows } = await pool.query<{ jobs: string[]; since: string; until: string }>(
    `SELECT array_agg(name) AS jobs, min(since)::text AS since, max(expected_through)::text AS until FROM searchmill.jobs`,
  );
  for (const { jobs, since, until } of rows) await runVerb(['backfill', ...jobs, '--from', since, '--to', until, '--reload'], options);
  return held.length;
}

async function runVerb(words: readonly string[], { env }: OperatorOptions): Promise<void> {
  const child = spawn(process.execPath, [MAIN, ...words], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`searchmill ${words.join(' ')} ended with ${code}:\n${output.slice(-2_000)}`);
}
