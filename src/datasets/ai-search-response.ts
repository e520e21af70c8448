import {
  aiSearchFilters,
  COLLECTION_FREQUENCY,
  INTENT_AND_PERSONA,
  OWNER_COLUMNS,
  PERIOD_COLUMNS,
  PLACE_COLUMNS,
  PROMPT_COLUMNS,
  PROMPT_GROUP_NAMES,
} from './ai-search-columns.ts';
import { attribute, date, dimension } from './columns.ts';
import { defineDataset } from './dataset.ts';

export const aiSearchResponse = defineDataset({
  name: 'ai_search_response',
  title: 'AI search response',
  tag: 'AI / Foundational',
  grain: 'One row per AI response, in full.',
  // This operation names its period differently, takes a row limit and has no prompt_type.
  period: { start: 'time_period_start', end: 'time_period_end' },
  filters: [
    {
      name: 'limit',
      type: 'integer',
      effect: 'cuts',
      min: 1,
      widens: 'higher',
      comment: 'Most rows to return. A limit makes the week incomplete by intent; leave it out to get everything.',
    },
    ...aiSearchFilters([], { hasPromptType: false }),
  ],
  columns: [
    ...OWNER_COLUMNS,
    COLLECTION_FREQUENCY,
    ...PERIOD_COLUMNS,
    ...PLACE_COLUMNS,
    dimension('ai_search_engine_id', 'Identifier of the AI search engine.'),
    ...PROMPT_COLUMNS,
    ...INTENT_AND_PERSONA,
    attribute('ai_response', 'The full AI response.'),
    date('collection_date', 'Day of collection.'),
    PROMPT_GROUP_NAMES,
  ],
  subjects: ['answers'],
});
