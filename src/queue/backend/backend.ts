// Entry point of this folder: BullMQ on Redis, or on its own Postgres backend in the warehouse's database, with the same queues and the
// same promises (docs/decisions/0018-two-queue-backends.md). The ledger holds everything needed to continue if either is lost. Nothing
// outside this folder imports bullmq. docs/upstream.md lists the BullMQ problems worked around here and which of them have a reproduction.

import { once } from 'node:events';
import {
  type ConnectionOptions,
  type PostgresConnectionOptions,
  Queue,
  type QueueOptions,
  Worker,
  type WorkerOptions,
  withBackend,
} from 'bullmq';
import { MINUTE, SECOND } from '../../core/clock.ts';
import { openDeadline } from '../../core/deadline.ts';
import { ConfigurationError, StoreError } from '../../core/errors.ts';
import type { Secret } from '../../core/secret.ts';
import { databaseAt } from '../../postgres/database-clients.ts';
import { dropIdleAfterSilence, MAX_CONNECTION_LIFE_MS } from '../../postgres/pool.ts';
import { createLastingBackend, openQueuePool } from './lasting-postgres.ts';
import { waitBetweenFailures } from './patient-worker.ts';
import type { Answer, RingingQueue, RunningWorker } from './queue-parts.ts';
import { askQueueTables, explainQueueError, QUEUE_SCHEMA } from './queue-tables.ts';
import { openRedisConnections } from './redis-connections.ts';
import { explainRedisError } from './redis-errors.ts';
import { type Inspection, inspectRedis } from './redis-facts.ts';
import { tryQueue } from './redis-trial.ts';

export type { Answer, RingingQueue, RunningWorker } from './queue-parts.ts';
export { migrateQueue } from './queue-tables.ts';

export type QueueBackend = Readonly<{
  kind: 'redis' | 'postgres';
  /** A queue to add to. Its calls fail at once while the backend is unreachable. */
  openQueue(name: string): RingingQueue;
  /** A worker that is not running yet. */
  openWorker(name: string, answer: Answer, options: Pick<WorkerOptions, 'concurrency'>): RunningWorker;
  /** Resolves when the backend answers. Throws ConfigurationError when its tables are missing, else StoreError. */
  ping(): Promise<void>;
  /** Describes the server. Throws as ping does, and also when the server answers but cannot carry the queue. */
  inspect(): Promise<Inspection>;
  /** Closes the connections that queues and workers share; close the queues and workers first. */
  close(): Promise<void>;
}>;

// BullMQ's connection types have index signatures, which no class has; hence the widening casts below.
export type QueueBackendOptions = Readonly<{
  databaseUrl: Secret;
  redisUrl: Secret | undefined;
  /** Names the ledger, so that several warehouses can share a Redis. */
  ledgerId: string;
  onError: (error: Error) => void;
  /** Maximum connections of the Postgres queue: one per worker for LISTEN, and at least one more. The default is pg's. */
  maxConnections?: number | undefined;
}>;

// The ledger's lease detects a worker that died; these settings only keep BullMQ's own records short-lived.
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

/** Longest wait for the first connection to Redis; after that the process continues, and the queue joins once it is reachable. */
const FIRST_CONNECTION_MS = 5 * SECOND;

/** Resolves when the backend answers, or after a short wait when it is unreachable. Throws ConfigurationError when its tables are missing. */
export async function openQueueBackend(options: QueueBackendOptions): Promise<QueueBackend> {
  return options.redisUrl ? openRedis(options.redisUrl, options) : openPostgres(options);
}

