// A separate Redis for one figure, so that its commands can be counted.
import { Redis } from 'ioredis';
import { freePort } from '../../test/support/free-port.ts';
import type { Bench } from './bench.ts';
import { startChild } from './children.ts';
import { until } from './waiting.ts';

/** Address of the given Redis, or else of a new one for the figure; undefined when there is none. */
export async function openRedis(bench: Bench): Promise<string | undefined> {
  const { redisUrl, canStartRedis } = bench.servers;
  if (redisUrl !== undefined || !canStartRedis) return redisUrl;
  const port = await freePort();
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', bench.directory];
  const server = await startChild(bench, 'redis-server', flags);
  await until(async () => {
    if (server.hasEnded()) throw new Error(`redis-server did not start: ${server.output().trim().split('\n').at(-1)}`);
    return server.output().includes('Ready to accept connections') ? true : undefined;
  }, bench.signal);
  return `redis://127.0.0.1:${port}`;
}

/** The note of a figure whose Redis queue was not measured. */
export function describeMissing(redisUrl: string | undefined): string[] {
  return redisUrl === undefined ? ['the queue in Redis was not measured: there is no Redis'] : [];
}

/** Commands that a Redis has processed since its start, including this request. */
export async function countCommands(url: string): Promise<number> {
  const redis = new Redis(url, { lazyConnect: true });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1]);
  } finally {
    redis.disconnect();
  }
}
