// Levels and changes of measures, computed a second time from the units of two weeks, by the formulas of docs/dashboards.md.
import type { Unit } from './second-facts.ts';

export type Line = 'all' | string;
/** The lines that a unit is in. */
export type Grouping = (unit: Unit) => readonly Line[];

export type Level = Readonly<{ level: number | null; part: number; whole: number; units: number }>;
export type Change = Readonly<{
  level: number;
  levelBefore: number;
  likeForLike: number;
  added: number;
  dropped: number;
  matched: number;
}>;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
type Figure = Readonly<{ part: number; whole: number }>;
const figuresOf = (units: readonly Unit[], measure: string): Figure[] => units.flatMap((unit) => unit.figures[measure] ?? []);
const shareOf = (figures: readonly Figure[]): number => sum(figures.map(({ part }) => part)) / sum(figures.map(({ whole }) => whole));

/** Units of a line. */
export const unitsOf = (units: readonly Unit[], grouping: Grouping, line: Line): Unit[] =>
  units.filter((unit) => grouping(unit).includes(line));

/** A level: null without a unit that shows it, of nothing, or of a 0 that is not certain. */
export function levelOf(units: readonly Unit[], measure: string): Level {
  const figures = figuresOf(units, measure);
  const [part, whole] = [sum(figures.map((each) => each.part)), sum(figures.map((each) => each.whole))];
  const isUnknown = figures.length === 0 || whole === 0 || (part === 0 && units.some(({ doubts }) => doubts.has(measure)));
  return { level: isUnknown ? null : part / whole, part, whole, units: figures.length };
}

const nameOf = ({ key, cut }: Unit): string => `${key} ${cut}`;

/** Units that both weeks have and show, each with its figure in either. */
function keptOf(now: readonly Unit[], before: readonly Unit[], measure: string): [Unit, Figure, Figure][] {
  const known = new Map(before.map((unit) => [nameOf(unit), unit.figures[measure]]));
  return now.flatMap((unit): [Unit, Figure, Figure][] => {
    const [figure, earlier] = [unit.figures[measure], known.get(nameOf(unit))];
    return figure && earlier ? [[unit, figure, earlier]] : [];
  });
}

/** The change between two weeks and its parts; undefined where no unit is in both. */
export function changeOf(now: readonly Unit[], before: readonly Unit[], measure: string): Change | undefined {
  const kept = keptOf(now, before, measure);
  const [mine, theirs] = [kept.map(([, figure]) => figure), kept.map(([, , figure]) => figure)];
  const wholes = [figuresOf(now, measure), mine, figuresOf(before, measure), theirs].map((figures) =>
    sum(figures.map(({ whole }) => whole)),
  );
  const [all = 0, allKept = 0, allBefore = 0, allKeptBefore = 0] = wholes;
  if (wholes.some((whole) => whole === 0)) return undefined;
  const [level, levelBefore] = [shareOf(figuresOf(now, measure)), shareOf(figuresOf(before, measure))];
  return {
    level,
    levelBefore,
    likeForLike: shareOf(mine) - shareOf(theirs),
    added: level - shareOf(mine),
    dropped: shareOf(theirs) - levelBefore,
    matched: Math.min(allKept / all, allKeptBefore / allBefore),
  };
}

/** What each unit that both weeks have adds to the change like for like, by Kitagawa's rule: another share, and another weight. */
export function contributionsOf(
  now: readonly Unit[],
  before: readonly Unit[],
  measure: string,
): { unit: Unit; happened: number; byWeight: number }[] {
  const kept = keptOf(now, before, measure);
  const [whole, wholeBefore] = [sum(kept.map(([, figure]) => figure.whole)), sum(kept.map(([, , figure]) => figure.whole))];
  const middle = (shareOf(kept.map(([, figure]) => figure)) + shareOf(kept.map(([, , figure]) => figure))) / 2;
  return kept.map(([unit, figure, earlier]) => {
    const share = figure.whole > 0 ? figure.part / figure.whole : undefined;
    const shareBefore = earlier.whole > 0 ? earlier.part / earlier.whole : undefined;
    const [s, sBefore] = [share ?? shareBefore ?? 0, shareBefore ?? share ?? 0];
    const [p, pBefore] = [figure.whole / whole, earlier.whole / wholeBefore];
    return { unit, happened: ((p + pBefore) / 2) * (s - sBefore), byWeight: ((s + sBefore) / 2 - middle) * (p - pBefore) };
  });
}

export type Noise = Readonly<{ observations: number; changed: number; noise: number | null }>;

/** Half the 95 % interval of a change like for like, where each keyword or prompt is one observation; null where fewer than six changed. */
export function noiseOf(now: readonly Unit[], before: readonly Unit[], measure: string): Noise {
  const sums = new Map<string, number>();
  for (const { unit, happened, byWeight } of contributionsOf(now, before, measure))
    sums.set(unit.cluster, (sums.get(unit.cluster) ?? 0) + happened + byWeight);
  const all = [...sums.values()];
  const changed = all.filter((each) => Math.abs(each) > 1e-13).length;
  const mean = sum(all) / all.length;
  const spread = sum(all.map((each) => (each - mean) ** 2));
  const noise = changed < 6 ? null : studentFactor(all.length - 1) * Math.sqrt((all.length / (all.length - 1)) * spread);
  return { observations: all.length, changed, noise };
}

/** How often chance alone makes a change like for like so large: null without noise, 0 if each keyword or prompt changed alike. */
export function chanceOf(now: readonly Unit[], before: readonly Unit[], measure: string): number | null {
  const change = changeOf(now, before, measure);
  const { noise, observations } = noiseOf(now, before, measure);
  if (!change || noise === null) return null;
  const freedom = observations - 1;
  const t = (Math.abs(change.likeForLike) / noise) * studentFactor(freedom);
  const density = studentDensity(freedom);
  const FAR = 60;
  if (!(t < FAR)) return 0;
  const steps = 4000;
  const width = t / steps;
  let below = 0;
  for (let at = 0; at < steps; at += 1) below += density((at + 0.5) * width) * width;
  return Math.max(0, 1 - 2 * below);
}

export const RATE = 0.05;
/** Of some chances the largest with which something is told, by Benjamini and Hochberg; -1 if nothing is. */
export function cutOf(chances: readonly number[]): number {
  const sorted = chances.toSorted((a, b) => a - b);
  return Math.max(-1, ...sorted.filter((chance, at) => chance <= (RATE * (at + 1)) / sorted.length));
}

/** The density of Student's t. */
function studentDensity(freedom: number): (t: number) => number {
  let scale = freedom % 2 === 1 ? 1 / Math.PI : 1 / (2 * Math.SQRT2);
  for (let at = freedom % 2 === 1 ? 1 : 2; at < freedom; at += 2) scale *= ((at + 1) / at) * Math.sqrt(at / (at + 2));
  return (t) => scale * (1 + (t * t) / freedom) ** (-(freedom + 1) / 2);
}

const factors = new Map<number, number>();

/** Student's t that 97.5 % lie below, from its density. */
function studentFactor(freedom: number): number {
  const known = factors.get(freedom);
  if (known !== undefined) return known;
  const density = studentDensity(freedom);
  let [t, below] = [0, 0.5];
  for (const step = 1e-4; below < 0.975; t += step) below += density(t + step / 2) * step;
  factors.set(freedom, t);
  return t;
}