async function openRedis(url: Secret, options: QueueBackendOptions): Promise<QueueBackend> {
  const onError = (error: Error): void => options.onError(explainRedisError(error));
  // Ringing must fail while Redis is unreachable, not wait for it; a worker must wait for it.
  let lastError: Error | undefined;
  const { ringing, working, close } = openRedisConnections(url, (error) => {
    lastError = explainRedisError(error);
    options.onError(lastError);
  });
  const requireConnected = (): void => {
    if (ringing.status !== 'ready') throw new StoreError('Redis does not answer', { retryable: true, cause: lastError });
  };
  // The hash tag keeps all keys of a ledger in one slot of a Redis Cluster.
  const prefix = `{searchmill-${options.ledgerId}}`;
  // BullMQ asks for the version once, and a queue whose first answer is lost would never work. Workers do ask, except in a cluster, where
  // a lost question is not repeated; there, a delayed bell may be answered up to 1 s late.
  const queueOptions: QueueOptions = { connection: ringing as ConnectionOptions, prefix, skipVersionCheck: true };
  const workerOptions: WorkerOptions = {
    connection: working as ConnectionOptions,
    prefix,
    skipVersionCheck: working.isCluster,
    ...WORKER_DEFAULTS,
  };
  // A write, because a Redis that is full, cannot save or has become a replica still answers reads. It uses the queue's key prefix, because
  // another node of a cluster may answer while the node that holds the queue is down.
  const ask = (): Promise<unknown> => ringing.set(`${prefix}:asked`, '', 'EX', MINUTE / SECOND);
  using deadline = openDeadline(FIRST_CONNECTION_MS);
  await once(ringing, 'ready', { signal: deadline.signal })
    .then(ask)
    .catch(() => undefined);
  const openQueue = (name: string, tell = onError): RingingQueue =>
    guarded(watched<RingingQueue & Watchable>(new Queue(name, queueOptions), tell), {
      before: requireConnected,
      explain: explainRedisError,
    });
  const openWorker = (name: string, answer: Answer, own: Pick<WorkerOptions, 'concurrency'>, tell = onError): RunningWorker =>
    watched<RunningWorker & Watchable>(waitBetweenFailures(new Worker(name, answer, { ...workerOptions, ...own })), tell);
  const explain = (error: Error): never => {
    throw explainRedisError(error);
  };
  return {
    kind: 'redis',
    openQueue: (name) => openQueue(name),
    openWorker: (name, answer, own) => openWorker(name, answer, own),
    async ping() {
      requireConnected();
      await ask().catch(explain);
    },
    async inspect() {
      requireConnected();
      const inspection = await inspectRedis(ringing).catch(explain);
      await ask().catch(explain);
      let fail: (error: Error) => void = () => undefined;
      const failed = new Promise<never>((_, reject) => {
        fail = reject;
      });
      const trial = tryQueue({
        openQueue: (name) => openQueue(name, fail),
        openWorker: (name, answer) => openWorker(name, answer, {}, fail),
        remove: (keys) => ringing.del(...keys),
        prefix,
        failed,
      });
      await trial.catch(explain);
      return inspection;
    },
    close: async () => close(),
  };
}

type Guard = Readonly<{
  /** Throws when a call cannot succeed. BullMQ holds calls back until its first connection, but callers here need to know at once. */
  before?: () => void;
  /** The error with advice. */
  explain: (error: Error) => unknown;
}>;

function guarded(queue: RingingQueue, { before, explain }: Guard): RingingQueue {
  const guard =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      before?.();
      return call.apply(queue, args).catch((error: Error) => {
        throw explain(error);
      });
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

async function openPostgres({ databaseUrl, onError, maxConnections }: QueueBackendOptions): Promise<QueueBackend> {
  // One pool for all, so that together they never exceed its limit. Each worker keeps one connection to itself for LISTEN.
  const { Client, setUp } = databaseAt(databaseUrl);
  const pool = openQueuePool({
    Client,
    application_name: 'searchmill queue',
    ...(maxConnections && { max: maxConnections }),
    connectionTimeoutMillis: 10 * SECOND,
    // Longer than an idle worker sleeps: opening a connection costs more than all its queries.
    idleTimeoutMillis: MINUTE,
    maxLifetimeSeconds: MAX_CONNECTION_LIFE_MS / SECOND,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10 * SECOND,
    onConnect: (client) => setUp(client, { application_name: 'searchmill queue', search_path: QUEUE_SCHEMA }),
  });
  pool.on('error', onError);
  dropIdleAfterSilence(pool);
  await askQueueTables(pool).catch(async (error: unknown) => {
    // A database that does not answer may recover soon; missing tables stay missing.
    if (!(error instanceof ConfigurationError)) return;
    await pool.end();
    throw error;
  });
  const connection = pool as PostgresConnectionOptions;
  const onProblem = (error: Error): void => onError(explainQueueError(error) as Error);
  const postgres = withBackend(createLastingBackend);
  return {
    kind: 'postgres',
    openQueue: (name) => guarded(watched(new postgres.Queue(name, { connection }), onProblem), { explain: explainQueueError }),
    openWorker: (name, answer, own) =>
      watched(waitBetweenFailures(new postgres.Worker(name, answer, { connection, ...WORKER_DEFAULTS, ...own })), onProblem),
    ping: () => askQueueTables(pool),
    inspect: async () => {
      await askQueueTables(pool);
      return { answer: 'answers', warnings: [] };
    },
    close: () => pool.end(),
  };
}

type Watchable = { on(event: 'error', listener: (error: Error) => void): unknown };

function watched<T extends Watchable>(emitter: T, onError: (error: Error) => void): T {
  emitter.on('error', onError);
  return emitter;
}
