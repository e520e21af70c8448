// Where the binaries and the cluster go. Root's server runs as somebody else, who may be unable to enter the folder the
// project lies in (a clone in the home of root, mode 0700): then both are put below a temporary folder instead.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigurationError, describeError } from '../core/errors.ts';
import { binariesIn, type PostgresBinaries } from './binaries.ts';
import type { ServerUser } from './server-user.ts';

// Others may pass through to the folder of the server's user, but not list; what is private in it has its own mode.
const PASS_THROUGH = 0o711;

/**
 * The folder to use for everything that belongs to the server: `wanted`, or one below a temporary folder, named by a digest
 * of `wanted`, where the server's user cannot enter that. Makes it. Throws ConfigurationError when neither can be had.
 */
export function placeDirectory(wanted: string, user: ServerUser, log: (line: string) => void): string {
  const absolute = resolve(wanted);
  makeDirectory(absolute);
  if (canEnter(absolute, user)) return absolute;
  const name = `searchmill-${createHash('sha256').update(absolute).digest('hex').slice(0, 16)}`;
  for (const parent of new Set(['/var/tmp', tmpdir()])) {
    if (!existsSync(parent)) continue;
    const directory = join(parent, name);
    makeDirectory(directory);
    // Everybody can write below a temporary folder, so somebody could have put one there before us.
    if (!isOurs(directory)) throw new ConfigurationError(`${directory} belongs to somebody else: remove it, or set DATABASE_URL`);
    if (!canEnter(directory, user)) continue;
    log(`Postgres runs as user id ${user.uid}, who cannot enter ${absolute}: its data is in ${directory}`);
    return directory;
  }
  throw new ConfigurationError(
    `Postgres would run as user id ${user.uid}, who can enter neither ${absolute} nor a temporary folder: ` +
      'move the project, run as an ordinary user, or set DATABASE_URL to a Postgres of your own',
  );
}

/** The binaries where the server's user can run them: as installed, or copied into `directory`. */
export function placeBinaries(installed: PostgresBinaries, directory: string, user: ServerUser): PostgresBinaries {
  if (canRun(installed, user)) return installed;
  const copy = binariesIn(join(directory, `postgres-${installed.version}`), installed.version);
  if (!existsSync(copy.root)) {
    const unfinished = `${copy.root}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    cpSync(installed.root, unfinished, { recursive: true, verbatimSymlinks: true });
    renameSync(unfinished, copy.root);
  }
  if (canRun(copy, user)) return copy;
  throw new ConfigurationError(
    `the Postgres programs can be run neither in ${installed.root} nor in ${copy.root} (are both mounted noexec?): ` +
      'move the project, or set DATABASE_URL to a Postgres of your own',
  );
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
    if ((statSync(directory).mode & 0o777) !== PASS_THROUGH) chmodSync(directory, PASS_THROUGH);
  } catch (cause) {
    const why = describeError(cause);
    throw new ConfigurationError(`the folder ${directory} for Postgres cannot be made or used: ${why} (was it made by another user?)`, {
      cause,
    });
  }
}

function isOurs(directory: string): boolean {
  const found = lstatSync(directory);
  return found.isDirectory() && found.uid === process.getuid?.();
}

// Asked of the system itself, as the user in question: mode bits alone don't tell (access control lists, mounts).
function canEnter(directory: string, user: ServerUser): boolean {
  return spawnSync('/bin/sh', ['-c', 'test -x "$0"', directory], { ...user, cwd: '/', stdio: 'ignore' }).status === 0;
}

function canRun(binaries: PostgresBinaries, user: ServerUser): boolean {
  return spawnSync(binaries.postgres, ['--version'], { ...user, cwd: '/', stdio: 'ignore' }).status === 0;
}
