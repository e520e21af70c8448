// The context that every figure gets.
import type { Guard } from './guard.ts';
import type { Scope } from './scope.ts';
import type { Servers } from './servers.ts';

/** quick: minutes in total, with sizes that reveal a regression. full: the sizes of the goals. */
export type Mode = 'quick' | 'full';

export type Bench = Readonly<{
  mode: Mode;
  servers: Servers;
  /** Folder for files; removed at the end. */
  directory: string;
  /** Closes what the figure has opened. */
  scope: Scope;
  guard: Guard;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** Reports progress. */
  log: (line: string) => void;
}>;
