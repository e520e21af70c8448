// Real Sentinels on loopback for one test: three of them, and a primary with two replicas. All have passwords.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';
import { type RedisProcess, spawnRedis } from './redis-server.ts';
import { until } from './wait.ts';

export const PRIMARY_NAME = 'mymaster';
const SENTINELS = 3;
const SERVERS = 3;

export interface WatchedServer {
  readonly port: number;
  /** For the test's own questions; connects anew by itself. */
  readonly redis: Redis;
  pid(): Promise<number>;
  /** kill -9. */
  kill(): Promise<void>;
  /** Starts it again, empty, as it was configured at first: the first of all as a primary. */
  start(): Promise<void>;
}

export interface WatchedRedis {
  readonly servers: readonly WatchedServer[];
  readonly sentinelPorts: readonly number[];
  /** The one that most Sentinels call the primary. */
  primary(): Promise<WatchedServer>;
  /** Resolves when the Sentinels know another primary than this, which takes writes. */
  untilFailedOver(from: WatchedServer): Promise<WatchedServer>;
  /** Asks for an orderly change, and again while they refuse. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

export type WatchedRedisOptions = Readonly<{
  password: string;
  sentinelPassword: string;
  flags?: readonly string[];
  sentinelFlags?: readonly string[];
}>;

export async function startWatchedRedis({
  password,
  sentinelPassword,
  flags = [],
  sentinelFlags = [],
}: WatchedRedisOptions): Promise<WatchedRedis> {
  const directory = await mkdtemp(join(tmpdir(), 'searchmill-redis-sentinel-'));
  const servers: WatchedServer[] = [];
  const sentinels: { port: number; process: RedisProcess; redis: Redis }[] = [];
  const stop = async (): Promise<void> => {
    for (const { redis } of [...servers, ...sentinels]) redis.disconnect();
    await Promise.all([...servers.map((server) => server.kill()), ...sentinels.map((sentinel) => sentinel.process.stop())]);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    for (let index = 0; index < SERVERS; index++) {
      const first = servers[0];
      const role = first ? ['--replicaof', '127.0.0.1', String(first.port)] : [];
      servers.push(await startServer(password, ['--dir', directory, ...role, ...flags]));
    }
    const first = servers[0]?.port;
    for (let index = 0; index < SENTINELS; index++) {
      const port = await freePort();
      const config = join(directory, `sentinel-${index}.conf`);
      const lines = [
        `sentinel monitor ${PRIMARY_NAME} 127.0.0.1 ${first} 2`,
        `sentinel auth-pass ${PRIMARY_NAME} ${password}`,
        `sentinel down-after-milliseconds ${PRIMARY_NAME} 1000`,
        `sentinel failover-timeout ${PRIMARY_NAME} 3000`,
        `requirepass ${sentinelPassword}`,
        `sentinel sentinel-pass ${sentinelPassword}`,
      ];
      await writeFile(config, `${lines.join('\n')}\n`);
      sentinels.push({ port, process: await spawnRedis(port, sentinelFlags, { config }), redis: openRedis(port, sentinelPassword) });
    }
    for (const { redis } of sentinels) {
      await until('the Sentinels to know each other', async () => {
        const known = String(await redis.info('sentinel'));
        return known.includes(`status=ok`) && known.includes(`slaves=${SERVERS - 1},sentinels=${SENTINELS}`);
      });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const ask = (redis: Redis, ...words: string[]): Promise<unknown> => redis.call('SENTINEL', ...words).catch((error: unknown) => error);
  const primary = async (): Promise<WatchedServer> => {
    const named = await Promise.all(sentinels.map(({ redis }) => ask(redis, 'get-master-addr-by-name', PRIMARY_NAME)));
    const ports = named.map((address) => (Array.isArray(address) ? Number(address[1]) : 0));
    const most = servers.find(({ port }) => ports.filter((known) => known === port).length > SENTINELS / 2);
    if (!most) throw new Error('the Sentinels do not agree on a primary');
    return most;
  };
  return {
    servers,
    sentinelPorts: sentinels.map(({ port }) => port),
    primary,
    async untilFailedOver(from) {
      let found = from;
      await until('another primary', async () => {
        found = await primary().catch(() => from);
        return found !== from && /role:master/.test(await found.redis.info('replication'));
      });
      return found;
    },
    async failOver() {
      await until('the Sentinels to fail over', async () =>
        (await Promise.all(sentinels.map(({ redis }) => ask(redis, 'failover', PRIMARY_NAME)))).includes('OK'),
      );
    },
    stop,
  };
}

async function startServer(password: string, ownFlags: readonly string[]): Promise<WatchedServer> {
  const port = await freePort();
  const flags = ['--requirepass', password, '--masterauth', password, '--repl-diskless-sync-delay', '0', ...ownFlags];
  let running: RedisProcess | undefined = await spawnRedis(port, flags);
  const redis = openRedis(port, password);
  return {
    port,
    redis,
    pid: async () => Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]),
    async kill() {
      await running?.stop();
      running = undefined;
    },
    async start() {
      running ??= await spawnRedis(port, flags);
    },
  };
}

function openRedis(port: number, password: string): Redis {
  const redis = new Redis(port, '127.0.0.1', { password, retryStrategy: () => 200, maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  return redis;
}
