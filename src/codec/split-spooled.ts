// Takes the rows out of an answer in a file: finds their positions, one part at a time.
import { KIBIBYTE, MEBIBYTE } from '../core/byte-sizes.ts';
import { UnparsedRow } from '../core/exact-json.ts';
import { sumOf } from '../core/numbers.ts';
import { describeProblem, type SpooledBody } from './body-sink.ts';
import { BufferPool } from './buffer-pool.ts';
import { closeRows, parsedRows, type SpooledRows } from './page-rows.ts';
import { findRows, readAround, type ScannedRows, scanRows } from './split-rows.ts';

/** Like SplitAnswer, with the rows in the file. */
export type SplitSpooled = Readonly<{ value: Record<string, unknown>; text: string; rows: SpooledRows }>;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Bytes read at a time, the size of a usual page; more only when a single row is larger. */
const PART_BYTES = MEBIBYTE / 2;
/** Maximum size of everything but the rows: schema, token and so on. */
const MAX_AROUND = MEBIBYTE;
/** Longer rows are not decoded: they are passed over, and rejected by their beginning. */
const MAX_ROW_BYTES = 16 * MEBIBYTE;
/** What is kept of a row that is too long. */
const KEPT_BYTES = 64 * KIBIBYTE;

/**
 * Position of consecutive rows in the file, including the comma or bracket after them. `width` is the width of the rows before. `isTooLong`: it
 * is a single row, which is not decoded.
 */
type Part = Readonly<{ from: number; to: number; rows: number; width: number; isTooLong?: boolean }>;

/**
 * Splits the JSON text of an execution record into parts of about `partBytes` bytes. Undefined when it has no rows, cannot be split, is not
 * JSON, or anything but its rows is not UTF-8. In these cases the file stays open. Each part was read once, so reading it again succeeds.
 * A row of more than `maxRowBytes` bytes becomes an UnparsedRow with its beginning, so it spoils neither the page nor the memory.
 */
export async function splitSpooled(
  body: SpooledBody,
  { partBytes = PART_BYTES, maxRowBytes = MAX_ROW_BYTES }: Readonly<{ partBytes?: number | undefined; maxRowBytes?: number }> = {},
): Promise<SplitSpooled | undefined> {
  const head = await body.read(0, MAX_AROUND);
  const start = findRows(head);
  const before = start === -1 ? undefined : Buffer.from(head.subarray(0, start));
  BufferPool.release(head);
  if (before === undefined) return undefined;
  const found = await findParts(body, start, partBytes, maxRowBytes);
  if (!found || body.length - found.end > MAX_AROUND) return undefined;
  const around = readAround(before, await body.read(found.end, body.length));
  if (!around) return undefined;
  const { parts } = found;
  const rows: SpooledRows = {
    length: sumOf(parts, ({ rows }) => rows),
    async *parts() {
      for (const part of parts) {
        if (part.isTooLong) {
          yield parsedRows([await readBeginning(body, part, maxRowBytes)]);
          continue;
        }
        const scanned = await scanPart(body, part);
        if (scanned?.rows.length !== part.rows) throw describeProblem('is not what was written to it');
        yield scanned.rows;
      }
    },
    close: () => body.close(),
  };
  return { ...around, rows };
}

/** The rows from `start` on in parts, and the position of the bracket after them. */
async function findParts(
  body: SpooledBody,
  start: number,
  partBytes: number,
  maxRowBytes: number,
): Promise<Readonly<{ parts: Part[]; end: number }> | undefined> {
  const parts: Part[] = [];
  let size = partBytes;
  let width = 0;
  for (let from = start; from < body.length; ) {
    const scanned = await scanPart(body, { from, to: from + size, width });
    if (!scanned) return undefined;
    const { rows, end, isCut } = scanned;
    closeRows(rows);
    if (rows.length > 0) {
      parts.push({ from, to: from + end + (isCut ? 0 : 1), rows: rows.length, width });
      width = rows.width;
      if (!isCut) return { parts, end: from + end };
      from += end;
      size = partBytes;
    } else {
      // A row that is larger than what was read, or truncated.
      if (!isCut || from + size >= body.length) return undefined;
      if (size >= maxRowBytes) {
        const row = await findRowEnd(body, from);
        if (!row) return undefined;
        parts.push({ from, to: row.end + 1, rows: 1, width, isTooLong: true });
        if (row.isLast) return { parts, end: row.end };
        from = row.end + 1;
        size = partBytes;
      } else size = Math.min(2 * size, maxRowBytes);
    }
  }
  return undefined;
}

/** Like scanRows. */
async function scanPart(body: SpooledBody, { from, to, width }: Omit<Part, 'rows'>): Promise<ScannedRows | undefined> {
  const bytes = await body.read(from, to);
  return scanRows(bytes, 0, { buffers: body.buffers, knownWidth: width });
}

/** Position of the comma or bracket behind the row that begins at `start`. Undefined if there is no row, or it does not end. */
async function findRowEnd(body: SpooledBody, start: number): Promise<{ end: number; isLast: boolean } | undefined> {
  let at = start;
  let depth = 0;
  let hasRow = false;
  let isInText = false;
  let isEscaped = false;
  while (at < body.length) {
    const piece = await body.read(at, at + PART_BYTES);
    for (const [index, byte] of piece.entries()) {
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInText = false;
      } else if (depth === 0 && hasRow && (byte === COMMA || byte === CLOSE)) {
        BufferPool.release(piece);
        return { end: at + index, isLast: byte === CLOSE };
      } else if (byte === QUOTE) isInText = true;
      else if (byte === OPEN || byte === OPEN_OBJECT) depth += 1;
      else if (byte === CLOSE || byte === CLOSE_OBJECT) depth -= 1;
      hasRow ||= depth > 0;
      if (depth < 0 || (!hasRow && isInText)) return undefined;
    }
    at += piece.length;
    BufferPool.release(piece);
  }
  return undefined;
}

/** What is kept of a row that is too long: its beginning as a JSON text, which every reader of quarantined rows can read. */
async function readBeginning(body: SpooledBody, { from, to }: Part, maxRowBytes: number): Promise<UnparsedRow> {
  const bytes = await body.read(from, Math.min(to, from + KEPT_BYTES));
  const beginning = bytes
    .toString('utf8')
    .trimStart()
    .replace(/\ufffd+$/, '');
  BufferPool.release(bytes);
  const reason = `the row has ${to - from - 1} bytes, and rows of more than ${maxRowBytes} are not read; its beginning is kept`;
  return new UnparsedRow(reason, JSON.stringify(beginning));
}
