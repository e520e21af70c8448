// The order of a table's rows and its search text, both from the address, so that they work without JavaScript and in a shared link.
import { compareText } from '../core/compare-text.ts';
import type { Query } from './board-view.ts';
import { type Cell, type Column, NOTICE_COLUMN, QUESTION_COLUMN, REASON_COLUMN, type Row, type Rows, showCell } from './cells.ts';
import { labelOf } from './labels.ts';
import type { Panel } from './panel-file.ts';

export type TableOrder = Readonly<{
  /** Undefined keeps the order of the statement. */
  sort: Readonly<{ column: string; isDescending: boolean }> | undefined;
  /** Only rows that contain this text are shown, ignoring case. */
  find: string;
}>;

const MAX_FIND = 100;

/** Parameter names: `sort.<panel>=-effect` sorts descending, `find.<panel>=boots` searches. */
export const sortName = (panel: string): string => `sort.${panel}`;
export const findName = (panel: string): string => `find.${panel}`;

export function readOrder({ name }: Pick<Panel, 'name'>, query: Query): TableOrder {
  const written = (key: string): string => {
    const given = query[key];
    return (typeof given === 'string' ? given : given?.[0]) ?? '';
  };
  const [, sign, column] = /^(-?)(\w+)$/.exec(written(sortName(name))) ?? [];
  return { sort: column ? { column, isDescending: sign === '-' } : undefined, find: written(findName(name)).slice(0, MAX_FIND).trim() };
}

/** The rows that match the search text, sorted. Rows without a value come last. */
export function orderRows({ columns, rows }: Rows, { sort, find }: TableOrder): readonly Row[] {
  // Minus signs are shown that no keyboard has.
  const asTyped = (text: string): string => text.toLowerCase().replaceAll('\u2212', '-');
  const wanted = asTyped(find);
  const textOf = ({ name, kind }: Column, cell: Cell): string => asTyped(labelOf(name, showCell(cell, kind)));
  const isFound = (row: Row): boolean => columns.some((column, at) => textOf(column, row[at] ?? null).includes(wanted));
  const found = wanted === '' ? rows : rows.filter(isFound);
  const at = columns.findIndex(({ name }) => name === sort?.column);
  if (!sort || at < 0) return found;
  const direction = sort.isDescending ? -1 : 1;
  const isNumber = columns[at]?.kind === 'number';
  return found.toSorted((one, other) => {
    const [a, b] = [one[at] ?? null, other[at] ?? null];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return direction * (isNumber ? Number(a) - Number(b) : compareText(a.toLowerCase(), b.toLowerCase()));
  });
}

/** Rows with the newest week first, and within a week in the order of the statement. */
export function newestFirst({ columns, rows }: Rows, x: string | undefined): readonly Row[] {
  const at = columns.findIndex(({ name, kind }) => name === x && kind === 'date');
  return at < 0 ? rows : rows.toSorted((one, other) => compareText(other[at] ?? '', one[at] ?? ''));
}

/** Columns with the same value in every row, which can be shown once. Columns that the chart needs are never among them. */
export function findSteady(panel: Panel, { columns, rows }: Rows): ReadonlySet<string> {
  if (rows.length < 2) return new Set();
  const needed = new Set([
    panel.x,
    panel.series,
    ...panel.y,
    ...panel.changes,
    panel.beside?.column,
    'is_ours',
    NOTICE_COLUMN,
    REASON_COLUMN,
    QUESTION_COLUMN,
  ]);
  const steady = columns.filter(({ name }, at) => !needed.has(name) && rows.every((row) => row[at] === rows[0]?.[at]));
  return steady.length === columns.length ? new Set() : new Set(steady.map(({ name }) => name));
}
