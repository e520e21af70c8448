// Decides where the binaries and the cluster go. For root, the server runs as another user, who may be unable to enter the project's folder (a clone
// in root's home, mode 0700): then both are put below a temporary folder instead.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { ConfigurationError, describeError } from '../src/core/errors.ts';
import { binariesIn, type PostgresBinaries } from './binaries.ts';
import type { ServerUser } from './server-user.ts';

// Others may traverse the folder of the server's user, but not list it; private files in it have their own mode.
const PASS_THROUGH = 0o711;
/** A file in the binaries with the links to create; its paths start from the folder above the installed binaries. */
const LINKS = 'pg-symlinks.json';

/**
 * The folder for everything that belongs to the server: `wanted`, or, if the server's user cannot enter that, one below a temporary folder, named
 * by a digest of `wanted`. Creates it. Throws ConfigurationError when neither is possible.
 */
export function placeDirectory(wanted: string, user: ServerUser, log: (line: string) => void): string {
  const absolute = resolve(wanted);
  makeDirectory(absolute);
  if (canEnter(absolute, user)) return absolute;
  const name = `searchmill-${createHash('sha256').update(absolute).digest('hex').slice(0, 16)}`;
  for (const parent of new Set(['/var/tmp', tmpdir()])) {
    const directory = join(parent, name);
    if (!existsSync(parent) || !makeOwnDirectory(directory) || !canEnter(directory, user)) continue;
    log(`Postgres runs as user id ${user.uid}, who cannot enter ${absolute}: its data is in ${directory}`);
    return directory;
  }
  throw new ConfigurationError(
    `Postgres would run as user id ${user.uid}, who can enter neither ${absolute} nor a temporary folder: ` +
      'move the project, run as an ordinary user, or set DATABASE_URL to a Postgres of your own',
  );
}

/** Binaries that the server's user can run: as installed, or copied into `directory`. */
export function placeBinaries(installed: PostgresBinaries, directory: string, user: ServerUser): PostgresBinaries {
  if (whyNotRun(installed, user) === undefined) return installed;
  const copy = binariesIn(join(directory, `postgres-${installed.version}`), installed.version);
  if (!existsSync(copy.root)) {
    const unfinished = `${copy.root}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    cpSync(installed.root, unfinished, { recursive: true, verbatimSymlinks: true });
    linkLibraries(unfinished);
    renameSync(unfinished, copy.root);
  }
  const obstacle = whyNotRun(copy, user);
  if (obstacle === undefined) return copy;
  throw new ConfigurationError(
    `the Postgres programs of npm run neither in ${installed.root} nor in ${copy.root} (${obstacle}): set DATABASE_URL to a Postgres of your own`,
  );
}

/** Creates the links that the package's install script would create. npm packs no links, and npm 12 runs scripts only if its user allows them. */
function linkLibraries(root: string): void {
  const list = join(root, LINKS);
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(root, relative('native', target));
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link);
  }
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
    accessSync(directory, constants.W_OK | constants.X_OK);
    openForPassage(directory);
  } catch (cause) {
    const why = describeError(cause);
    throw new ConfigurationError(`the folder ${directory} for Postgres cannot be made or used: ${why} (was it made by another user?)`, {
      cause,
    });
  }
}

/** Returns false when somebody else owns it: a temporary folder is writable for everybody, so another user may have created it. */
function makeOwnDirectory(directory: string): boolean {
  if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
  const found = lstatSync(directory);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) return false;
  openForPassage(directory);
  return true;
}

// Changed only if needed: root may run in a folder of another user, whose mode should then stay as it is.
function openForPassage(directory: string): void {
  if ((statSync(directory).mode & PASS_THROUGH) !== PASS_THROUGH) chmodSync(directory, PASS_THROUGH);
}

// Tested by the system as that user, because mode bits alone are not conclusive (access control lists, mounts).
function canEnter(directory: string, user: ServerUser): boolean {
  return spawnSync('/bin/sh', ['-c', 'test -x "$0"', directory], { ...user, cwd: '/', stdio: 'ignore' }).status === 0;
}

function whyNotRun(binaries: PostgresBinaries, user: ServerUser): string | undefined {
  const { status, error, stderr } = spawnSync(binaries.postgres, ['--version'], { ...user, cwd: '/', encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}
