// From the service's rows to those of COPY. A decoder is compiled once per schema and then only looks things up: values are
// checked here so that COPY never refuses a page. What does not decode is rejected with its column and reason, never
// altered. Source of the rules: service specification, "Result rows".
import { digitsOf, UnparsedRow, writeExact } from '../core/exact-json.ts';
import { MAX_DEPTH } from '../core/json-size.ts';
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
  /**
   * Decodes one row and adds it to `into`, or says why not. `page` and `position` count from 1. `raw`: the row as it was sent,
   * where that is known. Never throws for what it contains.
   */
  decodeRow(row: unknown, page: number, position: number, into: CopyRows, raw?: () => string): RejectedRow | undefined;
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
    if (row instanceof UnparsedRow) return { column: null, reason: row.reason };
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

  function decodeRow(row: unknown, page: number, position: number, into: CopyRows, raw = () => writeExact(row)): RejectedRow | undefined {
    const rejection = readCells(row, page, position);
    if (rejection) return { ...rejection, position, raw: raw() };
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

/** Longer texts are no numbers, and are not looked at: their size is the service's choice. */
const MAX_NUMBER_LENGTH = 1_000;
const INTEGER = /^-?\d+$/;
const LEADING_ZERO = /^(?:-0|0\d)/;
/** Sign, digits before and after the point, exponent. */
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** No integer column holds so many digits. */
const TOO_MANY_DIGITS = 20;

/** A number as it is written: a text, or a number of JSON. Undefined for what is neither, or not exact any more. */
function writtenNumber(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : digitsOf(value);
  return text === undefined || text.length > MAX_NUMBER_LENGTH ? undefined : text;
}

/** Text of up to `safeDigits` digits is in range without looking closer. */
function encodeInteger(value: unknown, safeDigits: number, min: bigint, max: bigint): string | null | undefined {
  if (value === '') return null;
  const text = writtenNumber(value);
  if (text === undefined) return undefined;
  if (text.length <= safeDigits && INTEGER.test(text) && !LEADING_ZERO.test(text)) return text;
  const whole = readWhole(text);
  if (whole === undefined) return undefined;
  const exact = BigInt(whole);
  return exact < min || exact > max ? undefined : exact.toString();
}

/**
 * The digits of a whole number, however it is written (`12000.0`, `1.2E4`), by its text alone, as a double has not enough of
 * them; undefined when it is none. One of more digits than any column holds has TOO_MANY_DIGITS.
 */
function readWhole(text: string): string | undefined {
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const [, sign = '', before = '', after = '', exponent = '0'] = match;
  const digits = before + after;
  let first = 0;
  while (digits[first] === '0') first += 1;
  if (first === digits.length) return '0';
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  // Where the point is in the digits.
  const point = before.length + Number(exponent);
  if (end > point) return undefined;
  const length = Math.min(point - first, TOO_MANY_DIGITS);
  return sign + digits.slice(first, first + length).padEnd(length, '0');
}

const FLOAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const NOT_FINITE = /^(?:nan|([+-]?)inf(?:inity)?)$/i;

/** As Postgres reads it. What it would refuse is none: what overflows, and what is not zero but would be stored as zero. */
function encodeFloat(value: unknown): string | null | undefined {
  if (value === '') return null;
  const text = typeof value === 'number' && Number.isFinite(value) ? String(value) : writtenNumber(value);
  if (text === undefined) return undefined;
  if (!FLOAT.test(text)) {
    const [name, sign] = NOT_FINITE.exec(text) ?? [];
    if (name === undefined) return undefined;
    return sign === undefined ? 'NaN' : `${sign === '-' ? '-' : ''}Infinity`;
  }
  const number = Number(text);
  if (!Number.isFinite(number) || (number === 0 && /[1-9]/.test(text.split(/[eE]/)[0] ?? ''))) return undefined;
  return text;
}

const LONGEST_BOOLEAN = 'false'.length;

function encodeBoolean(value: unknown): string | null | undefined {
  if (value === 'true' || value === true) return 't';
  if (value === 'false' || value === false) return 'f';
  if (value === '') return null;
  if (typeof value !== 'string' || value.length > LONGEST_BOOLEAN) return undefined;
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
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return digitsOf(value);
  return NEEDS_CARE.test(value) && (value.includes('\u0000') || !value.isWellFormed()) ? undefined : value;
}

// JSON.stringify escapes NUL and lone surrogates; jsonb refuses both. A backslash of the text itself comes doubled.
const UNSTORABLE_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** Longer exponents are more than jsonb takes, as are deeper values and longer numbers. */
const LONG_EXPONENT = /[eE][+-]?0*[1-9]\d{3}/;

/** Whether a value of JSON is still what was sent, and jsonb can hold it. */
function isKept(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' && typeof value !== 'number') return true;
  const digits = digitsOf(value);
  if (digits !== undefined) return digits.length <= MAX_NUMBER_LENGTH && !LONG_EXPONENT.test(digits);
  if (typeof value !== 'object') return false;
  return value === null || (depth < MAX_DEPTH && Object.values(value).every((inner) => isKept(inner, depth + 1)));
}

function encodeExtra(extras: readonly { index: number; name: string }[], row: readonly unknown[]): string | undefined {
  if (!extras.every(({ index }) => isKept(row[index]))) return undefined;
  const json = writeExact(Object.fromEntries(extras.map(({ index, name }) => [name, row[index] ?? null])));
  return UNSTORABLE_ESCAPE.test(json) ? undefined : json;
}

function explain(column: Column, value: unknown): string {
  const isNumber = typeof value === 'number';
  const written = isNumber ? String(value) : (digitsOf(value) ?? value);
  if (typeof written === 'object') return `an ${Array.isArray(written) ? 'array' : 'object'} where ${article(column.wire)} was expected`;
  const text = String(written);
  if (column.pg === 'text' && isNumber) return 'a JSON number that is not exact any more';
  if (column.pg === 'text')
    return text.includes('\u0000')
      ? 'the text contains NUL, which Postgres cannot store'
      : 'the text contains half a surrogate pair, which is not Unicode';
  if (isNumber && column.wire === 'integer') return 'a JSON number that is not an exact integer';
  const isWhole = column.wire === 'integer' && text.length <= MAX_NUMBER_LENGTH && readWhole(text) !== undefined;
  const shown = text.length > 40 ? `${text.slice(0, 40)}...` : text;
  return `${JSON.stringify(shown)} is not ${article(column.wire)}${isWhole ? ` within ${column.pg}` : ''}`;
}

function article(wire: string): string {
  return wire === 'integer' ? 'an integer' : `a ${wire}`;
}
