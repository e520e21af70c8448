// BullMQ's Postgres backend, made to outlive what happens to its connections. It takes two things for granted: that the
// database answers when it is opened, and that TCP tells when the connection it listens on is dead.
import { type BackendFactory, createPostgresBackend, type PostgresConnectionOptions, type PostgresQueueBackend } from 'bullmq';
import pg from 'pg';
import { SECOND } from '../core/clock.ts';

/** A statement of the queue is given up after this; each is short. */
export const QUEUE_STATEMENT_TIMEOUT_MS = 10 * SECOND;
/** A connection that is lent for longer than any statement takes is one that listens. It is asked this often whether it lives. */
const LISTENER_EVERY_MS = 15 * SECOND;
/** Longest sleep of an idle worker between two looks into its tables, should nothing wake it. */
const LONGEST_BLOCK_SECONDS = 10;

type Readiness = { readyPromise?: Promise<void> | undefined; waitUntilReady(): Promise<void> };

/** BullMQ's factory, but what fails while it is opened is tried again when next used, and a worker looks every 10 s. */
export const createLastingBackend: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (name, options, own) => {
  const backend = createPostgresBackend(name, options, own);
  // Both remember their first failure for ever: a queue opened in a moment without a free connection would never work.
  const { connection } = backend as unknown as { connection: Readiness };
  for (const part of [connection, backend as unknown as Readiness]) {
    const waitUntilReady = part.waitUntilReady.bind(part);
    part.waitUntilReady = () =>
      waitUntilReady().catch((error: unknown) => {
        part.readyPromise = undefined;
        throw error;
      });
  }
  Object.defineProperty(backend, 'maximumBlockTimeout', { value: LONGEST_BLOCK_SECONDS });
  return backend;
};

/** A pool for the backend, whose connections notice a network that swallows everything. */
export function openQueuePool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, query_timeout: QUEUE_STATEMENT_TIMEOUT_MS });
  // BullMQ looks at the schema on a connection whose errors nobody hears: one that is cut just then would end this program.
  // What it asked fails all the same.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const lentAt = new Map<pg.PoolClient, number>();
  pool.on('acquire', (client) => lentAt.set(client, performance.now()));
  pool.on('remove', (client) => lentAt.delete(client));
  (pool as NodeJS.EventEmitter).on('release', (_: unknown, client: pg.PoolClient) => lentAt.delete(client));
  const timer = setInterval(() => {
    for (const [client, at] of lentAt) {
      if (performance.now() - at > LISTENER_EVERY_MS) client.query('SELECT 1').catch((error: Error) => destroy(client, error));
    }
  }, LISTENER_EVERY_MS);
  timer.unref();
  const end = pool.end.bind(pool) as () => Promise<void>;
  pool.end = (): Promise<void> => {
    clearInterval(timer);
    return end();
  };
  return pool;
}

/** As if the network had said that it is dead: BullMQ then listens on another. */
function destroy(client: pg.PoolClient, error: Error): void {
  (client as unknown as { connection: { stream: { destroy(error: Error): void } } }).connection.stream.destroy(error);
}
