// Input of a tool. Unknown arguments are refused: if one were ignored, the assistant would take the answer for what it asked.
import { z } from 'zod';
import { nameSome } from '../core/name-some.ts';

const MAX_NAMED = 5;

/** An object with only these fields. The error names unknown fields and lists the known ones. */
export function strictInput<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ') || 'nothing';
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `There is no argument ${nameSome(issue.keys, MAX_NAMED)}. Known arguments: ${known}.`
        : undefined,
  });
}
