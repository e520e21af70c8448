// Who uses the server of a cluster: one empty file per use, named `<process id>.<number>`. The last to leave stops the
// server; a client that was killed is recognised by its process being gone.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterFiles } from './cluster.ts';
import { isAlive } from './lock.ts';

let uses = 0;

/** Notes that this process uses the server, and returns what undoes it. Call both while holding the cluster's lock. */
export function joinClients(files: ClusterFiles): () => void {
  mkdirSync(files.clients, { recursive: true });
  const file = join(files.clients, `${process.pid}.${uses++}`);
  writeFileSync(file, '');
  return () => rmSync(file, { force: true });
}

/** Whether any living process uses the server. Forgets those that are gone. */
export function hasClients(files: ClusterFiles): boolean {
  const isInUse = (name: string) => {
    if (isAlive(Number.parseInt(name, 10))) return true;
    rmSync(join(files.clients, name), { force: true });
    return false;
  };
  return readdirSync(files.clients).filter(isInUse).length > 0;
}

/** Forgets everybody: no server was running, so these were left by a crash, and their process ids may be others' by now. */
export function forgetClients(files: ClusterFiles): void {
  rmSync(files.clients, { recursive: true, force: true });
}
