// A file of SQL with a header: lines of "-- Key: value" before one SELECT. Panels, measures and rules of signals are such files; each kind declares its keys
// as a schema, which reads the text of each key.
import { z } from 'zod';

type Shape = Readonly<Record<string, z.ZodType>>;
type ValuesOf<S extends Shape> = z.output<z.ZodObject<S>>;
type Tell = (line: number, problem: string) => void;

export type HeaderFile<S extends Shape> = Readonly<{
  /** The values of all keys; undefined if one of them cannot be read. */
  values: ValuesOf<S> | undefined;
  /** The values that can be read. */
  readable: Partial<ValuesOf<S>>;
  /** The line of a key; 1 for one that is missing. */
  lineOf: (key: keyof S) => number;
  /** The statement without a final semicolon, and the number of lines before it. */
  sql: string;
  sqlLine: number;
}>;

/** One of a few words. */
export const oneOf = <Word extends string>(words: readonly Word[]): z.ZodEnum<{ [W in Word]: W }> =>
  z.enum(words, { error: ({ input }) => (input === undefined ? undefined : `expected one of ${words.join(', ')}`) });

/** Items between commas. `read` tells what is wrong with an item, or returns what it means. */
export const listOf = <T>(read: (item: string, tell: (problem: string) => undefined) => T | undefined): z.ZodType<T[], string> =>
  z.string().transform((text, context) => {
    const tell = (message: string): undefined => void context.addIssue({ code: 'custom', message });
    const items = text.split(',').map((item) => item.trim());
    return items.flatMap((item) => {
      const found = item === '' ? undefined : read(item, tell);
      return found === undefined ? [] : [found];
    });
  });

/** Names between commas that are among those known. */
export const namesAmong = (known: readonly string[], kind: string): z.ZodType<string[], string> =>
  listOf((name, tell) => (known.includes(name) ? name : tell(`"${name}" is not ${kind}; they are ${known.join(', ')}`)));

export const wholeNumber = (least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER): z.ZodType<number, string> => {
  const expected = `expected a whole number${most === Number.MAX_SAFE_INTEGER ? '' : ` from ${least} to ${most}`}`;
  return z
    .string()
    .transform(Number)
    .refine((number) => Number.isSafeInteger(number) && number >= least && number <= most, expected);
};

/** Reads a file. Calls `tell` for each mistake of the header. */
export function parseHeader<S extends Shape>(text: string, shape: S, tell: Tell): HeaderFile<S> {
  const { entries, sql, sqlLine } = splitHeader(text, Object.keys(shape), tell);
  const lineOf = (key: keyof S): number => entries.get(String(key))?.line ?? 1;
  const readable: Record<string, unknown> = {};
  let isSound = true;
  for (const [key, schema] of Object.entries(shape)) {
    const read = schema.safeParse(entries.get(key)?.value, { error: ({ input }) => (input === undefined ? 'is missing' : undefined) });
    if (read.success) readable[key] = read.data;
    else isSound = false;
    for (const { message } of read.error?.issues ?? []) tell(lineOf(key), `${key}: ${message}`);
  }
  const values = readable as ValuesOf<S>;
  return { values: isSound ? values : undefined, readable: values, lineOf, sql, sqlLine };
}

/** A line indented by three or more spaces continues the entry before it. */
function splitHeader(text: string, keys: readonly string[], tell: Tell) {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const entries = new Map<string, { line: number; value: string }>();
  let last: { value: string } | undefined;
  let at = 0;
  for (; lines[at]?.startsWith('--'); at += 1) {
    const line = lines[at] ?? '';
    const [, key = '', value = ''] = /^-- ([A-Za-z]+): *(.*)$/.exec(line) ?? [];
    if (keys.includes(key)) {
      if (entries.has(key)) tell(at + 1, `${key}: is there twice`);
      if (value.trim() === '') tell(at + 1, `${key}: has no value`);
      const entry = { line: at + 1, value: value.trim() };
      entries.set(key, entry);
      last = entry;
    } else if (last && /^-- {3,}\S/.test(line)) last.value += ` ${line.slice(2).trim()}`;
    else if (key) tell(at + 1, `"${key}" is not a key of the header; they are ${keys.join(', ')}`);
    else tell(at + 1, 'expected "-- Key: value", or "--   " and the rest of the value before');
  }
  const sql = lines.slice(at).join('\n').trim().replace(/;$/, '').trimEnd();
  while (lines[at]?.trim() === '') at += 1;
  return { entries, sql, sqlLine: at };
}
