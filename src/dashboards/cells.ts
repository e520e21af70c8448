// Rows of a panel as Postgres text or null, so that no digit is lost. The type of a column says what it holds.

export type ColumnKind = 'number' | 'date' | 'time' | 'boolean' | 'text';
export type Column = Readonly<{ name: string; kind: ColumnKind }>;
export type Cell = string | null;
export type Row = readonly Cell[];
export type Rows = Readonly<{ columns: readonly Column[]; rows: readonly Row[] }>;

/** The column with a panel's remarks on its figures. It is not shown in tables. */
export const NOTICE_COLUMN = 'notice';
/** The column that says why there is no figure, or what the figure lacks. */
export const REASON_COLUMN = 'reason';
/** The column with the question a figure answers, in words. Figures of different questions are not comparable and not joined by a line. */
export const QUESTION_COLUMN = 'question';

/** Separates rows with content from bare ones, in which only `reason` or `notice` is set. Returns the former, and the reasons of the latter. */
export function separateReasons({ columns, rows }: Rows): Readonly<{ rows: readonly Row[]; reasons: readonly string[] }> {
  const reasonAt = columns.findIndex(({ name }) => name === REASON_COLUMN);
  const isBare = (row: Row): boolean =>
    columns.every(({ name }, at) => name === NOTICE_COLUMN || name === REASON_COLUMN || (row[at] ?? null) === null);
  const reasons = rows.flatMap((row) => (isBare(row) ? (row[reasonAt] ?? []) : []));
  return { rows: rows.filter((row) => !isBare(row)), reasons: [...new Set(reasons)] };
}

/** The rows that answer another question than the previous row of the same series. */
export function findChanges({ columns, rows }: Rows, series: string | undefined): ReadonlySet<Row> {
  const find = (name: string | undefined): number => columns.findIndex((column) => column.name === name);
  const [line, question] = [find(series), find(QUESTION_COLUMN)];
  const before = new Map<string, string>();
  const changes = new Set<Row>();
  for (const row of rows) {
    const [name, now] = [row[line] ?? '', row[question]];
    if (!now) continue;
    if (before.has(name) && before.get(name) !== now) changes.add(row);
    before.set(name, now);
  }
  return changes;
}

/** Keyed by the OIDs of built-in types in pg_type, which never change. */
const KINDS: Readonly<Record<number, ColumnKind>> = {
  16: 'boolean',
  20: 'number',
  21: 'number',
  23: 'number',
  700: 'number',
  701: 'number',
  1082: 'date',
  1114: 'time',
  1184: 'time',
  1700: 'number',
};

export function kindOf(typeId: number): ColumnKind {
  return KINDS[typeId] ?? 'text';
}

const MAX_FRACTION_DIGITS = 4;
const FORMATS = Array.from(
  { length: MAX_FRACTION_DIGITS + 1 },
  (_, minimumFractionDigits) => new Intl.NumberFormat('en-US', { minimumFractionDigits, maximumFractionDigits: MAX_FRACTION_DIGITS }),
);

/** The digits after the point that the figures of a column need. If all use them, 30.0 is aligned with 37.5. */
export function digitsOf(cells: readonly Cell[]): number {
  const written = cells.map((cell) => /^-?\d+\.(\d*[1-9])0*$/.exec(cell ?? '')?.[1]?.length ?? 0);
  return Math.min(
    MAX_FRACTION_DIGITS,
    written.reduce((most, each) => Math.max(most, each), 0),
  );
}

/** A cell for people: digits in groups, times to the minute. `digits` is the least number of digits after the point. */
export function showCell(cell: Cell, kind: ColumnKind, digits = 0): string {
  if (cell === null) return '–';
  if (kind === 'number') return showNumber(cell, digits).replace('-', '\u2212');
  if (kind === 'time') return cell.replace(/^(\S+) (\d\d:\d\d).*$/, '$1 $2');
  if (kind === 'boolean') return cell === 't' ? 'yes' : 'no';
  return cell;
}

const showNumber = (cell: string, digits: number): string =>
  Number.isFinite(Number(cell)) ? ((FORMATS[digits] ?? FORMATS[0])?.format(Number(cell)) ?? cell) : cell;
