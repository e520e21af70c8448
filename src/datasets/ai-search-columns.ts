// Columns and submit fields shared by the AI search datasets.
// Source: service specification, "AI search brands row" (columns 1 to 17) and "Submit body: ai_search_brands".
import { attribute, date, dimension, flag, integer, TRACKED } from './columns.ts';
import type { Column, Filter } from './dataset.ts';
import { COLLECTION_FREQUENCY_FILTER, LOCODES_FILTER, selecting, WEB_PROPERTIES_FILTER } from './shared-filters.ts';

/** Columns that identify the owner of a row. */
export const OWNER_COLUMNS: readonly Column[] = [
  attribute('organization_name', 'Display name of the organization.'),
  attribute('organization_id', 'Identifier of the organization.'),
  attribute('account_name', 'Display name of the account.'),
  { ...integer('account_id', 'bigint', 'Identifier of the account.'), isIdentity: true },
  attribute('web_property_name', 'Display name of the web property.'),
  { ...integer('web_property_id', 'bigint', 'Identifier of the web property.'), isIdentity: true, heldFrom: TRACKED },
];
export const PERIOD_COLUMNS: readonly Column[] = [
  { ...date('time_period_start', 'First day of the reported period.'), isIdentity: true },
  { ...date('time_period_end', 'Last day of the reported period.'), isIdentity: true },
];
export const COLLECTION_FREQUENCY = dimension('collection_frequency', 'Collection frequency, such as WEEKLY.');
export const PLACE_COLUMNS: readonly Column[] = [
  { ...dimension('locode', 'Location code: a country, or a country with a city or region.'), breakdown: 'locations', heldFrom: TRACKED },
  { ...dimension('language', 'Language.'), heldFrom: TRACKED },
];
export const PROMPT_COLUMNS: readonly Column[] = [
  { ...dimension('ai_search_engine', 'AI search engine.'), breakdown: 'engines', heldFrom: TRACKED },
  dimension('topic', 'Topic of the prompt.'),
  dimension('prompt', 'The prompt.'),
];
export const INTENT_AND_PERSONA: readonly Column[] = [attribute('intent', 'Intent of the prompt.'), dimension('persona', 'Persona.')];
export const PROMPT_GROUP_NAMES: Column = {
  ...attribute('prompt_group_names', 'Names of prompt groups, separated by commas; a name may hold a comma itself.'),
  items: 'string',
};

/** Columns 1 to 17, identical in brands, citations, fan out and sentiments. */
export const AI_SEARCH_COLUMNS: readonly Column[] = [
  ...OWNER_COLUMNS,
  ...PERIOD_COLUMNS,
  COLLECTION_FREQUENCY,
  ...PLACE_COLUMNS,
  ...PROMPT_COLUMNS,
  dimension('prompt_type', 'Kind of prompt, such as branded or unbranded.'),
  ...INTENT_AND_PERSONA,
];

/** The last columns of brands, citations and sentiments. */
export const LAST_COLUMNS: readonly Column[] = [
  flag('ai_response_collected', 'Whether an AI response was collected.'),
  flag('web_search_triggered', 'Whether a web search was triggered.'),
  PROMPT_GROUP_NAMES,
];

const PROMPT_TYPE_FILTER: Filter = {
  name: 'prompt_type',
  type: 'string',
  effect: 'selects',
  column: 'prompt_type',
  separates: 'value',
  suggested: ['branded', 'unbranded'],
  comment: 'Kind of prompt, branded or unbranded; one value.',
};

/**
 * Identifiers of assistants. The specification names none; these are the sandbox's, and common spellings of the assistants that are
 * tracked for search visibility.
 */
const AI_ENGINES = [
  'chatgpt',
  'gemini',
  'perplexity',
  'copilot',
  'claude',
  'grok',
  'deepseek',
  'meta_ai',
  'google_ai_overview',
  'google_ai_overviews',
  'google_ai_mode',
  'ai_overview',
  'ai_overviews',
  'ai_mode',
] as const;

const AI_SEARCH_FILTERS: readonly Filter[] = [
  { ...COLLECTION_FREQUENCY_FILTER, column: 'collection_frequency' },
  WEB_PROPERTIES_FILTER,
  selecting('ai_search_engines', 'ai_search_engine', 'AI assistants, as lower-case identifiers.', {
    separates: 'value',
    suggested: AI_ENGINES,
  }),
  LOCODES_FILTER,
  selecting('languages', 'language', 'Languages, as language_REGION or a script-based tag.', {
    separates: 'prefix',
    form: 'locale',
    ignoresCase: true,
  }),
  selecting('topics', 'topic', 'Topics.', { separates: 'value' }),
  selecting('prompts', 'prompt', 'Prompts, word for word.', { separates: 'value' }),
  PROMPT_TYPE_FILTER,
  selecting('intents', 'intent', 'Search intents.'),
  selecting('personas', 'persona', 'Personas.', { separates: 'value' }),
];

const PROMPT_GROUP_FILTERS: readonly Filter[] = [
  selecting('prompts_groups', 'prompt_group_names', 'Names of prompt groups.'),
  { name: 'prompts_groups_match', type: 'string', effect: 'selects', known: ['any'], comment: 'How prompts_groups is matched: any.' },
];

/** The shared submit fields, then the dataset's own, then the prompt group fields. */
export function aiSearchFilters(own: readonly Filter[], options: { hasPromptType: boolean } = { hasPromptType: true }): Filter[] {
  const shared = AI_SEARCH_FILTERS.filter((filter) => options.hasPromptType || filter !== PROMPT_TYPE_FILTER);
  return [...shared, ...own, ...PROMPT_GROUP_FILTERS];
}

/** Values that the specification shows for brand and citation attributions. */
export const ATTRIBUTIONS = ['You', 'Partner', 'SEO Competitor', 'Other'] as const;
