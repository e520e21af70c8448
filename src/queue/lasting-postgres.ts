// BullMQ's Postgres backend, made to outlive what happens to its connections. BullMQ 6.7 remembers the first failure to open a
// queue for ever, and it learns only from TCP that the connection it listens on is dead (compare taskforcesh/bullmq#4729).
import {
  assertSchemaCompatibility,
  type BackendFactory,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
} from 'bullmq';
import pg from 'pg';
import { SECOND } from '../core/clock.ts';

/** A statement of the queue is given up after this; each is short. */
const STATEMENT_TIMEOUT_MS = 10 * SECOND;
/** A connection that is lent for longer than any statement takes is one that listens. It is asked this often whether it lives. */
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

/** A pool for the backend, whose connections notice a network that swallows everything. */
export function openQueuePool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, query_timeout: STATEMENT_TIMEOUT_MS });
  const lentAt = new Map<pg.PoolClient, number>();
  pool.on('acquire', (client) => lentAt.set(client, performance.now()));
  pool.on('release', (_, client) => lentAt.delete(client));
  const timer = setInterval(() => {
    if (pool.ended) clearInterval(timer);
    for (const [client, at] of lentAt) {
      if (performance.now() - at < LISTENER_CHECK_MS) continue;
      // What TCP would have said: BullMQ then gives the connection up and listens on another.
      client.query('SELECT 1').catch((error: Error) => client.emit('error', error));
    }
  }, LISTENER_CHECK_MS);
  timer.unref();
  return pool;
}
