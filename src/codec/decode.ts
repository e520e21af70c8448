// From the service's rows to those of COPY. A decoder is compiled once per schema and then only does look-ups: values are checked here so that
// COPY never refuses a page. A value that does not decode is rejected with its column and reason, never altered. Source of the rules:
// service specification, "Result rows".
import { UnparsedRow, writeExact } from '../core/exact-json.ts';
import type { Dataset } from '../datasets/dataset.ts';
import type { CopyRows, CopyType } from './copy-rows.ts';
import { RowKey } from './row-key.ts';
import { ENCODE, encodeExtra, explain } from './values.ts';

/** One entry of a response's `schema`; the type is optional, since columns are identified by name. */
export type SchemaEntry = Readonly<{ name: string; type?: string | null | undefined }>;

/** How a response's schema differs from the dataset's. */
export type Drift = Readonly<{ kind: 'new_column' | 'missing_column' | 'changed_type' | 'changed_order'; column: string; detail: string }>;

/** A row that did not decode. `position` counts from 1; `column` is null when the row as a whole is wrong. */
export type RejectedRow = Readonly<{ position: number; column: string | null; reason: string; raw: string }>;

export type DecodedRows = Readonly<{
  /** Rows for COPY into the staging table, in the order of `stagingColumns`, without header and trailer. */
  copyData: Buffer;
  staged: number;
  rejected: readonly RejectedRow[];
}>;

/** Number of the page, and of the row in it, both from 1. */
type RowAt = Readonly<{ page: number; position: number }>;

export type Decoder = Readonly<{
  /** As sent by the service. */
  schema: readonly SchemaEntry[];
  /** Column names as stored. */
  columnNames: readonly string[];
  drift: readonly Drift[];
  /**
   * Decodes one row and adds it to `into`, or returns why not. `page` and `position` count from 1. `raw`: the row as it was sent,
   * if known. Never throws for the content of a row.
   */
  decodeRow(row: unknown, at: RowAt, into: CopyRows, raw?: () => string): RejectedRow | undefined;
}>;

/** Columns of a staged row besides the dataset's, as CopyRows.endRow adds them. */
const OWN_COLUMNS: readonly (readonly [string, CopyType])[] = [
  ['_extra', 'jsonb'],
  ['_key', 'uuid'],
  ['_page', 'integer'],
  ['_position', 'integer'],
];

/** Columns of a staging table in the order of COPY, with their types. */
export function stagingColumns(dataset: Dataset): (readonly [name: string, type: CopyType])[] {
  return [...dataset.columns.map(({ name, pg }) => [name, pg] as const), ...OWN_COLUMNS];
}

/** Columns needed to place a row in its table. */
export const REQUIRED_COLUMNS: ReadonlySet<string> = new Set(['account_id', 'time_period_start']);

/** Compiles a decoder for pages with `schema`. */
export function createDecoder(dataset: Dataset, schema: readonly SchemaEntry[]): Decoder {
  const columnNames = storableNames(schema);
  const positions = new Map(columnNames.map((name, index) => [name, index]));
  const known = new Set(dataset.columns.map((column) => column.name));
  const fields = dataset.columns.map((column) => ({
    column,
    index: positions.get(column.name) ?? -1,
    isRequired: REQUIRED_COLUMNS.has(column.name),
  }));
  const extras = columnNames.flatMap((name, index) => (known.has(name) ? [] : [{ index, name }]));

  const staged = stagingColumns(dataset);
  const key = new RowKey();

  /** Adds a row, or returns why not; then part of it may remain after the end of `into`. */
  function addRow(row: unknown, page: number, position: number, into: CopyRows): Pick<RejectedRow, 'column' | 'reason'> | undefined {
    if (row instanceof UnparsedRow) return { column: null, reason: row.reason };
    if (!Array.isArray(row)) return { column: null, reason: 'the row is not an array' };
    if (row.length !== schema.length)
      return { column: null, reason: `the row has ${row.length} values, its schema has ${schema.length} columns` };
    into.beginRow(staged.length);
    key.clear();
    for (const { column, index, isRequired } of fields) {
      const value: unknown = index === -1 ? null : row[index];
      const cell = value === null || value === undefined ? null : ENCODE[column.pg](value);
      if (cell === undefined) return { column: column.name, reason: explain(column, value) };
      if (isRequired && cell === null) return { column: column.name, reason: 'it places the row in its table and has no value' };
      if (column.isIdentity) key.add(cell);
      into.add(column.pg, cell);
    }
    const extra = extras.length === 0 ? null : encodeExtra(extras, row);
    if (extra === undefined)
      return {
        column: extras.map((e) => e.name).join(', '),
        reason: 'a column the table does not have holds what Postgres cannot store as it came',
      };
    into.endRow(extra, key, page, position);
    return undefined;
  }

  function decodeRow(row: unknown, { page, position }: RowAt, into: CopyRows, raw = () => writeExact(row)): RejectedRow | undefined {
    const start = into.end;
    const rejection = addRow(row, page, position, into);
    if (!rejection) return undefined;
    into.end = start;
    return { ...rejection, position, raw: raw() };
  }

  return { schema, columnNames, drift: findDrift(dataset, schema, columnNames), decodeRow };
}

