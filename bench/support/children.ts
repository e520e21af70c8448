// Programs that the benchmark runs: started, watched, stopped with their figure, and ended by the guard if this process is killed.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Bench } from './bench.ts';

/** Time in milliseconds for a program to stop after it was asked to; then it is killed. */
const STOP_TIMEOUT_MS = 15_000;
/** Characters of standard error to keep. */
const MAX_ERROR_OUTPUT = 2_000;

export type Child = Readonly<{
  pid: number;
  /** Resolves with the exit code; null when it was killed. */
  exited: Promise<number | null>;
  hasEnded: () => boolean;
  /** Its standard output. */
  output: () => string;
  /** The end of its standard error. */
  errorOutput: () => string;
  /** Asks it to stop, and kills it if it does not. */
  stop: () => Promise<void>;
}>;

/** Starts a program that is stopped with the figure's scope at the latest. Throws when there is no such program. */
export async function startChild(bench: Bench, command: string, parameters: readonly string[], options: SpawnOptions = {}): Promise<Child> {
  const program = spawn(command, parameters, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  await Promise.race([once(program, 'spawn'), once(program, 'error').then(([error]) => Promise.reject(error))]);
  return adoptChild(bench, program);
}

/** Watches a program that has just been started. */
export function adoptChild(bench: Bench, program: ChildProcess): Child {
  const { pid } = program;
  if (pid === undefined) throw new Error('the program was not started');
  bench.guard.watch(pid);
  let output = '';
  let errorOutput = '';
  program.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  program.stderr?.on('data', (chunk: Buffer) => {
    errorOutput = (errorOutput + chunk.toString()).slice(-MAX_ERROR_OUTPUT);
  });
  const exited = once(program, 'close').then(([code]) => {
    bench.guard.forget(pid);
    return code as number | null;
  });
  const hasEnded = (): boolean => program.exitCode !== null || program.signalCode !== null;
  const stop = async (): Promise<void> => {
    if (hasEnded()) return;
    program.kill('SIGTERM');
    const timer = setTimeout(() => program.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
  };
  bench.scope.defer(stop);
  return { pid, exited, hasEnded, output: () => output, errorOutput: () => errorOutput, stop };
}

/** Runs a program to its end and returns its output and duration. Throws when it fails. */
export async function runChild(
  bench: Bench,
  command: string,
  parameters: readonly string[],
  options: SpawnOptions = {},
): Promise<Readonly<{ output: string; seconds: number }>> {
  const started = performance.now();
  const child = await startChild(bench, command, parameters, options);
  const code = await child.exited;
  const seconds = (performance.now() - started) / 1000;
  if (code !== 0)
    throw new Error(`${command} ended with ${code ?? 'a signal'}: ${child.errorOutput().trim() || child.output().slice(-500)}`);
  return { output: child.output(), seconds };
}
