// From the service's rows to those of COPY. A decoder is compiled once per schema and then only looks things up: values are
// checked here so that COPY never refuses a page. What does not decode is rejected with its column and reason, never
// altered. Source of the rules: service specification, "Result rows".
import { isIsoDate } from '../core/weeks.ts';
import type { Column, Dataset, PgType } from '../datasets/dataset.ts';
import { CopyRows, type CopyType } from './copy-rows.ts';
import { identify, keyOf } from './row-key.ts';

/** One entry of a response's `schema`; without a type it is known by its name all the same. */
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

export type Decoder = Readonly<{
  /** As the service gave it. */
  schema: readonly SchemaEntry[];
  /** Its names as they are stored. */
  columnNames: readonly string[];
  drift: readonly Drift[];
  /** Decodes one row and adds it to `into`, or says why not. `page` and `position` count from 1. Never throws for what it contains. */
  decodeRow(row: unknown, page: number, position: number, into: CopyRows): RejectedRow | undefined;
  /** Decodes rows of one page, of which the first is at `firstPosition`, 1 by default. Never throws for what a row contains. */
  decodePage(rows: readonly unknown[], page: number, firstPosition?: number): DecodedRows;
}>;

/** Text that Postgres takes for a value of the type, null for none; undefined when it is not a value of the type. */
type Encode = (value: unknown) => string | null | undefined;

/** What a staged row has beyond the dataset's columns. */
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

/** Bytes that are enough for most rows. */
const USUAL_ROW_BYTES = 1024;

/** Columns without which a row cannot be placed in its table. */
export const REQUIRED_COLUMNS: ReadonlySet<string> = new Set(['account_id', 'time_period_start']);

/** Compiles a decoder for pages that carry `schema`. */
export function createDecoder(dataset: Dataset, schema: readonly SchemaEntry[]): Decoder {
  const columnNames = storableNames(schema);
  const positions = new Map(columnNames.map((name, index) => [name, index]));
  const known = new Set(dataset.columns.map((column) => column.name));
  const fields = dataset.columns.map((column) => ({
    column,
    index: positions.get(column.name) ?? -1,
    encode: createEncode(column.pg),
    isRequired: REQUIRED_COLUMNS.has(column.name),
  }));
  const extras = columnNames.flatMap((name, index) => (known.has(name) ? [] : [{ index, name }]));

  const types = stagingColumns(dataset).map(([, type]) => type);
  // One row's cells, reused.
  const cells = new Array<string | null>(types.length).fill(null);

  /** Fills `cells`, or says why not. */
  function readCells(row: unknown, page: number, position: number): Pick<RejectedRow, 'column' | 'reason'> | undefined {
    if (!Array.isArray(row)) return { column: null, reason: 'the row is not an array' };
    if (row.length !== schema.length)
      return { column: null, reason: `the row has ${row.length} values, its schema has ${schema.length} columns` };
    let identity = '';
    for (let i = 0; i < fields.length; i += 1) {
      const field = fields[i] as (typeof fields)[number];
      const value: unknown = field.index === -1 ? null : row[field.index];
      const cell = value === null || value === undefined ? null : field.encode(value);
      if (cell === undefined) return { column: field.column.name, reason: explain(field.column, value) };
      if (field.isRequired && cell === null)
        return { column: field.column.name, reason: 'it places the row in its table and has no value' };
      if (field.column.isIdentity) identity += identify(cell);
      cells[i] = cell;
    }
    const extra = extras.length === 0 ? null : encodeExtra(extras, row);
    if (extra === undefined)
      return {
        column: extras.map((e) => e.name).join(', '),
        reason: 'a column the table does not have holds what Postgres cannot store as it came',
      };
    cells[fields.length] = extra;
    cells[fields.length + 1] = keyOf(identity);
    cells[fields.length + 2] = String(page);
    cells[fields.length + 3] = String(position);
    return undefined;
  }

  function decodeRow(row: unknown, page: number, position: number, into: CopyRows): RejectedRow | undefined {
    const rejection = readCells(row, page, position);
    if (rejection) return { ...rejection, position, raw: rawOf(row) };
    into.add(types, cells);
    return undefined;
  }

  return {
    schema,
    columnNames,
    drift: findDrift(dataset, schema, columnNames),
    decodeRow,
    decodePage(rows, page, firstPosition = 1) {
      const into = new CopyRows(USUAL_ROW_BYTES * rows.length);
      const rejected = rows.flatMap((row, i) => decodeRow(row, page, firstPosition + i, into) ?? []);
      return { copyData: into.data, staged: rows.length - rejected.length, rejected };
    },
  };
}

