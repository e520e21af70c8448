// Checks a value against its zod schema and describes every mistake in words a person can act on. Knows neither YAML nor
// positions: the file and the environment both go through here.

import { z } from 'zod';
import { sumOf } from '../core/numbers.ts';
import { type ExplainOptions, explainFinding, type Finding, type ShapeMistake } from './explain-finding.ts';
import { unwrapped } from './fields.ts';
import { type Path, valueAt } from './remarks.ts';

/**
 * All mistakes of a value, at most one per location. Texts from variables are turned into numbers and flags in place,
 * where the schema expects those.
 */
export function checkShape(schema: z.ZodType, value: unknown, options: ExplainOptions): ShapeMistake[] {
  let findings = findMistakes(schema, value);
  const converted = findings.filter((finding) => convertInPlace(value, finding, options));
  if (converted.length > 0) findings = findMistakes(schema, value);
  const mistakes = findings.flatMap((finding) => explainFinding(finding, value, options));
  // By location, since a file of a megabyte can have ten thousand mistakes.
  const seen = new Set<string>();
  const meant = new Set(mistakes.flatMap(({ meantKey, path }) => (meantKey ? [JSON.stringify([...path.slice(0, -1), meantKey])] : [])));
  const hiding = new Set(mistakes.flatMap(({ hidesMissing, path }) => (hidesMissing ? [JSON.stringify(path.slice(0, -1))] : [])));
  return mistakes.filter(({ path, part, isMissing }) => {
    const location = JSON.stringify(path);
    const isSecond = seen.has(`${part} ${location}`);
    seen.add(`${part} ${location}`);
    // A misspelt key is also missing; one mistake is enough.
    const isMisspelt =
      part === 'key' && isMissing === true && (meant.has(location) || (path.length > 0 && hiding.has(JSON.stringify(path.slice(0, -1)))));
    return !isSecond && !isMisspelt;
  });
}

function findMistakes(schema: z.ZodType, value: unknown, base: Path = []): Finding[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  return result.error.issues.flatMap((issue) => {
    const { schema: found, path } = schemaAt(schema, issue.path as Path);
    const meant = found instanceof z.ZodUnion ? findMistakesOfUnion(found, valueAt(value, path), [...base, ...path]) : undefined;
    return meant ?? [{ issue, path: [...base, ...path], schema: found }];
  });
}

/** The mistakes of the branch that was probably meant, or undefined when the value suits none even remotely. */
function findMistakesOfUnion(union: z.ZodUnion, value: unknown, base: Path): Finding[] | undefined {
  return union.options
    .map((option) => findMistakes(option as z.ZodType, value, base))
    .filter((findings) => !findings.some(({ issue, path }) => path.length === base.length && REFUSES_WHOLE.has(issue.code)))
    .toSorted((a, b) => countUnknown(a) - countUnknown(b) || countMistakes(a) - countMistakes(b))[0];
}

/** Issues that say the value is of another kind altogether. */
const REFUSES_WHOLE: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value']);

/** The branch whose fields were written is meant, even if more of it is missing. */
function countUnknown(findings: readonly Finding[]): number {
  return sumOf(findings, ({ issue }) => (issue.code === 'unrecognized_keys' ? issue.keys.length : 0));
}

function countMistakes(findings: readonly Finding[]): number {
  return sumOf(findings, ({ issue }) => (issue.code === 'unrecognized_keys' ? issue.keys.length : 1));
}

/** The schema of the value at a path, and that path; or the first union on the way, since its branch is not known yet. */
function schemaAt(root: z.ZodType, path: Path): { schema: z.ZodType; path: Path } {
  let schema = unwrapped(root);
  for (const [index, step] of path.entries()) {
    let next: unknown;
    if (schema instanceof z.ZodObject) next = schema.shape[step];
    else if (schema instanceof z.ZodArray) next = schema.element;
    else if (schema instanceof z.ZodRecord) next = schema.valueType;
    if (!next) return { schema, path: path.slice(0, index) };
    schema = unwrapped(next as z.ZodType);
  }
  return { schema, path };
}

/** The type that is expected where there is another; of a union, that a number is among what it may be. */
function expectedType({ issue, schema }: Finding): string | undefined {
  if (issue.code === 'invalid_type') return issue.expected;
  return schema instanceof z.ZodUnion && schema.options.some((option) => option instanceof z.ZodNumber) ? 'number' : undefined;
}

/** Gives a text from a variable the type the schema expects at its location. Whether it did. */
function convertInPlace(value: unknown, finding: Finding, options: ExplainOptions): boolean {
  const { path } = finding;
  const expected = expectedType(finding);
  if (expected === undefined || !options.isFromVariable(path)) return false;
  const written = valueAt(value, path);
  const parent = valueAt(value, path.slice(0, -1));
  if (typeof written !== 'string' || typeof parent !== 'object' || parent === null) return false;
  const converted = convertText(written.trim(), expected);
  if (converted !== undefined) Object.assign(parent, { [path.at(-1) ?? '']: converted });
  return converted !== undefined;
}

function convertText(written: string, expected: string): number | boolean | undefined {
  if (expected === 'number' && /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(written)) return Number(written);
  if (expected === 'boolean' && /^(true|false)$/i.test(written)) return written.toLowerCase() === 'true';
  return undefined;
}
