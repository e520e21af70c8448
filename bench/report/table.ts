// The figures as a person reads them.
import type { Findings, Result } from '../support/figure.ts';

/** A measured figure, or why there is none. */
export type Measured = Readonly<{ name: string; title: string; findings?: Findings; failure?: string }>;

const HEADINGS = ['figure', 'ours', 'peer', 'ratio', 'goal', ''] as const;

/** A number with as many digits as mean something. */
export function formatNumber(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

/** The cells of a result, in the order of the headings. */
export function cellsOf(result: Result): string[] {
  return [
    result.figure,
    `${formatNumber(result.ours)} ${result.unit}`.trim(),
    result.peer ? `${formatNumber(result.peer.value)} ${result.unit}`.trim() : '',
    result.ratio === undefined ? '' : `${formatNumber(result.ratio)} x`,
    result.goal ?? '',
    result.isMet === undefined ? '' : result.isMet ? 'met' : 'NOT MET',
  ];
}

/** All figures as one text table, each with its notes below. */
export function formatTable(measured: readonly Measured[]): string {
  const rows = measured.flatMap(({ findings }) => findings?.results.map(cellsOf) ?? []);
  const widths = HEADINGS.map((heading, i) => Math.max(heading.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `  ${cells
      .map((cell, i) => (i === 0 || i >= 4 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd()}`;
  return measured
    .flatMap(({ title, findings, failure }) => [
      '',
      title,
      ...(findings ? [line(HEADINGS), ...findings.results.map((result) => line(cellsOf(result)))] : [`  not measured: ${failure}`]),
      ...(findings?.notes.map((note) => `  - ${note}`) ?? []),
    ])
    .join('\n');
}
