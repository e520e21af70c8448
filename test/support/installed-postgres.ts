// PostgreSQL as Debian installs it, with pg_dump and pg_basebackup, which the embedded one lacks. Servers for one test each.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { chooseServerUser, type ServerUser } from '../../embedded/server-user.ts';
import { freePort } from './free-port.ts';
import { until } from './wait.ts';

const INSTALLED_IN = '/usr/lib/postgresql';

/** Why tests with it are skipped, and undefined where it is installed. In CI it must be. */
export async function findInstalledPostgres(): Promise<{ programs: string } | { missingBecause: string }> {
  const versions = await readdir(INSTALLED_IN).catch(() => []);
  for (const version of versions.sort((a, b) => Number(b) - Number(a))) {
    const programs = join(INSTALLED_IN, version, 'bin');
    const found = await readdir(programs).catch(() => [] as string[]);
    if (['initdb', 'postgres', 'pg_dump', 'pg_restore', 'pg_basebackup', 'psql'].every((program) => found.includes(program)))
      return { programs };
  }
  const missingBecause = `no PostgreSQL with its client programs in ${INSTALLED_IN}; Debian's package postgresql has them`;
  if (process.env.CI) throw new Error(`in CI nothing may be skipped, but there is ${missingBecause}`);
  return { missingBecause };
}

export interface InstalledPostgres {
  /** Of its database named postgres, as its superuser. */
  readonly url: string;
  /** Its cluster. */
  readonly folder: string;
  /** Stops at once, as a crash does, unless told otherwise. */
  stop(signal?: 'SIGQUIT' | 'SIGINT'): Promise<void>;
}

/** Who runs the servers; root may not. */
export const serverUser = (): ServerUser => chooseServerUser(INSTALLED_IN);

/** A folder that the servers can use. */
export async function makeServerFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'searchmill-installed-'));
  const { uid, gid } = serverUser();
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
  return folder;
}

export async function initCluster(
  programs: string,
  folder: string,
  settings: readonly string[] = [],
  locale: readonly string[] = ['--locale=C'],
): Promise<void> {
  const flags = ['-D', folder, '-U', 'searchmill', '-A', 'trust', '-E', 'UTF8', '--no-sync', ...locale];
  await promisify(execFile)(join(programs, 'initdb'), flags, { ...serverUser(), cwd: '/' });
  await appendFile(join(folder, 'postgresql.conf'), [...settings, ''].join('\n'));
}

/** Starts the server of a cluster on loopback. Resolves when it takes changes, so after a recovery; a standby when it answers. */
export async function startCluster(
  programs: string,
  folder: string,
  { isStandby = false, port: given }: { isStandby?: boolean; port?: number } = {},
): Promise<InstalledPostgres> {
  const port = given ?? (await freePort());
  const flags = ['-D', folder, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off'];
  const server = spawn(join(programs, 'postgres'), flags, { ...serverUser(), cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const url = `postgres://searchmill@127.0.0.1:${port}/postgres`;
  const stop = async (signal: 'SIGQUIT' | 'SIGINT' = 'SIGQUIT'): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill(signal);
    await once(server, 'exit');
  };
  await until('the server to take changes', async () => {
    if (server.exitCode !== null) throw new Error(`the server ended:\n${log}`);
    return isReady(url, isStandby);
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url, folder, stop };
}

async function isReady(connectionString: string, isStandby: boolean): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    const { rows } = await client.query<{ recovers: boolean }>('SELECT pg_is_in_recovery() AS recovers');
    return rows[0]?.recovers === isStandby;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
