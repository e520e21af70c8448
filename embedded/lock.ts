// A lock per folder for starting, joining and stopping the server. It is a symbolic link whose target is the holder's process id: created in one
// step, readable by the shell script of the guard, and recognisable when stale.
import { lstatSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import { SECOND, systemClock } from '../src/core/clock.ts';
import { StoreError } from '../src/core/errors.ts';

const WAIT_MS = 120 * SECOND;
const RETRY_MS = 25;

/** Whether a process with this id exists, ours or not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Runs `work` while holding the lock at `path`. Throws StoreError when a living process keeps it for two minutes. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + WAIT_MS;
  while (!tryLink(path)) {
    removeIfStale(path);
    if (performance.now() > giveUpAt) {
      throw new StoreError(`process ${holderOf(path)} has held ${path} for two minutes: end it, or remove that file`, { retryable: true });
    }
    await systemClock.sleep(RETRY_MS);
  }
  try {
    return await work();
  } finally {
    unlinkIfThere(path);
  }
}

function tryLink(path: string): boolean {
  try {
    symlinkSync(String(process.pid), path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function holderOf(path: string): number | undefined {
  try {
    return Number(readlinkSync(path));
  } catch {
    return undefined;
  }
}

/** Removes the lock of a dead process. Only one process at a time may do so; otherwise a second could remove a new lock. */
function removeIfStale(path: string): void {
  if (!isStale(path)) return;
  const takeover = `${path}.takeover`;
  if (!tryLink(takeover)) {
    // Held for two system calls only, so an old one was left by a process killed between them.
    const found = lstatSync(takeover, { throwIfNoEntry: false });
    if (found && Math.abs(Date.now() - found.mtimeMs) > 10 * SECOND) unlinkIfThere(takeover);
    return;
  }
  try {
    if (isStale(path)) unlinkIfThere(path);
  } finally {
    unlinkIfThere(takeover);
  }
}

function isStale(path: string): boolean {
  const holder = holderOf(path);
  return holder !== undefined && !isAlive(holder);
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
