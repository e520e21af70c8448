// From the bytes of a page to the bytes of COPY, with no string in between: the fast path of decoding, taken by rows of
// plain strings while the service's columns are the expected ones in their order. A value that is not obviously fine is
// decoded by decode.ts, whose rules these are, so both ways give the same for every row; a test holds them to it.
import { isAscii } from 'node:buffer';
import { hash } from 'node:crypto';
import { type PageRows, rawAt, rowAt } from '../core/page-rows.ts';
import { isIsoDate } from '../core/weeks.ts';
import type { Dataset, PgType } from '../datasets/dataset.ts';
import { type Decoder, REQUIRED_COLUMNS, type RejectedRow } from './decode.ts';

/** Decodes the rows of one page; `page` counts from 1. Never throws for what a row contains. */
export type DecodeRows = (rows: PageRows, page: number) => DecodedRows;
export type DecodedRows = Readonly<{ copyText: Buffer; staged: number; rejected: readonly RejectedRow[] }>;

const TAB = 0x09;
const NEWLINE = 0x0a;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const UPPER_N = 0x4e;
const LOWER_F = 0x66;
const LOWER_T = 0x74;

/** A line's bytes beyond those the row has in JSON: no columns beyond the known ones, key, page, position. */
const OWN_BYTES = 80;
/** Longer values are copied by a call, shorter ones byte by byte. */
const SHORT = 48;
/** Characters of the digest that make the key. */
const KEY_LENGTH = 32;

/** What is known of a value by a look at its bytes; UNSURE needs a closer one. */
const PLAIN = 0;
const EMPTY = 1;
const TRUE = 2;
const FALSE = 3;
const UNSURE = 4;
type Verdict = typeof PLAIN | typeof EMPTY | typeof TRUE | typeof FALSE | typeof UNSURE;
type Check = (bytes: Buffer, start: number, end: number) => Verdict;

/** Decodes the rows of pages that have the schema of `decoder`. */
export function createRowsDecoder(dataset: Dataset, decoder: Decoder): DecodeRows {
  const fields = dataset.columns.map(({ name, pg, isIdentity }) => ({
    check: createCheck(pg),
    isIdentity,
    isRequired: REQUIRED_COLUMNS.has(name),
  }));
  const isUsual =
    decoder.columnNames.length === fields.length && dataset.columns.every(({ name }, column) => name === decoder.columnNames[column]);
  let identity = Buffer.allocUnsafe(4 * 1024);

  /** Writes the line of a row of plain strings at `start` and returns where it ends; -1 when the row needs a closer look. */
  function writeLine(
    { bytes, offsets, width }: PageRows,
    index: number,
    page: number,
    out: Buffer,
    start: number,
    isAllAscii: boolean,
  ): number {
    let to = start;
    let known = 0;
    let at = 2 * width * index;
    for (const { check, isIdentity, isRequired } of fields) {
      const from = offsets[at] as number;
      const end = offsets[at + 1] as number;
      at += 2;
      const verdict = from === 0 ? EMPTY : check(bytes, from, end);
      if (verdict === UNSURE || (verdict === EMPTY && isRequired)) return -1;
      const begin = to;
      if (verdict === PLAIN) to = copyBytes(bytes, from, end, out, to);
      else if (verdict === EMPTY) {
        out[to] = BACKSLASH;
        out[to + 1] = UPPER_N;
        to += 2;
      } else out[to++] = verdict === TRUE ? LOWER_T : LOWER_F;
      if (isIdentity) {
        if (known + (to - begin) + 16 > identity.length) identity = enlarge(identity, known + (to - begin) + 16);
        if (verdict === EMPTY) identity[known++] = MINUS;
        else {
          known = writeNumber(identity, known, isAllAscii ? to - begin : countUnits(out, begin, to));
          identity[known++] = COLON;
          known = copyBytes(out, begin, to, identity, known);
        }
      }
      out[to++] = TAB;
    }
    out[to] = BACKSLASH;
    out[to + 1] = UPPER_N;
    out[to + 2] = TAB;
    to += 3 + out.write(hash('sha256', identity.subarray(0, known)), to + 3, KEY_LENGTH, 'latin1');
    out[to++] = TAB;
    to = writeNumber(out, to, page);
    out[to++] = TAB;
    to = writeNumber(out, to, index + 1);
    out[to++] = NEWLINE;
    return to;
  }

  return (rows, page) => {
    const rejected: RejectedRow[] = [];
    let staged = 0;
    const isAllAscii = isAscii(rows.bytes);
    // Lines of plain strings, all together, are never longer than this.
    const reserve = rows.bytes.length + OWN_BYTES * rows.length;
    let out = Buffer.allocUnsafe(reserve);
    let end = 0;
    for (let index = 0; index < rows.length; index += 1) {
      const isPlain = isUsual && rows.width === fields.length && !rows.parsed.has(index);
      const next = isPlain ? writeLine(rows, index, page, out, end, isAllAscii) : -1;
      if (next !== -1) {
        end = next;
        staged += 1;
        continue;
      }
      const decoded = decoder.decodePage([rowAt(rows, index)], page, index + 1);
      staged += decoded.staged;
      // Raw is as it was sent: JSON.parse has rounded numbers beyond a double.
      for (const row of decoded.rejected) rejected.push({ ...row, raw: rawAt(rows, index) ?? row.raw });
      // At most three bytes for each unit of the text.
      const needed = end + 3 * decoded.copyText.length + reserve;
      if (needed > out.length) out = enlarge(out, needed);
      end += out.write(decoded.copyText, end);
    }
    return { copyText: out.subarray(0, end), staged, rejected };
  };
}

