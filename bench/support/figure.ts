// The shape of a figure and of its findings.
import type { Bench, Mode } from './bench.ts';
import { median, medianRatio } from './statistics.ts';

/** One line of the table. */
export type Result = Readonly<{
  figure: string;
  ours: number;
  unit: string;
  /** What ours is compared with, in the same unit. */
  peer?: Readonly<{ name: string; value: number }>;
  /** Ratio of ours to the peer, measured in pairs if both were run. */
  ratio?: number;
  /** The condition of the goal, in words. */
  goal?: string;
  isMet?: boolean;
}>;

export type Findings = Readonly<{
  results: readonly Result[];
  /** What a reader needs in order to judge the results. */
  notes: readonly string[];
  /** The figure as a single number, for the picture. */
  headline?: Readonly<{ value: string; caption: string }>;
}>;

export type Figure = Readonly<{
  title: string;
  /** Modes in which it mostly waits, or is short and measures no time. Such figures run concurrently. */
  concurrentIn?: readonly Mode[];
  /** True for a figure that takes so long that it is measured only if --only names it. */
  isOptIn?: boolean;
  measure(bench: Bench): Promise<Findings>;
}>;

/** The name is used by --only. */
export type NamedFigure = Figure & Readonly<{ name: string }>;

/** Compares ours with a peer, measured alternately: medians, and the median of the ratios of neighbours, which `judge` compares with the goal. */
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
