// Writes the figures in docs/performance.md: one table per figure, between marks with its name. The text around them is written by hand.
import { formatMachine } from '../support/machine.ts';
import type { Measured, Run } from './run.ts';
import { cellsOf, HEADINGS } from './table.ts';

const MARKED = /(<!-- bench: ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g;

/** Rows and notes that add nothing for readers of the page; the run's file and the terminal show them. */
const LEFT_OUT =
  /^(\d workers?, CPU of |allowed .*, 2 workers,|searchmill status --json|--json writes|(Postgres transactions|Redis commands),)/;

/** The page says at its top that a goal is met unless stated otherwise. */
const ON_PAGE: Readonly<Record<string, string>> = { met: '', 'NOT MET': '**not met**' };

/** Name of the marked place that describes the run. */
const RUN = 'run';

/**
 * Fills the marked places with the run. A run of some figures fills only their places, and notes its date there. Throws for a figure that failed.
 */
export function fillTables(page: string, run: Run): string {
  return page.replaceAll(MARKED, (place, begin: string, name: string, end: string) => {
    if (name === RUN) return run.isWhole ? `${begin}\n${describeRun(run)}\n\n${end}` : place;
    const found = run.measured.find((measured) => measured.name === name);
    if (!found) return place;
    return `${begin}\n${formatFigure(found)}${run.isWhole ? '' : `\n- ${describeRun(run)}`}\n\n${end}`;
  });
}

function describeRun({ startedAt, seconds, runs = 1, mode, machine }: Run): string {
  const kind = runs === 1 ? mode : `medians of ${runs} ${mode} runs`;
  return `Measured on ${startedAt.slice(0, 10)} (${kind}, ${Math.round(seconds / 60)} minutes) on ${formatMachine(machine)}.`;
}

function formatFigure({ name, findings, failure }: Measured): string {
  if (!findings) throw new Error(`the run has no figure ${name}: ${failure}`);
  const results = findings.results.filter(({ figure }) => !LEFT_OUT.test(figure));
  const rows = results.map((result) => cellsOf(result).map((cell) => ON_PAGE[cell] ?? cell));
  const isFilled = HEADINGS.map((_, column) => rows.some((cells) => cells[column] !== ''));
  // Without outer pipes: the first two columns have text in every row; empty columns and trailing empty cells are left out.
  const line = (cells: readonly string[]): string =>
    cells
      .filter((_, column) => isFilled[column])
      .map((cell) => cell.replaceAll('|', '\\|'))
      .join(' | ')
      .replace(/[ |]+$/, '');
  return [
    line(HEADINGS),
    line(['---', '---:', '---:', '---:', '---', '---']),
    ...rows.map(line),
    '',
    ...findings.notes.filter((note) => !LEFT_OUT.test(note)).map((note) => `- ${note}`),
  ].join('\n');
}
