// Which signals each target was told of, and when it got its briefs.
import type { IsoDate } from '../core/weeks.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { execute, readRows } from '../postgres/statements.ts';
import type { Signal } from './signals.ts';

/** What messages about an account need. */
export type ToldAccount = Readonly<{ name: string | null; endedAt: Date | null; week: IsoDate | null }>;

/** By account: since when there is something the target was not told of. */
export async function findNews(pool: Pool, target: string): Promise<ReadonlyMap<string, Date>> {
  const rows = await readRows(pool, 'signals/find-news', { target });
  return new Map(rows.map(({ accountId, since }) => [accountId, since]));
}

/** By account: when the target last got its brief; `at` for accounts whose first brief is due. */
export async function beginBriefs(pool: Pool, target: string, accountIds: readonly string[], at: Date): Promise<ReadonlyMap<string, Date>> {
  const rows = await readRows(pool, 'signals/begin-briefs', { target, accountIds, at });
  return new Map(rows.map(({ accountId, toldAt }) => [accountId, toldAt]));
}

/** Accounts for which the target is also told of late findings. */
export async function findBegun(pool: Pool, target: string): Promise<ReadonlySet<string>> {
  return new Set((await readRows(pool, 'signals/find-begun', { target })).map(({ accountId }) => accountId));
}

export async function beginAccount(pool: Pool, target: string, accountId: string): Promise<void> {
  await execute(pool, 'signals/begin-account', { target, accountId });
}

export async function readToldAccount(pool: Pool, accountId: string): Promise<ToldAccount> {
  const [account] = await readRows(pool, 'signals/read-account', { accountId });
  return account ?? { name: null, endedAt: null, week: null };
}

/** Until the transaction ends, no other process records what the target is told of signals. */
export async function lockTelling(client: Client, target: string): Promise<void> {
  await execute(client, 'signals/lock-target', { target });
}

/** Whether the target should get the brief: not if it has got one after `since`. */
export async function takeBrief(
  client: Client,
  brief: Readonly<{ target: string; accountId: string; since: Date; at: Date }>,
): Promise<boolean> {
  return (await execute(client, 'signals/take-brief', brief)).rowCount === 1;
}

/** `isLate`: it belongs to an earlier week than the newest. */
export type UntoldSignal = Signal & Readonly<{ isLate: boolean }>;

export const readUntold = (client: Client, target: string, accountId: string): Promise<UntoldSignal[]> =>
  readRows<'signals/read-untold', UntoldSignal>(client, 'signals/read-untold', { target, accountId });

export const readTakenBack = (client: Client, target: string, accountId: string): Promise<Signal[]> =>
  readRows<'signals/read-taken-back', Signal>(client, 'signals/read-taken-back', { target, accountId });

export async function noteTold(client: Client, target: string, told: readonly Signal[], takenBack: readonly Signal[]): Promise<void> {
  const ids = (signals: readonly Signal[]): string[] => signals.map(({ id }) => id);
  await execute(client, 'signals/note-told', { target, told: ids(told), takenBack: ids(takenBack) });
}
