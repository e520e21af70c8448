// The files of one embedded Postgres: its cluster, its password, its log, and the records of its users.
import { type ExecFileException, execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ConfigurationError, describeError, StoreError } from '../src/core/errors.ts';
import { Secret } from '../src/core/secret.ts';
import type { PostgresBinaries } from './binaries.ts';
import type { ServerUser } from './server-user.ts';

/** The role and the database used for everything. */
export const ROLE = 'searchmill';
export const DATABASE = 'searchmill';

export type ClusterFiles = Readonly<{
  directory: string;
  /** Postgres' own data directory, private to the server's user. */
  cluster: string;
  password: string;
  log: string;
  /** One file per process that uses the server, named by its process id. */
  clients: string;
  lock: string;
  /** Port of the last start, reused so that a saved psql command still works. */
  port: string;
  guard: string;
}>;

export function clusterFilesIn(directory: string): ClusterFiles {
  const file = (name: string) => join(directory, name);
  return {
    directory,
    cluster: file('cluster'),
    password: file('password'),
    log: file('postgres.log'),
    clients: file('clients'),
    lock: file('lock'),
    port: file('port'),
    guard: file('guard'),
  };
}

/**
 * Creates the cluster if there is none. It gets its final name only when it is complete, so a kill in between leaves nothing that looks like a
 * cluster. Throws ConfigurationError for a cluster of another major version or one without its password.
 */
export async function ensureCluster(
  files: ClusterFiles,
  options: { binaries: PostgresBinaries; user: ServerUser; isDurable: boolean; log: (line: string) => void },
): Promise<Secret> {
  if (existsSync(files.cluster)) {
    assertSameMajorVersion(files, options.binaries);
    return new Secret(read(files.password, files));
  }
  options.log(`making a Postgres cluster in ${files.directory}`);
  const password = randomBytes(24).toString('base64url');
  writeFileSync(files.password, `${password}\n`, { mode: 0o600 });
  const unfinished = `${files.cluster}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const passwordForInitdb = join(unfinished, '..', 'password.initdb');
  writeFileSync(passwordForInitdb, `${password}\n`, { mode: 0o600 });
  if (options.user.uid !== undefined) {
    for (const path of [unfinished, passwordForInitdb]) chownSync(path, options.user.uid, options.user.gid);
  }
  try {
    await runInitdb(unfinished, passwordForInitdb, options);
    renameSync(unfinished, files.cluster);
  } finally {
    rmSync(passwordForInitdb, { force: true });
  }
  return new Secret(password);
}

async function runInitdb(
  directory: string,
  passwordFile: string,
  options: { binaries: PostgresBinaries; user: ServerUser; isDurable: boolean },
): Promise<void> {
  // The builtin locale, new in 17, does not depend on the operating system's and sorts the same everywhere.
  const hasOwnLocale = Number.parseInt(options.binaries.version, 10) >= 17;
  const locale = hasOwnLocale ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : ['--locale=C.UTF-8'];
  const access = [`--username=${ROLE}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8'];
  const flags = ['-D', directory, ...access, ...locale, '--no-instructions', ...(options.isDurable ? [] : ['--no-sync'])];
  await promisify(execFile)(options.binaries.initdb, flags, { ...options.user, cwd: '/' }).catch((error: ExecFileException) => {
    const { code, signal, message, stderr = '' } = error;
    const why = typeof code === 'string' ? `could not be run: ${message}` : `ended with ${signal ?? `code ${code}`}: ${stderr.trim()}`;
    throw new StoreError(`initdb ${why}`, { retryable: false });
  });
}

function assertSameMajorVersion(files: ClusterFiles, binaries: PostgresBinaries): void {
  const major = read(join(files.cluster, 'PG_VERSION'), files);
  if (binaries.version.split('.')[0] === major) return;
  throw new ConfigurationError(
    `${files.cluster} was made by Postgres ${major}, the installed one is ${binaries.version}: remove ${files.directory} to start afresh`,
  );
}

function read(path: string, files: ClusterFiles): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new ConfigurationError(
      `${describeError(cause)}: the cluster is damaged or was made by another user; remove ${files.directory} to start afresh`,
      { cause },
    );
  }
}
