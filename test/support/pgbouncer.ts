// PgBouncer as Debian installs it, in front of a server on this machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { findProgram } from './find-program.ts';
import { freePort } from './free-port.ts';
import { makeServerFolder, serverUser } from './installed-postgres.ts';
import { until } from './wait.ts';

export const PGBOUNCER = findProgram('pgbouncer');

export type PoolerOptions = Readonly<{ mode: 'session' | 'transaction' | 'statement'; poolSize?: number; settings?: readonly string[] }>;

export interface PgBouncer {
  /** The same database, through it. */
  through(url: string): string;
  /** A command of its console. */
  command(text: string): Promise<void>;
  /** Ends it at once, and starts it again on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one that logs in as the address says for every client. */
export async function startPgBouncer(serverUrl: string, { mode, poolSize = 60, settings = [] }: PoolerOptions): Promise<PgBouncer> {
  const folder = await makeServerFolder();
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  const server = new URL(serverUrl);
  const login = `user=${decodeURIComponent(server.username)} password='${decodeURIComponent(server.password)}'`;
  await writeFile(
    file,
    [
      '[databases]',
      `* = host=127.0.0.1 port=${server.port} ${login}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'admin_users = console',
      `pool_mode = ${mode}`,
      `default_pool_size = ${poolSize}`,
      'max_client_conn = 300',
      'server_login_retry = 1',
      ...settings,
      '',
    ].join('\n'),
    { mode: 0o600 },
  );
  const { uid, gid } = serverUser();
  if (uid !== undefined && gid !== undefined) await chown(file, uid, gid);
  const console_ = `postgres://console@127.0.0.1:${port}/pgbouncer`;
  const command = async (text: string): Promise<void> => {
    const client = new pg.Client({ connectionString: console_ });
    await client.connect();
    await client.query(text).finally(() => client.end());
  };
  const start = async () => {
    const running = spawn(PGBOUNCER ?? 'pgbouncer', ['-q', file], { uid, gid, cwd: '/', stdio: 'ignore' });
    await until('PgBouncer to answer', async () => {
      if (running.exitCode !== null) throw new Error(`PgBouncer ended with ${running.exitCode}`);
      return command('SHOW VERSION').then(
        () => true,
        () => false,
      );
    });
    return running;
  };
  let running = await start();
  const kill = async (): Promise<void> => {
    if (running.exitCode !== null || running.signalCode !== null) return;
    running.kill('SIGKILL');
    await once(running, 'exit');
  };
  return {
    through(url) {
      const address = new URL(url);
      address.host = `127.0.0.1:${port}`;
      return address.href;
    },
    command,
    async restart() {
      await kill();
      running = await start();
    },
    async stop() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
