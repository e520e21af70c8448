// Input of a tool. Unknown arguments are refused: if one were ignored, the assistant would take the answer for what it asked.
import { z } from 'zod';
import { cutText, showInvisible } from '../core/invisible.ts';
import { nameSome } from '../core/name-some.ts';
import { fitInput } from './fit-input.ts';

const MAX_NAMED = 5;
const MAX_NAME = 60;

/**
 * An object with only these fields. Values are fitted to them before they are checked. The error names unknown fields and lists the known
 * ones.
 */
export function strictInput<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ') || 'nothing';
  const schema = z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `There is no argument ${nameSome(issue.keys.map(shown), MAX_NAMED)}. Known arguments: ${known}.`
        : undefined,
  });
  const standard = schema['~standard'];
  // The server checks by this interface, and describes the fields by it.
  const fitting = { ...standard, validate: (given: unknown) => standard.validate(fitInput(schema, given ?? {})) };
  return Object.defineProperty(schema, '~standard', { value: fitting });
}

const shown = (name: string): string => showInvisible(cutText(name, MAX_NAME));
