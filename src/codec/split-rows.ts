// Takes the rows out of an answer without parsing them: a page has tens of thousands of values, nearly all of them strings, and making objects
// of them costs more than everything else done with them. Rows with values other than strings are parsed one by one; an answer with any other
// structure is left to JSON.parse as a whole.
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { parseRow, UnparsedRow } from '../core/exact-json.ts';
import { MAX_COLUMNS, MAX_DEPTH, MAX_VALUES, measureValue } from '../core/json-size.ts';
import { BufferPool } from './buffer-pool.ts';
import { viewOf } from './copy-rows.ts';
import { ESCAPED, type PageRows, parsedRows } from './page-rows.ts';
import { textOf } from './text-bytes.ts';

/** An answer without its rows: `value` is its JSON with empty `results`, `text` the text it was parsed from. */
export type SplitAnswer = Readonly<{ value: Record<string, unknown>; text: string; rows: PageRows }>;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const SPACE = 0x20;
const LOWER_U = 0x75;
/** Four bytes at once: 1 in each byte, and the highest bit of each byte. */
const ONES = 0x01010101;
const HIGHEST_BITS = 0x80808080;
const SHORT_ESCAPES = Buffer.from('"\\/bfnrt');
const HEXADECIMAL = Buffer.from('0123456789abcdefABCDEF');
const BYTE_ORDER_MARK = '\uFEFF';
const RESULTS = Buffer.from('"results"');
const NULL = Buffer.from('null');
/** Placeholder for the rows. It is random, so its position after parsing is certain to be where they belong. */
const ROWS_MARK = `rows-${randomUUID()}`;

/** Initial capacity, in rows. */
const USUAL_ROWS = 1_000;
/** Assumed minimum bytes per row: a row of the service has at least 20 columns, and a value with its comma at least 2 bytes. */
const LEAST_ROW_BYTES = 32;
/** Allowance beyond that for rows with few columns, as long as they are not too many. */
const SPARE_BYTES = 1_000_000;

/**
 * Splits the JSON text of an execution record; row offsets are in a buffer of `buffers`. Undefined without rows or valid JSON, or when
 * anything but its rows is not UTF-8.
 */
export function splitRows(bytes: Buffer, buffers: BufferPool): SplitAnswer | undefined {
  const start = findRows(bytes);
  if (start === -1) return undefined;
  const scanned = scanRows(bytes, start, { buffers });
  if (!scanned || scanned.isCut || scanned.rows.length === 0) return undefined;
  const around = readAround(bytes.subarray(0, start), bytes.subarray(scanned.end));
  return around && { ...around, rows: scanned.rows };
}

/** Whether there are more rows than the bytes can plausibly hold: each row takes memory, however short it is. */
export function areTooMany(rows: number, width: number, bytes: number): boolean {
  return rows * Math.max(width, LEAST_ROW_BYTES) > SPARE_BYTES + bytes;
}

/** Removes a leading byte order mark, which JSON.parse refuses. */
export function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** Parses an answer without its rows: what comes before and after them. Undefined when `results` does not belong there, or it is not UTF-8. */
export function readAround(before: Buffer, behind: Buffer): Omit<SplitAnswer, 'rows'> | undefined {
  if (!isUtf8(before) || !isUtf8(behind)) return undefined;
  const text = `${withoutMark(before.toString('utf8'))}"${ROWS_MARK}"${behind.toString('utf8')}`;
  const { values, depth } = measureValue(Buffer.from(text), 0);
  if (values > MAX_VALUES || depth > MAX_DEPTH) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // The key may have been nested in something else, or repeated, in which case the last one counts.
  if (typeof value !== 'object' || value === null || !('results' in value) || !Array.isArray(value.results)) return undefined;
  if (value.results[0] !== ROWS_MARK) return undefined;
  return { value: { ...value, results: [] }, text };
}

/** Position of the first row, after the bracket; -1 when there is none. */
export function findRows(bytes: Buffer): number {
  for (let key = bytes.indexOf(RESULTS); key !== -1; key = bytes.indexOf(RESULTS, key + 1)) {
    const colon = skipSpace(bytes, key + RESULTS.length);
    const open = skipSpace(bytes, colon + 1);
    if (bytes[colon] === COLON && bytes[open] === OPEN) return open + 1;
  }
  return -1;
}

/** Consecutive rows, and where they end. */
export type ScannedRows = Readonly<{ rows: PageRows; end: number; isCut: boolean }>;

/**
 * Reads rows from `start` up to the closing bracket, which is then at `end`; or, if it is missing (`isCut`), all complete rows, and the next
 * one begins at `end`. `knownWidth` is the width of earlier rows, 0 if there are none. Undefined when they are not JSON, or too many. A row
 * with a byte that is not UTF-8 is parsed, with the byte as textOf returns it.
 */
