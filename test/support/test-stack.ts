// A whole Searchmill for a test: the sandbox, a database of its own, a jobs file, and as many instances as wanted on a
// chosen queue backend. Everything the test did not stop is stopped by close(), which then checks what must hold of every
// ledger.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, inject } from 'vitest';
import type { SandboxOptions } from '../../sandbox/options.ts';
import { type Sandbox, startSandbox } from '../../sandbox/server.ts';
import { loadJobsConfig } from '../../src/config/jobs-config.ts';
import type { JobsConfig } from '../../src/config/settings.ts';
import type { Clock } from '../../src/core/clock.ts';
import { createLogger, silentLogger } from '../../src/core/log.ts';
import { Secret } from '../../src/core/secret.ts';
import { NO_PROXIES } from '../../src/egress/route.ts';
import { createPool, type Pool } from '../../src/postgres/pool.ts';
import { openQueueBackend } from '../../src/queue/backend/backend.ts';
import type { RingingQueue } from '../../src/queue/backend/queue-parts.ts';
import { migrateQueue } from '../../src/queue/backend/queue-tables.ts';
import { openRedisConnections } from '../../src/queue/backend/redis-connections.ts';
import { type Instance, type InstanceOptions, startInstance } from '../../src/queue/instance.ts';
import { readRules } from '../../src/signals/rules.ts';
import { createTestPool } from './database-access.ts';
import { findBrokenInvariants } from './invariants.ts';
import { lookAtAll } from './signal-rounds.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';
import { until } from './wait.ts';

/** Where bells are rung: BullMQ on a Redis, or its Postgres backend in the warehouse's database. */
export type TestQueue = Readonly<{ kind: 'postgres'; redisUrl: undefined } | { kind: 'redis'; redisUrl: Secret }>;

/** Runs the same suite on both queue backends; without a Redis that half is skipped. */
export function describeOnEachQueue(title: string, body: (queue: TestQueue) => void): void {
  const { redis } = inject('servers');
  describe(`${title}, on the Postgres queue`, () => body({ kind: 'postgres', redisUrl: undefined }));
  describe.skipIf(redis.url === undefined)(`${title}, on the Redis queue`, () =>
    body({ kind: 'redis', redisUrl: new Secret(redis.url ?? '') }),
  );
}

/** Runs a suite of what no queue has a part in on one of them. That all is loaded on both: processes.test.ts, catching-up.test.ts, chaos. */
export function describeOnOneQueue(title: string, body: (queue: TestQueue) => void): void {
  describe(title, () => body({ kind: 'postgres', redisUrl: undefined }));
}

/** What a jobs file says of the sandbox. */
export const SANDBOX_CONNECTION = `connections:
  main: { base_url: "\${SANDBOX_URL}", auth: { token: stack-token }, limits: hard }`;

/** A jobs file of the sandbox. `jobs`: by name the dataset, and what else is said of the job. */
export function sandboxJobs(defaults: string, jobs: Readonly<Record<string, string>>): string {
  const lines = Object.entries(jobs).map(([name, job]) => `  - { name: ${name}, dataset: ${job} }\n`);
  return `${SANDBOX_CONNECTION}\ndefaults: { ${defaults} }\njobs:\n${lines.join('')}`;
}

export const STACK_TOKEN = 'stack-token';
export const STACK_KEY = { apiKey: 'stack-key', sharedSecret: 'stack-shared-secret' };

/** Slots enough that the budget never slows a test down; tests of the limits leave the configured ones. */
const AMPLE = { submit: 500, read: 5_000 };

export type TestStackOptions = Readonly<{
  queue: TestQueue;
  /** The jobs file; `${SANDBOX_URL}` is the sandbox, STACK_TOKEN and STACK_KEY are let in. */
  jobs: string;
  sandbox?: SandboxOptions;
  /** Shared by sandbox and instances. */
  clock?: Clock;
  /** Made instead of a database with the current schema. */
  openDatabase?: () => Promise<TestDatabase>;
  /** False leaves the limits as the jobs file has them. */
  hasAmpleBudget?: boolean;
}>;

