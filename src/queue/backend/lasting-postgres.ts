// BullMQ's Postgres backend, made to outlive what happens to its connections. BullMQ 6.7 remembers the first failure to open a
// queue for ever, and it learns only from TCP that the connection it listens on is dead (compare taskforcesh/bullmq#4729). It never
// leaves a server to which the address no longer leads: after a fail-over the one before may go on answering.
import {
  assertSchemaCompatibility,
  type BackendFactory,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
} from 'bullmq';
import pg from 'pg';
import { SECOND } from '../../core/clock.ts';

/** A statement of the queue is given up after this; each is short. */
const STATEMENT_TIMEOUT_MS = 10 * SECOND;
/** A connection that is lent for longer than any statement takes is one that listens. It is asked this often where it is. */
const LISTENER_CHECK_MS = 15 * SECOND;
/** Longest sleep of an idle worker, should nothing wake it. BullMQ's is an hour. */
const MAX_BLOCK_SECONDS = 10;

class LastingConnection extends PostgresConnection {
  #ready: Promise<unknown> | undefined;

  /** What fails is tried again by the next call. */
  override async waitUntilReady(): Promise<void> {
    this.#ready ??= assertSchemaCompatibility(this.pool, this.schema).catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    await this.#ready;
  }
}

class LastingBackend extends PostgresQueueBackend {
  override async waitUntilReady(): Promise<void> {
    await this.connection.waitUntilReady();
    await super.waitUntilReady();
  }

  override get maximumBlockTimeout(): number {
    return MAX_BLOCK_SECONDS;
  }
}

/** BullMQ's factory on a pool. A worker's connection has the name of its queue, as BullMQ's own has. */
export const createLastingBackend: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (name, options, own) =>
  new LastingBackend(new LastingConnection(options.connection), name, options, true, own?.withBlockingConnection ? name : undefined);

/** Differs between any two servers, and changes when one is started again, which ends its connections. */
const WHICH_SERVER = 'SELECT pg_catalog.pg_postmaster_start_time()::pg_catalog.text AS server';

/** A pool for the backend, whose connections notice a network that swallows everything, and those that listen another server. */
export function openQueuePool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, query_timeout: STATEMENT_TIMEOUT_MS });
  const lentAt = new Map<pg.PoolClient, number>();
  pool.on('acquire', (client) => lentAt.set(client, performance.now()));
  pool.on('release', (_, client) => lentAt.delete(client));
  const askServer = async (db: pg.Pool | pg.PoolClient): Promise<string | undefined> =>
    (await db.query<{ server: string }>(WHICH_SERVER)).rows[0]?.server;
  const checkListeners = async (): Promise<void> => {
    const listening = [...lentAt].flatMap(([client, at]) => (performance.now() - at < LISTENER_CHECK_MS ? [] : [client]));
    if (listening.length === 0) return;
    // Asked on another connection, which is never old. Where that fails, what is asked next time tells.
    const current = await askServer(pool).catch(() => undefined);
    for (const client of listening) {
      askServer(client)
        .then((server) => {
          if (current !== undefined && server !== current)
            throw new Error('the connection that listens is to another server than new ones');
        })
        // What TCP would have said: BullMQ then gives the connection up and listens on another.
        .catch((error: Error) => client.emit('error', error));
    }
  };
  const timer = setInterval(() => {
    if (pool.ended) clearInterval(timer);
    else void checkListeners();
  }, LISTENER_CHECK_MS);
  timer.unref();
  return pool;
}
