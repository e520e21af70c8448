// The shape of a figure and of what it finds.
import type { Bench, Mode } from './bench.ts';
import { median, medianRatio } from './statistics.ts';

/** One line of the table. */
export type Result = Readonly<{
  /** What was measured. */
  figure: string;
  ours: number;
  unit: string;
  /** What ours is compared with, in the same unit. */
  peer?: Readonly<{ name: string; value: number }>;
  /** How ours compares with the peer, measured pair by pair where both were run. */
  ratio?: number;
  /** What must be true, in words. */
  goal?: string;
  isMet?: boolean;
}>;

export type Findings = Readonly<{
  results: readonly Result[];
  /** What a reader needs to know to judge them. */
  notes: readonly string[];
  /** The figure in one number, for the picture. */
  headline?: Readonly<{ value: string; caption: string }>;
}>;

export type Figure = Readonly<{
  title: string;
  /** Modes in which it mostly waits, or is short and times nothing. Such figures are measured at the same time. */
  concurrentIn?: readonly Mode[];
  /** True when it takes so long that it is measured only where --only names it. */
  isOptIn?: boolean;
  measure(bench: Bench): Promise<Findings>;
}>;

/** Its name is for --only. */
export type NamedFigure = Figure & Readonly<{ name: string }>;

/** Ours against a peer's, measured in turn: medians, and the median of the ratios of neighbours, for which `judge` has the goal. */
export function compare(
  figure: string,
  unit: string,
  {
    ours,
    peer,
    theirs,
    judge,
  }: Readonly<{ ours: readonly number[]; peer: string; theirs: readonly number[]; judge?: (ratio: number) => Goal }>,
): Result {
  const ratio = medianRatio(ours, theirs);
  return { figure, ours: median(ours), unit, peer: { name: peer, value: median(theirs) }, ratio, ...judge?.(ratio) };
}

type Goal = Required<Pick<Result, 'goal' | 'isMet'>>;

export function atLeast(value: number, least: number, unit = ''): Goal {
  return { goal: `at least ${least.toLocaleString('en-US')}${unit}`, isMet: value >= least };
}

export function atMost(value: number, most: number, unit = ''): Goal {
  return { goal: `at most ${most.toLocaleString('en-US')}${unit}`, isMet: value <= most };
}
