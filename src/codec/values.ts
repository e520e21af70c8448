// The rules of values: what the service may send in a column of a type, and how it is stored. A value of another type is refused, never
// altered. Source: service specification, "Result rows".
import { digitsOf, writeExact } from '../core/exact-json.ts';
import { MAX_DEPTH } from '../core/json-size.ts';
import { isStorable } from '../core/storable.ts';
import type { Column, PgType } from '../datasets/dataset.ts';
import { daysOf } from './copy-rows.ts';
import { hasOddByte } from './text-bytes.ts';

/** Canonical text of a value for Postgres; null for no value, undefined when it is not a value of the type. */
export type Encode = (value: unknown) => string | null | undefined;

/** Any integer with at most this many digits is in range. */
export const SAFE_DIGITS = { bigint: 15, integer: 9 } as const;

export const ENCODE: Readonly<Record<PgType, Encode>> = {
  bigint: (value) => encodeInteger(value, SAFE_DIGITS.bigint, -(2n ** 63n), 2n ** 63n - 1n),
  integer: (value) => encodeInteger(value, SAFE_DIGITS.integer, -(2n ** 31n), 2n ** 31n - 1n),
  'double precision': encodeFloat,
  boolean: encodeBoolean,
  date: encodeDate,
  text: encodeText,
};

/** Longer texts are not read as numbers, because the service controls their length. */
const MAX_NUMBER_LENGTH = 1_000;
const INTEGER = /^-?\d+$/;
const LEADING_ZERO = /^(?:-0|0\d)/;
/** Sign, digits before and after the point, exponent. */
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** More digits than any integer column holds. */
const TOO_MANY_DIGITS = 20;

/** The written form of a number: a text or a JSON number. Undefined for other values, and for numbers that are no longer exact. */
function writtenNumber(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : digitsOf(value);
  return text === undefined || text.length > MAX_NUMBER_LENGTH ? undefined : text;
}

/** Text of up to `safeDigits` digits is in range without a further check. */
function encodeInteger(value: unknown, safeDigits: number, min: bigint, max: bigint): string | null | undefined {
  if (value === '') return null;
  const text = writtenNumber(value);
  if (text === undefined) return undefined;
  if (text.length <= safeDigits && INTEGER.test(text) && !LEADING_ZERO.test(text)) return text;
  const whole = readWhole(text);
  if (whole === undefined) return undefined;
  const exact = BigInt(whole);
  return exact < min || exact > max ? undefined : exact.toString();
}

/**
 * The digits of an integer, however it is written (`12000.0`, `1.2E4`). Works on the text, because a double has too few digits. Undefined when
 * it is not an integer. Leading digits are cut at TOO_MANY_DIGITS, which is out of range for every column.
 */
function readWhole(text: string): string | undefined {
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const [, sign = '', before = '', after = '', exponent = '0'] = match;
  const digits = before + after;
  let first = 0;
  while (digits[first] === '0') first += 1;
  if (first === digits.length) return '0';
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  // Position of the decimal point in the digits.
  const point = before.length + Number(exponent);
  if (end > point) return undefined;
  const length = Math.min(point - first, TOO_MANY_DIGITS);
  return sign + digits.slice(first, first + length).padEnd(length, '0');
}

const FLOAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const NOT_FINITE = /^(?:nan|([+-]?)inf(?:inity)?)$/i;

/** A number for Postgres. Undefined for what Postgres would refuse: overflowing numbers, and nonzero numbers that would be stored as zero. */
function encodeFloat(value: unknown): string | null | undefined {
  if (value === '') return null;
  const text = typeof value === 'number' && Number.isFinite(value) ? String(value) : writtenNumber(value);
  if (text === undefined) return undefined;
  if (!FLOAT.test(text)) {
    const [name, sign] = NOT_FINITE.exec(text) ?? [];
    if (name === undefined) return undefined;
    return sign === undefined ? 'NaN' : `${sign === '-' ? '-' : ''}Infinity`;
  }
  const number = Number(text);
  if (!Number.isFinite(number) || (number === 0 && /[1-9]/.test(text.split(/[eE]/)[0] ?? ''))) return undefined;
  return text;
}

