import { AI_SEARCH_COLUMNS, aiSearchFilters, dimension, flag, PROMPT_GROUP_NAMES } from './ai-search-columns.ts';
import type { Dataset } from './dataset.ts';

export const aiSearchFanOut: Dataset = {
  name: 'ai_search_fan_out',
  title: 'AI search fan out',
  tag: 'AI / Foundational',
  grain: 'One row per sub-search (fan-out query) an assistant made to answer a prompt in a week.',
  period: { start: 'start_date', end: 'end_date' },
  filters: aiSearchFilters([]),
  columns: [
    ...AI_SEARCH_COLUMNS,
    dimension('fan_out_query', 'The sub-search the assistant made.'),
    {
      name: 'fan_out_query_position',
      wire: 'integer',
      pg: 'integer',
      isIdentity: false,
      comment: 'Position of the sub-search among those of the answer; 1 is first.',
    },
    { name: 'amount_of_searches', wire: 'integer', pg: 'bigint', isIdentity: false, comment: 'How many times the sub-search was made.' },
    flag('web_search', 'Whether the assistant searched the web.'),
    flag('ai_response_received', 'Whether the assistant gave a response.'),
    PROMPT_GROUP_NAMES,
  ],
};
