// Rows of a panel as Postgres wrote them: text, or null. What a column holds is known from its type, so no digit is lost on the way.

export type ColumnKind = 'number' | 'date' | 'time' | 'boolean' | 'text';
export type Column = Readonly<{ name: string; kind: ColumnKind }>;
export type Cell = string | null;
export type Row = readonly Cell[];
export type Rows = Readonly<{ columns: readonly Column[]; rows: readonly Row[] }>;

/** Not shown in tables: what the panel has to say of its figures. */
export const NOTICE_COLUMN = 'notice';
/** Why there is no figure, or what the figure lacks. */
export const REASON_COLUMN = 'reason';
/** Which question a figure answers, in words: figures of different ones are not comparable, and no line is drawn from one to the other. */
export const QUESTION_COLUMN = 'question';

/** Rows with anything in them, and of the others, which only say why there is nothing to show (`reason`) or what weeks they are about (`notice`), the reasons. */
export function separateReasons({ columns, rows }: Rows): Readonly<{ rows: readonly Row[]; reasons: readonly string[] }> {
  const reasonAt = columns.findIndex(({ name }) => name === REASON_COLUMN);
  const isBare = (row: Row): boolean =>
    columns.every(({ name }, at) => name === NOTICE_COLUMN || name === REASON_COLUMN || (row[at] ?? null) === null);
  const reasons = rows.flatMap((row) => (isBare(row) ? (row[reasonAt] ?? []) : []));
  return { rows: rows.filter((row) => !isBare(row)), reasons: [...new Set(reasons)] };
}

/** The rows that answer another question than the row before them, in their line. */
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

/** By the numbers that pg_type gives to the types of the catalog, which never change. */
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

/** Digits after the point that the figures of a column need: with as many in all of them, 30.0 stands below 37.5. */
export function digitsOf(cells: readonly Cell[]): number {
  const written = cells.map((cell) => /^-?\d+\.(\d*[1-9])0*$/.exec(cell ?? '')?.[1]?.length ?? 0);
  return Math.min(
    MAX_FRACTION_DIGITS,
    written.reduce((most, each) => Math.max(most, each), 0),
  );
}

/** What a person reads: digits in groups, times to the minute. `digits` are those after the point, at least. */
export function showCell(cell: Cell, kind: ColumnKind, digits = 0): string {
  if (cell === null) return '–';
  if (kind === 'number') return Number.isFinite(Number(cell)) ? ((FORMATS[digits] ?? FORMATS[0])?.format(Number(cell)) ?? cell) : cell;
  if (kind === 'time') return cell.replace(/^(\S+) (\d\d:\d\d).*$/, '$1 $2');
  if (kind === 'boolean') return cell === 't' ? 'yes' : 'no';
  return cell;
}
