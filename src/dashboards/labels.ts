// Readable names for values that the service sends in capitals and with underscores. CSV, SQL and addresses keep the values; the
// CSV of news has the names beside them.
import type { Cell } from './cells.ts';

/** Columns and variables whose values have readable names. */
const NAMED: ReadonlySet<string> = new Set([
  'assistant',
  'assistants',
  'ai_search_engine',
  'engine',
  'line',
  'search_engine',
  'device',
  'result_type',
  'silent_assistants',
  'tracked',
]);
const NAMES: Readonly<Record<string, string>> = {
  aimode: 'Google AI Mode',
  aioverview: 'Google AI Overview',
  baidu: 'Baidu',
  bing: 'Bing',
  bingcopilot: 'Bing Copilot',
  chatgpt: 'ChatGPT',
  claude: 'Claude',
  copilot: 'Copilot',
  deepseek: 'DeepSeek',
  desktop: 'Desktop',
  duckduckgo: 'DuckDuckGo',
  gemini: 'Gemini',
  google: 'Google',
  googleaimode: 'Google AI Mode',
  googleaioverview: 'Google AI Overview',
  googleaioverviews: 'Google AI Overviews',
  grok: 'Grok',
  image: 'Image',
  localpack: 'Local pack',
  metaai: 'Meta AI',
  mistral: 'Mistral',
  mobile: 'Mobile',
  naver: 'Naver',
  news: 'News',
  openai: 'OpenAI',
  peoplealsoask: 'People also ask',
  perplexity: 'Perplexity',
  smartphone: 'Smartphone',
  standardlink: 'Standard link',
  tablet: 'Tablet',
  video: 'Video',
  yahoo: 'Yahoo',
  yandex: 'Yandex',
};

const ADDRESSES: ReadonlySet<string> = new Set(['url', 'url_before', 'url_now']);

/** Whether the cells of a column are URLs of pages. */
export const isAddress = (column: string): boolean => ADDRESSES.has(column);

/**
 * `google_ai_overview` of a column `assistant` -> `Google AI Overview`, also in lists with commas. A URL loses its scheme and `www.`. Values
 * without a name stay as they are.
 */
export function labelOf(column: string | undefined, cell: string): string;
export function labelOf(column: string | undefined, cell: Cell): Cell;
export function labelOf(column: string | undefined, cell: Cell): Cell {
  if (cell === null || column === undefined) return cell;
  if (isAddress(column)) return cell.replace(/^https?:\/\/(www\.)?/i, '');
  if (!NAMED.has(column)) return cell;
  return cell
    .split(', ')
    .map((value) => NAMES[value.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')] ?? value)
    .join(', ');
}

/** `aimode names us …` or `Prompts lost: aimode` of the assistant `aimode` -> the same with its readable name. */
export function nameAssistant(text: string, assistant: Cell): string {
  if (assistant === null) return text;
  const name = labelOf('assistant', assistant);
  if (text.startsWith(`${assistant} `)) return `${name}${text.slice(assistant.length)}`;
  return text.endsWith(`: ${assistant}`) ? `${text.slice(0, -assistant.length)}${name}` : text;
}
