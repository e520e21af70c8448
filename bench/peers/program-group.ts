// A command with all processes that it starts: what they cost together, ended together.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { Bench } from '../support/bench.ts';
import { readMemory } from '../support/resources.ts';

const LOOK_EVERY_MS = 200;
const MAX_OUTPUT = 4_000;

/** `cpuSeconds` of all its processes, once it has ended by itself; `peakBytes`: the most that they had resident together. */
export type GroupEnd = Readonly<{ code: number | null; cpuSeconds: number; peakBytes: number; output: string }>;
export type ProgramGroup = Readonly<{ ended: Promise<GroupEnd>; kill: () => void }>;

/** Starts a command of the shell. It is killed with the figure's scope at the latest. */
export function startGroup(bench: Bench, command: string, env: NodeJS.ProcessEnv): ProgramGroup {
  const { PATH, HOME } = process.env;
  // `times` prints what the shell's ended children have used.
  const script = `${command}\ncode=$?; times >&2; exit $code`;
  const shell = spawn('/bin/sh', ['-c', script], {
    detached: true,
    cwd: bench.directory,
    env: { PATH, HOME, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = shell;
  if (pid === undefined) throw new Error('there is no shell');
  // With a minus it is all processes of the group.
  bench.guard.watch(-pid);
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (text: Buffer) => (output = (output + text).slice(-MAX_OUTPUT)));
  let peakBytes = 0;
  const look = setInterval(() => {
    peakBytes = Math.max(peakBytes, residentBytes(pid));
  }, LOOK_EVERY_MS);
  const kill = (): void => {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const ended = once(shell, 'close').then(([code]): GroupEnd => {
    clearInterval(look);
    bench.guard.forget(-pid);
    return { code: code as number | null, cpuSeconds: cpuSecondsIn(output), peakBytes, output };
  });
  bench.scope.defer(async () => {
    kill();
    await ended;
  });
  return { ended, kill };
}

/** Of the line of children, such as `0m3.21s 0m0.54s`; NaN where the shell was killed. */
function cpuSecondsIn(output: string): number {
  const found = [...output.matchAll(/^(\d+)m([\d.]+)s (\d+)m([\d.]+)s$/gm)].at(-1);
  if (!found) return Number.NaN;
  const [, userMinutes = 0, user = 0, systemMinutes = 0, system = 0] = found.map(Number);
  return 60 * (userMinutes + systemMinutes) + user + system;
}

function residentBytes(group: number): number {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const own = ids.map(Number).filter((pid) => groupOf(pid) === group);
  return own.reduce((sum, pid) => sum + (readMemory(pid)?.now ?? 0), 0);
}

function groupOf(pid: number): number | undefined {
  try {
    // proc(5): state, ppid and pgrp follow the name.
    return Number(/^\d+ \(.*\) \S \d+ (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}
