// Which transactions go now. Transactions take at most three quarters of a pool's connections. The others are left to single statements,
// such as those that keep leases.
import type { Pool } from './pool.ts';

type Turns = { running: number; readonly waiting: Set<() => void> };
const turnsOf = new WeakMap<Pool, Turns>();

/**
 * Resolves when a transaction may take a connection; call the returned function once, when it has given it back.
 * Throws the signal's reason when it aborts before.
 */
export async function awaitTurn(pool: Pool, signal: AbortSignal | undefined): Promise<() => void> {
  const turns = turnsOf.get(pool) ?? { running: 0, waiting: new Set() };
  turnsOf.set(pool, turns);
  const most = Math.max(1, Math.floor((pool.options.max * 3) / 4));
  const end = (): void => {
    const [next] = turns.waiting;
    if (!next) turns.running -= 1;
    else {
      turns.waiting.delete(next);
      next();
    }
  };
  signal?.throwIfAborted();
  if (turns.running < most) {
    turns.running += 1;
    return end;
  }
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      turns.waiting.delete(go);
      reject(signal?.reason);
    };
    const go = (): void => {
      signal?.removeEventListener('abort', abort);
      resolve();
    };
    turns.waiting.add(go);
    signal?.addEventListener('abort', abort, { once: true });
  });
  return end;
}
