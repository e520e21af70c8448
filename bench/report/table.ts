// The figures in readable form.
import { formatTable as alignColumns } from '../../src/cli/table.ts';
import type { Result } from '../support/figure.ts';
import type { Measured } from './run.ts';

export const HEADINGS = ['figure', 'ours', 'compared with', 'ratio', 'goal', 'result'] as const;

/** A number with its significant digits. */
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

/** All figures as text, each a table with its notes below. */
export function formatTable(measured: readonly Measured[]): string {
  return measured
    .flatMap(({ title, findings, failure }) => [
      '',
      title,
      findings ? alignColumns(HEADINGS, findings.results.map(cellsOf)) : `not measured: ${failure}`,
      ...(findings?.notes.map((note) => `- ${note}`) ?? []),
    ])
    .join('\n');
}
