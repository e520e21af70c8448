// BullMQ on Redis, or on its own Postgres backend in the warehouse's database: the same queues, the same promises.
// Nothing in either place is needed to go on; the ledger has it all.
import { once } from 'node:events';
import {
  type ConnectionOptions,
  type Job,
  type PostgresConnectionOptions,
  Queue,
  type QueueOptions,
  runMigrations,
  Worker,
  type WorkerOptions,
  withBackend,
} from 'bullmq';
import pg from 'pg';
import { MINUTE, SECOND } from '../core/clock.ts';
import { StoreError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import { dropIdleAfterSilence } from '../warehouse/pool.ts';
import { createLastingBackend, openQueuePool } from './lasting-postgres.ts';
import { explainRedisError, openRedisConnections } from './redis-connections.ts';

/** BullMQ's schema in the warehouse's database, when there is no Redis. */
const POSTGRES_SCHEMA = 'bullmq';

/** The part of a BullMQ queue that is used here, the same on both backends. */
export type RingingQueue = Pick<
  Queue,
  'add' | 'upsertJobScheduler' | 'removeJobScheduler' | 'getJobSchedulers' | 'getJobSchedulersCount' | 'getJobCounts' | 'close'
>;
/** The part of a BullMQ worker that is used here. */
export type RunningWorker = Pick<Worker, 'run' | 'close'>;
export type Answer = (job: Pick<Job, 'name' | 'data'>) => Promise<void>;

export type QueueBackend = Readonly<{
  kind: 'redis' | 'postgres';
  /** A queue to add to. Its calls fail at once while the backend is away. */
  openQueue(name: string): RingingQueue;
  /** A worker that is not running yet. */
  openWorker(name: string, answer: Answer, options: Pick<WorkerOptions, 'concurrency'>): RunningWorker;
  /** Resolves when the backend answers. Throws when it does not. */
  ping(): Promise<void>;
  /** Closes what queues and workers shared; close those first. */
  close(): Promise<void>;
}>;

// BullMQ's connection types have index signatures, which no class has: hence the widening casts below.
export type QueueBackendOptions = Readonly<{
  databaseUrl: Secret;
  redisUrl: Secret | undefined;
  /** Names the ledger, so that several warehouses can share a Redis. */
  ledgerId: string;
  onError: (error: Error) => void;
  /** Most connections of the Postgres queue: one for each worker, which listens on it, and at least one more. */
  maxConnections?: number;
}>;

// A worker that died is noticed by the ledger's lease anyway; these only keep BullMQ's own records short-lived.
const WORKER_DEFAULTS = {
  autorun: false,
  lockDuration: 30 * SECOND,
  stalledInterval: 10 * SECOND,
  maxStalledCount: 3,
  drainDelay: 10,
  runRetryDelay: SECOND,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
};

/** Longest wait for the first connection to Redis; after it the process goes on, and the queue joins in when it can. */
const FIRST_CONNECTION_MS = 5 * SECOND;

/** Resolves when the backend answers, or soon when it is away. */
export async function openQueueBackend(options: QueueBackendOptions): Promise<QueueBackend> {
  return options.redisUrl ? openRedis(options.redisUrl, options) : openPostgres(options);
}

async function openRedis(url: Secret, options: QueueBackendOptions): Promise<QueueBackend> {
  const onError = (error: Error): void => options.onError(explainRedisError(error));
  // A ring must fail while Redis is away, not wait for it; a worker must wait for it.
  let lastError: Error | undefined;
  const { ringing, working } = openRedisConnections(url, (error) => {
    lastError = explainRedisError(error);
    options.onError(lastError);
  });
  const requireConnected = (): void => {
    if (ringing.status !== 'ready') throw new StoreError('Redis does not answer', { retryable: true, cause: lastError });
  };
  // The hash tag keeps all keys of a ledger in one slot of a Redis Cluster.
  const prefix = `{searchmill-${options.ledgerId}}`;
  // Asking for the version would be asked once: a queue whose first answer is lost would never work. Workers ask as well,
  // but not in a cluster, where a lost question is not repeated: there a delayed bell may be answered up to 1 s late.
  const queueOptions: QueueOptions = { connection: ringing as ConnectionOptions, prefix, skipVersionCheck: true };
  const workerOptions: WorkerOptions = {
    connection: working as ConnectionOptions,
    prefix,
    skipVersionCheck: working.isCluster,
    ...WORKER_DEFAULTS,
  };
  // Asks where the keys are, as another node of a cluster may answer while that one is away.
  const ask = (): Promise<unknown> => ringing.exists(`${prefix}:`);
  await once(ringing, 'ready', { signal: AbortSignal.timeout(FIRST_CONNECTION_MS) })
    .then(ask)
    .catch(() => undefined);
  return {
    kind: 'redis',
    openQueue: (name) => refusingWhileAway(watched<RingingQueue & Watchable>(new Queue(name, queueOptions), onError), requireConnected),
    openWorker: (name, answer, own) => watched<RunningWorker & Watchable>(new Worker(name, answer, { ...workerOptions, ...own }), onError),
    async ping() {
      requireConnected();
      await ask().catch((error: Error) => {
        throw explainRedisError(error);
      });
    },
    async close() {
      ringing.disconnect();
      working.disconnect();
    },
  };
}

/** BullMQ holds calls back until its first connection; whoever calls here wants to know at once. */
function refusingWhileAway(queue: RingingQueue, requireConnected: () => void): RingingQueue {
  const guard =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      requireConnected();
      return call.apply(queue, args);
    };
  return {
    add: guard(queue.add),
    upsertJobScheduler: guard(queue.upsertJobScheduler),
    removeJobScheduler: guard(queue.removeJobScheduler),
    getJobSchedulers: guard(queue.getJobSchedulers),
    getJobSchedulersCount: guard(queue.getJobSchedulersCount),
    getJobCounts: guard(queue.getJobCounts),
    close: () => queue.close(),
  };
}

