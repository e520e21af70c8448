// The real processes: `node dist/main.js start`, several of each role, killed, paused and started anew.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The built program. */
export const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export type CrewOptions = Readonly<{ env: Readonly<Record<string, string>>; logPath: string }>;

/** One place for a process; whoever fills it can be killed and replaced. */
export class Post {
  readonly role: 'scheduler' | 'worker';
  readonly #options: CrewOptions;
  readonly #log: number;
  #child: ChildProcess | undefined;

  constructor(role: 'scheduler' | 'worker', options: CrewOptions, log: number) {
    this.role = role;
    this.#options = options;
    this.#log = log;
  }

  get isFilled(): boolean {
    return this.#child !== undefined;
  }

  start(): void {
    if (this.#child) return;
    const child = spawn(process.execPath, [MAIN, 'start', '--role', this.role], {
      env: { ...process.env, ...this.#options.env },
      stdio: ['ignore', this.#log, this.#log],
    });
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined;
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
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** SIGTERM, and kill -9 when that takes too long. Returns true when it ended with 0, or was not yet listening. */
  async stop(): Promise<boolean> {
    const child = this.#child;
    if (!child) return true;
    child.kill('SIGCONT');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    clearTimeout(timer);
    return code === 0 || signal === 'SIGTERM';
  }
}

export function openCrew(roles: readonly ('scheduler' | 'worker')[], options: CrewOptions): readonly Post[] {
  const log = openSync(options.logPath, 'a');
  return roles.map((role) => new Post(role, options, log));
}
