// From the service's rows to COPY text. A decoder is compiled once per schema and then only looks things up: values stay
// text from the wire to Postgres, checked here so that COPY never refuses a page. What does not decode is rejected with
// its column and reason, never altered. Source of the rules: service specification, "Result rows".
import { hash } from 'node:crypto';
import { isIsoDate } from '../core/weeks.ts';
import type { Column, Dataset, PgType } from '../datasets/dataset.ts';

/** One entry of a response's `schema`. */
export type SchemaEntry = Readonly<{ name: string; type: string }>;

/** How a response's schema differs from the dataset's. */
export type Drift = Readonly<{ kind: 'new_column' | 'missing_column' | 'changed_type' | 'changed_order'; column: string; detail: string }>;

/** A row that did not decode. `position` counts from 1; `column` is null when the row as a whole is wrong. */
export type RejectedRow = Readonly<{ position: number; column: string | null; reason: string; raw: string }>;

export type DecodedPage = Readonly<{
  /** Lines for COPY into the staging table, in `stagingColumns` order. */
  copyText: string;
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
   * Decodes rows of one page; `page` counts from 1, `firstPosition` is that of the first row in its page.
   * Never throws for what a row contains.
   */
  decodePage(rows: readonly unknown[], page: number, firstPosition?: number): DecodedPage;
}>;

const NULL = '\\N';

/** Encodes one value as COPY text; undefined when it is not a value of the type. */
type Encode = (value: unknown) => string | undefined;

/** Columns of a staging table in the order of the COPY lines. */
export function stagingColumns(dataset: Dataset): string[] {
  return [...dataset.columns.map((column) => column.name), '_extra', '_key', '_page', '_position'];
}

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

  // One row's cells, reused: joining them is faster than adding text to text.
  const cells = new Array<string>(fields.length + 4).fill(NULL);

  function decodeRow(row: unknown, page: number, position: number): string | Omit<RejectedRow, 'position' | 'raw'> {
    if (!Array.isArray(row)) return { column: null, reason: 'the row is not an array' };
    if (row.length !== schema.length)
      return { column: null, reason: `the row has ${row.length} values, its schema has ${schema.length} columns` };
    let identity = '';
    for (let i = 0; i < fields.length; i += 1) {
      const field = fields[i] as (typeof fields)[number];
      const value: unknown = field.index === -1 ? null : row[field.index];
      const encoded = value === null || value === undefined ? NULL : field.encode(value);
      if (encoded === undefined) return { column: field.column.name, reason: explain(field.column, value) };
      if (field.isRequired && encoded === NULL)
        return { column: field.column.name, reason: 'it places the row in its table and has no value' };
      // Length and value, so that no two different identities have the same text.
      if (field.column.isIdentity) identity += encoded === NULL ? '-' : `${encoded.length}:${encoded}`;
      cells[i] = encoded;
    }
    const extra = extras.length === 0 ? NULL : encodeExtra(extras, row);
    if (extra === undefined)
      return {
        column: extras.map((e) => e.name).join(', '),
        reason: 'a column the table does not have holds what Postgres cannot store as it came',
      };
    cells[fields.length] = extra;
    cells[fields.length + 1] = hash('sha256', identity).slice(0, 32);
    cells[fields.length + 2] = String(page);
    cells[fields.length + 3] = String(position);
    return cells.join('\t');
  }

  return {
    schema,
    columnNames,
    drift: findDrift(dataset, schema, columnNames),
    decodePage(rows, page, firstPosition = 1) {
      const lines: string[] = [];
      const rejected: RejectedRow[] = [];
      for (let i = 0; i < rows.length; i += 1) {
        const decoded = decodeRow(rows[i], page, firstPosition + i);
        if (typeof decoded === 'string') lines.push(decoded);
        else rejected.push({ ...decoded, position: firstPosition + i, raw: rawOf(rows[i]) });
      }
      const copyText = lines.length === 0 ? '' : `${lines.join('\n')}\n`;
      return { copyText, staged: lines.length, rejected };
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
  return a === b || (a.length === b.length && a.every((entry, i) => entry.name === b[i]?.name && entry.type === b[i]?.type));
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
    const [sent, type] = [storable(schema[index]?.name ?? ''), storable(schema[index]?.type ?? '')];
    if (!column)
      drift.push({
        kind: 'new_column',
        column: name,
        detail:
          sent === name
            ? `the service sends a column ${name} (${type}) at position ${index + 1}; it is kept in _extra`
            : `the service sends ${sent} again at position ${index + 1}; it is kept in _extra as ${name}`,
      });
    else if (column.wire !== type)
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
function encodeInteger(value: unknown, safeDigits: number, min: bigint, max: bigint): string | undefined {
  if (typeof value === 'number') {
    // Beyond 2^53 JSON.parse has already lost digits: not exact, so not accepted.
    if (!Number.isSafeInteger(value)) return undefined;
    return encodeInteger(String(value), safeDigits, min, max);
  }
  if (value === '') return NULL;
  if (typeof value !== 'string' || !INTEGER.test(value)) return undefined;
  if (value.length <= safeDigits && !LEADING_ZERO.test(value)) return value;
  const exact = BigInt(value);
  return exact < min || exact > max ? undefined : exact.toString();
}

const FLOAT = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

function encodeFloat(value: unknown): string | undefined {
  if (value === '') return NULL;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !FLOAT.test(text)) return undefined;
  const number = Number(text);
  // Postgres refuses what overflows, and what is not zero but would be stored as zero.
  if (!Number.isFinite(number) || (number === 0 && /[1-9]/.test(text.split(/[eE]/)[0] ?? ''))) return undefined;
  return text;
}

function encodeBoolean(value: unknown): string | undefined {
  if (value === 'true' || value === true) return 't';
  if (value === 'false' || value === false) return 'f';
  if (value === '') return NULL;
  if (typeof value !== 'string') return undefined;
  const lower = value.toLowerCase();
  return lower === 'true' ? 't' : lower === 'false' ? 'f' : undefined;
}

/** Dates repeat over a page: the last one that was checked is remembered. */
function createEncodeDate(): Encode {
  let lastValid = '';
  return (value) => {
    if (value === '') return NULL;
    if (value === lastValid) return lastValid;
    if (typeof value !== 'string' || !isIsoDate(value)) return undefined;
    lastValid = value;
    return value;
  };
}

// Backslash and the separators of COPY text, NUL, and any surrogate (most are halves of a pair and fine).
// biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters are what is looked for
const NEEDS_CARE = /[\\\t\n\r\u0000\ud800-\udfff]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function encodeText(value: unknown): string | undefined {
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isSafeInteger(value))) return String(value);
  if (typeof value !== 'string') return undefined;
  if (!NEEDS_CARE.test(value)) return value;
  if (value.includes('\u0000') || !value.isWellFormed()) return undefined;
  return value.replaceAll(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character);
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
  return UNSTORABLE_ESCAPE.test(json) ? undefined : encodeText(json);
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
