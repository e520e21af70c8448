// What every figure is given.
import type { Guard } from './guard.ts';
import type { Scope } from './scope.ts';
import type { Servers } from './servers.ts';

/** quick: minutes in all, sizes that show a regression. full: the sizes the goals are about. */
export type Mode = 'quick' | 'full';

export type Bench = Readonly<{
  mode: Mode;
  servers: Servers;
  /** For files; removed at the end. */
  directory: string;
  /** What the figure opens closes with it. */
  scope: Scope;
  guard: Guard;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** Tells what is being done. */
  log: (line: string) => void;
}>;
