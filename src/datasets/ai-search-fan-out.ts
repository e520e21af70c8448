import { AI_SEARCH_COLUMNS, aiSearchFilters, PROMPT_GROUP_NAMES } from './ai-search-columns.ts';
import { dimension, flag, integer } from './columns.ts';
import { defineDataset } from './dataset.ts';

export const aiSearchFanOut = defineDataset({
  name: 'ai_search_fan_out',
  title: 'AI search fan out',
  tag: 'AI / Foundational',
  grain: 'One row per fan-out (sub-search) query.',
  filters: aiSearchFilters([]),
  columns: [
    ...AI_SEARCH_COLUMNS,
    dimension('fan_out_query', 'The fan-out (sub-search) query.'),
    integer('fan_out_query_position', 'integer', 'Position of the fan-out query; the specification does not say among which.'),
    integer('amount_of_searches', 'bigint', 'Amount of searches; the specification does not say of what.'),
    flag('web_search', 'Whether there was a web search.'),
    flag('ai_response_received', 'Whether an AI response was received.'),
    PROMPT_GROUP_NAMES,
  ],
  subjects: ['fan_out', 'answers'],
});
