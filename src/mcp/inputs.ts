// The arguments that several tools take, each in the forms that assistants send: numbers also as text, and text also as a number.
import { z } from 'zod';
import { nearestNames } from '../config/nearest.ts';
import type { Client } from '../postgres/pool.ts';
import { listTracked, type TRACKED_KINDS } from './assistants.ts';

/** Most weeks that can be chosen. */
const MAX_WEEKS = 104;
/** Most names that are compared with an unknown one. */
const MAX_COMPARED = 20_000;

/** A whole number from `min` to `max`, also as text. */
export const whole = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z
    .union([z.int(), z.string().regex(/^\d{1,16}$/)])
    .transform(Number)
    .refine((given) => given >= min && given <= max, `expected a whole number from ${min} to ${max}`);

/** Number of an account. As text, because it may exceed 2^53. */
export const account = z
  .union([z.int(), z.string().regex(/^-?\d{1,18}$/)])
  .transform(String)
  .describe('Number of the account, as returned by list_boards');

export const text = (most: number) =>
  z
    .string()
    .max(most)
    .refine((given) => !given.includes('\0'), 'expected text without the character NUL');

export const weeks = whole(1, MAX_WEEKS).default(13).describe(`How many of the newest weeks, from 1 to ${MAX_WEEKS}`);

/** Which rows to begin with: the answer before has it in `next`. */
export const restFrom = whole(0).default(0).describe('To get the rest of an answer: next.rest_from of the answer before');

type Names = Readonly<{ accountId: string; kind: (typeof TRACKED_KINDS)[number]; week?: string }>;

/** The known names that are nearest to one which is not among them, or undefined if it is, whatever its case, or if none is known. */
export async function findNearest(client: Client, { accountId, kind, week }: Names, given: string): Promise<readonly string[] | undefined> {
  const known = await listTracked(client, { accountId, kind, week: week ?? null, contains: null, most: MAX_COMPARED });
  const isKnown = known.length === 0 || known.some(({ name }) => name.toLowerCase() === given.toLowerCase());
  return isKnown
    ? undefined
    : nearestNames(
        given,
        known.map(({ name }) => name),
      );
}
