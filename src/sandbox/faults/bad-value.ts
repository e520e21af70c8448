// Values that are not what their column's type says, and rows that are not what their schema says.
import type { Column, Dataset, WireType } from '../../datasets/dataset.ts';
import type { BAD_VALUES } from './fault.ts';

export type BadValue = (typeof BAD_VALUES)[number];

const BAD: Readonly<Record<Exclude<BadValue, 'short_row'>, Readonly<{ wires: readonly WireType[]; value: unknown }>>> = {
  not_a_number: { wires: ['integer', 'float'], value: 'n/a' },
  // One more than an int64 can hold.
  too_large: { wires: ['integer'], value: '9223372036854775808' },
  not_a_date: { wires: ['date'], value: '2026-02-30' },
  not_a_boolean: { wires: ['boolean'], value: 'perhaps' },
  nul: { wires: ['string'], value: 'before\u0000after' },
  lone_surrogate: { wires: ['string'], value: 'half a pair: \ud83d' },
  nested: { wires: ['integer', 'string', 'date', 'float', 'boolean'], value: { unexpected: ['object'] } },
};

/**
 * The column whose value goes bad: the named one; else the last that does not identify rows; else the last of a type
 * the bad value is wrong for. Undefined when the dataset has none, and for `short_row`, which is about no column.
 */
export function badColumnOf({ columns }: Dataset, value: BadValue, name: string | undefined): Column | undefined {
  if (value === 'short_row') return undefined;
  const fitting = columns.filter((column) => BAD[value].wires.includes(column.wire) && (name === undefined || column.name === name));
  return fitting.findLast(({ isIdentity }) => !isIdentity) ?? fitting.at(-1);
}

/** The row with its value at `position` gone bad, or without its last value. */
export function spoilRow(row: readonly unknown[], value: BadValue, position: number): readonly unknown[] {
  return value === 'short_row' ? row.slice(0, -1) : row.with(position, BAD[value].value);
}
