// From the bytes of a page to the bytes of COPY, with no string in between: the fast path of decoding, taken by rows of
// strings while the service's columns are the expected ones in their order. A value that is not obviously fine is
// decoded by decode.ts, whose rules these are, so both ways give the same for every row; a test holds them to it.
import { hash } from 'node:crypto';
import { writeExact } from '../core/exact-json.ts';
import { isIsoDate } from '../core/weeks.ts';
import type { Dataset, PgType } from '../datasets/dataset.ts';
import { CopyRows, daysOf, LENGTH_BYTES, NULL_LENGTH, viewOf } from './copy-rows.ts';
import { type DecodedRows, type Decoder, REQUIRED_COLUMNS, type RejectedRow, stagingColumns } from './decode.ts';
import { ESCAPED, type PageRows, rawAt, rowAt } from './page-rows.ts';

/** Decodes rows of one page, which counts from 1; `before` of its rows came before them. Never throws for what a row contains. */
export type DecodeRows = (rows: PageRows, page: number, before?: number) => DecodedRows;

const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
/** What stands behind a backslash for something else than itself. */
const SHORT_ESCAPES: Readonly<Record<number, number>> = { 98: 0x08, 102: 0x0c, 110: 0x0a, 114: 0x0d, 116: 0x09 };
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');

/** Types as numbers, so that one loop over all columns stays quick. */
const KINDS = { text: 0, bigint: 1, integer: 2, 'double precision': 3, boolean: 4, date: 5 } as const satisfies Record<PgType, number>;

/** Digits that are in range without looking closer, whatever they are. */
const SAFE_BIGINT_DIGITS = 15;
const SAFE_INTEGER_DIGITS = 9;
/** So many digits are exact in a double, and so is the power of ten they are divided by: the quotient is the nearest double. */
const SAFE_FLOAT_DIGITS = 15;
const POWERS_OF_TEN = Float64Array.from({ length: SAFE_FLOAT_DIGITS + 1 }, (_, exponent) => 10 ** exponent);
const DATE_LENGTH = 'YYYY-MM-DD'.length;
const TWO_TO_32 = 2 ** 32;

/** Bytes of the digest that make the key. */
const KEY_BYTES = 16;
/** Longer values are copied by a call. */
const SHORT = 128;
/** The length of a value in digits, a colon, and the minus of a value that is not there. */
const IDENTITY_OVERHEAD = 16;
/** Most bytes of a value that is not text: its text may be a single digit. */
const LONGEST_FIXED = 8;

