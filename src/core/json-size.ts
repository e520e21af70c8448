// Measures a JSON value byte by byte, before anything recurses into it or makes objects of it.

/** The deepest nesting that is read. No service sends deeper values. Recursion into them would run out of stack, and jsonb refuses them. */
export const MAX_DEPTH = 500;
/** The most values of a text that is parsed. Each takes some 60 bytes of memory, however short its text is. */
export const MAX_VALUES = 500_000;
/** The most values of a row that is parsed. */
export const MAX_ROW_VALUES = 100_000;

/** The most columns of a row. The service sends no wider rows. */
export const MAX_COLUMNS = 1_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Where a value ends, how many values it holds itself if it is an array, how many in all, and how deep they lie. */
export type JsonSize = Readonly<{ end: number; width: number; values: number; depth: number }>;

/** Measures the JSON value that begins at `start`. Invalid JSON gets some size, too; the parser refuses it later. */
export function measureValue(bytes: Buffer, start: number): JsonSize {
  let width = 1;
  let values = 1;
  let depth = 0;
  let deepest = 0;
  let isInside = false;
  let at = start;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isInside) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isInside = false;
    } else if (byte === QUOTE) isInside = true;
    else if (byte === OPEN || byte === OPEN_BRACE) {
      depth += 1;
      values += 1;
      if (depth > deepest) deepest = depth;
    } else if (depth === 0 && (byte === COMMA || byte === CLOSE)) break;
    else if (byte === CLOSE || byte === CLOSE_BRACE) depth -= 1;
    else if (byte === COMMA) {
      values += 1;
      if (depth === 1) width += 1;
    }
  }
  return { end: Math.min(at, bytes.length), width, values, depth: deepest };
}
