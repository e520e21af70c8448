// From the bytes of a page to the bytes of COPY: the fast path of decoding, for rows of strings whose columns are the expected ones in their
// order. Text without escapes and short integers are copied unchanged. Every other value follows the rules of values.ts, and a row that breaks
// a rule goes through decode.ts. A test compares the rows of both paths.
import { writeExact } from '../core/exact-json.ts';
import type { Dataset, PgType } from '../datasets/dataset.ts';
import type { BufferPool } from './buffer-pool.ts';
import { COUNT_BYTES, CopyRows, LENGTH_BYTES, LONGEST_FIXED, viewOf } from './copy-rows.ts';
import { type DecodedRows, type Decoder, REQUIRED_COLUMNS, type RejectedRow, stagingColumns } from './decode.ts';
import { ESCAPED, type PageRows, rawAt, rowAt, valueAt } from './page-rows.ts';
import { KEY_BYTES, RowKey } from './row-key.ts';
import { ENCODE, SAFE_DIGITS } from './values.ts';

/** Decodes rows of one page, numbered from 1; `before` is the number of its rows before these. Never throws for the content of a row. */
export type DecodeRows = (rows: PageRows, page: number, before?: number) => DecodedRows;

const ZERO = 0x30;
const NINE = 0x39;
const TWO_TO_32 = 2 ** 32;
/** Longer values are copied by a native call. */
const SHORT = 128;

/** Decodes rows of pages with the schema of `decoder`, into buffers of `buffers`. */
export function createRowsDecoder(dataset: Dataset, decoder: Decoder, buffers: BufferPool): DecodeRows {
  const { columns } = dataset;
  const width = columns.length;
  const staged = stagingColumns(dataset);
  // Column properties as numbers, so that a single loop over all columns stays fast.
  const isText = Uint8Array.from(columns, ({ pg }) => Number(pg === 'text'));
  const safeDigits = Uint8Array.from(columns, ({ pg }) => (pg === 'bigint' || pg === 'integer' ? SAFE_DIGITS[pg] : 0));
  const isIdentity = Uint8Array.from(columns, (column) => Number(column.isIdentity));
  const isRequired = Uint8Array.from(columns, ({ name }) => Number(REQUIRED_COLUMNS.has(name)));
  const types = columns.map(({ pg }) => pg);
  const isUsual = decoder.columnNames.length === width && columns.every(({ name }, column) => name === decoder.columnNames[column]);
  /** Maximum bytes a row needs beyond its JSON: lengths, key, and 8 per number, which may be a single digit in JSON. */
  const ownBytes = COUNT_BYTES + staged.length * LENGTH_BYTES + width * LONGEST_FIXED + KEY_BYTES + 2 * LENGTH_BYTES;
  const key = new RowKey();
  /** Position of each non-text, non-integer value of the previous row; 0 for none. Dates and floats often repeat and are copied from there. */
  const fieldAt = new Uint32Array(width);

  /** Adds a row of strings, for which there is room. Returns false, with nothing added, when it needs the slow path. */
  function addRow({ rows, number, before, source, into }: Page, index: number): boolean {
    const { bytes, offsets } = rows;
    const { bytes: out, view } = into;
    view.setInt16(into.end, staged.length);
    let to = into.end + COUNT_BYTES;
    key.clear();
    for (let column = 0, at = 2 * width * index; column < width; column += 1, at += 2) {
      const from = offsets[at] as number;
      const end = offsets[at + 1] as number;
      const start = to + LENGTH_BYTES;
      const digits = safeDigits[column] as number;
      const whole = digits === 0 ? -1 : readDigits(bytes, from, end, digits);
      if (whole !== -1) {
        const length = digits === SAFE_DIGITS.bigint ? 8 : 4;
        view.setInt32(to, length);
        if (length === 8) view.setInt32(start, Math.floor(whole / TWO_TO_32));
        view.setInt32(start + length - 4, whole | 0);
        to = start + length;
      } else if (isText[column] === 1 && from !== 0 && end < ESCAPED) {
        view.setInt32(to, end - from);
        if (end - from > SHORT) bytes.copy(out, start, from, end);
        // Copies up to three extra bytes of JSON after the value, which later writes overwrite.
        else for (let byte = 0; byte < end - from; byte += 4) view.setInt32(start + byte, source.getInt32(from + byte));
        to = start + end - from;
      } else if (fieldAt[column] !== 0 && from !== end && end < ESCAPED && isAsAbove(rows, at)) {
        const above = fieldAt[column] as number;
        const length = LENGTH_BYTES + view.getInt32(above);
        for (let byte = 0; byte < length; byte += 4) view.setInt32(to + byte, view.getInt32(above + byte));
        fieldAt[column] = to;
        to += length;
      } else {
        if (isText[column] === 0 && digits === 0) fieldAt[column] = to;
        const value = valueAt(rows, at);
        const cell = value === null ? null : ENCODE[types[column] as PgType](value);
        if (cell === undefined || (cell === null && isRequired[column] === 1)) return false;
        if (isIdentity[column] === 1) key.add(cell);
        to = into.write(types[column] as PgType, cell, to);
        continue;
      }
      if (isIdentity[column] === 1) key.addBytes(source, from, end);
    }
    into.end = to;
    into.endRow(null, key, number, before + index + 1);
    return true;
  }

  return (rows, number, before = 0) => {
    // Enough for all rows of strings together.
    const into = new CopyRows(buffers, rows.bytes.length + ownBytes * rows.length);
    const page = { rows, number, before, into, source: viewOf(rows.bytes) };
    fieldAt.fill(0);
    const rejected: RejectedRow[] = [];
    const isPlainPage = isUsual && rows.width === width;
    for (let index = 0; index < rows.length; index += 1) {
      if (isPlainPage && !rows.parsed.has(index) && addRow(page, index)) continue;
      const row = rowAt(rows, index);
      const rejection = decoder.decodeRow(
        row,
        { page: number, position: before + index + 1 },
        into,
        () => rawAt(rows, index) ?? writeExact(row),
      );
      if (rejection) rejected.push(rejection);
      fieldAt.fill(0);
      const behind = rows.bytes.length - Math.min(rows.bytes.length, rows.offsets[2 * rows.width * index] ?? 0);
      into.reserve(behind + ownBytes * (rows.length - index));
    }
    return { copyData: into.data, staged: rows.length - rejected.length, rejected };
  };
}

/** Values shared by all rows of a page being decoded. `source`: `rows.bytes` as a view. */
type Page = Readonly<{ rows: PageRows; number: number; before: number; into: CopyRows; source: DataView }>;

/** Reads an integer of 1 to `safeDigits` digits without a leading zero or sign; -1 for everything else. */
function readDigits(bytes: Buffer, start: number, end: number, safeDigits: number): number {
  const length = end - start;
  if (length === 0 || length > safeDigits || (bytes[start] === ZERO && length > 1)) return -1;
  let value = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte < ZERO || byte > NINE) return -1;
    value = value * 10 + (byte - ZERO);
  }
  return value;
}

/** Whether the value with offsets at `at` has the same bytes as that of the previous row. */
function isAsAbove({ bytes, offsets, width }: PageRows, at: number): boolean {
  const [start, end] = [offsets[at] as number, offsets[at + 1] as number];
  const above = offsets[at - 2 * width] as number;
  if ((offsets[at - 2 * width + 1] as number) - above !== end - start) return false;
  for (let byte = 0; byte < end - start; byte += 1) if (bytes[start + byte] !== bytes[above + byte]) return false;
  return true;
}
