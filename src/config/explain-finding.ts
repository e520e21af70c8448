// Turns zod's issues into sentences: what is wrong; what is expected; what was probably meant. Values are shown only
// if they can contain neither a credential nor the value of a variable.
import { z } from 'zod';
import { asCode, showInvisible } from '../core/invisible.ts';
import { factsOf, unwrapped } from './fields.ts';
import { meantDate, meantDomain, meantDuration, meantFlag, meantList, meantName, meantNumber, meantShare } from './meant-values.ts';
import { expectOneOf, nearestName } from './nearest.ts';
import { isMapping, type Path, valueAt } from './remarks.ts';

/** A zod issue with the schema it is about. */
export type Finding = Readonly<{ issue: z.core.$ZodIssue; path: Path; schema: z.ZodType }>;

/** A mistake and the location it is about. */
export type ShapeMistake = Readonly<{
  path: Path;
  text: string;
  /** Whether the key is the mistake (unknown or missing), or its value. */
  part: 'key' | 'value';
  /** The key that an unknown one was probably meant to be, or to be below. */
  meantKey?: string | undefined;
  isMissing?: boolean;
  /** Whether it may stand for any of the keys that are missing beside it. */
  hidesMissing?: boolean;
}>;

export type ExplainOptions = Readonly<{
  /** Whether the text at `path` came from a variable. */
  isFromVariable: (path: Path) => boolean;
  /** Whether such a text may be shown. */
  showsVariables: boolean;
  /** Whether a variable of the text at `path` is missing: then its value is not checked. */
  lacksVariable?: (path: Path) => boolean;
  /** Explains a key that the schema does not know. */
  explainUnknownKey?: (path: Path) => string | undefined;
}>;

const LONGEST_SHOWN = 60;
export const QUOTES_IN_TEXT = 'has quotes that are part of it: only " or \' mark a text';
/** In quotes of word processors and chats, which are a part of the text. */
const QUOTED = /^[\u2018-\u201f\u00ab\u00bb].*[\u2018-\u201f\u00ab\u00bb]$/;

/** The mistakes behind one finding in `root`: several only for several unknown keys. */
export function explainFinding({ issue, path, schema }: Finding, root: unknown, options: ExplainOptions): ShapeMistake[] {
  if (issue.code === 'unrecognized_keys' && schema instanceof z.ZodObject) {
    const mistakes = issue.keys.map((key) => explainUnknownKey([...path, key], key, schema, options));
    if (Object.keys(valueAt(root, path) ?? {}).length > 1) return mistakes;
    // What a mapping lacks whose only key is unknown follows from that.
    const quotes = typeof path.at(-1) === 'number' ? ', or quotes around a text with a colon and a space in it' : '';
    return mistakes.map((mistake) => ({ ...mistake, hidesMissing: true, text: `${mistake.text}${quotes}` }));
  }
  const { expected, isSecret } = factsOf(schema);
  const value = valueAt(root, path);
  if (value === undefined) return [{ path, part: 'key', isMissing: true, text: `is missing; expected ${expected}` }];
  if (options.lacksVariable?.(path)) return [];
  const hidesVariable = options.isFromVariable(path) && !options.showsVariables;
  const shown = isSecret || hidesVariable ? undefined : showScalar(value);
  const subject: Subject = { issue, schema, value, shown, hidesVariable };
  return [{ path, part: 'value', text: `${describeFault(subject)}; expected ${expected}${advise(subject)}` }];
}

/** What is wrong and with what. */
type Subject = Omit<Finding, 'path'> &
  Readonly<{
    value: unknown;
    /** The value as text, where it may be shown. */
    shown: string | undefined;
    hidesVariable: boolean;
  }>;

function explainUnknownKey(path: Path, key: string, schema: z.ZodObject, options: ExplainOptions): ShapeMistake {
  const known = Object.keys(schema.shape);
  const explained = options.explainUnknownKey?.(path);
  if (explained) return { path, part: 'key', text: explained };
  if (key.includes('${')) return { path, part: 'key', hidesMissing: true, text: 'is a variable as a key; only values may have variables' };
  const below = known.find((name) => !known.includes(key) && hasField(schema.shape[name], key));
  if (below) return { path, part: 'key', meantKey: below, text: `is a field of ${below}; expected it below ${below}` };
  return { path, part: 'key', meantKey: nearestName(key, known), text: `is not known here; ${expectOneOf(known, key)}` };
}

