// Arguments in the forms that assistants send.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { strictInput } from '../../../src/mcp/strict-input.ts';

const input = strictInput({
  account: z.string().regex(/^\d+$/).optional(),
  weeks: z.int().min(1).max(104).default(13),
  weighted: z.string().optional(),
  engines: z.array(z.string()).optional(),
  variables: z.record(z.string(), z.union([z.string(), z.array(z.string())])).default({}),
});
const read = async (given: unknown): Promise<unknown> => {
  const result = await input['~standard'].validate(given);
  return result.issues ? result.issues.map(({ message, path }) => `${path?.join('.')}: ${message}`) : result.value;
};

it.each([
  ['a number for a text', { account: 12345 }, { account: '12345' }],
  ['a text for a number', { weeks: ' 3 ' }, { weeks: 3 }],
  ['a truth value for a text', { weighted: false }, { weighted: 'false' }],
  ['one value for a list', { engines: 'GOOGLE' }, { engines: ['GOOGLE'] }],
  ['a number for a list of texts', { engines: 7 }, { engines: ['7'] }],
  ['a list of one for a value', { account: ['12345'], weeks: ['3'] }, { account: '12345', weeks: 3 }],
  ['null for what is left out', { account: null, weeks: null, variables: null }, {}],
  [
    'variables of all forms',
    { variables: { weeks: 3, account: [1], device: null, weighted: true } },
    { variables: { weeks: '3', account: ['1'], weighted: 'true' } },
  ],
  ['an object as its JSON', { variables: '{"weeks": 3}' }, { variables: { weeks: '3' } }],
  ['all of it as JSON', '{"weeks": "3"}', { weeks: 3 }],
  ['nothing at all', undefined, {}],
  ['null for everything', null, {}],
])('takes %s', async (_, given, understood) => {
  expect(await read(given)).toEqual({ weeks: 13, variables: {}, ...understood });
});

it.each([
  ['words for a number', { weeks: 'three' }, 'weeks: '],
  ['more than a number may be', { weeks: '1000' }, 'weeks: '],
  ['a fraction for a whole number', { weeks: '1.5' }, 'weeks: '],
  ['two values for one', { account: ['1', '2'] }, 'account: '],
  ['an object for a text', { account: { id: 1 } }, 'account: '],
  ['an argument that is unknown', { acount: 1 }, 'There is no argument acount'],
  ['an unknown argument without a value', { acount: null, from: '2026-11-01' }, 'There is no argument'],
])('refuses %s', async (_, given, word) => {
  expect(JSON.stringify(await read(given))).toContain(word);
});

it('describes the fields as they are meant', () => {
  const described = input['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  expect(described).toMatchObject({ properties: { weeks: { type: 'integer' }, engines: { type: 'array' } }, additionalProperties: false });
});