export type StartOptions = Partial<
  Pick<InstanceOptions, 'role' | 'concurrency' | 'leaseMs' | 'log' | 'observer' | 'callObserver' | 'config' | 'databaseUrl'>
>;

export interface TestStack {
  readonly queue: TestQueue;
  readonly databaseUrl: string;
  /** For the test's own questions. */
  readonly pool: Pool;
  /** The one that is listening now. */
  readonly sandbox: Sandbox;
  readonly config: JobsConfig;
  /** Where the jobs file is; removed at the end. */
  readonly folder: string;
  /** What a process needs to find it all. */
  readonly env: Readonly<Record<string, string>>;
  start(options?: StartOptions): Promise<Instance>;
  /** Rows of a query. */
  read<T extends Record<string, unknown>>(sql: string, values?: readonly unknown[]): Promise<T[]>;
  /** Another sandbox at the same address: it knows nothing of what the one before was asked, and may serve other rows. */
  replaceSandbox(options: SandboxOptions): Promise<void>;
  /** Lends one of the queues that the instances use. */
  withQueue<T>(name: string, work: (queue: RingingQueue) => Promise<T>): Promise<T>;
  /** Resolves when no execution is live any more (held ones aside). */
  settle(): Promise<void>;
  /**
   * Loads all and stops every instance: what boards show follows from the tables, and moves no more. Signals are those of the newest `watchedWeeks`,
   * or of as many as a service looks at.
   */
  settleBoards(watchedWeeks?: number): Promise<void>;
  /** Removes everything the queue holds: what FLUSHALL does to a Redis, to its tables in Postgres DELETE. */
  emptyQueue(): Promise<void>;
  close(): Promise<void>;
}

