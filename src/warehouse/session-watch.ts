// Tells a statement that takes long from a network that swallows its answer while TCP keeps acknowledging: when the server
// waits for us while we wait for it, nobody will ever say anything. Only the server knows, so it is asked, elsewhere.
// Nor will the one speak that we wait for when its process is suspended: a session in the middle of a COPY is not idle to
// Postgres, however long it sends nothing, and keeps its locks.
import { SECOND } from '../core/clock.ts';
import { StoreError } from '../core/errors.ts';
import type { Pool } from './pool.ts';
import { statement } from './statements.ts';

/** Two looks in a row must agree, so a dead session is noticed after 20 s, or after 30 s when the first look is swallowed. */
const LOOK_EVERY_MS = 10 * SECOND;
/** Less than the time between two looks, so that they don't overlap. */
const LOOK_LIMITS = { query_timeout: 5 * SECOND };

/**
 * Looks at a session whose transaction takes long, until the returned function is called. When the server has twice been
 * found waiting for it without any progress, or has twice not known it, ends it there and calls `onDead`. Another session
 * of ours, whose locks it waits for, is ended for the same reason.
 */
export function watchSession(pool: Pool, pid: number, onDead: (reason: StoreError) => void, everyMs = LOOK_EVERY_MS): () => void {
  let isStopped = false;
  let before: Findings = new Map();
  const look = async (): Promise<Findings> => {
    const { rows } = await pool.query<Session>({ ...statement('sessions/read-progress', { pid }), ...LOOK_LIMITS });
    const findings = rows.map(({ isWaiting, progress, ...of }) => [of.pid, isWaiting ? { progress } : 'works'] as const);
    return new Map<number, Finding>([[pid, 'gone'], ...findings]);
  };
  const timer = setInterval(async () => {
    // A database that does not answer here either is the business of the lease.
    const now = await look().catch((): Findings => new Map());
    if (isStopped) return;
    for (const [process, finding] of now) {
      if (!isDead(before.get(process), finding)) continue;
      if (process === pid) clearInterval(timer);
      // It would keep its locks from whoever waits for them, and from whoever repeats its transaction.
      await pool.query({ ...statement('sessions/end', { pid: process }), ...LOOK_LIMITS }).catch(() => undefined);
      if (process === pid && !isStopped) {
        onDead(new StoreError('the connection to the database swallows what is sent', { retryable: true }));
      }
    }
    before = now;
  }, everyMs);
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}

type Session = { pid: number; isWaiting: boolean; progress: string };
type Finding = 'works' | 'gone' | Readonly<{ progress: string }>;
/** By the number of the session's process. */
type Findings = ReadonlyMap<number, Finding>;

function isDead(before: Finding = 'works', now: Finding): boolean {
  if (before === 'works' || now === 'works') return false;
  return now === 'gone' || before === 'gone' || before.progress === now.progress;
}
