// What sentences that are computed a second time are made of, and what of several figures that are tested at once is told.
import type { Unit } from './second-facts.ts';
import { chanceOf, cutOf, RATE } from './second-figures.ts';
import type { Part } from './told-sentences.ts';

/** `points` null: unknown. `isClose`: so near to the limit that either is right. */
export type Sentence = Readonly<{
  what: string;
  parts: readonly Part[];
  points: number | null;
  reading?: string | null;
  isClose?: boolean;
}>;
export type Pair = Readonly<{ now: readonly Unit[]; before: readonly Unit[] }>;
export const counted = (amount: number, one: string, many = `${one}s`): string => `${amount} ${amount === 1 ? one : many}`;
export const quoted = (name: string): readonly Part[] => [`“${name}”`];
export const withPoints = (name: string, points: number): readonly Part[] => [`“${name}” (`, { points }, ')'];

export const nameOf = ({ key, cut }: Unit): string => `${key} ${cut}`;
export const sumOf = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** What is tested at once: the chance of each line, whether it is told, and whether that is a close call. */
export function testedOf(lines: readonly string[], pairOf: (line: string) => Pair, measure: string) {
  const chances = new Map(
    lines.flatMap((line): [string, number][] => {
      const { now, before } = pairOf(line);
      const chance = chanceOf(now, before, measure);
      return chance === null ? [] : [[line, chance]];
    }),
  );
  const cut = cutOf([...chances.values()]);
  const limits = [...chances.keys()].map((_, at) => (RATE * (at + 1)) / chances.size);
  const isClose = [...chances.values()].some((chance) => limits.some((limit) => Math.abs(chance - limit) < 1e-4));
  return { isTold: (line: string): boolean => (chances.get(line) ?? 2) <= cut, isClose, has: (line: string) => chances.has(line) };
}
