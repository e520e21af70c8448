// The results of a benchmark run.
import type { Mode } from '../support/bench.ts';
import type { Findings } from '../support/figure.ts';
import type { Machine } from '../support/machine.ts';

/** A measured figure, or the reason why there is none. */
export type Measured = Readonly<{ name: string; title: string; findings?: Findings; failure?: string }>;

export type Run = Readonly<{
  startedAt: string;
  seconds: number;
  /** If these are medians: the number of runs. */
  runs?: number;
  mode: Mode;
  /** False when --only named some figures. */
  isWhole: boolean;
  machine: Machine;
  measured: readonly Measured[];
}>;
