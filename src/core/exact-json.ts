// Lossless JSON: a number that a double cannot represent exactly as sent keeps its digits.
import { randomUUID } from 'node:crypto';
import { LosslessNumber, parse } from 'lossless-json';
import { MAX_DEPTH, MAX_ROW_VALUES, measureValue } from './json-size.ts';

/**
 * Finds every number that JSON.parse would change: more than 15 digits, an exponent, zeros at the end or so many at the beginning
 * that JavaScript writes an exponent, -0. Also matches some text that is not a number.
 */
const MAY_CHANGE = /[\d.]{16}|\d[eE][+-]?\d|\.\d*0(?!\d)|0\.0{6}|-0(?![\d.])/;

/**
 * As JSON.parse, but a number that it would change becomes a LosslessNumber. @throws SyntaxError as JSON.parse does.
 * @param value the result of JSON.parse, if it is already known
 */
export function parseExact(text: string, value: unknown = JSON.parse(text)): unknown {
  if (!MAY_CHANGE.test(text)) return value;
  try {
    return parse(text, null, { parseNumber: readNumber, onDuplicateKey: ({ newValue }) => newValue });
  } catch {
    // Nested too deep for a parser written in JavaScript.
    return value;
  }
}

/** Key of an unparsed row that is written as JSON. It is random, so no row that was received has it. */
const UNPARSED_KEY = `unparsed-${randomUUID()}`;

/** A row that was not parsed, since it cannot be valid. */
export class UnparsedRow {
  readonly reason: string;
  /** The text as received. */
  readonly raw: string;

  constructor(reason: string, raw: string) {
    this.reason = reason;
    this.raw = raw;
  }
}

/** JSON text that parseRow reads as this row. */
export function writeUnparsedRow({ reason, raw }: UnparsedRow): string {
  return JSON.stringify({ [UNPARSED_KEY]: [reason, raw] });
}

function readUnparsedRow(text: string): UnparsedRow {
  const [reason = '', raw = ''] = (JSON.parse(text) as Record<string, string[]>)[UNPARSED_KEY] ?? [];
  return new UnparsedRow(reason, raw);
}

/**
 * Parses a row as parseExact does. A row of too many values comes back unparsed. So does one that is nested too deep to be serialized
 * again, unless the caller keeps its text (`isKept`). @throws SyntaxError as JSON.parse does, and for a NUL.
 */
export function parseRow(text: string, { values, depth } = measureValue(Buffer.from(text), 0), isKept = true): unknown {
  if (text.startsWith(`{"${UNPARSED_KEY}"`)) return readUnparsedRow(text);
  if (values > MAX_ROW_VALUES) {
    if (text.includes('\0')) throw new SyntaxError('a NUL is no JSON');
    return new UnparsedRow(`the row has more than ${MAX_ROW_VALUES} values`, text);
  }
  const row = parseExact(text);
  return depth > MAX_DEPTH && !isKept ? new UnparsedRow(`the row is nested more than ${MAX_DEPTH} levels deep`, text) : row;
}

function readNumber(digits: string): number | LosslessNumber {
  const value = Number(digits);
  return digitsOf(value) === digits ? value : new LosslessNumber(digits);
}

/** A JSON number as received; undefined for other values, and for a double that may represent several numbers. */
export function digitsOf(value: unknown): string | undefined {
  if (value instanceof LosslessNumber) return value.value;
  const isExact = Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
  return isExact ? String(value) : undefined;
}

/** JSON text of a value from parseExact. Infinity, which JSON.parse returns for numbers beyond any double, is written as such a number. */
export function writeExact(value: unknown): string {
  if (value instanceof LosslessNumber) return value.value;
  if (typeof value === 'number' && !Number.isFinite(value)) return value > 0 ? '1e999' : '-1e999';
  if (Array.isArray(value)) return `[${value.map(writeExact).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}:${writeExact(inner)}`)
    .join(',')}}`;
}
