// What a tool takes. Anything else is refused: an assistant whose argument is ignored takes the answer for what it asked.
import { z } from 'zod';
import { nameSome } from '../core/name-some.ts';

const MAX_NAMED = 5;

/** An object of these fields alone. A name that is not among them is told, with those that are. */
export function strictInput<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ') || 'nothing';
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `There is no argument ${nameSome(issue.keys, MAX_NAMED)}. Known arguments: ${known}.`
        : undefined,
  });
}