const LONGEST_BOOLEAN = 'false'.length;

function encodeBoolean(value: unknown): string | null | undefined {
  if (value === 'true' || value === true) return 't';
  if (value === 'false' || value === false) return 'f';
  if (value === '') return null;
  if (typeof value !== 'string' || value.length > LONGEST_BOOLEAN) return undefined;
  const lower = value.toLowerCase();
  return lower === 'true' ? 't' : lower === 'false' ? 'f' : undefined;
}

function encodeDate(value: unknown): string | null | undefined {
  if (value === '') return null;
  return typeof value === 'string' && daysOf(value) !== undefined ? value : undefined;
}

// NUL, and any surrogate (most are half of a valid pair).
// biome-ignore lint/suspicious/noControlCharactersInRegex: the control character is what is looked for
const NEEDS_CARE = /[\u0000\ud800-\udfff]/;

function encodeText(value: unknown): string | undefined {
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return digitsOf(value);
  return NEEDS_CARE.test(value) && !isStorable(value) ? undefined : value;
}

// JSON.stringify escapes NUL and lone surrogates; jsonb refuses both. A literal backslash in the text appears doubled.
const UNSTORABLE_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** jsonb does not accept longer exponents, nor deeper values or longer numbers. */
const LONG_EXPONENT = /[eE][+-]?0*[1-9]\d{3}/;

/** Whether a JSON value is still exactly what was sent, and jsonb can store it. */
function isKept(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' && typeof value !== 'number') return true;
  const digits = digitsOf(value);
  if (digits !== undefined) return digits.length <= MAX_NUMBER_LENGTH && !LONG_EXPONENT.test(digits);
  if (typeof value !== 'object') return false;
  return value === null || (depth < MAX_DEPTH && Object.values(value).every((inner) => isKept(inner, depth + 1)));
}

/** Columns that the table lacks, as JSON; undefined when Postgres cannot store them unchanged. */
export function encodeExtra(extras: readonly { index: number; name: string }[], row: readonly unknown[]): string | undefined {
  if (!extras.every(({ index }) => isKept(row[index]))) return undefined;
  const json = writeExact(Object.fromEntries(extras.map(({ index, name }) => [name, row[index] ?? null])));
  return UNSTORABLE_ESCAPE.test(json) ? undefined : json;
}

/** Why a value was refused. */
export function explain(column: Column, value: unknown): string {
  const isNumber = typeof value === 'number';
  const written = isNumber ? String(value) : (digitsOf(value) ?? value);
  if (typeof written === 'object') return `an ${Array.isArray(written) ? 'array' : 'object'} where ${article(column.wire)} was expected`;
  const text = String(written);
  if (column.pg === 'text' && isNumber) return 'a JSON number that is not exact any more';
  if (column.pg === 'text')
    return text.includes('\u0000')
      ? 'the text contains NUL, which Postgres cannot store'
      : hasOddByte(text)
        ? 'the text contains a byte that is not UTF-8; it is kept as \\udc and its two digits'
        : 'the text contains half a surrogate pair, which is not Unicode';
  if (isNumber && column.wire === 'integer') return 'a JSON number that is not an exact integer';
  const isWhole = column.wire === 'integer' && text.length <= MAX_NUMBER_LENGTH && readWhole(text) !== undefined;
  const shown = text.length > 40 ? `${text.slice(0, 40)}...` : text;
  return `${JSON.stringify(shown)} is not ${article(column.wire)}${isWhole ? ` within ${column.pg}` : ''}`;
}

function article(wire: string): string {
  return wire === 'integer' ? 'an integer' : `a ${wire}`;
}
