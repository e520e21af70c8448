// Running processes, and which ledger they run on.
import type { Pool } from './pool.ts';
import { execute, readRows } from './statements.ts';

export type InstanceReport = Readonly<{
  id: string;
  role: string;
  host: string;
  pid: number;
  version: string;
  /** Names of the jobs of its file: no other process may mark them as removed. Null of a worker that plans none. */
  jobs: readonly string[] | null;
}>;

/** What a process does every so often and has failed at since its last success. */
export type FailingRound = Readonly<{ name: string; what: string; why: string; since: string }>;

/** Names the ledger; the queue's keys carry it. Throws StoreError, also when the database was never migrated. */
export async function readLedgerId(pool: Pool): Promise<string> {
  const [ledger] = await readRows(pool, 'ledger/read-id');
  if (!ledger) throw new Error('searchmill.ledger is empty; run "searchmill migrate"');
  return ledger.id;
}

/** What a process is not well with: why it cannot use the queue, null when it can; and the rounds that fail. */
export type Ailments = Readonly<{ queueError: string | null; failingRounds: readonly FailingRound[] }>;

/** Gives a sign of life. */
export async function reportInstance(pool: Pool, report: InstanceReport, ailments: Partial<Ailments> = {}): Promise<void> {
  const { queueError = null, failingRounds = [] } = ailments;
  const failing = failingRounds.length === 0 ? null : JSON.stringify(failingRounds);
  await execute(pool, 'instances/report', { ...report, queueError, failingRounds: failing, sentAt: new Date() });
}

/** Says that the process has stopped. */
export async function removeInstance(pool: Pool, id: string): Promise<void> {
  await execute(pool, 'instances/remove', { id });
}

/** `isAlive`: it gave a sign of life within the last minute. A process that was killed stays known for a day. */
export type KnownInstance = Omit<InstanceReport, 'jobs'> &
  Readonly<{
    startedAt: Date;
    seenAt: Date;
    isAlive: boolean;
    /** Why it cannot use the queue, and since when; null when it can. */
    queueError: string | null;
    queueErrorSince: Date | null;
    /** Seconds that the clock of its machine is ahead of the database's; negative: behind. */
    clockAheadS: number | null;
    failingRounds: readonly FailingRound[] | null;
  }>;

export const readInstances = (pool: Pool): Promise<KnownInstance[]> => readRows(pool, 'instances/read');
