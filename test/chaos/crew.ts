// The real processes: `node dist/main.js start`, several of each role, killed, paused and started anew.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built program. */
export const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Longer than a process takes that leaves by itself when it cannot finish, also on a busy machine. */
const LONGEST_STOP_MS = 60_000;

export type Role = 'scheduler' | 'worker';

/** A process ended that nobody killed or stopped. */
export type UnaskedEnd = Readonly<{ code: number | null; signal: NodeJS.Signals | null; isReady: boolean }>;

export type PostOptions = Pick<Post, 'name' | 'role' | 'opsPort'> &
  Readonly<{
    env: Readonly<Record<string, string>>;
    logPath: string;
    /** Words before the program's own, that say where it runs. */
    within?: readonly string[];
    onUnaskedEnd: (post: Post, end: UnaskedEnd) => void;
  }>;

/** One place for a process; the one that fills it can be killed and replaced. */
export class Post {
  readonly name: string;
  readonly role: Role;
  /** Where it serves /healthz. */
  readonly opsPort: number;
  /** Grows with whatever keeps the process from answering, or may have: starts, pauses and stops, but not kills. */
  disturbances = 0;
  /** Whether the process has answered since it was started. The prober sets it. */
  isReady = false;
  readonly #options: PostOptions;
  #child: ChildProcess | undefined;
  #isPaused: boolean = false;
  #isStopping: boolean = false;

  constructor(options: PostOptions) {
    this.name = options.name;
    this.role = options.role;
    this.opsPort = options.opsPort;
    this.#options = options;
  }

  /** Id of the process that should answer now. Undefined while there is none, or it is paused or told to end. */
  get attendingPid(): number | undefined {
    return this.#isPaused || this.#isStopping ? undefined : this.#child?.pid;
  }

  start(): void {
    if (this.#child) return;
    this.disturbances++;
    this.isReady = false;
    this.#isPaused = false;
    const log = openSync(this.#options.logPath, 'a');
    const [program = '', ...words] = [...(this.#options.within ?? []), process.execPath, MAIN, 'start', '--role', this.role];
    const child = spawn(program, words, {
      env: { ...process.env, ...this.#options.env, OPS_PORT: String(this.opsPort) },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    child.once('exit', (code, signal) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      if (!this.#isStopping) this.#options.onUnaskedEnd(this, { code, signal, isReady: this.isReady });
    });
    this.#child = child;
  }

  /** kill -9, at once. */
  kill(): void {
    const child = this.#child;
    this.#child = undefined;
    child?.kill('SIGKILL');
  }

  pause(): void {
    this.disturbances++;
    this.#isPaused = true;
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.disturbances++;
    this.#isPaused = false;
    this.#child?.kill('SIGCONT');
  }

  /** SIGTERM, and kill -9 when that takes too long. Returns true when it ended with 0, or was not yet listening. */
  async stop(): Promise<boolean> {
    const child = this.#child;
    if (!child) return true;
    this.disturbances++;
    this.#isStopping = true;
    child.kill('SIGCONT');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_STOP_MS);
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    clearTimeout(timer);
    this.#isStopping = false;
    return code === 0 || signal === 'SIGTERM';
  }

  /** The last lines of its log. */
  lastLines(count: number): string {
    return readFileSync(this.#options.logPath, 'utf8').trimEnd().split('\n').slice(-count).join('\n').slice(-4_000);
  }
}

export type CrewOptions = Readonly<{
  roles: readonly Role[];
  /** One for each. */
  opsPorts: readonly number[];
  env: Readonly<Record<string, string>>;
  /** Where each writes its log. */
  folder: string;
  onUnaskedEnd: PostOptions['onUnaskedEnd'];
}>;

export function openCrew({ roles, opsPorts, folder, ...rest }: CrewOptions): readonly Post[] {
  return roles.map((role, index) => {
    const name = `${role}-${index + 1}`;
    const logPath = join(folder, `${name}.log`);
    closeSync(openSync(logPath, 'a'));
    return new Post({ ...rest, name, role, logPath, opsPort: opsPorts[index] ?? 0 });
  });
}
