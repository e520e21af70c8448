// What a chart is drawn from: the table under it. So the chart shows what the table says, and nothing is sent twice.

export type ChartSettings = Readonly<{
  chart: 'line' | 'bar' | 'stacked';
  x: string;
  y: readonly string[];
  series?: string;
  unit?: string;
  title: string;
  /** The lines are classes of one scale, in their order. */
  isScale?: boolean;
}>;

type Values = readonly (number | null)[];
/** `isOurs` where the column `is_ours` of the panel says so. `parts` are the values of each question by themselves. */
export type Line = Readonly<{
  name: string;
  isOurs: boolean;
  /** The board of what the line is about. */
  href: string | undefined;
  values: Values;
  parts: readonly Values[];
}>;
export type Figures = Readonly<{
  isByDate: boolean;
  places: readonly string[];
  lines: readonly Line[];
  /** Places from which on a line answers another question than before: what lies before is not comparable. */
  changes: readonly string[];
}>;

export function readFigures(table: HTMLTableElement, { x, y, series }: ChartSettings): Figures {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  const find = (name: string | undefined): number => heads.findIndex((head) => head.dataset.column === name);
  const at = {
    x: find(x),
    series: find(series),
    isOurs: find('is_ours'),
    question: find('question'),
    y: y.map((name) => ({ name, column: find(name) })),
  };
  const places: string[] = [];
  const lines = new Map<string, Map<string, number | null>>();
  const ours = new Set<string>();
  const hrefs = new Map<string, string>();
  const questions = new Map<string, string>();
  for (const row of table.tBodies[0]?.rows ?? []) {
    const place = textOf(row.cells[at.x]);
    if (!places.includes(place)) places.push(place);
    for (const { name, column } of at.y) {
      const own = at.series < 0 ? headingOf(name) : textOf(row.cells[at.series]);
      const key = at.series < 0 || at.y.length === 1 ? own : `${own}, ${headingOf(name)}`;
      const line = lines.get(key) ?? new Map<string, number | null>();
      line.set(place, numberOf(row.cells[column]));
      if (at.question >= 0) questions.set(`${key} ${place}`, textOf(row.cells[at.question]));
      lines.set(key, line);
      const href = row.cells[at.series]?.querySelector('a')?.href;
      if (href) hrefs.set(key, href);
      if (at.isOurs >= 0 && textOf(row.cells[at.isOurs]) === 'yes') ours.add(key);
    }
  }
  const isByDate = heads[at.x]?.dataset.kind === 'date';
  if (isByDate) places.sort((a, b) => (a < b ? -1 : 1));
  const changes = new Set<string>();
  const drawn = [...lines].map(([name, line]): Line => {
    const values = places.map((place) => line.get(place) ?? null);
    const asked = places.map((place, index) => (values[index] === null ? undefined : questions.get(`${name} ${place}`)));
    for (const place of findChanges(places, asked)) changes.add(place);
    const different = new Set(asked.filter((each) => each !== undefined));
    const parts = [...different].map((question) => values.map((value, index) => (asked[index] === question ? value : null)));
    return { name, isOurs: ours.has(name), href: hrefs.get(name), values, parts: parts.length > 1 ? parts : [values] };
  });
  return { isByDate, places, lines: drawn, changes: places.filter((place) => changes.has(place)) };
}

/** The places that have another question than the one before, gaps left out. */
function findChanges(places: readonly string[], questions: readonly (string | undefined)[]): string[] {
  let before: string | undefined;
  return places.filter((_, index) => {
    const question = questions[index];
    const isOther = before !== undefined && question !== undefined && question !== before;
    before = question ?? before;
    return isOther;
  });
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
