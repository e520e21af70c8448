// A pooler between us and Postgres may give each transaction another session. Settings, LISTEN and advisory locks would then silently belong
// to other clients, so each client needs its own session.

import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { SECOND } from '../core/clock.ts';
import { openDeadline } from '../core/deadline.ts';
import { ConfigurationError, StoreError } from '../core/errors.ts';
import { codeOf } from './store-errors.ts';

const ROUNDS = 3;
/** Longest wait for a notification, which should take no longer than an answer. */
const HEARING_MS = 5 * SECOND;
/** These queries wait only for the pooler. A caller waits 10 s for a connection, so it gets the reason even from a second attempt. */
const WAIT_MS = 3 * SECOND;
const AT_ONCE = { query_timeout: WAIT_MS };

/**
 * Resolves when each client keeps its own session. A pooler reports a different process number to its clients than the server does. Only
 * then is a second session opened: its transactions must not get the first one's server process, and the first must receive the second's
 * notifications, which fails for a session that was given back in between. Changes nothing.
 * Throws ConfigurationError when sessions are shared, else what pg throws.
 */
export async function requireOwnSessions(client: pg.ClientBase, Client: new (config: pg.ClientConfig) => pg.Client): Promise<void> {
  const own = await readProcess(client);
  if (own === (client as { processID?: number | null }).processID) return;
  const other = new Client({ application_name: 'searchmill', connectionTimeoutMillis: WAIT_MS });
  // `end` would never resolve for a client that could not connect.
  await other.connect().catch((error: unknown) => {
    throw explainWait(error, other);
  });
  try {
    const isOwn = !(await meet(client, other, own)) && (await isHeard(client, other));
    if (!isOwn) throw refusal(other);
  } catch (error) {
    throw explainWait(error, other);
  } finally {
    // Not awaited: a pooler that has no session for it does not answer.
    other.end().catch(() => undefined);
  }
}

/** Whether one client gets the other's server process. Usual when sessions are shared; with many clients, others may get in between. */
async function meet(client: pg.ClientBase, other: pg.Client, own: number): Promise<boolean> {
  let others: number | undefined;
  for (let round = 0; round < ROUNDS; round += 1) {
    // A pooler lends the process returned last, which is ours, or the one returned first; then our next statement gets another one.
    await begin(other);
    const lent = await readProcess(other);
    others ??= lent;
    const isShared = lent === own || lent !== others || (await readProcess(client)) !== own;
    await other.query({ text: 'ROLLBACK', ...AT_ONCE });
    if (isShared) return true;
  }
  return false;
}

async function isHeard(client: pg.ClientBase, other: pg.Client): Promise<boolean> {
  const token = randomUUID();
  using deadline = openDeadline(HEARING_MS);
  const heard = new Promise<boolean>((done) => {
    client.on('notification', ({ payload }) => payload === token && done(true));
    deadline.signal.addEventListener('abort', () => done(false));
  });
  try {
    await client.query({ text: 'LISTEN searchmill_pooler', ...AT_ONCE });
    await other.query({ text: "SELECT pg_catalog.pg_notify('searchmill_pooler', $1)", values: [token], ...AT_ONCE });
    return await heard;
  } catch (error) {
    // A standby has no notifications; it is only used for reading.
    if (codeOf(error) === '25006') return true;
    throw error;
  } finally {
    client.removeAllListeners('notification');
    await client.query({ text: 'UNLISTEN searchmill_pooler', ...AT_ONCE });
  }
}

async function begin(client: pg.Client): Promise<void> {
  try {
    await client.query({ text: 'BEGIN', ...AT_ONCE });
  } catch (error) {
    // PgBouncer in statement mode, where each statement may get another session.
    throw /transaction blocks not allowed/.test((error as Error).message) ? refusal(client) : error;
  }
}

async function readProcess(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ pid: number }>({ text: 'SELECT pg_catalog.pg_backend_pid() AS pid', ...AT_ONCE });
  return rows[0]?.pid ?? 0;
}

function explainWait(error: unknown, { host, port }: pg.Client): unknown {
  if (!(error instanceof Error && /timeout/i.test(error.message))) return error;
  const message = `the pooler at ${host}:${port} had no second session to give within ${WAIT_MS / SECOND} s; raise its pool_size to all connections of Searchmill`;
  return new StoreError(message, { retryable: true, cause: error });
}

function refusal({ host, port }: pg.Client): ConfigurationError {
  return new ConfigurationError(
    `environment: DATABASE_URL: ${host}:${port} is a pooler in transaction mode, as PgBouncer with pool_mode = transaction, and Searchmill needs sessions of its own; set pool_mode = session for this database there, or DATABASE_URL to the address of Postgres itself`,
  );
}
