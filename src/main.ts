#!/usr/bin/env node
// The executable. The only file that reads process.env, listens to signals and sets the exit code.
import { runCommandLine } from './cli/program.ts';
import type { Terminal } from './cli/terminal.ts';

const SECOND_SIGNAL_EXIT = 130;

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stopping.signal.aborted) process.exit(SECOND_SIGNAL_EXIT);
    stopping.abort();
  });
}
// A reader that went away (`searchmill status | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const terminal: Terminal = {
  env: process.env,
  print: (text) => process.stdout.write(`${text}\n`),
  warn: (text) => process.stderr.write(`${text}\n`),
  isInteractive: process.stdout.isTTY === true,
  width: process.stdout.columns ?? 100,
  stopping: stopping.signal,
};

process.exitCode = await runCommandLine(terminal, process.argv.slice(2));
