// Jobs and connections that an operator has paused. Pauses are in the ledger, so that every process obeys them within seconds:
// planning, claiming and renewing a lease look for them (jobs/upsert, executions/claim, find-due, renew-lease).
import type { Client, Pool } from './pool.ts';
import { execute, readRows } from './statements.ts';

export type PauseKind = 'job' | 'connection';

/** A job or connection that the ledger knows; `pausedAt` is null while it is not paused. */
export type Pausable = Readonly<{ kind: PauseKind; name: string; pausedAt: Date | null; reason: string | null }>;

/** Most characters of a reason, as migration 0016 has it. */
export const LONGEST_REASON = 200;

/** Every job and connection of the ledger, and whatever is paused without being in it yet. */
export const readPausables = (db: Pool | Client): Promise<Pausable[]> => readRows(db, 'pauses/read');

/** Pauses it; `isNew` is false when it was paused already. */
export async function pause(pool: Pool, kind: PauseKind, name: string, reason: string | null) {
  const [paused] = await readRows<{ pausedAt: Date; reason: string | null; isNew: boolean }>(pool, 'pauses/start', { kind, name, reason });
  if (!paused) throw new Error('the ledger did not say that it is paused');
  return paused;
}

/** Ends the pause. Returns since when it lasted; undefined when there was none. */
export async function resume(pool: Pool, kind: PauseKind, name: string): Promise<Date | undefined> {
  return (await execute<{ pausedAt: Date }>(pool, 'pauses/end', { kind, name })).rows[0]?.pausedAt;
}