function createCheck(type: PgType): Check {
  switch (type) {
    case 'bigint':
      return (bytes, start, end) => checkInteger(bytes, start, end, 15);
    case 'integer':
      return (bytes, start, end) => checkInteger(bytes, start, end, 9);
    case 'double precision':
      return checkFloat;
    case 'boolean':
      return checkBoolean;
    case 'date':
      return createCheckDate();
    case 'text':
      return () => PLAIN;
  }
}

/** Text of up to `safeDigits` characters without a leading zero is in range without looking closer. */
function checkInteger(bytes: Buffer, start: number, end: number, safeDigits: number): Verdict {
  if (start === end) return EMPTY;
  if (end - start > safeDigits) return UNSURE;
  const first = bytes[start] === MINUS ? start + 1 : start;
  if (first === end || (bytes[first] === ZERO && end - start > 1)) return UNSURE;
  for (let at = first; at < end; at += 1) if (!isDigit(bytes[at])) return UNSURE;
  return PLAIN;
}

/** So few digits can neither overflow nor be taken for zero. */
const SAFE_FLOAT_LENGTH = 20;

function checkFloat(bytes: Buffer, start: number, end: number): Verdict {
  if (start === end) return EMPTY;
  if (end - start > SAFE_FLOAT_LENGTH) return UNSURE;
  let digits = 0;
  let dots = 0;
  for (let at = bytes[start] === MINUS ? start + 1 : start; at < end; at += 1) {
    const byte = bytes[at];
    if (isDigit(byte)) digits += 1;
    else if (byte === DOT) dots += 1;
    else return UNSURE;
  }
  return digits > 0 && dots <= 1 ? PLAIN : UNSURE;
}

function checkBoolean(bytes: Buffer, start: number, end: number): Verdict {
  if (start === end) return EMPTY;
  const text = bytes.toString('latin1', start, end);
  return text === 'true' ? TRUE : text === 'false' ? FALSE : UNSURE;
}

/** Dates repeat over a page: the last one that was good is remembered. */
function createCheckDate(): Check {
  const last = Buffer.alloc('YYYY-MM-DD'.length);
  return (bytes, start, end) => {
    if (start === end) return EMPTY;
    if (end - start !== last.length) return UNSURE;
    let same = 0;
    while (same < last.length && bytes[start + same] === last[same]) same += 1;
    if (same === last.length) return PLAIN;
    if (!isIsoDate(bytes.toString('latin1', start, end))) return UNSURE;
    bytes.copy(last, 0, start, end);
    return PLAIN;
  };
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

/** Copies bytes and returns where they end. */
function copyBytes(from: Buffer, start: number, end: number, to: Buffer, at: number): number {
  const length = end - start;
  if (length > SHORT) from.copy(to, at, start, end);
  else for (let byte = 0; byte < length; byte += 1) to[at + byte] = from[start + byte] as number;
  return at + length;
}

/** UTF-16 units of a UTF-8 text: what its length is as a string. */
function countUnits(bytes: Buffer, start: number, end: number): number {
  let units = end - start;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    // Continuation bytes count nothing; the first byte of four stands for two units.
    if (byte >= 0x80 && byte < 0xc0) units -= 1;
    else if (byte >= 0xf0) units += 1;
  }
  return units;
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
  const larger = Buffer.allocUnsafe(Math.max(2 * bytes.length, least));
  bytes.copy(larger);
  return larger;
}
