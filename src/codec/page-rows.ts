// The rows of one page on their way from the service to the decoder. Rows whose values are all JSON strings (or null) stay
// bytes: they go from the wire to COPY without becoming objects.
import { UnparsedRow } from '../core/exact-json.ts';
import { BufferPool } from './buffer-pool.ts';

/** The rows of an answer in a file. Close it when they are not used any more; closing it again does nothing. */
export type SpooledRows = Readonly<{
  length: number;
  /** All of them, some at a time, in their order. Each time they are read again. Throws StoreError. */
  parts: () => AsyncGenerator<PageRows, void, undefined>;
  close: () => void;
}>;

/** Added to the offset where a value ends: no answer is so large. */
export const ESCAPED = 2 ** 31;

/** Rows in their order. A row is either in `parsed`, or its values are ranges of `bytes`. */
export type PageRows = Readonly<{
  length: number;
  /** The answer, valid UTF-8. */
  bytes: Buffer;
  /** Values of every row that is not in `parsed`. */
  width: number;
  /**
   * For each row `2 * width` offsets: begin and end of each value in `bytes`, without quotes. ESCAPED is added to the end of a value with
   * escapes. Null has 0 twice. A row in `parsed` has only the first two: where the row begins and ends, 0 when unknown.
   */
  offsets: Uint32Array;
  /** By number, from 0, the rows that are anything else than strings, as parseRow gives them. */
  parsed: ReadonlyMap<number, unknown>;
}>;

export function areSpooled(rows: PageRows | SpooledRows): rows is SpooledRows {
  return 'parts' in rows;
}

/** Closes the file of rows, or releases their memory. Nobody may use them any more. */
export function closeRows(rows: PageRows | SpooledRows | undefined): void {
  if (!rows) return;
  if (areSpooled(rows)) rows.close();
  else for (const memory of [rows.bytes, rows.offsets]) BufferPool.release(memory);
}

/** Row `index`, from 0, as JSON has it, with numbers as parseExact gives them; or an UnparsedRow. */
export function rowAt(rows: PageRows, index: number): unknown {
  const { width, parsed } = rows;
  if (parsed.has(index)) return parsed.get(index);
  return Array.from({ length: width }, (_, column) => valueAt(rows, 2 * (index * width + column)));
}

/** The value whose offsets begin at number `at`, of a row that is not parsed. */
export function valueAt({ bytes, offsets }: PageRows, at: number): string | null {
  const start = offsets[at] ?? 0;
  const end = offsets[at + 1] ?? 0;
  if (start === 0) return null;
  if (end < ESCAPED) return bytes.toString('utf8', start, end);
  return JSON.parse(bytes.toString('utf8', start - 1, end - ESCAPED + 1)) as string;
}

/** Row `index` as it was sent, as JSON text of the same values; undefined when that is not known any more. */
export function rawAt(rows: PageRows, index: number): string | undefined {
  const { bytes, width, offsets, parsed } = rows;
  const row = parsed.get(index);
  if (row instanceof UnparsedRow) return row.raw;
  if (!parsed.has(index)) return JSON.stringify(rowAt(rows, index));
  const end = offsets[2 * index * width + 1];
  return end ? bytes.toString('utf8', offsets[2 * index * width], end) : undefined;
}

/** Rows that are parsed already. */
export function parsedRows(rows: readonly unknown[]): PageRows {
  return {
    length: rows.length,
    bytes: Buffer.alloc(0),
    width: 0,
    offsets: new Uint32Array(0),
    parsed: new Map(rows.entries()),
  };
}
