// Values of the columns of an answer, by name.
import type { Heard } from './ask.ts';

/** Values of a column, by name, from rows that are as wide as the schema. */
export function valuesOf({ schema, rows }: Pick<Heard, 'schema' | 'rows'>, name: string): unknown[] {
  const at = schema.findIndex((column) => column.name === name);
  return at < 0 ? [] : rows.flatMap((row) => (Array.isArray(row) && row.length === schema.length ? [row[at] as unknown] : []));
}

export const textsOf = (heard: Pick<Heard, 'schema' | 'rows'>, name: string): string[] =>
  valuesOf(heard, name).flatMap((value) =>
    value === null || value === '' ? [] : [typeof value === 'object' ? '(no text)' : String(value)],
  );
