// Judges from the ledger which loads stand still, by its own rule, and then what `searchmill status` says of them.
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from '../../src/postgres/pool.ts';
import { type OperatorOptions, runVerb } from './operator.ts';

const POLL_EVERY_MS = 5_000;
/** A load without any progress for this long stands still. */
const STANDING_MS = 3 * 60_000;
/** Not for each load at each look: it takes a second of a processor. */
const STATUS_EVERY_MS = 15_000;

type Load = Readonly<{ id: string; job: string; connection: string; window: string; state: string; progress: string }>;

export type OnlookerReport = Readonly<{
  /** Most loads that stood still at once. */
  mostStanding: number;
  /** Times status was asked about loads that stood still. */
  statusReads: number;
  contradictions: readonly string[];
}>;

/** Looks until `isOver`. What waits for somebody, and submits that wait behind others of their connection, do not stand still. */
export async function lookOn(pool: Pool, operator: OperatorOptions, isOver: () => boolean): Promise<OnlookerReport> {
  const seen = new Map<string, { progress: string; sinceMs: number }>();
  const contradictions = new Map<string, string>();
  let mostStanding = 0;
  let statusReads = 0;
  let nextStatusMs = 0;
  const standing = async (): Promise<Load[]> => {
    const live = await readLive(pool);
    const now = performance.now();
    for (const id of seen.keys()) if (!live.some((load) => load.id === id)) seen.delete(id);
    for (const { id, progress } of live) if (seen.get(id)?.progress !== progress) seen.set(id, { progress, sinceMs: now });
    return live.filter(({ id }) => now - (seen.get(id)?.sinceMs ?? now) > STANDING_MS);
  };
  while (!isOver()) {
    await delay(POLL_EVERY_MS);
    // Postgres may be away; then nobody can say anything.
    const found = await standing().catch(() => []);
    mostStanding = Math.max(mostStanding, found.length);
    if (found.length === 0 || performance.now() < nextStatusMs || isOver()) continue;
    const status = await runVerb(['status'], operator).catch(() => undefined);
    nextStatusMs = performance.now() + STATUS_EVERY_MS;
    if (status === undefined) continue;
    statusReads++;
    const still = new Set((await standing().catch(() => [])).map(({ id }) => id));
    for (const load of found) {
      if (!still.has(load.id) || isTold(status, load)) continue;
      const what = `status says nothing is wrong with ${load.job} ${load.window} (execution ${load.id}, ${load.state}), which stands still`;
      if (!contradictions.has(load.id)) operator.tell(`  ${what}; it says: ${status.split('\n', 1)[0]}`);
      contradictions.set(load.id, what);
    }
  }
  return { mostStanding, statusReads, contradictions: [...contradictions.values()] };
}

/** Whether the problems of a status name the load's job, its connection or those who should work, or are more than it lists. */
function isTold(status: string, { job, connection }: Load): boolean {
  const problems = status.slice(Math.max(0, status.search(/^(Needs you|These pass by themselves)/m)));
  if (problems === status) return false;
  const text = problems.replaceAll(/\s+/g, ' ');
  return text.includes(job) || text.includes(`connection ${connection}`) || /no \w+ is running|and \d+ more/.test(text);
}

/** Polls count as progress while they are answered. */
async function readLive(pool: Pool): Promise<Load[]> {
  const { rows } = await pool.query<Load>(`
    SELECT e.id::text, s.job, e.connection, s.window_start || '..' || s.window_end AS window, e.state,
           concat_ws(' ', e.state, e.pages, e.rows_received, CASE WHEN e.errors_in_row = 0 THEN e.poll_calls END,
                     CASE WHEN e.state = 'planned' THEN coalesce((SELECT max(o.submit_started_at) FROM searchmill.executions o
                                                                   WHERE o.connection = e.connection), e.due_at) END,
                     CASE WHEN e.due_at > clock_timestamp() AND e.state = 'planned' THEN clock_timestamp() END) AS progress
      FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
     WHERE e.ended_at IS NULL AND e.state <> 'held'`);
  return rows;
}
