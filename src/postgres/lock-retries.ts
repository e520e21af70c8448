// Changes to tables that others use. A session that waits for a table's lock makes all others wait behind it. So a change waits only
// briefly, gives way, and tries again. The operator is told which sessions it waits for.
import type pg from 'pg';
import { MINUTE, SECOND, systemClock } from '../core/clock.ts';
import { StoreError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import { databaseAt } from './database-clients.ts';
import { createPool } from './pool.ts';
import type { SessionSettings } from './session-settings.ts';
import { readRows } from './statements.ts';
import { asStoreError, isLockTimeout } from './store-errors.ts';

export type LockRetryOptions = Readonly<{
  /** Names the work, as in "<name> waits for a lock". Called each time the wait is reported. */
  describe: () => Promise<string>;
  /** The verb with which the operator can continue; default migrate. */
  verb?: string | undefined;
  /** Called with a line about the sessions it waits for. */
  tell?: ((line: string) => void) | undefined;
  /** It gives up this long after the first lock it did not get. */
  maxWaitMs?: number;
  /** Gives way to others after this. */
  lockTimeoutMs?: number;
}>;

const MAX_WAIT_MS = 5 * MINUTE;
const LOCK_TIMEOUT_MS = 2 * SECOND;
/** Between two attempts others get their turn. */
const PAUSE_MS = SECOND;
const MAX_PAUSE_MS = 10 * SECOND;
/** An unchanged report is repeated after this. */
const TELL_EVERY_MS = 30 * SECOND;

/** Without its statement, which may contain secrets. */
type Blocker = Readonly<{ pid: number; who: string | null; relation: string | null }>;

/**
 * Runs `work` in its own session, and repeats it while a lock is not free; `work` must start from the beginning each time.
 * Throws what `work` throws, as StoreError when pg threw it; StoreError also when it still waits for a lock at the end.
 */
export async function retryWhileLocked<T>(url: Secret, options: LockRetryOptions, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { tell = () => undefined, describe, verb = 'migrate', maxWaitMs = MAX_WAIT_MS, lockTimeoutMs = LOCK_TIMEOUT_MS } = options;
  const applicationName = `searchmill ${verb}`;
  const watcher = createWatcher(url, applicationName, lockTimeoutMs / 4);
  // Counted from the first lock that was not free: the work before it may take an hour.
  let giveUpAt: number | undefined;
  let told = '';
  let toldAt = 0;
  try {
    for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      try {
        return await inSession(url, { application_name: applicationName, lock_timeout: String(lockTimeoutMs) }, watcher, work);
      } catch (error) {
        if (!isLockTimeout(error)) throw asStoreError(error);
        const blockers = watcher.blockers();
        const waiting = `${await describe()} waits for ${describeBlockers(blockers)}`;
        giveUpAt ??= performance.now() + maxWaitMs;
        const leftMs = giveUpAt - performance.now();
        if (leftMs < pauseMs) throw giveUp(waiting, verb, blockers, error);
        const subject = blockers.map(({ pid, relation }) => `${pid} ${relation}`).join();
        if (subject !== told || performance.now() - toldAt > TELL_EVERY_MS) {
          tell(`${waiting}; it tries again for ${Math.ceil(leftMs / SECOND)} s`);
          told = subject;
          toldAt = performance.now();
        }
      }
      await systemClock.sleep(pauseMs);
    }
  } finally {
    await watcher.close();
  }
}

function giveUp(waiting: string, verb: string, blockers: readonly Blocker[], cause: unknown): StoreError {
  const ends = blockers.filter(({ pid }) => pid !== 0).map(({ pid }) => `SELECT pg_terminate_backend(${pid})`);
  const advice = `wait until they have ended${ends.length === 0 ? '' : `, or end them (${ends.join('; ')})`}`;
  return new StoreError(`${waiting}, and has given up; ${advice}, then run "searchmill ${verb}" again, which goes on from there`, {
    retryable: false,
    cause,
  });
}

async function inSession<T>(url: Secret, settings: SessionSettings, watcher: Watcher, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { Client, setUp } = databaseAt(url);
  const client = new Client({ application_name: settings.application_name, connectionTimeoutMillis: 10 * SECOND });
  // `end` would never resolve for a client that could not connect.
  await client.connect();
  try {
    await setUp(client, settings);
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return await watcher.during(rows[0]?.pid ?? 0, work(client));
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Finds the sessions that another session waits for. Asks from a second session, which is opened only if the work takes long. */
type Watcher = Readonly<{
  during<T>(pid: number, work: Promise<T>): Promise<T>;
  /** The sessions it waited for when last checked. */
  blockers(): readonly Blocker[];
  close(): Promise<void>;
}>;

function createWatcher(url: Secret, applicationName: string, everyMs: number): Watcher {
  const pool = createPool(url, { applicationName, max: 1 });
  let blockers: readonly Blocker[] = [];
  const look = async (pid: number, signal: AbortSignal): Promise<void> => {
    for (;;) {
      await systemClock.sleep(everyMs, signal);
      const found = await readRows(pool, 'sessions/find-blockers', { pid });
      if (found.length > 0) blockers = found;
    }
  };
  return {
    async during(pid, work) {
      const ended = new AbortController();
      // A watcher that cannot ask reports nobody.
      const looked = look(pid, ended.signal).catch(() => undefined);
      try {
        return await work;
      } finally {
        ended.abort();
        await looked;
      }
    },
    blockers: () => blockers,
    close: () => pool.end(),
  };
}

function describeBlockers(blockers: readonly Blocker[]): string {
  if (blockers.length === 0) return 'a lock';
  const relations = [...new Set(blockers.map(({ relation }) => relation))].filter((relation) => relation !== null);
  const sessions = blockers.map(({ pid, who }) => (pid === 0 ? 'a prepared transaction' : `pid ${pid}${who === null ? '' : ` (${who})`}`));
  return `${sessions.join(', ')}${relations.length === 0 ? '' : ` to let go of ${relations.join(', ')}`}`;
}
