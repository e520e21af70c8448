// The users of a cluster's server: one empty file per use, named `<process id>.<number>`. The last one to leave stops the server. A killed client is
// recognised by its missing process.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterFiles } from './cluster.ts';
import { isAlive } from './lock.ts';

let uses = 0;

/** Records that this process uses the server, and returns a function that undoes it. Call both while holding the cluster's lock. */
export function joinClients(files: ClusterFiles): () => void {
  mkdirSync(files.clients, { recursive: true });
  const file = join(files.clients, `${process.pid}.${uses++}`);
  writeFileSync(file, '');
  return () => rmSync(file, { force: true });
}

/** Whether any living process uses the server. Removes the records of dead ones. */
export function hasClients(files: ClusterFiles): boolean {
  const isInUse = (name: string) => {
    if (isAlive(Number.parseInt(name, 10))) return true;
    rmSync(join(files.clients, name), { force: true });
    return false;
  };
  return readdirSync(files.clients).filter(isInUse).length > 0;
}

/** Removes all records: no server was running, so a crash left them, and their process ids may belong to others by now. */
export function forgetClients(files: ClusterFiles): void {
  rmSync(files.clients, { recursive: true, force: true });
}
