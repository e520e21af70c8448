// Chooses the user that the embedded Postgres runs as. Its programs refuse to run as root, and initdb needs a user with a name.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { ConfigurationError } from '../src/core/errors.ts';

/** Passed to spawn; empty when the server runs as the user of this process. */
export type ServerUser = Readonly<{ uid: number; gid: number } | { uid?: never; gid?: never }>;

// Users that exist on most machines and own nothing important, best first. None is created: a demo must not add accounts to a machine.
const UNPRIVILEGED_USERS = ['postgres', 'nobody'];

/**
 * Chooses the user: this process's; for root, the owner of the existing cluster in `clusterDirectory`, else the first of the unprivileged users
 * that exists. Throws ConfigurationError for a uid without a name, and when root finds no such user.
 */
export function chooseServerUser(clusterDirectory: string): ServerUser {
  if (process.getuid?.() !== 0) {
    assertUserHasName();
    return {};
  }
  const owner = ownerOf(clusterDirectory);
  if (owner) return owner;
  for (const name of UNPRIVILEGED_USERS) {
    const user = lookUp(name);
    if (user) return user;
  }
  throw new ConfigurationError(
    `Postgres cannot run as root, and none of the users ${UNPRIVILEGED_USERS.join(', ')} exists here: ` +
      'run as an ordinary user, or set DATABASE_URL to a Postgres of your own',
  );
}

function assertUserHasName(): void {
  try {
    userInfo();
  } catch (error) {
    throw new ConfigurationError(
      `user id ${process.getuid?.()} has no entry in /etc/passwd, which Postgres needs to start: ` +
        'add one, run as a user that has one, or set DATABASE_URL to a Postgres of your own',
      { cause: error },
    );
  }
}

function ownerOf(directory: string): ServerUser | undefined {
  try {
    const { uid, gid } = statSync(directory);
    return uid === 0 ? undefined : { uid, gid };
  } catch {
    // Missing or inaccessible; in the latter case creating it will report why.
    return undefined;
  }
}

function lookUp(name: string): ServerUser | undefined {
  try {
    const idOf = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    return { uid: idOf('-u'), gid: idOf('-g') };
  } catch {
    return undefined;
  }
}
