// The parameter :choices of panels: what a reader has chosen, as the composite type search_reports.choices that units and measures take.
import { replaceParameters } from '../postgres/named-parameters.ts';
import type { VariableName } from './variables.ts';

/** The fields of search_reports.choices in order, each with the variables that may fill it, with their types. */
const FIELDS: readonly Readonly<Partial<Record<VariableName, string>>>[] = [
  { account: ':account::bigint' },
  { web_property: ':web_property::text[]' },
  { country: ':country::text[]' },
  { engine: ':engine::text[]' },
  { device: ':device::text[]' },
  { keyword_group: ':keyword_group::text[]' },
  { keyword: ':keyword::text' },
  { assistant: ':assistant::text[]' },
  { topics: ':topics::text[]', topic: 'ARRAY[:topic::text]' },
  { branded: ':branded::text' },
  { persona: ':persona::text[]' },
  { intent: ':intent::text[]' },
  { prompt_group: ':prompt_group::text[]' },
  { prompt: ':prompt::text' },
  { rank: ':rank::text' },
  { top_n: ':top_n::integer' },
  { weighted: ':weighted::boolean' },
];

/** Writes out :choices with those of the declared variables; a field without one is NULL, which chooses all. */
export function expandChoices(sql: string, declared: readonly string[]): string {
  const fields = FIELDS.map((field) => Object.entries(field).find(([name]) => declared.includes(name))?.[1] ?? 'NULL');
  return replaceParameters(sql, (name) => (name === 'choices' ? `ROW(${fields.join(', ')})::search_reports.choices` : `:${name}`));
}
