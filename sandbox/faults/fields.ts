// Building blocks of the plan's schema. Each describes what it expects, so that an error reads as a sentence after the name of
// the field.
import { z } from 'zod';
import { isIsoDate } from '../../src/core/weeks.ts';

const DAY_MS = 86_400_000;

/** A mapping with exactly these names. */
export function mapping<T extends z.ZodRawShape>(shape: T): z.ZodObject<T, z.core.$strict> {
  const names = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `does not know ${(issue.keys ?? []).join(', ')}; it may have: ${names}` : 'must be a mapping',
  });
}

export function oneOf<const T extends readonly [string, ...string[]]>(values: T): z.ZodEnum<{ [K in T[number]]: K }> {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}

export function whole(min: number, max: number = Number.MAX_SAFE_INTEGER): z.ZodNumber {
  const error = max === Number.MAX_SAFE_INTEGER ? `must be a whole number from ${min}` : `must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

export function text(): z.ZodString {
  const error = 'must be a text';
  return z.string({ error }).min(1, { error });
}

/** Milliseconds, at most a day. */
export function milliseconds(min = 0): z.ZodNumber {
  return whole(min, DAY_MS);
}

/** A share, 0 to 1. */
export function portion(): z.ZodNumber {
  const error = 'must be a number from 0 to 1';
  return z.number({ error }).min(0, { error }).max(1, { error });
}

/** An HTTP status that allows a body. */
export function status(): z.ZodNumber {
  const error = 'must be an HTTP status that can have a body, from 200 to 599';
  return z
    .int({ error })
    .min(200, { error })
    .max(599, { error })
    .refine((code) => ![204, 205, 304].includes(code), { error });
}

/** First days of weeks. */
export function weeks(): z.ZodOptional<z.ZodArray<z.ZodString>> {
  const error = 'must be a date of the calendar, written YYYY-MM-DD';
  const list = 'must be a list of the first days of weeks';
  return z.array(z.string({ error }).refine(isIsoDate, { error }), { error: list }).min(1, { error: list }).optional();
}

export function columnNames(): z.ZodOptional<z.ZodArray<z.ZodString>> {
  const error = 'must be a list of columns';
  return z.array(text(), { error }).min(1, { error }).optional();
}
