// The rows of one page on their way from the service to the decoder. Rows whose values are all JSON strings or null stay bytes: they get from
// the wire to COPY without becoming objects.
import { UnparsedRow } from '../core/exact-json.ts';
import { BufferPool } from './buffer-pool.ts';
import { withEscapes } from './text-bytes.ts';

/** Rows of an answer in a file. Close it after use; closing it again does nothing. */
export type SpooledRows = Readonly<{
  length: number;
  /** All rows in order, in parts. Each call reads them again. Throws StoreError. */
  parts: () => AsyncGenerator<PageRows, void, undefined>;
  close: () => void;
}>;

/** Added to the end offset of a value with escapes: no answer is that large. */
export const ESCAPED = 2 ** 31;

/** Rows in order. A row is either in `parsed`, or its values are ranges of `bytes`. */
export type PageRows = Readonly<{
  length: number;
  /** The answer. Rows that are not parsed are valid UTF-8. */
  bytes: Buffer;
  /** Number of values in each row that is not in `parsed`. */
  width: number;
  /**
   * For each row `2 * width` offsets: begin and end of each value in `bytes`, without quotes. ESCAPED is added to the end of a value with
   * escapes. Null has 0 twice. For a row in `parsed` only the first two are used: begin and end of the row, 0 when unknown.
   */
  offsets: Uint32Array;
  /** Rows that contain anything but strings and null, by index from 0, in the form of parseRow. */
  parsed: ReadonlyMap<number, unknown>;
}>;

export function areSpooled(rows: PageRows | SpooledRows): rows is SpooledRows {
  return 'parts' in rows;
}

/** Closes the file of rows, or releases their memory. They must not be used afterwards. */
export function closeRows(rows: PageRows | SpooledRows | undefined): void {
  if (!rows) return;
  if (areSpooled(rows)) rows.close();
  else for (const memory of [rows.bytes, rows.offsets]) BufferPool.release(memory);
}

/** Row `index`, from 0, as a JSON value with numbers as parseExact returns them; or an UnparsedRow. */
export function rowAt(rows: PageRows, index: number): unknown {
  const { width, parsed } = rows;
  if (parsed.has(index)) return parsed.get(index);
  return Array.from({ length: width }, (_, column) => valueAt(rows, 2 * (index * width + column)));
}

/** The value with offsets at `at`, of a row that is not parsed. */
export function valueAt({ bytes, offsets }: PageRows, at: number): string | null {
  const start = offsets[at] ?? 0;
  const end = offsets[at + 1] ?? 0;
  if (start === 0) return null;
  if (end < ESCAPED) return bytes.toString('utf8', start, end);
  return JSON.parse(bytes.toString('utf8', start - 1, end - ESCAPED + 1)) as string;
}

/** Row `index` as JSON text, as it was sent; undefined when that is no longer known, or is not UTF-8. */
export function rawAt(rows: PageRows, index: number): string | undefined {
  const { bytes, width, offsets, parsed } = rows;
  const row = parsed.get(index);
  if (row instanceof UnparsedRow) return withEscapes(row.raw);
  if (!parsed.has(index)) return JSON.stringify(rowAt(rows, index));
  const end = offsets[2 * index * width + 1];
  return end ? bytes.toString('utf8', offsets[2 * index * width], end) : undefined;
}

/** Wraps rows that are already parsed. */
export function parsedRows(rows: readonly unknown[]): PageRows {
  return {
    length: rows.length,
    bytes: Buffer.alloc(0),
    width: 0,
    offsets: new Uint32Array(0),
    parsed: new Map(rows.entries()),
  };
}
