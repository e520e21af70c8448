// The Redis the tests run on.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describeError } from '../../src/core/errors.ts';
import type { StartedServer } from './servers.ts';

export async function findRedis(): Promise<StartedServer> {
  const given = process.env.TEST_REDIS_URL;
  if (given) return { url: given, origin: 'TEST_REDIS_URL' };
  return startFromPath();
}

async function startFromPath(): Promise<StartedServer> {
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), 'searchmill-redis-'));
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', directory];
  const server = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await untilReady(server);
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    return { missingBecause: `redis-server could not be started from the PATH (${describeError(error)})` };
  }
  const stop = async () => {
    const exited = once(server, 'exit');
    if (server.exitCode === null && server.kill('SIGKILL')) await exited;
    await rm(directory, { recursive: true, force: true });
  };
  return { url: `redis://127.0.0.1:${port}`, origin: 'redis-server from the PATH', stop };
}

async function untilReady(server: ChildProcess): Promise<void> {
  await new Promise<void>((ready, failed) => {
    server.once('error', failed);
    server.once('exit', (code) => failed(new Error(`it ended with code ${code}`)));
    if (server.stdout)
      createInterface({ input: server.stdout }).on('line', (line) => line.includes('Ready to accept connections') && ready());
  });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
