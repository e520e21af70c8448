// BullMQ's Postgres backend, made to survive failures of its connections. BullMQ 6.7 remembers the first failure to open a queue for
// ever, and only TCP tells it that the connection it listens on is dead (compare taskforcesh/bullmq#4729). It never leaves a server that
// the address no longer resolves to; after a failover the old server may still answer.
import {
  assertSchemaCompatibility,
  type BackendFactory,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
} from 'bullmq';
import pg from 'pg';
import { SECOND } from '../../core/clock.ts';

/** Timeout of a queue statement; all of them are short. */
const STATEMENT_TIMEOUT_MS = 10 * SECOND;
/** A connection checked out for longer than any statement takes is a listening one. How often it is asked which server it is connected to. */
const LISTENER_CHECK_MS = 15 * SECOND;
/** Longest sleep of an idle worker when nothing wakes it. BullMQ's default is an hour. */
const MAX_BLOCK_SECONDS = 10;

class LastingConnection extends PostgresConnection {
  #ready: Promise<unknown> | undefined;

  /** A failed check is repeated by the next call. */
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

/** BullMQ's backend factory on a pool. As in BullMQ, a worker's connection is named after its queue. */
export const createLastingBackend: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (name, options, own) =>
  new LastingBackend(new LastingConnection(options.connection), name, options, true, own?.withBlockingConnection ? name : undefined);

/** Differs between any two servers, and changes when a server restarts, which also ends its connections. */
const WHICH_SERVER = 'SELECT pg_catalog.pg_postmaster_start_time()::pg_catalog.text AS server';

/** A pool for the backend. Its connections notice a network that drops everything; listening ones also notice a change of server. */
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
    // Asked on a pooled connection, which is never old. If that fails, the next check decides.
    const current = await askServer(pool).catch(() => undefined);
    for (const client of listening) {
      askServer(client)
        .then((server) => {
          if (current !== undefined && server !== current)
            throw new Error('the connection that listens is to another server than new ones');
        })
        // The event a TCP failure would have caused: BullMQ then drops the connection and listens on a new one.
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
