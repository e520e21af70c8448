// A panel's statement with the values of its variables in their places, for psql: what a person copies gives the same rows.
import { replaceParameters } from '../warehouse/named-parameters.ts';
import type { Panel } from './panel-file.ts';
import { VARIABLES, type Values, type VariableName } from './variables.ts';

/** Controls, marks of direction and other characters that nobody sees. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export function fillIn({ sql }: Pick<Panel, 'sql'>, values: Values): string {
  const write = (name: VariableName): string => {
    const value = values[name] ?? null;
    if (value === null || typeof value === 'string') return writeLiteral(value, VARIABLES[name].type);
    return `ARRAY[${value.map((each) => writeLiteral(each, 'text')).join(', ')}]`;
  };
  return `${replaceParameters(sql, (name) => write(name as VariableName))};\n`;
}

function writeLiteral(value: string | null, type: string): string {
  if (value === null) return 'NULL';
  if (type === 'bigint' || type === 'integer' || type === 'boolean') return value;
  const quoted = value.replaceAll("'", "''");
  const escaped = quoted
    .replaceAll('\\', '\\\\')
    .replaceAll(INVISIBLE, (character) => `\\U${character.codePointAt(0)?.toString(16).padStart(8, '0')}`);
  // E'' only where it is needed: where standard_conforming_strings is on, '' takes a backslash as it is.
  return escaped === quoted ? `'${quoted}'` : `E'${escaped}'`;
}
