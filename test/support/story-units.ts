// What rows of the demo's stories are about, for tests that compute figures of them a second time.
import type { StoryRow } from './story-worlds.ts';

/** Our sites in the stories. */
export const OURS: readonly string[] = ['brightpeak.example', 'peakhire.example'];
const OURS_NAMED = /Brightpeak|Peakhire/;

/** The columns of a tracked prompt; a unit is one with an assistant. */
export const PROMPT: readonly string[] = ['web_property_id', 'locode', 'language', 'persona', 'prompt'];
const UNIT = ['assistant', ...PROMPT];

export const keyOf = (row: StoryRow, columns: readonly string[]): string => columns.map((column) => row[column]).join('|');

export const isUnbranded = ({ prompt }: StoryRow): boolean => !OURS_NAMED.test(prompt ?? '');
export const unitOf = (row: StoryRow): string =>
  keyOf({ ...row, assistant: row.ai_search_engine_name ?? row.ai_search_engine ?? null }, UNIT);

/** Whether a row of brands names us. */
export const isOurs = ({ brand_or_product_attribution: whose }: StoryRow): boolean => whose?.toLowerCase() === 'you';