function openPostgres({ databaseUrl, onError, maxConnections = 9 }: QueueBackendOptions): QueueBackend {
  const pools: pg.Pool[] = [];
  const openPool = (max: number): pg.Pool => {
    const pool = openQueuePool({
      connectionString: databaseUrl.reveal(),
      application_name: 'searchmill queue',
      max,
      connectionTimeoutMillis: 10 * SECOND,
      // Longer than an idle worker sleeps: making a connection costs more than all it asks.
      idleTimeoutMillis: MINUTE,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10 * SECOND,
      options: `-c search_path=${POSTGRES_SCHEMA} -c client_connection_check_interval=5000`,
    });
    pool.on('error', onError);
    dropIdleAfterSilence(pool);
    pools.push(pool);
    return pool;
  };
  const postgres = withBackend(createLastingBackend);
  // One for all, so that together they never need more: each worker keeps a connection for LISTEN to itself.
  const ringing = openPool(maxConnections);
  return {
    kind: 'postgres',
    openQueue: (name) => watched(new postgres.Queue(name, { connection: ringing as PostgresConnectionOptions }), onError),
    openWorker: (name, answer, own) =>
      watched(new postgres.Worker(name, answer, { connection: ringing as PostgresConnectionOptions, ...WORKER_DEFAULTS, ...own }), onError),
    async ping() {
      await ringing.query('SELECT 1');
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

type Watchable = { on(event: 'error', listener: (error: Error) => void): unknown };

function watched<T extends Watchable>(emitter: T, onError: (error: Error) => void): T {
  emitter.on('error', onError);
  return emitter;
}

// The role that runs the service (migration 0003) uses the queue; it is missing where roles could not be created.
// One process at a time: Postgres refuses grants on the same table by two at once.
const GRANT_TO_WRITER = `DO $$ BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('searchmill queue grants'));
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_writer') THEN
    GRANT USAGE ON SCHEMA ${POSTGRES_SCHEMA} TO searchmill_writer;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${POSTGRES_SCHEMA} TO searchmill_writer;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${POSTGRES_SCHEMA} TO searchmill_writer;
  END IF;
END $$`;

/** Brings BullMQ's own tables in the warehouse's database up to date. Any number of processes may do it at once. */
export async function migrateQueue(databaseUrl: Secret): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl.reveal(),
    application_name: 'searchmill migrate',
    connectionTimeoutMillis: 10 * SECOND,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await runMigrations(client, POSTGRES_SCHEMA);
    await client.query(GRANT_TO_WRITER);
  } finally {
    await client.end();
  }
}
