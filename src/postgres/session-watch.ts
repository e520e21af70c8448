// Tells a slow statement from a network that drops its answer while TCP keeps acknowledging. When the server waits for us while we wait for
// it, neither will ever send anything. Only the server knows, so it is asked on another connection.
// The same is checked for our sessions whose locks a transaction waits for. A suspended process in the middle of a COPY sends nothing and
// keeps its locks, and Postgres does not count its session as idle.
import { SECOND } from '../core/clock.ts';
import { StoreError } from '../core/errors.ts';
import type { Pool } from './pool.ts';
import { statement } from './statements.ts';

/** Two consecutive checks must agree: a dead session is detected after 20 s, or after 30 s when the first check gets no answer. */
const CHECK_EVERY_MS = 10 * SECOND;
/** Less than the time between two checks, so that they do not overlap. */
const CHECK_LIMITS = { query_timeout: 5 * SECOND };

/**
 * Checks a session with a long transaction until the returned function is called. When the server was found twice to be waiting for it
 * without progress, or twice not to know it, ends it on the server and calls `onDead`. Also ends other sessions of ours whose locks it waits
 * for, for the same reason.
 */
export function watchSession(pool: Pool, pid: number, onDead: (reason: StoreError) => void, everyMs = CHECK_EVERY_MS): () => void {
  let isStopped = false;
  let before: Findings = new Map();
  const check = async (): Promise<Findings> => {
    const { rows } = await pool.query<Session>({ ...statement('sessions/read-progress', { pid }), ...CHECK_LIMITS });
    const findings = rows.map(({ isWaiting, progress, ...of }) => [of.pid, isWaiting ? { progress } : 'works'] as const);
    return new Map<number, Finding>([[pid, 'gone'], ...findings]);
  };
  const timer = setInterval(async () => {
    // If the database does not answer here either, the lease expires.
    const now = await check().catch((): Findings => new Map());
    if (isStopped) return;
    for (const [process, finding] of now) {
      if (!isDead(before.get(process), finding)) continue;
      if (process === pid) clearInterval(timer);
      // It would keep its locks, so sessions that wait for them, or repeat its transaction, would never continue.
      await pool.query({ ...statement('sessions/end', { pid: process }), ...CHECK_LIMITS }).catch(() => undefined);
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
/** By the process number of the session. */
type Findings = ReadonlyMap<number, Finding>;

function isDead(before: Finding = 'works', now: Finding): boolean {
  if (before === 'works' || now === 'works') return false;
  return now === 'gone' || before === 'gone' || before.progress === now.progress;
}
