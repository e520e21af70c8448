// Real Sentinels on loopback for one test: three of them, and a primary with two replicas. All have passwords.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { freePort } from './free-port.ts';
import { openRedis, type RedisNode, startRedisNode } from './redis-node.ts';
import { type RedisProcess, spawnRedis } from './redis-server.ts';
import { until } from './wait.ts';

export const PRIMARY_NAME = 'mymaster';
const SENTINELS = 3;
const SERVERS = 3;

export interface WatchedRedis {
  readonly servers: readonly RedisNode[];
  readonly sentinelPorts: readonly number[];
  /** The one that most Sentinels call the primary. */
  primary(): Promise<RedisNode>;
  /** Resolves when the Sentinels know another primary than this, which takes writes. */
  untilFailedOver(from: RedisNode): Promise<RedisNode>;
  /** Asks for an orderly change, and again while they refuse. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

export type WatchedRedisOptions = Readonly<{ password: string; sentinelPassword: string }>;

export async function startWatchedRedis({ password, sentinelPassword }: WatchedRedisOptions): Promise<WatchedRedis> {
  const directory = await mkdtemp(join(tmpdir(), 'searchmill-redis-sentinel-'));
  const servers: RedisNode[] = [];
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
      servers.push(await startRedisNode(await freePort(), password, ['--dir', directory, ...role]));
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
      sentinels.push({ port, process: await spawnRedis(port, [], { config }), redis: openRedis(port, sentinelPassword) });
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
  const primary = async (): Promise<RedisNode> => {
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