/** Whether both schemas have the same names and types in the same order. */
export function isSameSchema(a: readonly SchemaEntry[], b: readonly SchemaEntry[]): boolean {
  const isSame = (entry: SchemaEntry, other: SchemaEntry | undefined): boolean =>
    entry.name === other?.name && (entry.type ?? null) === (other.type ?? null);
  return a === b || (a.length === b.length && a.every((entry, i) => isSame(entry, b[i])));
}

/** A schema in a form that the ledger can store; it decodes the same. */
export function storableSchema(schema: readonly SchemaEntry[]): SchemaEntry[] {
  return schema.map(({ name, type }) => ({ name: storable(name), type: typeof type === 'string' ? storable(type) : null }));
}

/** Longer names are cut, because the ledger indexes them. */
const MAX_NAME_LENGTH = 200;

/** The unique names of a schema as Postgres can store them; a repeated name is marked with its position. */
function storableNames(schema: readonly SchemaEntry[]): string[] {
  const names = new Set<string>();
  for (const [index, entry] of schema.entries()) {
    let name = storable(entry.name);
    while (names.has(name)) name = `${name}#${index + 1}`;
    names.add(name);
  }
  return [...names];
}

function storable(name: string): string {
  return name.slice(0, MAX_NAME_LENGTH).toWellFormed().replaceAll('\u0000', '\ufffd');
}

function findDrift(dataset: Dataset, schema: readonly SchemaEntry[], columnNames: readonly string[]): Drift[] {
  const drift: Drift[] = [];
  const expected = new Map(dataset.columns.map((column) => [column.name, column]));
  const given = new Set(columnNames);
  for (const [index, name] of columnNames.entries()) {
    const column = expected.get(name);
    const sent = storable(schema[index]?.name ?? '');
    const sentType = schema[index]?.type;
    const type = typeof sentType === 'string' ? storable(sentType) : undefined;
    if (!column)
      drift.push({
        kind: 'new_column',
        column: name,
        detail:
          sent === name
            ? `the service sends a column ${name}${type === undefined ? '' : ` (${type})`} at position ${index + 1}; it is kept in _extra`
            : `the service sends ${sent} again at position ${index + 1}; it is kept in _extra as ${name}`,
      });
    else if (type !== undefined && column.wire !== type)
      drift.push({
        kind: 'changed_type',
        column: name,
        detail: `the service calls ${name} ${type}, expected ${column.wire}; it is decoded as ${column.wire}`,
      });
  }
  for (const column of dataset.columns) {
    if (!given.has(column.name)) {
      drift.push({
        kind: 'missing_column',
        column: column.name,
        detail: `the service no longer sends ${column.name}${column.isIdentity ? ', which identifies rows' : '; it is stored as NULL'}`,
      });
    }
  }
  const order = columnNames.filter((name) => expected.has(name));
  const usual = dataset.columns.filter((column) => given.has(column.name));
  if (order.some((name, i) => name !== usual[i]?.name)) {
    drift.push({ kind: 'changed_order', column: '', detail: 'the service sends the columns in another order; they are followed by name' });
  }
  return drift;
}
