// How columns of Postgres are written to files: exactly, and with the nearest type that every reader of Parquet knows.
import type { SchemaElement } from 'hyparquet';
import type { ExportedColumn } from './exported-rows.ts';

const DAY_MS = 86_400_000;

type ColumnType = Readonly<{
  /** Name in the manifest, as Postgres calls it. */
  name: string;
  element: Omit<SchemaElement, 'name'>;
  /** A value from the text that Postgres writes. */
  parse: (text: string) => unknown;
}>;

const TEXT: ColumnType = { name: 'text', element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, parse: (text) => text };
const INTEGER = { element: { type: 'INT32' }, parse: Number } as const;

/** By the numbers of Postgres' types. All others, numeric among them, are text, which has every digit. */
const TYPES: ReadonlyMap<number, ColumnType> = new Map([
  [16, { name: 'boolean', element: { type: 'BOOLEAN' }, parse: (text: string) => text === 't' }],
  [20, { name: 'bigint', element: { type: 'INT64' }, parse: BigInt }],
  [21, { name: 'smallint', ...INTEGER }],
  [23, { name: 'integer', ...INTEGER }],
  [701, { name: 'double precision', element: { type: 'DOUBLE' }, parse: Number }],
  [
    1082,
    { name: 'date', element: { type: 'INT32', converted_type: 'DATE' }, parse: (text: string) => Date.parse(`${text}T00:00:00Z`) / DAY_MS },
  ],
  [
    1184,
    {
      name: 'timestamp with time zone',
      element: {
        type: 'INT64',
        converted_type: 'TIMESTAMP_MICROS',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
      },
      parse: microseconds,
    },
  ],
  [1700, { ...TEXT, name: 'numeric' }],
  [2950, { ...TEXT, name: 'uuid' }],
  [3802, { ...TEXT, name: 'jsonb' }],
]);

export function typeOf({ typeId }: ExportedColumn): ColumnType {
  return TYPES.get(typeId) ?? TEXT;
}

/** Of `2026-11-09 06:00:00.123456+00`. A Date has milliseconds only. */
function microseconds(text: string): bigint {
  const [, day, time, fraction = ''] = /^(\S+) ([\d:]+)(?:\.(\d+))?\+00$/.exec(text) ?? [];
  const milliseconds = Date.parse(`${day}T${time}Z`);
  return BigInt(milliseconds) * 1_000n + BigInt(fraction.padEnd(6, '0'));
}
