// Which share of the rows of own brands finds an answer, as the mention rate joins them. The rest counts for nothing there.
import type { Alias } from '../config/settings.ts';
import type { Heard } from './ask.ts';
import { valuesOf } from './values.ts';

export type OwnBrandsReport = Readonly<{
  rows: number;
  met: number;
  answers: number;
  /** Whether all answers were read, not only a first page of them. */
  isWhole: boolean;
  /** The column without which most of the rest would find an answer, and how many would. */
  without: Readonly<{ column: string; met: number }> | null;
  finding: string | null;
}>;

const PLAIN = ['web_property_id', 'time_period_start', 'time_period_end', 'topic', 'prompt', 'persona'] as const;
const SPELLED = { ai_search_engine: 'engine', locode: 'locode', language: 'language' } as const;
const COLUMNS = ['collection_frequency', ...PLAIN, ...Object.keys(SPELLED)];
/** Below this share of rows that found an answer boards show no rate as 0. */
const LEAST_MET = 0.9;

/** Null where either dataset was not asked, or has no such row. */
export function reportOnOwnBrands(all: readonly Heard[], aliases: readonly Alias[]): OwnBrandsReport | null {
  const find = (name: string) => all.find(({ question }) => question.dataset.name === name);
  const [answers, brands] = [find('ai_search_response'), find('ai_search_brands')];
  if (!answers || !brands) return null;
  const attributions = valuesOf(brands, 'brand_or_product_attribution').map((value) => String(value).toLowerCase());
  const own = keysOf(brands, aliases).filter((_, at) => attributions[at] === 'you');
  const answered = keysOf(answers, aliases);
  if (own.length === 0 || answered.length === 0) return null;
  const met = countMet(own, answered);
  const isWhole = answers.pages[0]?.nextPageId === null;
  const others = COLUMNS.map((column, at) => ({ column, met: countMet(without(own, at), without(answered, at)) }));
  const best = others.reduce((one, other) => (other.met > one.met ? other : one));
  const clue = best.met > met ? best : null;
  const counts = { rows: own.length, met, answers: answered.length, isWhole };
  return {
    ...counts,
    without: clue,
    finding:
      isWhole && met < LEAST_MET * own.length
        ? `${describeOwnBrands(counts)}${clue ? `; ${clue.met} would but for ${clue.column}` : ''}`
        : null,
  };
}

export const describeOwnBrands = ({ rows, met, answers, isWhole }: Pick<OwnBrandsReport, 'rows' | 'met' | 'answers' | 'isWhole'>): string =>
  `own brands: ${met} of ${rows} rows find an answer${isWhole ? '' : ` among the first ${answers}, which are not all`}`;

type Keys = readonly (readonly string[])[];

/** What rows are joined by, in the order of COLUMNS. */
function keysOf(heard: Heard, aliases: readonly Alias[]): Keys {
  const columns = COLUMNS.map((column) => valuesOf(heard, column).map((value) => spell(column, value, aliases)));
  return (columns[0] ?? []).map((_, at) => columns.map((values) => values[at] ?? ''));
}

const joinKey = (text: string): string => text.toLowerCase().replaceAll(/[ _]/g, '-');

function spell(column: string, value: unknown, aliases: readonly Alias[]): string {
  if (value === null || value === undefined) return 'null';
  const kind = (SPELLED as Readonly<Record<string, Alias['kind']>>)[column];
  if (column === 'collection_frequency') return String(value).toLowerCase();
  if (kind === undefined) return JSON.stringify(value);
  const key = joinKey(String(value));
  return joinKey(aliases.find((alias) => alias.kind === kind && joinKey(alias.spelling) === key)?.meaning ?? key);
}

const without = (keys: Keys, place: number): Keys => keys.map((key) => key.toSpliced(place, 1));

function countMet(own: Keys, answered: Keys): number {
  const known = new Set(answered.map((key) => JSON.stringify(key)));
  return own.filter((key) => known.has(JSON.stringify(key))).length;
}
