// Reads `totalRowCount` exactly. The specification makes it an int64, which JSON.parse rounds above 2^53.
import { parse } from 'lossless-json';

const MAX_INT64 = 2n ** 63n - 1n;
const DIGITS = /^\d+$/;
const SHOWN_LENGTH = 40;

/** `count` is null when the service gave none; `unreadable` shows a value that is not a count from 0 to the int64 maximum. */
export type RowCount = Readonly<{ count: bigint | null; unreadable?: string }>;

/**
 * The row count of a record that JSON.parse made of `text`. A number too large for JavaScript is read again from the text, digit by digit.
 * An unreadable count is not fatal: the rows are read all the same, and the ledger notes it.
 */
export function readRowCount(value: unknown, text: string): RowCount {
  if (value === undefined || value === null) return { count: null };
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return { count: BigInt(value) };
  const digits = typeof value === 'number' ? rereadDigits(text) : typeof value === 'string' ? value.trim() : undefined;
  if (digits !== undefined && DIGITS.test(digits) && digits.length <= SHOWN_LENGTH) {
    const count = BigInt(digits);
    if (count <= MAX_INT64) return { count };
  }
  return { count: null, unreadable: String(digits ?? JSON.stringify(value)).slice(0, SHOWN_LENGTH) };
}

function rereadDigits(text: string): string | undefined {
  try {
    const record = parse(text, null, (digits) => digits) as { totalRowCount?: unknown };
    return typeof record.totalRowCount === 'string' ? record.totalRowCount : undefined;
  } catch {
    // A duplicate key, or nesting too deep for a parser written in JavaScript.
    return undefined;
  }
}
