// Limits concurrent transactions to three quarters of a pool's connections. The rest is left to single statements, such as those that renew
// leases.
import { setTimeout as delay } from 'node:timers/promises';
import { watchAbort } from '../core/abort-watch.ts';
import type { Pool } from './pool.ts';

type TransactionQueue = { begun: number; running: number; readonly waiting: Set<() => void> };
const turnsByPool = new WeakMap<Pool, TransactionQueue>();

function turnsOf(pool: Pool): TransactionQueue {
  const turns = turnsByPool.get(pool) ?? { begun: 0, running: 0, waiting: new Set() };
  turnsByPool.set(pool, turns);
  return turns;
}

/**
 * Resolves when a transaction may take a connection; call the returned function once, after the connection was released.
 * Throws the signal's reason if it aborts first.
 */
export async function awaitTurn(pool: Pool, signal: AbortSignal | undefined): Promise<() => void> {
  const turns = turnsOf(pool);
  turns.begun += 1;
  const end = (): void => {
    const [next] = turns.waiting;
    if (!next) turns.running -= 1;
    else {
      turns.waiting.delete(next);
      next();
    }
  };
  signal?.throwIfAborted();
  if (hasFreeTurn(pool)) {
    turns.running += 1;
    return end;
  }
  await new Promise<void>((resolve, reject) => {
    const stopWatching = watchAbort(signal, () => {
      turns.waiting.delete(go);
      reject(signal?.reason);
    });
    const go = (): void => {
      stopWatching();
      resolve();
    };
    turns.waiting.add(go);
  });
  return end;
}

/** Whether a transaction would begin at once, without one that waits for the connection. */
export function hasFreeTurn(pool: Pool): boolean {
  return turnsOf(pool).running < Math.max(1, Math.floor((pool.options.max * 3) / 4));
}

/** Whether a transaction waits for a connection. */
export const isAwaited = (pool: Pool): boolean => turnsOf(pool).waiting.size > 0;

/**
 * Resolves when no transaction has run on the pool for `quietMs`, or after about `maxMs`: for work that can wait.
 * Throws an AbortError when the signal aborts.
 */
export async function awaitQuiet(
  pool: Pool,
  { quietMs, maxMs, signal }: { quietMs: number; maxMs: number; signal: AbortSignal },
): Promise<void> {
  const turns = turnsOf(pool);
  let begun = turns.running > 0 ? -1 : turns.begun;
  for (let waitedMs = 0; waitedMs < maxMs; waitedMs += quietMs) {
    await delay(quietMs, undefined, { signal });
    if (turns.running === 0 && turns.begun === begun) return;
    begun = turns.begun;
  }
}
