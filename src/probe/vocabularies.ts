// The words of columns that hold a vocabulary of the service. Only these are printed as they are, because they reveal nothing about a customer.
import { VALUE_FORMS } from '../config/value-hints.ts';
import { compareText } from '../core/compare-text.ts';
import type { Dataset } from '../datasets/dataset.ts';

/** Vocabulary columns. None of them names a customer, a prompt, a search or an address. */
const VOCABULARIES: ReadonlySet<string> = new Set([
  'ai_response_collected',
  'ai_response_received',
  'ai_search_engine',
  'ai_search_engine_id',
  'brand_or_product_attribution',
  'brand_or_product_entity_type',
  'citation_attribution',
  'collection_frequency',
  'device',
  'intent',
  'language',
  'locode',
  'prompt_type',
  'result_type',
  'search_engine',
  'search_engine_country_code',
  'search_engine_language_code',
  'search_engine_name',
  'sentiment_value',
  'web_search',
  'web_search_triggered',
]);
/** Words that boards look for, ignoring case. */
const RELIED_ON: Readonly<Record<string, readonly string[]>> = {
  brand_or_product_attribution: ['You', 'SEO Competitor'],
  citation_attribution: ['You', 'SEO Competitor'],
  prompt_type: ['branded', 'unbranded'],
  sentiment_value: ['Positive', 'Neutral', 'Negative'],
};
/** A column with more or longer words holds something other than expected, and is not printed. */
const MAX_WORDS = 40;
const MAX_LENGTH = 40;

/** The words of a vocabulary; undefined when the column holds none. */
export function wordsOf(column: string, values: ReadonlySet<string>): string[] | undefined {
  if (!VOCABULARIES.has(column) || values.size > MAX_WORDS) return undefined;
  const words = [...values].filter((value) => value !== '');
  return words.every((word) => word.length <= MAX_LENGTH) ? words.sort(compareText) : undefined;
}

/** How the words differ from the known ones. */
export function compareWords(dataset: Dataset, column: string, words: readonly string[]): string[] {
  const filter = dataset.filters.find((each) => each.column === column);
  const known = [...(filter?.known ?? filter?.suggested ?? []), ...(RELIED_ON[column] ?? [])];
  const form = filter?.form && VALUE_FORMS[filter.form];
  const found: string[] = [];
  if (known.length > 0) {
    const lower = known.map((word) => word.toLowerCase());
    const other = words.filter((word) => !known.includes(word));
    const cased = other.filter((word) => lower.includes(word.toLowerCase()));
    const unknown = other.filter((word) => !lower.includes(word.toLowerCase()));
    if (cased.length > 0) found.push(`${column}: ${cased.join(', ')} in another case than known`);
    if (unknown.length > 0) found.push(`${column}: not known: ${unknown.join(', ')}`);
    if (words.length > 0 && RELIED_ON[column] && !words.some((word) => lower.includes(word.toLowerCase())))
      found.push(`${column}: none of the words that boards look for: ${RELIED_ON[column].join(', ')}`);
  }
  const odd = form ? words.filter((word) => !form.pattern.test(word)) : [];
  if (odd.length > 0) found.push(`${column}: ${odd.join(', ')}: expected ${form?.expected}`);
  const twins = words.filter((word, at) => words.some((other, place) => place !== at && other.toLowerCase() === word.toLowerCase()));
  if (twins.length > 0) found.push(`${column}: the same word in several cases: ${twins.join(', ')}`);
  return found;
}