function describeFault({ issue, schema, value, shown, hidesVariable }: Subject): string {
  const isQuoted = shown !== undefined && typeof value === 'string' && QUOTED.test(value);
  const reason = reasonOf(issue) ?? (isQuoted ? QUOTES_IN_TEXT : shown && tellLookalike(shown));
  if (shown) return reason ? `is ${shown}, which ${reason}` : `is ${shown}`;
  if (reason) return reason;
  if (hidesVariable && !takesText(schema)) return 'is text from a variable';
  return hidesVariable ? 'comes from a variable whose value is not valid' : `is ${kindOf(value)}`;
}

/** A letter of another script in a Latin word, which nobody sees: of a keyboard with two layouts, or of copied text. */
function tellLookalike(shown: string): string | undefined {
  const letter = /[a-z]/i.test(shown) ? /[\p{Script=Cyrillic}\p{Script=Greek}]/u.exec(shown)?.[0] : undefined;
  return letter && `has the ${/\p{Script=Greek}/u.test(letter) ? 'Greek' : 'Cyrillic'} letter ${asCode(letter)}`;
}

/** The reason that one of our checks gave, in addition to the expectation. It never quotes the value. */
function reasonOf(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code === 'too_big' && issue.maximum === Number.MAX_SAFE_INTEGER) return 'is too large to be exact';
  return issue.code === 'custom' && issue.params ? issue.message : undefined;
}

function showScalar(value: unknown): string | undefined {
  if (typeof value === 'object') return undefined;
  const shown = typeof value === 'string' ? showInvisible(JSON.stringify(value)) : String(value);
  return shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}...` : shown;
}

function kindOf(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return Object.keys(value).length === 0 ? 'empty' : 'a mapping';
  return typeof value === 'string' ? 'text in another format' : `a ${typeof value}`;
}

/** What a value in another common notation was probably meant to be, if the schema takes that. */
function meantValue(schema: z.ZodType, value: unknown): string | undefined {
  if (takesList(schema)) {
    const list = meantList(value);
    return list !== undefined && schema.safeParse(JSON.parse(list)).success ? list : undefined;
  }
  const { expected } = factsOf(schema);
  const meant = NOTATIONS.find(([kind]) => expected.includes(kind))?.[1](value);
  if (meant === undefined || meant === value) return undefined;
  return [meant, Number(meant), meant === 'true'].some((read) => schema.safeParse(read).success) ? meant : undefined;
}

const NOTATIONS: readonly (readonly [string, (value: unknown) => string | undefined])[] = [
  ['true or false', meantFlag],
  ['calendar date', meantDate],
  ['a duration', meantDuration],
  ['a share', meantShare],
  ['a whole number', meantNumber],
  ['a name of', meantName],
  ['a domain such as', meantDomain],
];

function advise({ issue, schema, value, shown, hidesVariable }: Subject): string {
  const { expected, several } = factsOf(schema);
  if (several && Array.isArray(value)) return `; ${several}`;
  if (issue.code === 'custom' && typeof issue.params?.nearest === 'string') return `; did you mean ${issue.params.nearest}?`;
  const isPlain = typeof value === 'number' || typeof value === 'boolean';
  if (schema instanceof z.ZodString && isPlain && schema.safeParse(String(value)).success) return '; write it in quotes';
  const meant = shown ? meantValue(schema, value) : undefined;
  if (meant) return `; did you mean ${meant}?`;
  if (expected.startsWith('text') && isMapping(value)) return ', in quotes if it has a colon and a space in it';
  if (typeof value !== 'string') return '';
  if (schema instanceof z.ZodNumber && /^\d+$/.test(value) && !hidesVariable) return '; write it without quotes';
  if (shown === '"true"' || shown === '"false"') return '; write it without quotes';
  const nearest = nearestName(value, choicesOf(schema));
  return nearest ? `; did you mean ${nearest}?` : '';
}

/** Whether a mapping with this schema has a field of this name. */
function hasField(schema: unknown, key: string): boolean {
  if (!(schema instanceof z.ZodType)) return false;
  const plain = unwrapped(schema);
  if (plain instanceof z.ZodUnion) return plain.options.some((option) => hasField(option, key));
  return plain instanceof z.ZodObject && Object.hasOwn(plain.shape, key);
}

/** Whether a schema accepts a list of simple values. */
function takesList(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodUnion) return schema.options.some((option) => takesList(option as z.ZodType));
  return schema instanceof z.ZodArray && !(schema.element instanceof z.ZodObject);
}

/** Whether a variable can hold what a schema accepts: not a mapping. */
function takesText(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodUnion) return schema.options.some((option) => takesText(unwrapped(option as z.ZodType)));
  return !(schema instanceof z.ZodObject);
}

/** The words that a schema allows, if it allows only certain words. */
function choicesOf(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodEnum) return schema.options.map(String);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => choicesOf(option as z.ZodType));
  return [];
}
