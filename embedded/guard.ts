// Stops the server when all processes that used it were killed without a chance to do so (kill -9, a crash). It is a shell script rather than Node,
// because it lives as long as the server and needs only a megabyte.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { ClusterFiles } from './cluster.ts';
import { isAlive } from './lock.ts';
import type { Postmaster } from './postmaster.ts';

// $1 folder, $2 process id of the server, $3 whether to keep the folder. It takes the common lock before it stops the server, so that nobody joins
// a server that is about to stop. It checks /proc as well as kill -0, which fails for another user's process.
const SCRIPT = `
is_alive() { kill -0 "$1" 2>/dev/null || [ -d "/proc/$1" ]; }
has_clients() {
  for file in "$1"/clients/*.*; do
    name=\${file##*/}
    if [ -e "$file" ] && is_alive "\${name%%.*}"; then return 0; fi
  done
  return 1
}
while sleep 1; kill -0 "$2" 2>/dev/null; do
  if has_clients "$1" || ! ln -s "$$" "$1/lock" 2>/dev/null; then continue; fi
  if ! has_clients "$1"; then
    if [ "$3" = keep ]; then kill -INT "$2"; else kill -QUIT "$2"; fi
    while kill -0 "$2" 2>/dev/null; do sleep 0.1; done
    if [ "$3" = discard ]; then rm -rf "$1"; fi
  fi
  rm -f "$1/lock"
done
`;

/** Ensures that a guard watches the server. Call it while holding the cluster's lock. */
export function ensureGuard(files: ClusterFiles, postmaster: Postmaster, options: { isKept: boolean }): void {
  if (isGuarded(files, postmaster)) return;
  const parameters = ['searchmill-guard', files.directory, String(postmaster.pid), options.isKept ? 'keep' : 'discard'];
  const guard = spawn('/bin/sh', ['-c', SCRIPT, ...parameters], { cwd: '/', detached: true, stdio: 'ignore' });
  // If the guard cannot start, a killed process leaves the server running until the next start finds and reuses it.
  guard.once('error', () => undefined);
  guard.unref();
  if (guard.pid !== undefined) writeFileSync(files.guard, `${guard.pid} ${postmaster.pid}`);
}

function isGuarded(files: ClusterFiles, postmaster: Postmaster): boolean {
  try {
    const [guard, guarded] = readFileSync(files.guard, 'utf8').split(' ').map(Number);
    return guarded === postmaster.pid && guard !== undefined && isAlive(guard);
  } catch {
    return false;
  }
}
