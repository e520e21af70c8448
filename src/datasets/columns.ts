// Builders of columns by the service's type. Only a `dimension` is an identity column.
import type { Column, PgType, WireType } from './dataset.ts';

type MakeColumn = (name: string, comment: string) => Column;

const columnOf =
  (wire: WireType, pg: PgType): MakeColumn =>
  (name, comment) => ({ name, wire, pg, isIdentity: false, comment });

export const attribute = columnOf('string', 'text');
export const dimension: MakeColumn = (name, comment) => ({ ...attribute(name, comment), isIdentity: true });
export const date = columnOf('date', 'date');
export const flag = columnOf('boolean', 'boolean');
export const float = columnOf('float', 'double precision');
export const integer = (name: string, pg: 'bigint' | 'integer', comment: string): Column => columnOf('integer', pg)(name, comment);

/** This many rows of a tracked value, such as a device or a place, do not vanish by chance. */
export const TRACKED = 10;
/** The same for a value that answers may or may not name, such as a brand. */
export const NAMED = 30;
