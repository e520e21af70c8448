// The executable, which dist/main.js starts. The only file that reads process.env, listens to signals and sets the exit code.
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { setFlagsFromString } from 'node:v8';
import { findCommand } from './cli/find-command.ts';
import { runCommandLine } from './cli/program.ts';
import type { Terminal } from './cli/terminal.ts';
import { escapeInvisible } from './core/invisible.ts';
import { asTyped, setOwnCommand } from './core/own-command.ts';
import { findServices, findSupervisor, setSupervisor } from './core/supervisor.ts';

// By default V8 lets garbage grow to twice the live heap and more before it collects; a fourth keeps memory low.
setFlagsFromString('--heap-growing-percent=25');

const SECOND_SIGNAL_EXIT = 130;
/** Service managers kill a process that has not stopped after about 10 s; a hanging database must not lead to that. */
const STOP_DEADLINE_MS = 9_000;
/** How soon the end of the parent is noticed. */
const PARENT_LOOK_MS = 500;

setSupervisor(findSupervisor({ env: process.env, pid: process.pid }), findServices(process.env));
setOwnCommand(findCommand({ env: process.env, script: process.argv[1] ?? '', folder: process.cwd() }));

const stopping = new AbortController();
function stop(): void {
  if (stopping.signal.aborted) process.exit(SECOND_SIGNAL_EXIT);
  stopping.abort();
  setTimeout(() => {
    put(process.stderr, 'Could not stop cleanly within 9 s; exiting. Running loads continue elsewhere when their leases end.\n');
    process.exit(1);
  }, STOP_DEADLINE_MS).unref();
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
// npx and npm scripts run this program below a shell, which SIGTERM ends without passing it on: a process that npm started ends with its
// parent. Older releases of npm call "npm run" run-script.
if (['exec', 'start', 'run', 'run-script'].includes(process.env.npm_command ?? '')) {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent && !stopping.signal.aborted) stop();
  }, PARENT_LOOK_MS).unref();
}
let onHangUp: (() => void) | undefined;
process.on('SIGHUP', () => {
  // A closed terminal sends several SIGHUPs, so a second one does not force the exit.
  if (stopping.signal.aborted) return;
  if (onHangUp && !isTerminalGone()) onHangUp();
  else stop();
});

/** SIGHUP is also sent when the terminal that started the process is closed. */
function isTerminalGone(): boolean {
  if (!process.stdout.isTTY && !process.stdin.isTTY) return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
}

// A reader that closed the pipe (`searchmill status | head`) is not an error, and no reason to stop running work. Results that could
// not be written are a failure.
let isWritten = true;
const onUnwritten = (error: NodeJS.ErrnoException): void => {
  if (error.code === 'EPIPE' || !isWritten) return;
  isWritten = false;
  put(process.stderr, `The results could not be written: ${error.message}\n`);
  process.exitCode ||= 1;
};
process.stdout.on('error', onUnwritten);
process.stderr.on('error', () => undefined);

function put(to: NodeJS.WriteStream, text: string): void {
  try {
    to.write(text);
  } catch (error) {
    // Writes to files are synchronous, and throw.
    if (to === process.stdout) onUnwritten(error as NodeJS.ErrnoException);
  }
}

// However the process ends, the cursor must not stay hidden.
if (process.stdout.isTTY) process.on('exit', () => process.stdout.write('\x1b[?25h'));

/** Anything except y and yes means no, also the end of the input. */
async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  // While it reads, Ctrl-C goes to it and not to the process.
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const closed = once(lines, 'close').then(() => '');
  try {
    const answer = await Promise.race([lines.question(escapeInvisible(asTyped(question)), { signal: stopping.signal }), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}

const terminal: Terminal = {
  env: process.env,
  print: (text) => put(process.stdout, `${escapeInvisible(asTyped(text))}\n`),
  write: (text) => put(process.stdout, text),
  warn: (text) => put(process.stderr, `${escapeInvisible(asTyped(text))}\n`),
  isInteractive: process.stdout.isTTY === true,
  confirm: process.stdin.isTTY && process.stdout.isTTY ? confirm : undefined,
  get width() {
    return process.stdout.columns || 80; // 0 if the terminal's size is not set, as in containers
  },
  get height() {
    return process.stdout.rows || 24;
  },
  stopping: stopping.signal,
  onHangUp: (listener) => {
    onHangUp = listener;
  },
};

const exitCode = await runCommandLine(terminal, process.argv.slice(2));
process.exitCode = isWritten ? exitCode : exitCode || 1;
