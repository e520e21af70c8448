// Arguments as assistants send them, in the form that a tool declares: numbers as text and text as numbers, one value for a list and a list for
// one value, null for what is left out, an object as its JSON. What fits nothing is left as it is, for the check that follows to name.
import type { z } from 'zod';

type Schema = z.core.$ZodType;
/** The parts of zod's definitions that are looked at. */
type Definition = Readonly<{
  type: string;
  innerType?: Schema;
  shape?: Readonly<Record<string, Schema>>;
  element?: Schema;
  valueType?: Schema;
  options?: readonly Schema[];
}>;

const definitionOf = (schema: Schema): Definition => schema._zod.def as unknown as Definition;

/** `given` in the form that the schema expects, where it is clear what is meant; undefined for null. */
export function fitInput(schema: Schema, given: unknown): unknown {
  const { type, innerType, shape, element, valueType, options } = definitionOf(schema);
  if (innerType) return fitInput(innerType, given);
  if (given === null) return undefined;
  if (type === 'object') return fitObject(given, (name) => shape?.[name]);
  if (type === 'record') return fitObject(given, () => valueType);
  if (type === 'union') return fitUnion(options ?? [], given);
  if (type === 'array') return element === undefined ? given : listOf(given).map((each) => fitInput(element, each));
  const single = Array.isArray(given) && given.length === 1 ? (given as readonly unknown[])[0] : given;
  if (type === 'number') return typeof single === 'string' && isNumber(single) ? Number(single) : single;
  if (type === 'string') return ['number', 'boolean', 'bigint'].includes(typeof single) ? String(single) : single;
  return single;
}

/** A list of one value has been meant as one where lists are not taken; elsewhere a list stays a list. */
function fitUnion(options: readonly Schema[], given: unknown): unknown {
  const wanted = Array.isArray(given) ? 'array' : 'string';
  const option = options.find((each) => definitionOf(each).type === wanted) ?? options[0];
  return option === undefined ? given : fitInput(option, given);
}

function fitObject(given: unknown, schemaOf: (name: string) => Schema | undefined): unknown {
  const object = typeof given === 'string' ? parseObject(given) : given;
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return object;
  const fitted = Object.entries(object).flatMap(([name, value]): (readonly [string, unknown])[] => {
    const schema = schemaOf(name);
    const fitting = schema === undefined ? value : fitInput(schema, value);
    return fitting === undefined ? [] : [[name, fitting]];
  });
  return Object.fromEntries(fitted);
}

function parseObject(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' ? parsed : text;
  } catch {
    return text;
  }
}

const listOf = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : [given]);
const isNumber = (text: string): boolean => /^\s*-?\d+(?:\.\d+)?\s*$/.test(text);
