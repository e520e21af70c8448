// One Redis of several, with a password, that can be killed, started again and made to hang.
import { Redis } from 'ioredis';
import { type RedisProcess, spawnRedis } from './redis-server.ts';

export interface RedisNode {
  readonly port: number;
  /** For the test's own questions; connects anew by itself. */
  readonly redis: Redis;
  /** kill -9. */
  kill(): Promise<void>;
  /** Starts it again, empty, with the settings it had at first. */
  start(): Promise<void>;
  /** Neither answers nor ends until it is woken. */
  hang(): void;
  wake(): void;
}

export async function startRedisNode(port: number, password: string, ownFlags: readonly string[]): Promise<RedisNode> {
  const flags = ['--requirepass', password, '--masterauth', password, '--repl-diskless-sync-delay', '0', ...ownFlags];
  const redis = openRedis(port, password);
  let running: RedisProcess | undefined;
  let pid: number | undefined;
  const start = async (): Promise<void> => {
    if (running) return;
    running = await spawnRedis(port, flags);
    pid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
  };
  const signal = (name: NodeJS.Signals): void => {
    if (pid !== undefined) process.kill(pid, name);
  };
  await start();
  return {
    port,
    redis,
    start,
    async kill() {
      pid = undefined;
      await running?.stop();
      running = undefined;
    },
    hang: () => signal('SIGSTOP'),
    wake: () => signal('SIGCONT'),
  };
}

export function openRedis(port: number, password: string): Redis {
  const redis = new Redis(port, '127.0.0.1', { password, retryStrategy: () => 200, maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  return redis;
}
