// Cleans up after a killed benchmark: its programs and its folder. A shell reads the process ids from a pipe that closes when this process ends,
// however it ends.
import { spawn } from 'node:child_process';

export interface Guard {
  /** Kills the program if this process ends without dismissing the guard. */
  watch(pid: number): void;
  /** Removes a program that has ended. */
  forget(pid: number): void;
  /** Ends the guard when nothing is left to clean up. */
  dismiss(): void;
}

// $1 folder, $2 a folder in it that its own guard removes after its server has ended. Lines: "+ pid", "- pid", "bye".
const SCRIPT = `
pids=' '
while read -r sign pid; do
  case $sign in
    +) pids="$pids$pid " ;;
    -) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
    bye) exit ;;
  esac
done
for pid in $pids; do kill -9 "$pid" 2>/dev/null; done
tries=0
while [ -e "$2" ] && [ $tries -lt 120 ]; do sleep 0.5; tries=$((tries + 1)); done
rm -rf "$1"`;

/**
 * Starts the guard for a folder and for the programs it is told about. `clusterDirectory` is the folder of the embedded Postgres, which has its own
 * guard.
 */
export function startGuard(directory: string, clusterDirectory: string): Guard {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'searchmill-bench-guard', directory, clusterDirectory], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  // Without a shell there is no guard, which matters only after kill -9.
  shell.once('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  return {
    watch: (pid) => shell.stdin.write(`+ ${pid}\n`),
    forget: (pid) => shell.stdin.write(`- ${pid}\n`),
    dismiss: () => shell.stdin.end('bye\n'),
  };
}