export function scanRows(
  bytes: Buffer,
  start: number,
  { buffers, knownWidth = 0 }: Readonly<{ buffers: BufferPool; knownWidth?: number }>,
): ScannedRows | undefined {
  const parsed = new Map<number, unknown>();
  const isText = isUtf8(bytes);
  let width = knownWidth;
  let offsets = acquireOffsets(buffers, 2 * width * USUAL_ROWS);
  let count = 0;
  let parsedValues = 0;
  // One object for all rows instead of one per row.
  const target = { view: viewOf(bytes), offsets, into: 0, width };
  let at = skipSpace(bytes, start);
  if (bytes[at] === CLOSE) return { rows: parsedRows([]), end: at, isCut: false };
  for (;;) {
    if (width === 0 && bytes[at] === OPEN) {
      width = measureValue(bytes, at).width;
      if (width > MAX_COLUMNS) return undefined;
      offsets = acquireOffsets(buffers, 2 * width * Math.max(USUAL_ROWS, count + 1));
      // Offsets of the rows before it were not recorded.
      offsets.fill(0, 0, 2 * width * count);
    }
    if (2 * width * (count + 1) > offsets.length)
      offsets = acquireOffsets(buffers, Math.max(2 * offsets.length, 2 * width * (count + 1)), offsets);
    const into = 2 * width * count;
    target.offsets = offsets;
    target.into = into;
    target.width = width;
    const plainEnd = scanPlainRow(bytes, at, target);
    const isPlain = plainEnd !== -1 && (isText || isUtf8(bytes.subarray(at, plainEnd)));
    const size = isPlain ? undefined : measureValue(bytes, at);
    const end = size?.end ?? plainEnd;
    const behind = skipSpace(bytes, end);
    if (behind >= bytes.length) return { rows: { length: count, bytes, width, offsets, parsed }, end: at, isCut: true };
    if (size) {
      // The bytes of a row that is not UTF-8 are not the text of the row.
      const isKept = isText || isUtf8(bytes.subarray(at, end));
      offsets[into] = isKept ? at : 0;
      offsets[into + 1] = isKept ? end : 0;
      try {
        const row = parseRow(textOf(bytes, at, end), size, isKept && width > 0);
        if (!(row instanceof UnparsedRow)) parsedValues += size.values;
        if (parsedValues > MAX_VALUES) return undefined;
        parsed.set(count, row);
      } catch {
        return undefined;
      }
    }
    count += 1;
    if (areTooMany(count, width, bytes.length)) return undefined;
    if (bytes[behind] === CLOSE) return { rows: { length: count, bytes, width, offsets, parsed }, end: behind, isCut: false };
    if (bytes[behind] !== COMMA) return undefined;
    at = skipSpace(bytes, behind + 1);
  }
}

/**
 * Records the offsets of the values of a row of `width` strings or nulls. Returns the end of the row; -1 when it is not such a row. `view` is
 * a view of the same bytes.
 */
function scanPlainRow(
  bytes: Buffer,
  start: number,
  { view, offsets, into, width }: { view: DataView; offsets: Uint32Array; into: number; width: number },
): number {
  if (bytes[start] !== OPEN) return -1;
  const size = bytes.length;
  let at = start + 1;
  for (let column = 0; column < width; column += 1) {
    if (column > 0) {
      if (bytes[at] !== COMMA) at = skipSpace(bytes, at);
      if (bytes[at] !== COMMA) return -1;
      at += 1;
    }
    if (bytes[at] !== QUOTE) at = skipSpace(bytes, at);
    if (bytes[at] === QUOTE) {
      at += 1;
      offsets[into + 2 * column] = at;
      let escaped = 0;
      for (;;) {
        at = skipPlain(view, at, size);
        if (bytes[at] === QUOTE) break;
        // A control character, or the end.
        if (bytes[at] !== BACKSLASH) return -1;
        const length = measureEscape(bytes, at);
        if (length === -1) return -1;
        escaped = ESCAPED;
        at += length;
      }
      offsets[into + 2 * column + 1] = at + escaped;
      at += 1;
    } else if (bytes.compare(NULL, 0, NULL.length, at, Math.min(at + NULL.length, bytes.length)) === 0) {
      offsets[into + 2 * column] = 0;
      offsets[into + 2 * column + 1] = 0;
      at += NULL.length;
    } else {
      return -1;
    }
  }
  if (bytes[at] !== CLOSE) at = skipSpace(bytes, at);
  return bytes[at] === CLOSE ? at + 1 : -1;
}

/** Position of the next quote, backslash or control character from `start`; `length`, the number of bytes, if there is none. */
function skipPlain(view: DataView, start: number, length: number): number {
  let at = start;
  for (; at + 4 <= length; at += 4) {
    const word = view.getInt32(at, true);
    const quotes = word ^ 0x22222222;
    const backslashes = word ^ 0x5c5c5c5c;
    // The lowest set bit belongs to the first byte that is a quote, a backslash or below a space: the usual test for a zero byte in a word.
    const marks = (((quotes - ONES) & ~quotes) | ((backslashes - ONES) & ~backslashes) | ((word - 0x20202020) & ~word)) & HIGHEST_BITS;
    if (marks !== 0) return at + ((31 - Math.clz32(marks & -marks)) >>> 3);
  }
  for (; at < length; at += 1) {
    const byte = view.getUint8(at);
    if (byte === QUOTE || byte === BACKSLASH || byte < SPACE) return at;
  }
  return length;
}

/** Length of the JSON string escape at `at`; -1 when it is invalid. */
function measureEscape(bytes: Buffer, at: number): number {
  const kind = bytes[at + 1];
  if (kind !== LOWER_U) return kind !== undefined && SHORT_ESCAPES.includes(kind) ? 2 : -1;
  for (let digit = at + 2; digit < at + 6; digit += 1) if (!HEXADECIMAL.includes(bytes[digit] ?? 0)) return -1;
  return 6;
}

/** Skips JSON white space. */
function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  for (let byte = bytes[at]; byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[at]) at += 1;
  return at;
}

/** Copies `before` into the new offsets. */
function acquireOffsets(buffers: BufferPool, count: number, before?: Uint32Array): Uint32Array<ArrayBuffer> {
  const offsets = new Uint32Array(buffers.acquire(count * Uint32Array.BYTES_PER_ELEMENT).buffer, 0, count);
  if (before) {
    offsets.set(before);
    BufferPool.release(before);
  }
  return offsets;
}
