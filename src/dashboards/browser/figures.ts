// Reads the figures of a chart from the table below it, so that both agree and nothing is sent twice.

export type ChartSettings = Readonly<{
  chart: 'line' | 'bar' | 'stacked';
  x: string;
  y: readonly string[];
  series?: string;
  unit?: string;
  title: string;
  /** The datasets that it is about. */
  datasets?: readonly string[];
  /** Of which account, filters and time it is, for pictures. */
  context?: string;
  /** Whether the lines are ordered classes of one scale. */
  isScale?: boolean;
}>;

type Values = readonly (number | null)[];
/** The bounds of the figures, from the columns `low` and `high`. */
type Bounds = Readonly<{ low: Values; high: Values }>;
/** `isOurs` comes from the column `is_ours`. `parts` are the values by question, each of full length; `bounds` are those of each part. */
export type Line = Readonly<{
  name: string;
  isOurs: boolean;
  /** The link to the board of the line's subject. */
  href: string | undefined;
  values: Values;
  parts: readonly Values[];
  bounds: readonly Bounds[];
}>;
export type Figures = Readonly<{
  isByDate: boolean;
  places: readonly string[];
  lines: readonly Line[];
  /** Places at which a line starts to answer another question: earlier figures are not comparable. */
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
    low: find('low'),
    high: find('high'),
    y: y.map((name) => ({ name, column: find(name) })),
  };
  const places: string[] = [];
  const lines = new Map<string, Map<string, number | null>>();
  const ours = new Set<string>();
  const hrefs = new Map<string, string>();
  const questions = new Map<string, string>();
  const bounds = new Map<string, Readonly<{ low: number | null; high: number | null }>>();
  for (const row of table.tBodies[0]?.rows ?? []) {
    const place = textOf(row.cells[at.x]);
    if (!places.includes(place)) places.push(place);
    for (const { name, column } of at.y) {
      const own = at.series < 0 ? headingOf(name) : textOf(row.cells[at.series]);
      const key = at.series < 0 || at.y.length === 1 ? own : `${own}, ${headingOf(name)}`;
      const line = lines.get(key) ?? new Map<string, number | null>();
      line.set(place, numberOf(row.cells[column]));
      if (at.question >= 0) questions.set(`${key} ${place}`, textOf(row.cells[at.question]));
      if (at.low >= 0 && at.high >= 0)
        bounds.set(`${key} ${place}`, { low: numberOf(row.cells[at.low]), high: numberOf(row.cells[at.high]) });
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
    const drawnParts = parts.length > 1 ? parts : [values];
    const boundOf = (part: Values, end: 'low' | 'high'): Values =>
      places.map((place, index) => (part[index] === null ? null : (bounds.get(`${name} ${place}`)?.[end] ?? null)));
    return {
      name,
      isOurs: ours.has(name),
      href: hrefs.get(name),
      values,
      parts: drawnParts,
      bounds: bounds.size === 0 ? [] : drawnParts.map((part) => ({ low: boundOf(part, 'low'), high: boundOf(part, 'high') })),
    };
  });
  return { isByDate, places, lines: drawn, changes: places.filter((place) => changes.has(place)) };
}

/** The places whose question differs from the previous one. Gaps are skipped. */
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
