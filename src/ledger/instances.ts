// Running processes, and the ledger they run on.
import type { Pool } from '../postgres/pool.ts';
import { execute, readRows } from '../postgres/statements.ts';

export type InstanceReport = Readonly<{
  id: string;
  role: string;
  host: string;
  pid: number;
  version: string;
  /** Names of the jobs in its file: no other process may mark them as removed. Null for a worker, which plans no jobs. */
  jobs: readonly string[] | null;
}>;

/** A periodic task of a process that has failed since its last success. */
export type FailingRound = Readonly<{ name: string; what: string; why: string; since: string }>;

/** The ledger's id, which is part of the queue's keys. Throws StoreError, also when the database was never migrated. */
export async function readLedgerId(pool: Pool): Promise<string> {
  const [ledger] = await readRows(pool, 'instances/read-ledger');
  if (!ledger) throw new Error('searchmill.ledger is empty; run "searchmill migrate"');
  return ledger.id;
}

/** Problems of a process: why it cannot use the queue (null when it can), and the rounds that fail. */
export type Ailments = Readonly<{ queueError: string | null; failingRounds: readonly FailingRound[] }>;

/** Records a sign of life. */
export async function reportInstance(pool: Pool, report: InstanceReport, ailments: Partial<Ailments> = {}): Promise<void> {
  const { queueError = null, failingRounds = [] } = ailments;
  const failing = failingRounds.length === 0 ? null : JSON.stringify(failingRounds);
  await execute(pool, 'instances/report', { ...report, queueError, failingRounds: failing, sentAt: new Date() });
}

/** Records that the process has stopped. */
export async function removeInstance(pool: Pool, id: string): Promise<void> {
  await execute(pool, 'instances/remove', { id });
}

/** `isAlive`: it gave a sign of life within the last minute. A killed process stays listed for a day. */
export type KnownInstance = Omit<InstanceReport, 'jobs'> &
  Readonly<{
    startedAt: Date;
    seenAt: Date;
    isAlive: boolean;
    /** Why it cannot use the queue, and since when; both null when it can. */
    queueError: string | null;
    queueErrorSince: Date | null;
    /** Seconds by which its machine's clock is ahead of the database's; negative when behind. */
    clockAheadS: number | null;
    failingRounds: readonly FailingRound[] | null;
  }>;

export const readInstances = (pool: Pool): Promise<KnownInstance[]> => readRows(pool, 'instances/read');
