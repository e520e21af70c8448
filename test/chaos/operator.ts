// What an operator does about weeks that are held: approves some and discards others, and has everything loaded again in the
// end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Pool } from '../../src/postgres/pool.ts';
import { pick } from './chance.ts';
import { MAIN } from './crew.ts';

export type OperatorOptions = Readonly<{ env: Readonly<Record<string, string>>; tell: (line: string) => void }>;
export type Decision = 'approve' | 'discard';

/** Longer than it takes when nothing is in its way. */
const LONGEST_DECISION_MS = 20_000;
export const LONGEST_RELOAD_MS = 10 * 60_000;

/** Decides about one held slice, chosen by chance, or finds none. Throws when the command fails. */
export async function decideOne(pool: Pool, random: () => number, options: OperatorOptions): Promise<void> {
  // Drawn in any case: held weeks depend on timing, and the same seed must lead to the same numbers.
  const [choice, decision] = [random(), chooseDecision(random)];
  const held = await readHeld(pool);
  if (held.length === 0) return;
  const id = pick(() => choice, held);
  options.tell(`  operator: ${decision} ${id}`);
  await runVerb([decision, id], options, [0], LONGEST_DECISION_MS);
}

/** Decides about every held slice. Returns how many there were. Throws when a command fails. */
export async function decideAll(pool: Pool, decide: () => Decision, options: OperatorOptions): Promise<number> {
  const held = await readHeld(pool);
  for (const id of held) await runVerb([decide(), id], options);
  options.tell(`operator: decided about ${held.length} held slices`);
  return held.length;
}

/** Has every week of every job loaded again; some may be held or fail then. Throws when the command cannot be carried out. */
export async function reloadEverything(pool: Pool, options: OperatorOptions): Promise<void> {
  options.tell('operator: loads everything again');
  const { rows } = await pool.query<{ jobs: string[]; since: string; until: string }>(
    `SELECT array_agg(name) AS jobs, min(since)::text AS since, max(expected_through)::text AS until FROM searchmill.jobs`,
  );
  for (const { jobs, since, until } of rows)
    await runVerb(['backfill', ...jobs, '--from', since, '--to', until, '--reload'], options, [0, 1], LONGEST_RELOAD_MS);
}

export function chooseDecision(random: () => number): Decision {
  return random() < 0.5 ? 'approve' : 'discard';
}

async function readHeld(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT slice_id::text AS id FROM searchmill.executions WHERE state = 'held' ORDER BY slice_id`,
  );
  return rows.map(({ id }) => id);
}

/** Runs a verb and returns what it printed. Throws when it ends with another code. */
export async function runVerb(
  words: readonly string[],
  { env }: OperatorOptions,
  goodCodes: readonly number[] = [0],
  longestMs?: number,
): Promise<string> {
  const child = spawn(process.execPath, [MAIN, ...words], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = longestMs && setTimeout(() => child.kill('SIGKILL'), longestMs);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  if (code === null || !goodCodes.includes(code))
    throw new Error(`searchmill ${words.join(' ')} ended with ${code}:\n${output.slice(-2_000)}`);
  return output;
}