/** Decodes the rows of pages that have the schema of `decoder`. */
export function createRowsDecoder(dataset: Dataset, decoder: Decoder): DecodeRows {
  const width = dataset.columns.length;
  const staged = stagingColumns(dataset);
  const kinds = Uint8Array.from(dataset.columns, ({ pg }) => KINDS[pg]);
  const isIdentity = Uint8Array.from(dataset.columns, (column) => (column.isIdentity ? 1 : 0));
  const isRequired = Uint8Array.from(dataset.columns, ({ name }) => (REQUIRED_COLUMNS.has(name) ? 1 : 0));
  const isUsual = decoder.columnNames.length === width && dataset.columns.every(({ name }, column) => name === decoder.columnNames[column]);
  /** A row's bytes beyond those of its values in JSON, at most. */
  const ownBytes = 2 + staged.length * LENGTH_BYTES + width * LONGEST_FIXED + KEY_BYTES + 2 * LENGTH_BYTES;
  const dates = new LastDates(width);
  /** What the key of the row at hand is made of. */
  let identity = Buffer.allocUnsafeSlow(4 * 1024);

  /** Adds a row of strings, for which there is room; false, with nothing added, when it needs a closer look. */
  function addRow({ rows, number, before, source, into }: Page, index: number): boolean {
    const { bytes, offsets } = rows;
    const { bytes: out, view } = into;
    view.setInt16(into.end, staged.length);
    let to = into.end + 2;
    let made = 0;
    let at = 2 * width * index;
    for (let column = 0; column < width; column += 1) {
      const from = offsets[at] as number;
      const isEscaped = (offsets[at + 1] as number) >= ESCAPED;
      const end = isEscaped ? (offsets[at + 1] as number) - ESCAPED : (offsets[at + 1] as number);
      at += 2;
      const kind = kinds[column] as number;
      const start = to + LENGTH_BYTES;
      let length = 0;
      if (from === 0 || (from === end && kind !== KINDS.text)) {
        if (isRequired[column] === 1) return false;
        length = NULL_LENGTH;
      } else if (isEscaped) {
        length = kind === KINDS.text ? unescapeText(bytes, from, end, out, start) : -1;
        if (length === -1) return false;
      } else if (kind === KINDS.text) {
        length = end - from;
        copyBytes(bytes, source, from, length, out, view, start);
      } else if (kind === KINDS.bigint) {
        const value = readInteger(bytes, from, end, SAFE_BIGINT_DIGITS);
        if (Number.isNaN(value)) return false;
        view.setInt32(start, Math.floor(value / TWO_TO_32));
        view.setInt32(start + 4, value | 0);
        length = 8;
      } else if (kind === KINDS.integer) {
        const value = readInteger(bytes, from, end, SAFE_INTEGER_DIGITS);
        if (Number.isNaN(value)) return false;
        view.setInt32(start, value);
        length = 4;
      } else if (kind === KINDS.date) {
        const days = dates.read(column, bytes, from, end);
        if (Number.isNaN(days)) return false;
        view.setInt32(start, days);
        length = 4;
      } else if (kind === KINDS['double precision']) {
        const value = readFloat(bytes, from, end);
        if (Number.isNaN(value)) return false;
        view.setFloat64(start, value);
        length = 8;
      } else {
        const isTrue = isText(bytes, from, end, TRUE);
        if (!isTrue && !isText(bytes, from, end, FALSE)) return false;
        out[start] = isTrue ? 1 : 0;
        length = 1;
      }
      view.setInt32(to, length);
      to = length === NULL_LENGTH ? start : start + length;
      if (isIdentity[column] === 1) {
        if (made + (end - from) + IDENTITY_OVERHEAD > identity.length)
          identity = enlarge(identity, made + (end - from) + IDENTITY_OVERHEAD);
        if (length === NULL_LENGTH) identity[made++] = MINUS;
        else if (kind === KINDS.text) made = writeIdentity(identity, made, out, start, start + length);
        else made = writeIdentity(identity, made, bytes, from, end);
      }
    }
    view.setInt32(to, NULL_LENGTH);
    view.setInt32(to + 4, KEY_BYTES);
    out.write(hash('sha256', identity.subarray(0, made), 'binary'), to + 8, KEY_BYTES, 'latin1');
    view.setInt32(to + 8 + KEY_BYTES, 4);
    view.setInt32(to + 12 + KEY_BYTES, number);
    view.setInt32(to + 16 + KEY_BYTES, 4);
    view.setInt32(to + 20 + KEY_BYTES, before + index + 1);
    into.end = to + 24 + KEY_BYTES;
    return true;
  }

  return (rows, number, before = 0) => {
    // Rows of strings, all together, are never longer than this.
    const into = new CopyRows(rows.bytes.length + ownBytes * rows.length);
    const page = { rows, number, before, into, source: viewOf(rows.bytes) };
    const rejected: RejectedRow[] = [];
    const isPlainPage = isUsual && rows.width === width;
    for (let index = 0; index < rows.length; index += 1) {
      if (isPlainPage && !rows.parsed.has(index) && addRow(page, index)) continue;
      const row = rowAt(rows, index);
      const rejection = decoder.decodeRow(row, number, before + index + 1, into, () => rawAt(rows, index) ?? writeExact(row));
      if (rejection) rejected.push(rejection);
      const behind = rows.bytes.length - Math.min(rows.bytes.length, rows.offsets[2 * rows.width * index] ?? 0);
      into.reserve(behind + ownBytes * (rows.length - index));
    }
    return { copyData: into.data, staged: rows.length - rejected.length, rejected };
  };
}

/** What is the same for all rows of a page that is being decoded. `source`: `rows.bytes` as numbers. */
type Page = Readonly<{ rows: PageRows; number: number; before: number; into: CopyRows; source: DataView }>;

/** A whole number of up to `safeDigits` digits, without a leading zero; NaN when it needs a closer look. */
function readInteger(bytes: Buffer, start: number, end: number, safeDigits: number): number {
  const isNegative = bytes[start] === MINUS;
  const first = isNegative ? start + 1 : start;
  if (first === end || end - first > safeDigits || (bytes[first] === ZERO && end - start > 1)) return Number.NaN;
  let value = 0;
  for (let at = first; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte < ZERO || byte > NINE) return Number.NaN;
    value = value * 10 + (byte - ZERO);
  }
  return isNegative ? -value : value;
}

