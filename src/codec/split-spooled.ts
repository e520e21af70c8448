// Takes the rows out of an answer that is too large for memory: finds out where they lie in its file, some megabytes at a time.
import { isUtf8 } from 'node:buffer';
import { describeProblem, type SpooledBody } from './body-sink.ts';
import { pageMemory } from './page-memory.ts';
import { forgetRows, type PageRows, SPOOLED_PART_BYTES, type SpooledRows } from './page-rows.ts';
import { findRows, measureRows, readAround, scanRows } from './split-rows.ts';

/** As SplitAnswer. */
export type SplitSpooled = Readonly<{ value: Record<string, unknown>; text: string; rows: SpooledRows }>;

const MEBIBYTE = 1024 * 1024;
/** Everything but the rows: schema, token and the like. */
const MAX_AROUND = MEBIBYTE;
/** A longer one is no row. */
const MAX_ROW_BYTES = 16 * MEBIBYTE;
const CLOSE = Buffer.from(']');

/** Rows that follow one another: where they lie in the file, without the comma behind them. */
type Part = Readonly<{ from: number; to: number; rows: number }>;

/**
 * Splits a JSON text of an execution record into parts of some `partBytes` bytes. Undefined when it has no rows, cannot be split, is not UTF-8 or not JSON; the file
 * stays open then. Each part has been looked at, so that reading it again finds rows.
 */
export async function splitSpooled(body: SpooledBody, partBytes: number = SPOOLED_PART_BYTES): Promise<SplitSpooled | undefined> {
  const head = await body.read(0, MAX_AROUND);
  const start = findRows(head);
  if (start === -1 || !isUtf8(head.subarray(0, start))) return undefined;
  const found = await findParts(body, start, partBytes);
  if (!found || body.length - found.end > MAX_AROUND) return undefined;
  const tail = await body.read(found.end, body.length);
  if (!isUtf8(tail)) return undefined;
  const around = readAround(head.toString('utf8', 0, start), tail.toString('utf8'));
  if (!around) return undefined;
  const { parts } = found;
  const rows: SpooledRows = {
    length: parts.reduce((sum, part) => sum + part.rows, 0),
    async *parts() {
      for (const part of parts) {
        const rows = await readPart(body, part);
        if (!rows) throw describeProblem('is not what was written to it');
        yield rows;
      }
    },
    close: () => body.close(),
  };
  return { ...around, rows };
}

/** The rows from `start` on in parts, and where the bracket behind them is. */
async function findParts(
  body: SpooledBody,
  start: number,
  partBytes: number,
): Promise<Readonly<{ parts: Part[]; end: number }> | undefined> {
  const parts: Part[] = [];
  let size = partBytes;
  for (let at = start; at < body.length; ) {
    const bytes = await body.read(at, at + size);
    const measured = measureRows(bytes);
    pageMemory.giveBack(bytes);
    if (!measured) return undefined;
    if (measured.rows === 0) {
      // A row that is larger than what was read, or cut off.
      if (at + size >= body.length || size >= MAX_ROW_BYTES) return undefined;
      size *= 2;
      continue;
    }
    const part = { from: at, to: at + measured.end, rows: measured.rows };
    const rows = await readPart(body, part);
    if (!rows) return undefined;
    forgetRows(rows);
    parts.push(part);
    if (measured.isLast) return { parts, end: at + measured.next };
    at += measured.next;
    size = partBytes;
  }
  return undefined;
}

/** Undefined when it is not as many rows as JSON, or not UTF-8. */
async function readPart(body: SpooledBody, { from, to, rows }: Part): Promise<PageRows | undefined> {
  const bytes = pageMemory.take(to - from + CLOSE.length);
  const read = await body.read(from, to);
  read.copy(bytes);
  CLOSE.copy(bytes, to - from);
  pageMemory.giveBack(read);
  if (!isUtf8(bytes)) return undefined;
  const scanned = scanRows(bytes, 0);
  return scanned?.rows.length === rows && scanned.end === to - from ? scanned.rows : undefined;
}
