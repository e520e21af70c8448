// Tells a statement that takes long from a network that swallows its answer while TCP keeps acknowledging: when the server
// waits for us while we wait for it, nobody will ever say anything. Only the server knows, so it is asked, elsewhere.
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
 * found waiting for it without any progress, or has twice not known it, ends it there and calls `onDead`.
 */
export function watchSession(pool: Pool, pid: number, onDead: (reason: StoreError) => void, everyMs = LOOK_EVERY_MS): () => void {
  let isStopped = false;
  let before: Finding = 'works';
  const ask = async (name: string): Promise<{ isWaiting: boolean; progress: string }[]> =>
    (await pool.query({ text: statement(name), values: [pid], ...LOOK_LIMITS })).rows;
  const look = async (): Promise<Finding> => {
    const [session] = await ask('look-at-session');
    if (!session) return 'gone';
    return session.isWaiting ? { progress: session.progress } : 'works';
  };
  const timer = setInterval(async () => {
    // A database that does not answer here either is the business of the lease.
    const now = await look().catch((): Finding => 'works');
    if (isStopped) return;
    if (isDead(before, now)) {
      clearInterval(timer);
      // It would keep its locks from whoever repeats the transaction.
      await ask('end-session').catch(() => undefined);
      if (!isStopped) onDead(new StoreError('the connection to the database swallows what is sent', { retryable: true }));
    }
    before = now;
  }, everyMs);
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}

type Finding = 'works' | 'gone' | Readonly<{ progress: string }>;

function isDead(before: Finding, now: Finding): boolean {
  if (before === 'works' || now === 'works') return false;
  return now === 'gone' || before === 'gone' || before.progress === now.progress;
}
