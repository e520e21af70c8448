// Postgres and Redis, each on a machine of its own.
import { spawn } from 'node:child_process';
import { appendFileSync, chownSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { findBinaries } from '../../embedded/binaries.ts';
import { clusterFilesIn, ensureCluster, ROLE } from '../../embedded/cluster.ts';
import { placeBinaries } from '../../embedded/placement.ts';
import { chooseServerUser } from '../../embedded/server-user.ts';
import { REDIS_PROGRAM } from '../support/redis-server.ts';
import { until } from '../support/wait.ts';
import { addressOfServer, PORTS, within } from './network.ts';

/** Starts Postgres in a namespace, for everybody who reaches it. Returns its address and the id of its first process. */
export async function startPostgres(
  namespace: string,
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ url: string; pid: number }> {
  const directory = join(folder, 'postgres');
  mkdirSync(directory, { mode: 0o711 });
  const files = clusterFilesIn(directory);
  const user = chooseServerUser(files.cluster);
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid);
  const binaries = placeBinaries(findBinaries(), directory, user);
  await ensureCluster(files, { binaries, user, isDurable: false, log: () => undefined });
  appendFileSync(join(files.cluster, 'pg_hba.conf'), 'host all all 10.77.0.0/16 trust\n');
  const flags = Object.entries({ listen_addresses: '*', unix_socket_directories: '', fsync: 'off', max_connections: '400', ...settings });
  const [enter = '', ...net] = within(namespace);
  const log = openSync(files.log, 'a');
  const as = user.uid === undefined ? [] : [`--setuid=${user.uid}`, `--setgid=${user.gid}`];
  const words = [...net, ...as, binaries.postgres, '-D', files.cluster, ...flags.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const server = spawn(enter, words, { cwd: '/', stdio: ['ignore', log, log] });
  closeSync(log);
  const address = (database: string): string => `postgres://${ROLE}@${addressOfServer('postgres')}:${PORTS.postgres}/${database}`;
  await until('Postgres to answer', async () => {
    const client = new pg.Client({ connectionString: address('postgres'), connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('CREATE DATABASE searchmill');
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  });
  return { url: address('searchmill'), pid: server.pid ?? 0 };
}

export async function startRedis(namespace: string, folder: string): Promise<string> {
  const [host, port] = [addressOfServer('redis'), PORTS.redis];
  const flags = ['--port', String(port), '--bind', host, '--protected-mode', 'no', '--save', '', '--appendonly', 'no', '--dir', folder];
  const [enter = '', ...net] = within(namespace);
  spawn(enter, [...net, REDIS_PROGRAM, ...flags], { stdio: 'ignore' });
  await until('Redis to answer', async () => {
    const redis = new Redis(port, host, { maxRetriesPerRequest: 0, retryStrategy: () => null });
    redis.on('error', () => undefined);
    try {
      return (await redis.ping()) === 'PONG';
    } catch {
      return false;
    } finally {
      redis.disconnect();
    }
  });
  return `redis://${host}:${port}`;
}