/** A row as JSON text. Numbers beyond a double stay so: written as null they would decode, as something that never came. */
function rawOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(rawOf).join(',')}]`;
  if (typeof value === 'number' && !Number.isFinite(value)) return value > 0 ? '1e999' : '-1e999';
  return JSON.stringify(value);
}

/** True when both schemas name the same columns and types in the same order. */
export function isSameSchema(a: readonly SchemaEntry[], b: readonly SchemaEntry[]): boolean {
  const isSame = (entry: SchemaEntry, other: SchemaEntry | undefined): boolean =>
    entry.name === other?.name && (entry.type ?? null) === (other.type ?? null);
  return a === b || (a.length === b.length && a.every((entry, i) => isSame(entry, b[i])));
}

/** A schema as the ledger can keep it; decoding by it is the same. */
export function storableSchema(schema: readonly SchemaEntry[]): SchemaEntry[] {
  return schema.map(({ name, type }) => ({ name: storable(name), type: typeof type === 'string' ? storable(type) : null }));
}

/** Longer names are cut: the ledger keeps them in an index. */
const MAX_NAME_LENGTH = 200;

/** The names of a schema as Postgres can store them, each once: one that comes again is told apart by its position. */
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

function createEncode(type: PgType): Encode {
  switch (type) {
    case 'bigint':
      return (value) => encodeInteger(value, 15, -(2n ** 63n), 2n ** 63n - 1n);
    case 'integer':
      return (value) => encodeInteger(value, 9, -(2n ** 31n), 2n ** 31n - 1n);
    case 'double precision':
      return encodeFloat;
    case 'boolean':
      return encodeBoolean;
    case 'date':
      return createEncodeDate();
    case 'text':
      return encodeText;
  }
}

const INTEGER = /^-?\d+$/;
const LEADING_ZERO = /^(?:-0|0\d)/;

/** Text of up to `safeDigits` digits is in range without looking closer. */
function encodeInteger(value: unknown, safeDigits: number, min: bigint, max: bigint): string | null | undefined {
  if (typeof value === 'number') {
    // Beyond 2^53 JSON.parse has already lost digits: not exact, so not accepted.
    if (!Number.isSafeInteger(value)) return undefined;
    return encodeInteger(String(value), safeDigits, min, max);
  }
  if (value === '') return null;
  if (typeof value !== 'string' || !INTEGER.test(value)) return undefined;
  if (value.length <= safeDigits && !LEADING_ZERO.test(value)) return value;
  const exact = BigInt(value);
  return exact < min || exact > max ? undefined : exact.toString();
}

const FLOAT = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

function encodeFloat(value: unknown): string | null | undefined {
  if (value === '') return null;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !FLOAT.test(text)) return undefined;
  const number = Number(text);
  // Postgres refuses what overflows, and what is not zero but would be stored as zero.
  if (!Number.isFinite(number) || (number === 0 && /[1-9]/.test(text.split(/[eE]/)[0] ?? ''))) return undefined;
  return text;
}

function encodeBoolean(value: unknown): string | null | undefined {
  if (value === 'true' || value === true) return 't';
  if (value === 'false' || value === false) return 'f';
  if (value === '') return null;
  if (typeof value !== 'string') return undefined;
  const lower = value.toLowerCase();
  return lower === 'true' ? 't' : lower === 'false' ? 'f' : undefined;
}

/** Dates repeat over a page: the last one that was checked is remembered. */
function createEncodeDate(): Encode {
  let lastValid = '';
  return (value) => {
    if (value === '') return null;
    if (value === lastValid) return lastValid;
    if (typeof value !== 'string' || !isIsoDate(value)) return undefined;
    lastValid = value;
    return value;
  };
}

// NUL, and any surrogate (most are halves of a pair and fine).
// biome-ignore lint/suspicious/noControlCharactersInRegex: the control character is what is looked for
const NEEDS_CARE = /[\u0000\ud800-\udfff]/;

function encodeText(value: unknown): string | undefined {
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isSafeInteger(value))) return String(value);
  if (typeof value !== 'string') return undefined;
  return NEEDS_CARE.test(value) && (value.includes('\u0000') || !value.isWellFormed()) ? undefined : value;
}

// JSON.stringify escapes NUL and lone surrogates; jsonb refuses both. A backslash of the text itself comes doubled.
const UNSTORABLE_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** Whether a value of JSON is still what was sent: JSON.parse rounds large integers, and JSON.stringify writes infinity as null. */
function isKept(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && (Number.isSafeInteger(value) || !Number.isInteger(value));
  return typeof value !== 'object' || value === null || Object.values(value).every(isKept);
}

function encodeExtra(extras: readonly { index: number; name: string }[], row: readonly unknown[]): string | undefined {
  if (!extras.every(({ index }) => isKept(row[index]))) return undefined;
  const json = JSON.stringify(Object.fromEntries(extras.map(({ index, name }) => [name, row[index] ?? null])));
  return UNSTORABLE_ESCAPE.test(json) ? undefined : json;
}

function explain(column: Column, value: unknown): string {
  if (typeof value === 'object') return `an ${Array.isArray(value) ? 'array' : 'object'} where ${article(column.wire)} was expected`;
  if (column.pg === 'text' && typeof value === 'number') return 'a JSON number that is not exact any more';
  if (column.pg === 'text')
    return String(value).includes('\u0000')
      ? 'the text contains NUL, which Postgres cannot store'
      : 'the text contains half a surrogate pair, which is not Unicode';
  if (typeof value === 'number' && column.wire === 'integer') return 'a JSON number that is not an exact integer';
  const shown = JSON.stringify(String(value).slice(0, 40));
  const range = column.wire === 'integer' && INTEGER.test(String(value)) ? ` within ${column.pg}` : '';
  return `${shown} is not ${article(column.wire)}${range}`;
}

function article(wire: string): string {
  return wire === 'integer' ? 'an integer' : `a ${wire}`;
}