export async function createTestStack(options: TestStackOptions): Promise<TestStack> {
  const { queue, clock, openDatabase = createTestDatabase } = options;
  const database = await openDatabase();
  const databaseUrl = new Secret(database.url);
  const pool = createTestPool(databaseUrl, 6);
  // Databases are copies of one template: without a ledger id of their own they would share their keys in Redis.
  const { rows } = await pool.query<{ id: string }>('UPDATE searchmill.ledger SET id = gen_random_uuid() RETURNING id');
  if (queue.kind === 'postgres') await migrateQueue(databaseUrl);

  const sandboxOptions = {
    credentials: [{ token: STACK_TOKEN }, STACK_KEY],
    queryMs: 0,
    limits: { submit: 100_000, read: 1_000_000 },
    ...(clock ? { clock } : {}),
    ...options.sandbox,
  };
  let sandbox = await startSandbox(sandboxOptions);
  const folder = await mkdtemp(join(tmpdir(), 'searchmill-stack-'));
  const configPath = join(folder, 'jobs.config.yaml');
  await writeFile(configPath, options.jobs);
  const variables = { SANDBOX_URL: sandbox.url };
  const { config: written } = loadJobsConfig(configPath, variables);
  const config = options.hasAmpleBudget === false ? written : withAmpleBudget(written);

  const running = new Map<Instance, Pool>();
  async function start(own: StartOptions = {}): Promise<Instance> {
    const ownPool = createPool(own.databaseUrl ?? databaseUrl, { applicationName: 'test instance', max: 20 });
    const instance = await startInstance({
      role: 'all',
      config,
      databaseUrl,
      redisUrl: queue.redisUrl,
      pool: ownPool,
      proxies: NO_PROXIES,
      // STACK_LOG=file: what every instance logs, for those who look for a failure.
      log: process.env.STACK_LOG
        ? createLogger({ level: 'debug', format: 'json', destination: pino.destination({ dest: process.env.STACK_LOG, sync: true }) })
        : silentLogger,
      version: 'test',
      ...(clock ? { clock } : {}),
      ...own,
    }).catch(async (error: unknown) => {
      await ownPool.end();
      throw error;
    });
    running.set(instance, ownPool);
    return { ...instance, stop: () => stop(instance) };
  }
  async function stop(instance: Instance): Promise<void> {
    const ownPool = running.get(instance);
    running.delete(instance);
    await instance.stop();
    await ownPool?.end();
  }
  const read: TestStack['read'] = async <T extends Record<string, unknown>>(sql: string, values: readonly unknown[] = []) =>
    (await pool.query<T>(sql, [...values])).rows;
  async function settle(): Promise<void> {
    await until('all loads to end', async () => {
      const live = await read(`SELECT id FROM searchmill.executions WHERE ended_at IS NULL AND state <> 'held' LIMIT 1`);
      return live.length === 0;
    });
  }
  async function emptyQueue(): Promise<void> {
    if (queue.kind === 'postgres') {
      const tables = await read<{ name: string }>(
        `SELECT format('bullmq.%I', tablename) AS name FROM pg_tables WHERE schemaname = 'bullmq'`,
      );
      // One by one: a lock on all of them would meet those of running statements.
      for (const { name } of tables.filter((table) => !table.name.includes('migration'))) await pool.query(`DELETE FROM ${name}`);
      return;
    }
    const prefix = `{searchmill-${rows[0]?.id}}`;
    const { working, close } = openRedisConnections(queue.redisUrl, () => undefined);
    try {
      await working.eval(REMOVE_KEYS, 1, `${prefix}:`, `${prefix}*`);
    } finally {
      close();
    }
  }

  return {
    queue,
    databaseUrl: database.url,
    pool,
    get sandbox() {
      return sandbox;
    },
    config,
    folder,
    env: {
      ...variables,
      DATABASE_URL: database.url,
      ...(queue.redisUrl ? { REDIS_URL: queue.redisUrl.reveal() } : {}),
      SEARCHMILL_CONFIG: configPath,
      OPS_PORT: '0',
    },
    start,
    read,
    async replaceSandbox(changes) {
      const { port } = new URL(sandbox.url);
      await sandbox.close();
      sandbox = await startSandbox({ ...sandboxOptions, ...changes, port: Number(port) });
    },
    async withQueue(name, work) {
      const backend = await openQueueBackend({
        databaseUrl,
        redisUrl: queue.redisUrl,
        ledgerId: rows[0]?.id ?? '',
        onError: () => undefined,
      });
      const lent = backend.openQueue(name);
      try {
        return await work(lent);
      } finally {
        await lent.close();
        await backend.close();
      }
    },
    settle,
    async settleBoards(watchedWeeks) {
      await settle();
      await until('the summaries', async () => (await read('SELECT FROM searchmill.stale_weeks LIMIT 1')).length === 0);
      await Promise.all([...running.keys()].map(stop));
      await lookAtAll(pool, readRules(), config.signals, watchedWeeks);
    },
    emptyQueue,
    async close() {
      await Promise.all([...running.keys()].map(stop));
      const broken = await findBrokenInvariants(pool);
      await sandbox.close();
      if (queue.kind === 'redis') await emptyQueue();
      await pool.end();
      await rm(folder, { recursive: true, force: true });
      await database.drop();
      if (broken.length > 0) throw new Error(`the ledger is not as it must be: ${broken.join('; ')}`);
    },
  };
}

// One step for Redis, so that nothing is written in between. Patterns take braces as they are. The key is only there to
// lead to the right node of a cluster.
const REMOVE_KEYS = `
local keys = redis.call('KEYS', ARGV[1])
for i = 1, #keys do redis.call('DEL', keys[i]) end
return #keys`;

function withAmpleBudget(config: JobsConfig): JobsConfig {
  const connections = [...config.connections].map(([name, connection]) => [name, { ...connection, callsPerMinute: AMPLE }] as const);
  return { ...config, connections: new Map(connections) };
}
