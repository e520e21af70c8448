// What a chart is drawn from: the table under it. So the chart shows what the table says, and nothing is sent twice.

export type ChartSettings = Readonly<{
  chart: 'line' | 'bar' | 'stacked';
  x: string;
  y: readonly string[];
  series?: string;
  unit?: string;
  title: string;
}>;

/** `isOurs` where the column `is_ours` of the panel says so. */
export type Line = Readonly<{ name: string; isOurs: boolean; values: readonly (number | null)[] }>;
export type Figures = Readonly<{ isByDate: boolean; places: readonly string[]; lines: readonly Line[] }>;

export function readFigures(table: HTMLTableElement, { x, y, series }: ChartSettings): Figures {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  const find = (name: string | undefined): number => heads.findIndex((head) => head.dataset.column === name);
  const at = { x: find(x), series: find(series), isOurs: find('is_ours'), y: y.map((name) => ({ name, column: find(name) })) };
  const places: string[] = [];
  const lines = new Map<string, Map<string, number | null>>();
  const ours = new Set<string>();
  for (const row of table.tBodies[0]?.rows ?? []) {
    const place = textOf(row.cells[at.x]);
    if (!places.includes(place)) places.push(place);
    for (const { name, column } of at.y) {
      const own = at.series < 0 ? headingOf(name) : textOf(row.cells[at.series]);
      const key = at.series < 0 || at.y.length === 1 ? own : `${own}, ${headingOf(name)}`;
      const line = lines.get(key) ?? new Map<string, number | null>();
      line.set(place, numberOf(row.cells[column]));
      lines.set(key, line);
      if (at.isOurs >= 0 && textOf(row.cells[at.isOurs]) === 'yes') ours.add(key);
    }
  }
  const isByDate = heads[at.x]?.dataset.kind === 'date';
  if (isByDate) places.sort((a, b) => (a < b ? -1 : 1));
  const drawn = [...lines].map(([name, line]) => ({
    name,
    isOurs: ours.has(name),
    values: places.map((place) => line.get(place) ?? null),
  }));
  return { isByDate, places, lines: drawn };
}

function textOf(cell: HTMLTableCellElement | undefined): string {
  return cell?.textContent ?? '';
}

function numberOf(cell: HTMLTableCellElement | undefined): number | null {
  const value = cell?.querySelector('data')?.value;
  return value === undefined ? null : Number(value);
}

function headingOf(column: string): string {
  const words = column.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
