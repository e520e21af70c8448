// A panel's statement with its variables replaced by their values, for psql: the copied statement returns the same rows.
import { replaceParameters } from '../postgres/named-parameters.ts';
import type { Panel } from './panel-file.ts';
import { VARIABLES, type Values, type VariableName } from './variables.ts';

/** Control, formatting and other invisible characters. */
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
  // E'' is used only if the text has backslashes or invisible characters.
  return escaped === quoted ? `'${quoted}'` : `E'${escaped}'`;
}
