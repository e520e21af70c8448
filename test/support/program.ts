// The program as it is shipped: dist/main.js in a process of its own.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until } from './wait.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = `${ROOT}dist/main.js`;

/** As "npm start" starts it: "Memory" in docs/operations.md. */
const NODE_OPTIONS = readStartScript()
  .split(' ')
  .filter((word) => word.startsWith('--'));

function readStartScript(): string {
  return (JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { scripts: { start: string } }).scripts.start;
}

/** Builds dist/ when it is not current, as "npm test" does beforehand. Call it in beforeAll. */
export async function ensureBuilt(): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/setup.cjs'], { cwd: ROOT });
}

export type ProgramEnd = Readonly<{ code: number | null; signal: NodeJS.Signals | null }>;

export interface Program {
  readonly pid: number;
  /** What it has written so far. */
  readonly stdout: string;
  readonly stderr: string;
  readonly ended: Promise<ProgramEnd>;
  send(signal: NodeJS.Signals): void;
  /** Goes away as a reader of its standard output. */
  hangUp(): void;
  /** Resolves when it has written something that matches. Throws with all it wrote when it ends before, or takes too long. */
  says(pattern: RegExp): Promise<void>;
}

const running = new Set<ChildProcess>();

/** Starts the program. Of the test's own environment it gets only what Node needs. `stdout` may be a file's descriptor. */
export function startProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string = ROOT,
  stdout: 'pipe' | number = 'pipe',
): Program {
  return startMain(MAIN, args, { env, cwd, stdout });
}

type Surroundings = Readonly<{ env: Readonly<Record<string, string>>; cwd?: string; stdout?: 'pipe' | number }>;

/** The same of another build. */
export function startMain(main: string, args: readonly string[], { env, cwd = ROOT, stdout = 'pipe' }: Surroundings): Program {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [...NODE_OPTIONS, main, ...args], {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', stdout, 'pipe'],
  }) as ChildProcess & { stderr: Readable };
  running.add(child);
  const written = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  let end: ProgramEnd | undefined;
  const ended = once(child, 'close').then((closed) => {
    const [code, signal] = closed as [number | null, NodeJS.Signals | null];
    running.delete(child);
    end = { code, signal };
    return end;
  });
  return {
    pid: child.pid ?? 0,
    get stdout() {
      return written.stdout;
    },
    get stderr() {
      return written.stderr;
    },
    ended,
    send: (signal) => child.kill(signal),
    hangUp: () => child.stdout?.destroy(),
    async says(pattern) {
      await until(`"${args.join(' ')}" to say ${pattern}`, () => {
        if (pattern.test(written.stdout) || pattern.test(written.stderr)) return true;
        if (end) throw new Error(`it ended with ${JSON.stringify(end)} before it said ${pattern}:\n${written.stdout}\n${written.stderr}`);
        return false;
      });
    },
  };
}

export type ProgramResult = ProgramEnd & Readonly<{ stdout: string; stderr: string }>;

/** Runs the program to its end. */
export async function runProgram(args: readonly string[], env: Readonly<Record<string, string>>, cwd?: string): Promise<ProgramResult> {
  return resultOf(startProgram(args, env, cwd));
}

/** The same of another build. */
export async function runMain(main: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<ProgramResult> {
  return resultOf(startMain(main, args, { env }));
}

async function resultOf(program: Program): Promise<ProgramResult> {
  const end = await program.ended;
  return { ...end, stdout: program.stdout, stderr: program.stderr };
}

/** Kills whatever a failed test left running. Call it in afterAll. */
export async function killPrograms(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      child.kill('SIGKILL');
      await once(child, 'close');
    }),
  );
}
