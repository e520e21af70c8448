// The Redis the tests run on.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describeError } from '../../src/core/errors.ts';
import { startRedisContainer } from './containers.ts';
import type { StartedServer } from './found-server.ts';
import { freePort } from './free-port.ts';

/** The program that tests start; TEST_REDIS_PROGRAM=valkey-server is a Valkey. */
export const REDIS_PROGRAM = process.env.TEST_REDIS_PROGRAM || 'redis-server';

/** Whether it is not here; says so, and throws in CI, where nothing is skipped for want of a server. */
export function isRedisMissing(purpose: string): boolean {
  if (!spawnSync(REDIS_PROGRAM, ['--version']).error) return false;
  if (process.env.CI) throw new Error(`in CI nothing is skipped for want of a server, but there is no ${REDIS_PROGRAM}`);
  console.log(`skipped: no ${REDIS_PROGRAM} on the PATH for ${purpose}`);
  return true;
}

/** That of TEST_REDIS_URL, one in a container, or the program on the PATH, in this order. */
export async function findRedis(): Promise<StartedServer> {
  const given = process.env.TEST_REDIS_URL;
  if (given) return { url: given, origin: 'TEST_REDIS_URL' };
  const contained = await startRedisContainer();
  if (contained?.url !== undefined) return contained;
  if (contained) console.log(`${contained.missingBecause}; trying the ${REDIS_PROGRAM} on the PATH instead`);
  return startFromPath();
}

export interface RedisProcess {
  /** kill -9. */
  stop(): Promise<void>;
}

export type RedisFiles = Readonly<{
  /** A folder that goes with the server. */
  removedAtEnd?: string;
  /** A Sentinel has its settings in a file, which it writes to. */
  config?: string;
}>;

// Its input is read only to notice the end of this process, also by kill -9: then the server is ended and its folder removed.
const GUARDED = `
exec 3<&0
$REDIS_SERVER "$@" & server=$!
(cat <&3 >/dev/null; kill -0 $$ && kill -9 $server) 2>/dev/null &
wait $server
rm -rf "$0"`;

/**
 * Starts a Redis on loopback and without persistence, or a Sentinel; resolves when it is ready. Throws the last thing it said
 * when it ends instead.
 */
export async function spawnRedis(port: number, flags: readonly string[], files: RedisFiles = {}): Promise<RedisProcess> {
  const kind = files.config === undefined ? ['--save', '', '--appendonly', 'no'] : ['--sentinel'];
  const own = [...(files.config === undefined ? [] : [files.config]), '--port', String(port), '--bind', '127.0.0.1', ...kind, ...flags];
  const guard = spawn('/bin/sh', ['-c', GUARDED, files.removedAtEnd ?? '', ...own], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
    env: { ...process.env, REDIS_SERVER: REDIS_PROGRAM },
  });
  const stop = async () => {
    if (guard.exitCode !== null) return;
    const ended = once(guard, 'exit');
    guard.stdin.end();
    await ended;
  };
  try {
    await untilReady(guard);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

async function startFromPath(): Promise<StartedServer> {
  if (spawnSync(REDIS_PROGRAM, ['--version']).error)
    return { missingBecause: `there is no ${REDIS_PROGRAM} on the PATH and no TEST_REDIS_URL` };
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), 'searchmill-redis-'));
  try {
    const { stop } = await spawnRedis(port, ['--dir', directory], { removedAtEnd: directory });
    return { url: `redis://127.0.0.1:${port}`, origin: `${REDIS_PROGRAM} on the PATH`, stop };
  } catch (error) {
    return { missingBecause: `the ${REDIS_PROGRAM} on the PATH could not be started (${describeError(error)})` };
  }
}

/** Resolves when the server says so; rejects with the last thing it said when it ends instead. */
async function untilReady(guard: ChildProcess): Promise<void> {
  let lastLine = 'it ended at once';
  await new Promise<void>((ready, failed) => {
    guard.once('error', failed);
    guard.once('exit', () => failed(new Error(lastLine)));
    if (!guard.stdout) return;
    createInterface({ input: guard.stdout }).on('line', (line) => {
      lastLine = line;
      if (/Ready to accept connections|\+monitor master/.test(line)) ready();
    });
  });
}
