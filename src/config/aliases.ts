// aliases: engines, places and languages that the service spells in two ways, for figures that join datasets.
import { z } from 'zod';
import { section, text } from './fields.ts';
import { mappingAt, type Remark } from './remarks.ts';
import type { Alias } from './settings.ts';
import type { YamlSource } from './yaml-source.ts';

function spellings(what: string) {
  return z
    .record(z.string(), text('The name that boards use.', { expected: 'text: the name that boards use' }))
    .meta({ description: `Spellings of ${what}, each mapped to the name that boards use.`, expected: 'a mapping of spellings to names' })
    .optional();
}

const KINDS = ['engine', 'locode', 'language'] as const;

export const aliasesSchema = section(
  {
    engine: spellings('AI search engines'),
    locode: spellings('places'),
    language: spellings('languages'),
  } satisfies Record<(typeof KINDS)[number], z.ZodType>,
  'Different spellings of one thing, for board figures that join datasets. Tables keep the spelling of the service.',
);

/** A name that is itself an alias would need two lookups. */
export function checkAliases(source: YamlSource): Remark[] {
  return KINDS.flatMap((kind) => {
    const written = mappingAt(source.value, ['aliases', kind]);
    return Object.entries(written).flatMap(([spelling, meaning]) => {
      const next = typeof meaning === 'string' && meaning !== spelling ? written[meaning] : undefined;
      if (typeof next !== 'string' || next === meaning) return [];
      return [source.remark(['aliases', kind, spelling], `is ${meaning}, which is itself a spelling of ${next}; expected ${next}`)];
    });
  });
}

export function resolveAliases(written: z.output<typeof aliasesSchema> | undefined): Alias[] {
  return KINDS.flatMap((kind) => Object.entries(written?.[kind] ?? {}).map(([spelling, meaning]) => ({ kind, spelling, meaning })));
}