/** A decimal number without an exponent, of so few digits that it is read exactly; NaN when it needs a closer look. */
function readFloat(bytes: Buffer, start: number, end: number): number {
  const isNegative = bytes[start] === MINUS;
  let value = 0;
  let digits = 0;
  let decimals = -1;
  for (let at = isNegative ? start + 1 : start; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte === DOT && decimals === -1) decimals = 0;
    else if (byte >= ZERO && byte <= NINE) {
      value = value * 10 + (byte - ZERO);
      digits += 1;
      if (decimals !== -1) decimals += 1;
    } else return Number.NaN;
  }
  if (digits === 0 || digits > SAFE_FLOAT_DIGITS) return Number.NaN;
  const size = decimals > 0 ? value / (POWERS_OF_TEN[decimals] as number) : value;
  return isNegative ? -size : size;
}

/** Reads dates. They repeat over a page: of each column the last one that was good is remembered. */
class LastDates {
  readonly #text: Uint8Array;
  readonly #days: Int32Array;

  constructor(columns: number) {
    this.#text = new Uint8Array(columns * DATE_LENGTH);
    this.#days = new Int32Array(columns);
  }

  /** The days of a date of the calendar since 2000-01-01; NaN when it is none. */
  read(column: number, bytes: Buffer, start: number, end: number): number {
    if (end - start !== DATE_LENGTH) return Number.NaN;
    const first = column * DATE_LENGTH;
    let same = 0;
    while (same < DATE_LENGTH && bytes[start + same] === this.#text[first + same]) same += 1;
    if (same < DATE_LENGTH) {
      const text = bytes.toString('latin1', start, end);
      if (!isIsoDate(text)) return Number.NaN;
      this.#text.set(bytes.subarray(start, end), first);
      this.#days[column] = daysOf(text);
    }
    return this.#days[column] as number;
  }
}

function isText(bytes: Buffer, start: number, end: number, text: Buffer): boolean {
  if (end - start !== text.length) return false;
  for (let at = 0; at < text.length; at += 1) if (bytes[start + at] !== text[at]) return false;
  return true;
}

/**
 * Copies bytes, short ones four at a time: up to three more than asked for, which are those of the JSON behind the value and
 * are written over by what follows it.
 */
function copyBytes(bytes: Buffer, source: DataView, from: number, length: number, out: Buffer, view: DataView, to: number): void {
  if (length > SHORT) bytes.copy(out, to, from, from + length);
  else for (let at = 0; at < length; at += 4) view.setInt32(to + at, source.getInt32(from + at, true), true);
}

/** Writes a JSON string without its escapes, and returns its length; -1 when it holds what Postgres cannot store. */
function unescapeText(bytes: Buffer, from: number, end: number, out: Buffer, start: number): number {
  let to = start;
  for (let at = from; at < end; ) {
    const byte = bytes[at] as number;
    if (byte !== BACKSLASH) {
      out[to++] = byte;
      at += 1;
      continue;
    }
    const kind = bytes[at + 1] as number;
    if (kind !== LOWER_U) {
      out[to++] = SHORT_ESCAPES[kind] ?? kind;
      at += 2;
      continue;
    }
    let code = readHexadecimal(bytes, at + 2);
    at += 6;
    if (code >= 0xd800 && code < 0xdc00 && bytes[at] === BACKSLASH && bytes[at + 1] === LOWER_U) {
      const second = readHexadecimal(bytes, at + 2);
      if (second < 0xdc00 || second >= 0xe000) return -1;
      code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
      at += 6;
    }
    if (code === 0 || (code >= 0xd800 && code < 0xe000)) return -1;
    to = writeCodePoint(out, to, code);
  }
  return to - start;
}

function readHexadecimal(bytes: Buffer, at: number): number {
  return Number.parseInt(bytes.toString('latin1', at, at + 4), 16);
}

/** Writes a code point as UTF-8 and returns where it ends. */
function writeCodePoint(out: Buffer, at: number, code: number): number {
  if (code < 0x80) {
    out[at] = code;
    return at + 1;
  }
  return at + out.write(String.fromCodePoint(code), at);
}

/** Adds a value to the text of a row's identity, and returns where it ends. The rule is that of row-key.ts. */
function writeIdentity(to: Buffer, at: number, value: Buffer, start: number, end: number): number {
  let made = writeNumber(to, at, end - start);
  to[made++] = COLON;
  for (let byte = start; byte < end; byte += 1) to[made++] = value[byte] as number;
  return made;
}

/** Writes a whole number from 0 in decimal and returns where it ends. */
function writeNumber(to: Buffer, at: number, value: number): number {
  if (value < 10) {
    to[at] = ZERO + value;
    return at + 1;
  }
  const end = writeNumber(to, at, Math.floor(value / 10));
  to[end] = ZERO + (value % 10);
  return end + 1;
}

function enlarge(bytes: Buffer, least: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * bytes.length, least));
  bytes.copy(larger);
  return larger;
}
