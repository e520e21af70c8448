// The kinds of values the configuration is made of, as zod schemas that can explain themselves: `expected` completes
// "expected ...", `description` goes to the JSON schema and the reference. Mistakes, editors and docs read the same facts.
import { z } from 'zod';
import { DAY, HOUR, MINUTE, SECOND } from '../core/clock.ts';
import { isStorable } from '../core/storable.ts';
import { isIsoDate } from '../core/weeks.ts';

/** What a schema says about itself, by `.meta()`. */
export type FieldFacts = Readonly<{
  description: string;
  /** Completes the sentence "expected ...". */
  expected: string;
  /** The default, if it is not a fixed value. */
  usual?: string;
  /** What to do for several values, if a list is no answer. */
  several?: string;
  /** Values are never shown. */
  isSecret?: boolean;
  /** Values that an editor offers; others are allowed, but not these in another case. */
  suggestions?: readonly string[];
  /** The only values, and the only form of values, that an editor allows; Searchmill itself only warns of others. */
  enum?: readonly string[];
  pattern?: string;
}>;

/** A check that says what is wrong with a text, in words that never quote it; `problemOf` returns undefined if nothing is. */
export function findingProblem(problemOf: (written: string) => string | undefined): z.core.CheckFn<string> {
  return ({ value, issues }) => {
    const message = problemOf(value);
    if (message) issues.push({ code: 'custom', message, params: {}, input: value });
  };
}

/** A whole number that a double holds exactly. */
export function wholeNumber(description: string, bounds: { min?: number; max?: number; because?: string } = {}) {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = bounds;
  let expected = 'a whole number';
  if (bounds.min !== undefined) expected += bounds.max === undefined ? `, at least ${min}` : ` from ${min} to ${max}`;
  if (bounds.because) expected += ` (${bounds.because})`;
  return z.int().min(min).max(max).meta({ description, expected });
}

/** A part of a whole, 0 to 1. */
export function share(description: string) {
  return z.number().min(0).max(1).meta({ description, expected: 'a share from 0 to 1, such as 0.05' });
}

/** A difference of two shares of 100. */
export function percentPoints(description: string) {
  return z.number().min(0).max(100).meta({ description, expected: 'a number from 0 to 100' });
}

export function flag(description: string) {
  return z.boolean().meta({ description, expected: 'true or false' });
}

/** Why the ledger could not store a text. One such text would stop the planning of all jobs. */
function storageProblem(written: string): string | undefined {
  return isStorable(written) ? undefined : 'has a NUL character or an unpaired surrogate, which the database cannot store';
}

export function text(description: string, facts: Partial<FieldFacts> = {}) {
  return z
    .string()
    .min(1)
    .check(findingProblem(storageProblem))
    .meta({ description, expected: 'text', ...facts });
}

/** A text whose value is never shown. */
export function secretText(description: string, pattern: RegExp, expected: string) {
  return z.string().regex(pattern).meta({ description, expected, isSecret: true });
}

export function oneOf<const Names extends readonly string[]>(names: Names, description: string) {
  return z.enum(names).meta({ description, expected: `one of ${names.join(', ')}` });
}

/** Characters of an identifier. */
export const LONGEST_NAME = 63;

/** A lower-case name that is safe in queue names, labels and file names. */
export function identifier(description: string) {
  return z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/)
    .meta({ description, expected: `a name of up to ${LONGEST_NAME} lower-case letters, digits, - and _` });
}

const DATE_PATTERN = /^\d{4}-\d{2}-\d{2}$/;

export function calendarDate(description: string) {
  return z
    .string()
    .regex(DATE_PATTERN)
    .check(findingProblem((date) => (DATE_PATTERN.test(date) && !isIsoDate(date) ? 'is not in the calendar' : undefined)))
    .meta({ description, expected: 'a calendar date as YYYY-MM-DD' });
}

const UNIT_MS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };
const DURATION_PATTERN = /^([1-9]\d{0,8})([smhd])$/;

/** Milliseconds of `90s`, `30m`, `6h` or `2d`; NaN when it is none of these. */
export function parseDurationMs(duration: string): number {
  const [, count, unit] = DURATION_PATTERN.exec(duration) ?? [];
  return Number(count) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
}

export function duration(description: string, max: string, min?: string) {
  const example = min ?? '90s, 30m, 6h or 2d';
  return z
    .string()
    .regex(DURATION_PATTERN)
    .refine((value) => !(parseDurationMs(value) > parseDurationMs(max)) && !(min && parseDurationMs(value) < parseDurationMs(min)))
    .meta({ description, expected: `a duration such as ${example}, ${min ? `at least ${min}, ` : ''}at most ${max}` });
}

/** A mapping with these keys and no others. */
export function section<Shape extends z.ZodRawShape>(shape: Shape, description: string, facts: Partial<FieldFacts> = {}) {
  return z.strictObject(shape).meta({ description, expected: `a mapping with ${Object.keys(shape).join(', ')}`, ...facts });
}

export function listOf<Item extends z.ZodType>(item: Item, description: string, expected: string) {
  return z.array(item).min(1).meta({ description, expected });
}

/** The schema below `optional`, `default` and `prefault`: the one that carries the facts. */
export function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrapped(schema.unwrap() as z.ZodType);
  }
  return schema;
}

/** Names of the fields of some sections whose values are secrets. */
export function secretFields(sections: readonly z.ZodObject<Readonly<Record<string, z.ZodType>>>[]): string[] {
  return sections.flatMap(({ shape }) => Object.entries(shape).flatMap(([name, field]) => (factsOf(field).isSecret ? [name] : [])));
}

/** What a schema says about itself. */
export function factsOf(schema: z.ZodType): FieldFacts {
  const facts = unwrapped(schema).meta();
  if (typeof facts?.description !== 'string' || typeof facts.expected !== 'string') throw new Error('a field lacks its description');
  return facts as FieldFacts;
}
