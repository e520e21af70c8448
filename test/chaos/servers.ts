// Postgres and Redis of a chaos run: its own, so that they can be killed, emptied and started anew.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../embedded/postgres.ts';
import { Secret } from '../../src/core/secret.ts';
import { distributeTables } from '../../src/tables/citus/citus.ts';
import { findCitus, joinNodes, startCitusCluster } from '../support/citus-cluster.ts';
import { freePort } from '../support/free-port.ts';
import { REDIS_PROGRAM } from '../support/redis-server.ts';

export interface ChaosPostgres {
  /** Past every proxy: for the driver's own questions. */
  readonly url: string;
  readonly port: number;
  /** `fast` is an orderly restart that cuts all sessions, `crash` ends it without a word. Resolves when it answers again. */
  restart(how: 'fast' | 'crash'): Promise<void>;
  /** One of several nodes ends without a word and comes back, each in turn; undefined where there is one server. */
  readonly crashNode: (() => Promise<void>) | undefined;
  /** Called when the database has been migrated. */
  complete(): Promise<void>;
  /** Refuses writes and cuts all sessions, as one that is demoted does; tried until it answers. False: takes writes again. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
  stop(): Promise<void>;
}

export async function startChaosPostgres(): Promise<ChaosPostgres> {
  const directory = mkdtempSync(join(tmpdir(), 'searchmill-chaos-'));
  let server: EmbeddedPostgres = await startEmbeddedPostgres({ directory, isKept: false });
  const { url, port } = server;
  const postmasterPid = (): number => Number(readFileSync(join(server.directory, 'cluster', 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  return {
    url,
    port,
    async restart(how) {
      process.kill(postmasterPid(), how === 'fast' ? 'SIGINT' : 'SIGQUIT');
      for (;;) {
        await delay(200);
        try {
          const next = await startEmbeddedPostgres({ directory, port, isKept: false });
          if (!next.startedHere) continue;
          server = next;
          return;
        } catch {
          // Still going down, or the port is not free yet.
        }
      }
    },
    crashNode: undefined,
    complete: async () => undefined,
    setReadOnly: (isReadOnly) => setReadOnly(url, isReadOnly),
    async stop() {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A coordinator and two workers. */
export async function startChaosCitus(): Promise<ChaosPostgres> {
  const found = await findCitus();
  if ('missingBecause' in found) throw new Error(found.missingBecause);
  const cluster = await startCitusCluster(found.programs);
  const [url] = cluster.nodes;
  await joinNodes(cluster.nodes);
  let crashes = 0;
  let last = Promise.resolve();
  const restart = (node: number, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> => {
    last = last.then(() => cluster.restart(node, signal));
    return last;
  };
  return {
    url,
    port: Number(new URL(url).port),
    restart: (how) => restart(0, how === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    crashNode: () => restart(++crashes % cluster.nodes.length, 'SIGQUIT'),
    complete: async () => void (await distributeTables(new Secret(url))),
    setReadOnly: (isReadOnly) => setReadOnly(url, isReadOnly),
    async stop() {
      await last.catch(() => undefined);
      await cluster.stop();
    },
  };
}

async function setReadOnly(url: string, isReadOnly: boolean): Promise<void> {
  for (;;) {
    try {
      await ask(url, [
        `ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`,
        'SELECT pg_reload_conf()',
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
      ]);
      return;
    } catch {
      // The server is still restarting: disruptions seldom come alone.
      await delay(200);
    }
  }
}

/** One after another, outside a transaction. */
async function ask(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A single Redis, with TLS only where given `tls`; one that was killed comes back empty. `flags` are its own, `password` is its default user's. */
export async function startChaosRedis({
  tls,
  flags = [],
  password = '',
}: Readonly<{ tls?: ConnectionOptions; flags?: readonly string[]; password?: string }> = {}) {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'searchmill-chaos-redis-'));
  let child: ChildProcess | undefined;
  const ask = async (work: (redis: Redis) => Promise<unknown>): Promise<void> => {
    const redis = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: 1, retryStrategy: () => null, password, ...(tls && { tls }) });
    redis.on('error', () => undefined);
    try {
      await work(redis);
    } finally {
      redis.disconnect();
    }
  };
  const start = async (): Promise<void> => {
    if (child) return;
    const ports = tls ? ['--port', '0', '--tls-port', String(port)] : ['--port', String(port)];
    const own = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', directory];
    child = spawn(REDIS_PROGRAM, [...ports, ...own, ...flags], { stdio: 'ignore' });
    await once(child, 'spawn');
    for (let tries = 0; ; tries++) {
      await delay(50);
      try {
        await ask((redis) => redis.ping());
        return;
      } catch (error) {
        if (tries > 100) throw error;
      }
    }
  };
  const kill = async (): Promise<void> => {
    if (!child) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    child = undefined;
  };
  await start();
  return {
    port,
    flush: () => ask((redis) => redis.flushall()),
    fill: () => ask((redis) => redis.config('SET', 'maxmemory', '1')),
    relieve: () => ask((redis) => redis.config('SET', 'maxmemory', '0')),
    kill,
    start,
    hang: async () => void child?.kill('SIGSTOP'),
    wake: async () => void child?.kill('SIGCONT'),
    async stop() {
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Free ports for those who come back to theirs: below the range that outgoing connections are given theirs from. */
export async function findPorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = 12_000 + Math.floor(Math.random() * 20_000);
    const probe = createServer().listen(port, '127.0.0.1');
    const [outcome] = await Promise.race([once(probe, 'listening').then(() => ['free']), once(probe, 'error')]).catch(() => ['taken']);
    if (outcome !== 'free') continue;
    ports.add(port);
    probe.close();
    await once(probe, 'close');
  }
  return [...ports];
}
