// Takes the rows out of an answer in a file: finds their positions, one part at a time.
import { KIBIBYTE, MEBIBYTE } from '../core/byte-sizes.ts';
import { sumOf } from '../core/numbers.ts';
import { describeProblem, type SpooledBody } from './body-sink.ts';
import { BufferPool } from './buffer-pool.ts';
import { closeRows, type SpooledRows } from './page-rows.ts';
import { MAX_ROW_BYTES } from './row-cutter.ts';
import { findRows, readAround, type ScannedRows, scanRows } from './split-rows.ts';

/** Like SplitAnswer, with the rows in the file. */
export type SplitSpooled = Readonly<{ value: Record<string, unknown>; text: string; rows: SpooledRows }>;

/** Bytes read at a time, the size of a usual page; more only when a single row is larger. */
const PART_BYTES = MEBIBYTE / 2;
/** Maximum size of everything but the rows: schema, token and so on. */
const MAX_AROUND = MEBIBYTE;
/** Most bytes read at a time: the longest row, and what is around it. */
const MAX_PART_BYTES = MAX_ROW_BYTES + 64 * KIBIBYTE;

/** Position of consecutive rows in the file, including the comma or bracket after them. `width` is the width of the rows before. */
type Part = Readonly<{ from: number; to: number; rows: number; width: number }>;

/**
 * Splits the JSON text of an execution record into parts of about `partBytes` bytes. Undefined when it has no rows, cannot be split, is not
 * JSON, or anything but its rows is not UTF-8. In these cases the file stays open. Each part was read once, so reading it again succeeds.
 */
export async function splitSpooled(body: SpooledBody, partBytes = PART_BYTES): Promise<SplitSpooled | undefined> {
  const head = await body.read(0, MAX_AROUND);
  const start = findRows(head);
  const before = start === -1 ? undefined : Buffer.from(head.subarray(0, start));
  BufferPool.release(head);
  if (before === undefined) return undefined;
  const found = await findParts(body, start, partBytes);
  if (!found || body.length - found.end > MAX_AROUND) return undefined;
  const around = readAround(before, await body.read(found.end, body.length));
  if (!around) return undefined;
  const { parts } = found;
  const rows: SpooledRows = {
    length: sumOf(parts, ({ rows }) => rows),
    async *parts() {
      for (const part of parts) {
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
      if (!isCut || from + size >= body.length || size >= MAX_PART_BYTES) return undefined;
      size = Math.min(2 * size, MAX_PART_BYTES);
    }
  }
  return undefined;
}

/** Like scanRows. */
async function scanPart(body: SpooledBody, { from, to, width }: Omit<Part, 'rows'>): Promise<ScannedRows | undefined> {
  const bytes = await body.read(from, to);
  return scanRows(bytes, 0, { buffers: body.buffers, knownWidth: width });
}
