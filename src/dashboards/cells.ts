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

const DIGITS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });

/** What a person reads: digits in groups, times to the minute. */
export function showCell(cell: Cell, kind: ColumnKind): string {
  if (cell === null) return '–';
  if (kind === 'number') return Number.isFinite(Number(cell)) ? DIGITS.format(Number(cell)) : cell;
  if (kind === 'time') return cell.replace(/^(\S+) (\d\d:\d\d).*$/, '$1 $2');
  if (kind === 'boolean') return cell === 't' ? 'yes' : 'no';
  return cell;
}
