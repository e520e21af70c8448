// Tables for people: aligned columns, numbers to the right.

import { escapeControls } from '../core/invisible.ts';
import { formatNumber } from '../core/numbers.ts';

export type Cell = string | number | null;

/** Lines of a table: a header and a rule (none when there are no names), and rows. Numbers get separators and align right. */
export function formatTable(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const columns = Array.from({ length: Math.max(header.length, ...rows.map((row) => row.length)) }, (_, column) => column);
  const isNumber = columns.map((column) => rows.some((row) => typeof row[column] === 'number'));
  const text = rows.map((row) => row.map(formatCell));
  const widths = columns.map((column) => Math.max(header[column]?.length ?? 0, ...text.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  const head = header.length === 0 ? [] : [line(header), widths.map((width) => '-'.repeat(width)).join('  ')];
  return [...head, ...text.map(line)].join('\n');
}

function formatCell(cell: Cell): string {
  if (cell === null) return '-';
  return typeof cell === 'number' ? formatNumber(cell) : escapeControls(cell.replaceAll('\n', ' '));
}
