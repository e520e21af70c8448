// Starts, finds and stops the server process of one cluster, using what Postgres writes to postmaster.pid.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SECOND, systemClock } from '../src/core/clock.ts';
import { StoreError } from '../src/core/errors.ts';
import type { PostgresBinaries } from './binaries.ts';
import type { ClusterFiles } from './cluster.ts';
import { isAlive } from './lock.ts';
import type { ServerUser } from './server-user.ts';

export type Postmaster = Readonly<{ pid: number; port: number; status: string }>;

const POLL_MS = 20;
const START_MS = 60 * SECOND;
const FAST_STOP_MS = 10 * SECOND;

// Settings for a warehouse on a laptop. TCP on loopback only: a socket file would need a folder that both users can enter.
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '400',
  shared_buffers: '128MB',
  max_wal_size: '2GB',
  wal_buffers: '64MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
};
// Survives a kill of the server, which tests do, but not a crash of the machine.
const UNSAFE_BUT_FAST: Readonly<Record<string, string>> = { fsync: 'off', full_page_writes: 'off' };

/** The server running on this cluster, if any. */
export function findPostmaster(files: ClusterFiles): Postmaster | undefined {
  let lines: string[];
  try {
    lines = readFileSync(pidFileOf(files), 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  // Lines: pid, data directory, start time, port, socket folder, listen address, shared memory, status.
  const found: Postmaster = { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7]?.trim() ?? '' };
  // A server that has just created the file and not yet written to it must not be considered gone.
  if (!(found.pid > 0)) return found;
  return isAlive(found.pid) && runsIn(found.pid, files.cluster) ? found : undefined;
}

function pidFileOf(files: ClusterFiles): string {
  return join(files.cluster, 'postmaster.pid');
}

// After a reboot or a kill -9 the process id in the file may belong to any process. Postgres runs in its data directory.
function runsIn(pid: number, cluster: string): boolean {
  if (process.platform !== 'linux') return true;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === cluster;
  } catch {
    return false;
  }
}

/**
 * Starts the server on `port` and returns once it accepts connections; none may be running. Otherwise throws StoreError with the end of its
 * log.
 */
export async function startPostmaster(
  files: ClusterFiles,
  options: { binaries: PostgresBinaries; user: ServerUser; port: number; isDurable: boolean },
): Promise<Postmaster> {
  const settings = { ...SETTINGS, ...(options.isDurable ? {} : UNSAFE_BUT_FAST), port: String(options.port) };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // The caller has checked that no server runs, so an existing file was left by a killed one.
  rmSync(pidFileOf(files), { force: true });
  rmSync(files.log, { force: true });
  const log = openSync(files.log, 'wx', 0o600);
  // Detached: Ctrl-C in a terminal reaches the whole process group, and the server must outlive our last page.
  const server = spawn(options.binaries.postgres, ['-D', files.cluster, ...flags], {
    ...options.user,
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let failure: string | undefined;
  server.once('error', (error) => {
    failure = error.message;
  });
  server.once('exit', (code, signal) => {
    failure = `it ended with ${signal ?? `code ${code}`}`;
  });
  server.unref();
  const giveUpAt = performance.now() + START_MS;
  while (failure === undefined && performance.now() < giveUpAt) {
    const found = findPostmaster(files);
    if (found?.status === 'ready' && found.pid === server.pid) return found;
    await systemClock.sleep(POLL_MS);
  }
  const lastLines = readFileSync(files.log, 'utf8').trim().split('\n').slice(-5).join(' / ');
  throw new StoreError(`the embedded Postgres did not start: ${failure ?? 'it took more than a minute'}; its log ends: ${lastLines}`, {
    retryable: false,
  });
}

/** Waits until a starting or stopping server has done so. Returns it if it then accepts connections. */
export async function awaitSettled(files: ClusterFiles): Promise<Postmaster | undefined> {
  const giveUpAt = performance.now() + START_MS;
  while (performance.now() < giveUpAt) {
    const found = findPostmaster(files);
    if (!found || found.status === 'ready') return found;
    await systemClock.sleep(POLL_MS);
  }
  throw new StoreError(`the Postgres of ${files.directory} has been starting or stopping for a minute; see ${files.log}`, {
    retryable: true,
  });
}

/** Stops the server: by a fast shutdown, or immediately if its files are not kept anyway. */
export async function stopPostmaster(postmaster: Postmaster, options: { isKept: boolean }): Promise<void> {
  // SIGINT is Postgres' fast shutdown; SIGQUIT is the immediate one, after which the next start recovers from the log.
  signal(postmaster.pid, options.isKept ? 'SIGINT' : 'SIGQUIT');
  if (await isGoneWithin(postmaster.pid, FAST_STOP_MS)) return;
  signal(postmaster.pid, 'SIGQUIT');
  if (await isGoneWithin(postmaster.pid, FAST_STOP_MS)) return;
  throw new StoreError(`the embedded Postgres (process ${postmaster.pid}) does not stop`, { retryable: false });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function isGoneWithin(pid: number, ms: number): Promise<boolean> {
  for (const giveUpAt = performance.now() + ms; performance.now() < giveUpAt; ) {
    if (!isAlive(pid)) return true;
    await systemClock.sleep(POLL_MS);
  }
  return false;
}
