// Columns by the type that the service gives them. A `dimension` says which row it is; no other column built here identifies.
import type { Column } from './dataset.ts';

export const attribute = (name: string, comment: string): Column => ({ name, wire: 'string', pg: 'text', isIdentity: false, comment });
export const dimension = (name: string, comment: string): Column => ({ ...attribute(name, comment), isIdentity: true });
export const date = (name: string, comment: string): Column => ({ name, wire: 'date', pg: 'date', isIdentity: false, comment });
export const flag = (name: string, comment: string): Column => ({ name, wire: 'boolean', pg: 'boolean', isIdentity: false, comment });
export const float = (name: string, comment: string): Column => ({
  name,
  wire: 'float',
  pg: 'double precision',
  isIdentity: false,
  comment,
});
export const integer = (name: string, pg: 'bigint' | 'integer', comment: string): Column => ({
  name,
  wire: 'integer',
  pg,
  isIdentity: false,
  comment,
});
