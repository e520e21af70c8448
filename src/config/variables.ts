// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables, as people write it
// Environment variables as the configuration uses them: by name, from a file that a secret is mounted as, and inside
// the texts of the YAML file.
import { readFileSync } from 'node:fs';
import { decodeText } from '../core/decode-text.ts';
import { describeError } from '../core/errors.ts';
import { nearestName } from './nearest.ts';

/** The environment as an argument; only src/main.ts reads process.env. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export type Variable =
  | Readonly<{ kind: 'set'; value: string }>
  | Readonly<{ kind: 'missing' }>
  | Readonly<{ kind: 'unreadable'; text: string }>;

/**
 * The value of NAME, or of the file that NAME_FILE names, without one trailing line break. An empty variable counts as
 * not set: container tools pass empty ones for variables that are not set.
 */
export function readVariable(env: EnvironmentVariables, name: string): Variable {
  const value = env[name];
  if (value) return { kind: 'set', value };
  const file = env[`${name}_FILE`];
  if (!file) return { kind: 'missing' };
  try {
    const decoded = decodeText(readFileSync(file));
    if (decoded.kind === 'other') return { kind: 'unreadable', text: `${name}_FILE names ${file}, which ${decoded.problem}` };
    const content = decoded.text.replace(/\r?\n$/, '');
    return content ? { kind: 'set', value: content } : { kind: 'unreadable', text: `${name}_FILE names an empty file, ${file}` };
  } catch (error) {
    return { kind: 'unreadable', text: `${name}_FILE names a file that cannot be read: ${describeError(error)}` };
  }
}

/** A text with its variables replaced; `problems` lists those that could not be, each with its offset in the text as written. */
export type Substitution = Readonly<{
  text: string;
  hasVariables: boolean;
  /** Whether a variable was not set, and its default stands in the text. */
  usesDefault: boolean;
  problems: readonly VariableProblem[];
}>;

/** `isMissing`: the variable is not set, or its file cannot be read. Otherwise the reference is written wrongly. */
type VariableProblem = Readonly<{ offset: number; text: string; isMissing: boolean }>;

// An escaped opening, a complete reference, or an opening that belongs to neither (which is a mistake).
const REFERENCE = /\$\$\{|\$\{(?<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?<fallback>(?:(?!\$\{)[^}])*))?\}|\$\{/g;

/** Replaces variables in a text: `${NAME}`, `${NAME:-default}`, and `$${` for the two characters themselves. */
export function substituteVariables(written: string, env: EnvironmentVariables): Substitution {
  const problems: VariableProblem[] = [];
  let hasVariables = false;
  let usesDefault = false;
  const text = written.replaceAll(REFERENCE, (reference, ...rest) => {
    if (reference === '$${') return '${';
    const groups = rest.at(-1) as { name?: string; fallback?: string };
    const offset = rest.at(-3) as number;
    if (groups.name === undefined) {
      problems.push({
        offset,
        text: '${ does not begin a variable; expected ${NAME} or ${NAME:-default}, or $${ for these characters themselves',
        isMissing: false,
      });
      return reference;
    }
    hasVariables = true;
    const variable = readVariable(env, groups.name);
    if (variable.kind === 'set') return variable.value;
    if (variable.kind === 'missing' && groups.fallback !== undefined) {
      usesDefault = true;
      return groups.fallback;
    }
    problems.push({ offset, text: variable.kind === 'unreadable' ? variable.text : missingText(groups.name, env), isMissing: true });
    return reference;
  });
  return { text, hasVariables, usesDefault, problems };
}

/** Shorter names are near to many. */
const SHORTEST_COMPARED = 8;

function missingText(name: string, env: EnvironmentVariables): string {
  const state = env[name] === undefined ? 'not set' : 'empty';
  const text = `the variable ${name} is ${state}; expected ${name}, or ${name}_FILE naming a file that contains it, or a default as in \${${name}:-default}`;
  const set = Object.keys(env).filter((other) => env[other]);
  const meant = name.length < SHORTEST_COMPARED || env[name] !== undefined ? undefined : nearestName(name, set);
  return meant ? `${text}; did you mean ${meant}, which is set?` : text;
}
