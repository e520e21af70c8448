// Combines several runs into one: the median of every number.
import type { Result } from '../support/figure.ts';
import { median } from '../support/statistics.ts';
import type { Measured, Run } from './run.ts';

/**
 * Combines an odd number of runs of the same figures on one machine. Every line has the medians of its numbers. Its goal is met if most runs met
 * it, as is then true of the median. Notes are those of the run whose first line is the median. Throws for runs that differ.
 */
export function medianRun(runs: readonly Run[]): Run {
  const [first] = runs;
  if (!first || runs.length % 2 === 0) throw new Error(`${runs.length} runs have no median: give one, three or five`);
  return {
    ...first,
    runs: runs.length,
    seconds: median(runs.map(({ seconds }) => seconds)),
    measured: first.measured.map(({ name }, index) =>
      medianFigure(
        name,
        runs.map(({ measured }) => measured[index]),
      ),
    ),
  };
}

function medianFigure(name: string, all: readonly (Measured | undefined)[]): Measured {
  const measured = all.filter((one) => one?.name === name);
  const failed = measured.find((one) => one?.failure !== undefined);
  if (failed) return failed;
  const findings = measured.flatMap((one) => one?.findings ?? []);
  const [first] = findings;
  if (!first || findings.length < all.length) throw new Error(`not every run has the figure ${name}`);
  const results = first.results.map(({ figure }, line) =>
    medianResult(
      figure,
      findings.map((found) => found.results[line]),
    ),
  );
  const middle = findings.find((found) => found.results[0]?.ours === results[0]?.ours) ?? first;
  return { ...(measured[0] as Measured), findings: { ...middle, results } };
}

function medianResult(figure: string, all: readonly (Result | undefined)[]): Result {
  const lines = all.filter((line) => line?.figure === figure) as Result[];
  const [first] = lines;
  if (!first || lines.length < all.length) throw new Error(`not every run has the line "${figure}"`);
  const { peer, ratio, isMet } = first;
  return {
    ...first,
    ours: median(lines.map(({ ours }) => ours)),
    ...(peer && { peer: { ...peer, value: median(lines.map((line) => line.peer?.value ?? Number.NaN)) } }),
    ...(ratio !== undefined && { ratio: median(lines.map((line) => line.ratio ?? Number.NaN)) }),
    ...(isMet !== undefined && { isMet: lines.filter((line) => line.isMet).length > lines.length / 2 }),
  };
}
