// The figures in docs/performance.md: one table per figure, between marks that name it. The text around them is written by
// hand.
import { formatMachine } from '../support/machine.ts';
import type { Run } from './results-file.ts';
import { cellsOf, type Measured } from './table.ts';

const MARKED = /(<!-- bench: ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g;

/** Fills every marked place with the run. Throws for a place whose figure the run has not measured. */
export function fillTables(page: string, run: Run): string {
  return page.replaceAll(MARKED, (_, begin: string, name: string, end: string) => {
    return `${begin}\n${name === 'run' ? describeRun(run) : formatFigure(run, name)}\n\n${end}`;
  });
}

function describeRun({ startedAt, seconds, mode, machine }: Run): string {
  return `Measured on ${startedAt.slice(0, 10)} (${mode}, ${Math.round(seconds / 60)} minutes) on ${formatMachine(machine)}.`;
}

function formatFigure(run: Run, name: string): string {
  const found = run.measured.find((measured) => measured.name === name);
  if (!found?.findings) throw new Error(`the run has no figure ${name}: ${found?.failure ?? 'it was not measured'}`);
  return tableOf({ ...found, findings: found.findings });
}

function tableOf({ findings }: Required<Pick<Measured, 'findings'>>): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    line(['figure', 'ours', 'compared with', 'ratio', 'goal', '']),
    line(['---', '---:', '---:', '---:', '---', '---']),
    ...findings.results.map((result) => line(cellsOf(result).map((cell) => (cell === 'NOT MET' ? '**not met**' : cell)))),
    '',
    ...findings.notes.map((note) => `- ${note}`),
  ].join('\n');
}
