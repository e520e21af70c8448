// Tables for people: aligned columns, numbers to the right.

export type Cell = string | number | null;

/** Lines of a table with a header, a rule and rows. Numbers get thousands separators and align right. */
export function formatTable(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const isNumber = header.map((_, column) => rows.some((row) => typeof row[column] === 'number'));
  const text = rows.map((row) => row.map(formatCell));
  const widths = header.map((name, column) => Math.max(name.length, ...text.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(header), widths.map((width) => '-'.repeat(width)).join('  '), ...text.map(line)].join('\n');
}

function formatCell(cell: Cell): string {
  if (cell === null) return '-';
  return typeof cell === 'number' ? cell.toLocaleString('en-US', { maximumFractionDigits: 2 }) : cell;
}

/** `3 weeks`, `1 week`. */
export function count(amount: number, noun: string): string {
  return `${amount.toLocaleString('en-US')} ${noun}${amount === 1 ? '' : 's'}`;
}
