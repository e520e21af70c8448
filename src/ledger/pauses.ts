// Jobs and connections that an operator has paused. Pauses are in the ledger, so that every process obeys them within seconds: planning,
// claiming and renewing a lease check them (jobs/upsert, executions/claim, find-due, renew-lease).

import type { Client, Pool } from '../postgres/pool.ts';
import { readRows } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Actor, NOBODY, noteAction } from './actions.ts';

export type PauseKind = 'job' | 'connection';

/** A job or connection in the ledger; `pausedAt` is null while it is not paused. */
export type Pausable = Readonly<{ kind: PauseKind; name: string; pausedAt: Date | null; reason: string | null }>;

/** Every job and connection of the ledger, and paused names that are not in it yet. */
export const readPausables = (db: Pool | Client): Promise<Pausable[]> => readRows(db, 'pauses/read');

/** Pauses a job or connection; `isNew` is false when it was paused already. */
export function pause(pool: Pool, kind: PauseKind, name: string, by: Actor = NOBODY) {
  return inTransaction(pool, async (client) => {
    const reason = by.reason || null;
    const [paused] = await readRows(client, 'pauses/start', {
      kind,
      name,
      reason,
    });
    if (!paused) throw new Error('the ledger did not say that it is paused');
    if (paused.isNew) await noteAction(client, 'pause', by, { [kind]: name });
    return paused;
  });
}

/** Ends a pause. Returns when it began; undefined when there was none. */
export function resume(pool: Pool, kind: PauseKind, name: string, by: Actor = NOBODY): Promise<Date | undefined> {
  return inTransaction(pool, async (client) => {
    const [ended] = await readRows(client, 'pauses/end', { kind, name });
    if (ended) await noteAction(client, 'resume', by, { [kind]: name });
    return ended?.pausedAt;
  });
}
