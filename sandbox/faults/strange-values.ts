// Values that do not match their column's type, rows that do not match their schema, and values that are correct but written in an
// unusual way.
import { MAX_DEPTH } from '../../src/core/json-size.ts';
import type { Column, Dataset, WireType } from '../../src/datasets/dataset.ts';
import type { WireValue } from '../../src/service/wire.ts';
import type { FaultOf } from './fault.ts';
import { holdDeep } from './raw-json.ts';

export type ValueFault = FaultOf<'bad_value' | 'odd_value'>;
type BadValue = FaultOf<'bad_value'>['value'];
type OddValue = FaultOf<'odd_value'>['value'];

/** Faults of a whole row, which concern no column of the dataset. */
type BadRow = 'short_row' | 'deep_row' | 'deep_extra';
const ANY_WIRE: readonly WireType[] = ['integer', 'string', 'date', 'float', 'boolean'];
const DIGITS = 100_000;
const LEVELS = 20_000;

const BAD: Readonly<
  Record<Exclude<BadValue, BadRow>, Readonly<{ wires: readonly WireType[]; value: unknown | ((size: number | undefined) => unknown) }>>
> = {
  not_a_number: { wires: ['integer', 'float'], value: 'n/a' },
  // One more than the int64 maximum.
  too_large: { wires: ['integer'], value: '9223372036854775808' },
  not_a_date: { wires: ['date'], value: '2026-02-30' },
  not_a_boolean: { wires: ['boolean'], value: 'perhaps' },
  nul: { wires: ['string'], value: 'before\u0000after' },
  lone_surrogate: { wires: ['string'], value: 'half a pair: \ud83d' },
  nested: { wires: ANY_WIRE, value: { unexpected: ['object'] } },
  // Digits that are not a number because of their end.
  long_number: { wires: ['integer', 'float'], value: (size = DIGITS) => `${'1'.repeat(size)}x` },
  deep: { wires: ANY_WIRE, value: (size = LEVELS) => holdDeep(size) },
};

/** `write` derives what is sent from the sandbox's own value, `mean` what should be published; without `mean` the value is unchanged. */
type Oddity = Readonly<{ wire: WireType; write: (value: unknown) => unknown; mean?: (value: WireValue) => WireValue }>;

const same = (wire: WireType, value: string): Oddity => ({ wire, write: () => value, mean: () => value });
const addName = <T>(names: T): T | string => (names === null || names === '' ? names : `${names}, and more`);

const inCapitals = <T>(text: T): T | string => (typeof text === 'string' ? text.toUpperCase() : text);
const respell = <T>(text: T): T | string => (text === null || text === '' ? text : `${text}search`);

const ODD: Readonly<Record<OddValue, Oddity>> = {
  decimal_integer: { wire: 'integer', write: (value) => (isIntegerText(value) ? `${value}.0` : value) },
  exponent_integer: { wire: 'integer', write: (value) => (isIntegerText(value) ? withExponent(value) : value) },
  number_in_text: { wire: 'string', write: () => 1.5, mean: () => '1.5' },
  not_a_number: same('float', 'NaN'),
  infinity: same('float', 'Infinity'),
  minus_infinity: same('float', '-Infinity'),
  // Adds text after a comma: a client that splits at commas finds one name too many.
  comma_in_name: { wire: 'string', write: addName, mean: addName },
  upper_case: { wire: 'string', write: inCapitals, mean: inCapitals },
  // As in the vendor's own examples: chatgpt in one dataset, chatgptsearch in another.
  other_spelling: { wire: 'string', write: respell, mean: respell },
};

/**
 * The column whose value is altered. Of the columns of a suitable type (and with the given name, if any): the last one that does not identify
 * rows, else the last one. Undefined when there is none, and for faults of whole rows.
 */
export function valueColumnOf({ columns }: Dataset, fault: ValueFault): Column | undefined {
  if (isAboutRow(fault)) return undefined;
  const wires = fault.kind === 'odd_value' ? [ODD[fault.value].wire] : BAD[fault.value as Exclude<BadValue, BadRow>].wires;
  const fitting = columns.filter(({ wire, name }) => wires.includes(wire) && (fault.column === undefined || name === fault.column));
  return fitting.findLast(({ isIdentity }) => !isIdentity) ?? fitting.at(-1);
}

/** Whether the fault concerns whole rows, and no column of the dataset. */
export function isAboutRow({ value }: ValueFault): boolean {
  return value === 'short_row' || value === 'deep_row' || value === 'deep_extra';
}

/** Whether it concerns whole rows and makes them impossible to load. */
export function spoilsRow(fault: ValueFault): boolean {
  return isAboutRow(fault) && (fault.kind !== 'bad_value' || fault.value !== 'deep_extra' || (fault.size ?? LEVELS) > MAX_DEPTH);
}

/** The row with an altered value at `position`, or altered as a whole. A row that another fault has shortened before it is unchanged. */
export function spoilRow(row: readonly unknown[], fault: ValueFault, position: number): readonly unknown[] {
  if (position >= row.length) return row;
  if (fault.kind === 'odd_value') return row.with(position, ODD[fault.value].write(row[position]));
  switch (fault.value) {
    case 'short_row':
      return row.slice(0, -1);
    case 'deep_row':
      return [holdDeep((fault.size ?? LEVELS) - 1)];
    case 'deep_extra':
      return row.with(-1, holdDeep(fault.size ?? LEVELS));
    default: {
      const { value } = BAD[fault.value];
      return row.with(position, typeof value === 'function' ? value(fault.size) : value);
    }
  }
}

/** The value to be published for an oddly written one. */
export function meaningOf({ value }: FaultOf<'odd_value'>, original: WireValue): WireValue {
  return ODD[value].mean?.(original) ?? original;
}

function isIntegerText(value: unknown): value is string {
  return typeof value === 'string' && /^-?\d+$/.test(value);
}

/** `12000` becomes `1.2E4`. */
function withExponent(integer: string): string {
  const [, sign = '', digits = ''] = /^(-?)0*(\d+)$/.exec(integer) ?? [];
  return `${sign}${digits[0]}.${digits.slice(1).replace(/0+$/, '') || '0'}E${digits.length - 1}`;
}
