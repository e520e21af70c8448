// jobs.config.schema.json, with which editors complete and check jobs.config.yaml. Generated from the zod definitions that Searchmill itself uses.
// Draft 7, which yaml-language-server and the editors built on it support best.
import { z } from 'zod';
import { filtersSchema } from '../../src/config/filters.ts';
import { EXTENSION_PREFIX, fileSchema } from '../../src/config/schema.ts';
import { DATASETS } from '../../src/datasets/index.ts';

type Json = Readonly<Record<string, unknown>>;

/** A variable may stand in place of a number or a fixed word. */
const VARIABLE: Json = { type: 'string', pattern: '\\$\\{' };
/** Keywords that restrict a text. */
const TEXT_RULES = ['const', 'enum', 'pattern'];
const NUMBERS_AND_FLAGS = ['integer', 'number', 'boolean'];

/** The address that SchemaStore would use, so that editors find the schema by the file's name. */
const SCHEMA_ID = 'https://json.schemastore.org/searchmill-jobs.json';

export function jobsConfigSchema(): string {
  const schema = toDraft7(fileSchema);
  const job = property(property(property(schema, 'properties'), 'jobs'), 'items');
  Object.assign(job, {
    allOf: DATASETS.map(({ name }) => ({
      if: { required: ['dataset'], properties: { dataset: { const: name } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { filters: { $ref: `#/definitions/${name}` } } },
    })),
  });
  const definitions = Object.fromEntries(DATASETS.map((dataset) => [dataset.name, toDraft7(filtersSchema(dataset))]));
  const { $schema, ...rest } = schema;
  const patternProperties = { [`^${EXTENSION_PREFIX}`]: { description: 'A section of your own, such as a home for anchors; ignored.' } };
  return `${JSON.stringify({ $schema, $id: SCHEMA_ID, title: 'Jobs of Searchmill', ...rest, patternProperties, definitions }, undefined, 2)}\n`;
}

function toDraft7(schema: z.ZodType): Json {
  const { '~standard': _standard, ...json } = z.toJSONSchema(schema, { target: 'draft-07', io: 'input' });
  return forEditors(json) as Json;
}

function property(json: Json, name: string): Json {
  return json[name] as Json;
}

/** Removes what editors do not need, adds suggestions, and allows variables in place of numbers and words. */
function forEditors(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(forEditors);
  if (typeof json !== 'object' || json === null) return json;
  const { suggestions, ...given } = json as Json;
  const kept = Object.entries(given).filter(([keyword, value]) => !isNoise(keyword, value));
  const node: Json = Object.fromEntries(kept.map(([keyword, value]) => [keyword, forEditors(value)]));
  if (suggestions) return withAlternative({ ...node, not: { pattern: inAnyCase(suggestions as string[]) } }, { enum: suggestions });
  const isCertainText = node.type === 'string' && TEXT_RULES.some((rule) => rule in node);
  return isCertainText || NUMBERS_AND_FLAGS.includes(String(node.type)) ? withAlternative(node, VARIABLE) : node;
}

/** A pattern for these words in any case, because JSON Schema patterns have no flags. */
function inAnyCase(words: readonly string[]): string {
  const letters = (word: string): string => word.replace(/[A-Za-z]/g, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`);
  return `^(${words.map(letters).join('|')})$`;
}

function isNoise(keyword: string, value: unknown): boolean {
  // Internal facts of a field; a rule that every name meets; an empty mapping as default; bounds that every number meets.
  if (['expected', 'isSecret', 'usual', 'several', 'propertyNames'].includes(keyword)) return true;
  if (keyword === 'default') return typeof value === 'object';
  return typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER;
}

/** The same schema, also satisfied by the alternative. */
function withAlternative({ description, default: usual, ...rules }: Json, alternative: Json): Json {
  const annotations = { ...(description ? { description } : {}), ...(usual === undefined ? {} : { default: usual }) };
  return { ...annotations, anyOf: [rules, alternative] };
}
