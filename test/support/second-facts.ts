// Facts of tracked searches and prompts, computed a second time from what the service served, by the rules of docs/dashboards.md and without any SQL.
import { type Voices, voicesOf } from './named-texts.ts';
import { plain } from './questions.ts';

export type Row = Readonly<Record<string, string | null>>;
export type Filters = Readonly<Record<string, readonly string[] | number>>;
/** A published load: what it asked for, and the rows that came. */
export type Load = Readonly<{ dataset: string; filters: Filters; rows: readonly Row[] }>;
/** The loads of each week, in the order of the weeks. */
export type Loads = readonly (readonly Load[])[];

export type Unit = Readonly<{
  key: string;
  cut: string;
  /** The keyword or the prompt: one observation, whatever else it is asked with. */
  cluster: string;
  of: Readonly<Record<string, string>>;
  groups: readonly string[];
  /** By measure, 1 x the weight; null where its rows do not show it. */
  figures: Readonly<Record<string, Readonly<{ part: number; whole: number }> | null>>;
  /** Measures of which a part of 0 is not certain. */
  doubts: ReadonlySet<string>;
  /** Of a search: our best place, how deep its results were loaded as far as is known, how many first
   * places count, and how much of them each site holds. */
  place?: number | null;
  depth?: number | null;
  places?: number;
  sites?: ReadonlyMap<string, number>;
  /** Of a prompt: a URL for each citation of ours, and a sentence for each mention that criticises us. */
  ownPages?: readonly string[];
  complaints?: readonly string[];
}>;

const OWN = 'you';
const listOf = (filters: Filters, name: string): readonly string[] | undefined => {
  const asked = filters[name];
  return Array.isArray(asked) && asked.length > 0 ? (asked as readonly string[]).map(plain) : undefined;
};
export const bareDomain = (domain: string | null): string => (domain ?? '').toLowerCase().replace(/^www\.(?=.+\.)/, '');
const isBelow = (domain: string | null, own: readonly string[]): boolean =>
  own.some((each) => `.${(domain ?? '').toLowerCase()}`.endsWith(`.${each}`));
const distinct = (rows: readonly Row[]): Row[] => [
  ...new Map(rows.map((row) => [JSON.stringify(Object.entries(row).sort()), row])).values(),
];

/** What is ours in every week: sites that are configured, else those of citations attributed to You; and names that a brand row attributes to You. */
export function ownOf(loads: Loads, configured: readonly string[]): Readonly<{ sites: readonly string[]; names: ReadonlySet<string> }> {
  const rows = (dataset: string): Row[] => loads.flat().flatMap((load) => (load.dataset === dataset ? load.rows : []));
  const cited = rows('ai_search_citations').flatMap((row) =>
    row.citation_attribution?.toLowerCase() === OWN && row.citation_domain ? bareDomain(row.citation_domain) : [],
  );
  const names = rows('ai_search_brands').flatMap((row) =>
    row.brand_or_product_attribution?.toLowerCase() === OWN && row.brand_or_product_name ? row.brand_or_product_name.toLowerCase() : [],
  );
  return { sites: configured.length > 0 ? configured : [...new Set(cited)], names: new Set(names) };
}
type Own = ReturnType<typeof ownOf>;

const keyOf = (row: Row, columns: readonly string[]): string => JSON.stringify(columns.map((name) => row[name] ?? null));

/** What tells one search from another. */
export const SEARCH = [
  'web_property_id',
  'search_engine',
  'search_engine_country_code',
  'search_engine_language_code',
  'locode',
  'device',
  'query',
] as const;

/** The site of results without a page. */
export const NO_PAGE = '(no page)';

export type SearchChoices = Readonly<{ rank: 'standard' | 'true'; places: number; isByVolume: boolean }>;

/** The tracked searches of a week. */
export function searchesOf(week: readonly Load[], own: Own, { rank, places, isByVolume }: SearchChoices): Unit[] {
  const column = rank === 'standard' ? 'rank_standard' : 'rank_true';
  const pages = new Map<string, { rows: Row[]; filters: Filters }>();
  for (const load of week)
    for (const row of load.dataset === 'keyword_rankings' ? distinct(load.rows) : []) {
      const key = keyOf(row, SEARCH);
      pages.set(key, { rows: [...(pages.get(key)?.rows ?? []), row], filters: load.filters });
    }
  return [...pages].map(([key, { rows, filters }]) => {
    const isOurs = (row: Row): boolean => isBelow(row.root_domain ?? null, own.sites);
    const rankOf = (row: Row): number | null => (row[column] == null ? null : Number(row[column]));
    const within = (n: number): Row[] => rows.filter((row) => (rankOf(row) ?? Number.POSITIVE_INFINITY) <= n);
    const shareOf = (row: Row): number => 1 / rows.filter((other) => rankOf(other) === rankOf(row)).length;
    const held = within(places).reduce((sum, row) => sum + (isOurs(row) ? shareOf(row) : 0), 0);
    const sites = new Map<string, number>();
    for (const row of within(places)) {
      const site = bareDomain(row.root_domain ?? null) || NO_PAGE;
      sites.set(site, (sites.get(site) ?? 0) + shareOf(row));
    }
    const ranks = rows.flatMap((row) => rankOf(row) ?? []);
    const ours = rows.filter(isOurs).flatMap((row) => rankOf(row) ?? []);
    const place = ours.length > 0 ? Math.min(...ours) : null;
    const volumes = rows.flatMap((row) => (row.average_search_volume == null ? [] : Number(row.average_search_volume)));
    const volume = volumes.length > 0 ? Math.max(...volumes) : null;
    const weight = isByVolume ? volume : 1;
    const [domains, last] = [listOf(filters, 'domains'), filters.max_rank as number | undefined];
    const showsUs =
      own.sites.length > 0 && (!domains || own.sites.every((site) => domains.some((asked) => `.${site}`.endsWith(`.${asked}`))));
    const reaches = (n: number | null): boolean => !domains && (n === null || last === undefined || last >= n);
    const shows = (n: number | null): boolean => showsUs && reaches(n);
    const all = (part: number, isShown: boolean): Unit['figures'][string] =>
      isShown && weight !== null ? { part: part * weight, whole: weight } : null;
    const column_ = (name: string): string => rows[0]?.[name] || '(none)';
    const names =
      rows
        .map((row) => row.keyword_group_names ?? '')
        .sort()
        .at(-1) ?? '';
    return {
      key,
      cut: (listOf(filters, 'result_types') ?? []).join(','),
      cluster: rows[0]?.query ?? '',
      of: {
        engine: column_('search_engine'),
        country: column_('search_engine_country_code'),
        device: column_('device'),
        web_property_id: column_('web_property_id'),
        keyword: column_('query'),
      },
      groups: names === '' ? [] : names.split(','),
      doubts: new Set(),
      place: showsUs ? place : null,
      depth: last ?? (ranks.length > 0 ? Math.max(...ranks) : null),
      places,
      sites,
      figures: {
        placed: showsUs ? { part: place === null ? 0 : 1, whole: 1 } : null,
        first_places: weight !== null && reaches(places) ? { part: weight * places, whole: weight * places } : null,
        visibility: weight !== null && shows(places) ? { part: weight * held, whole: weight * places } : null,
        first_three: all(place !== null && place <= 3 ? 1 : 0, shows(3)),
        found: all(place === null ? 0 : 1, shows(null)),
        average_place: showsUs && place !== null ? { part: place, whole: 1 } : null,
        tracked: all(1, shows(null)),
      },
    };
  });
}

const PROMPT = ['web_property_id', 'persona', 'prompt'] as const;
const AI = ['ai_search_response', 'ai_search_brands', 'ai_search_citations', 'ai_search_sentiments', 'ai_search_fan_out'] as const;
type Ai = (typeof AI)[number];
type Known = { first: Row; kind: string; byDataset: Record<Ai, Row[]> };

const isIn = (list: readonly string[] | undefined, value: string | null | undefined): boolean =>
  list === undefined || list.includes(plain(value));

/** The tracked prompts of a week; `kinds` are those that earlier weeks told, and takes those of this one. */
export function promptsOf(week: readonly Load[], own: Own, kinds: Map<string, string>, voices: Voices = new Map()): Unit[] {
  const told = new Map<string, string>();
  const units = new Map<string, Known>();
  for (const { dataset, rows } of week) {
    if (!AI.includes(dataset as Ai)) continue;
    for (const row of distinct(rows)) {
      const key = JSON.stringify([
        keyOf(row, PROMPT),
        row.ai_search_engine === null ? null : plain(row.ai_search_engine),
        plain(row.locode),
        plain(row.language),
      ]);
      const unit = units.get(key) ?? {
        first: row,
        kind: '',
        byDataset: Object.fromEntries(AI.map((each) => [each, []])) as unknown as Known['byDataset'],
      };
      unit.byDataset[dataset as Ai].push(row);
      if (dataset === 'ai_search_response') unit.first = row;
      units.set(key, unit);
      const kind = row.prompt_type?.toLowerCase();
      if (kind && row.prompt !== null && row.prompt !== undefined)
        told.set(row.prompt, kind > (told.get(row.prompt) ?? '') ? kind : (told.get(row.prompt) ?? ''));
    }
  }
  for (const [prompt, kind] of told) kinds.set(prompt, kind);
  const all = [...units.values()];
  const spelled = (name: string): Readonly<{ answers: Set<string>; brands: Set<string> }> => ({
    answers: new Set(all.flatMap((unit) => (unit.byDataset.ai_search_response.length > 0 ? plain(unit.first[name]) : []))),
    brands: new Set(all.flatMap((unit) => (unit.byDataset.ai_search_brands.length > 0 ? plain(unit.first[name]) : []))),
  });
  const spellings = (['ai_search_engine', 'locode', 'language'] as const).map((name) => ({ name, ...spelled(name) }));
  const isSpelledOtherwise = (row: Row): boolean =>
    spellings.some(({ name, answers, brands }) => {
      const key = plain(row[name]);
      if (row[name] === null || !answers.has(key) || brands.has(key)) return false;
      return [...brands].some(
        (brand) => brand !== '' && !answers.has(brand) && (name === 'ai_search_engine' || brand.startsWith(key) || key.startsWith(brand)),
      );
    });
  return [...units].map(([key, unit]) => {
    const { first, byDataset } = unit;
    const prompt = first.prompt ?? null;
    const kind =
      prompt === null ? null : (kinds.get(prompt) ?? ([...own.names].some((name) => hasWord(prompt, name)) ? 'branded' : 'unbranded'));
    const isAsked = ({ filters }: Load): boolean =>
      isIn(listOf(filters, 'web_property_ids'), first.web_property_id) &&
      isIn(listOf(filters, 'ai_search_engines'), first.ai_search_engine) &&
      isIn(listOf(filters, 'topics'), first.topic) &&
      isIn(listOf(filters, 'prompts'), prompt) &&
      (listOf(filters, 'locodes')?.some((place) => plain(first.locode) === place || plain(first.locode).startsWith(`${place}-`)) ?? true);
    /** Where no load seems to ask for rows that are there, any may have. */
    const loadsOf = (dataset: Ai): Load[] => {
      const all = week.filter((load) => load.dataset === dataset);
      const asking = all.filter(isAsked);
      return asking.length > 0 || byDataset[dataset].length === 0 ? asking : all;
    };
    const asks = (dataset: Ai, showsUs: (filters: Filters) => boolean = () => true): boolean =>
      loadsOf(dataset).some(({ filters }) => showsUs(filters));
    const mine = (rows: readonly Row[], name: string): Row[] => rows.filter((row) => own.names.has((row[name] ?? '').toLowerCase()));
    const answers = byDataset.ai_search_response.length;
    const brands = byDataset.ai_search_brands.filter(
      (row) => row.brand_or_product_attribution?.toLowerCase() === OWN || own.names.has((row.brand_or_product_name ?? '').toLowerCase()),
    );
    const cited = byDataset.ai_search_citations;
    const ours = cited.filter((row) => row.citation_attribution?.toLowerCase() === OWN || isBelow(row.citation_domain ?? null, own.sites));
    const said = mine(byDataset.ai_search_sentiments, 'sentiment_brand');
    const values = (value: string): number => said.filter((row) => row.sentiment_value?.toLowerCase() === value).length;
    const [positive, neutral, negative] = [values('positive'), values('neutral'), values('negative')];
    const hasAnswers = asks('ai_search_response');
    const showsNames =
      own.names.size > 0 && asks('ai_search_brands', (filters) => listOf(filters, 'brand_or_product_attributions')?.includes(OWN) ?? true);
    const showsOurs = asks('ai_search_citations', (filters) => listOf(filters, 'citation_attributions')?.includes(OWN) ?? true);
    const showsAll = asks('ai_search_citations', (filters) => !listOf(filters, 'citation_attributions'));
    const showsSaid = own.names.size > 0 && asks('ai_search_sentiments', (filters) => !listOf(filters, 'sentiment_values'));
    const heard = voicesOf(
      byDataset.ai_search_response.map((row) => row.ai_response),
      voices,
    );
    const showsVoices = voices.has('') && voices.size > 1 && (answers === 0 || heard.texts > 0);
    const isNaming = brands.length > 0 && answers > 0;
    const whole = positive + neutral + negative;
    const doubts = [
      ...(brands.length > 0 && answers === 0 ? ['mention_rate'] : []),
      ...(showsAll && cited.some((row) => !row.citation_attribution && !ours.includes(row)) ? ['citation_share'] : []),
      ...(showsSaid && said.length > whole ? ['sentiment', 'criticism'] : []),
    ];
    return {
      key,
      cut: '',
      cluster: prompt ?? '',
      of: {
        assistant: first.ai_search_engine || '(none)',
        country: (first.locode ?? '').split(/[ -]/)[0]?.toUpperCase() || '(none)',
        topic: first.topic || '(none)',
        web_property_id: first.web_property_id || '(none)',
        prompt: prompt || '(none)',
        prompt_type: kind ?? '(none)',
      },
      groups: [],
      doubts: new Set(doubts),
      ownPages: ours.flatMap((row) => row.citation_url || []),
      complaints: said.flatMap((row) => (row.sentiment_value?.toLowerCase() === 'negative' && row.sentiment_snippet) || []),
      figures: {
        own_citations: showsOurs ? { part: ours.length, whole: 1 } : null,
        mention_rate: hasAnswers && showsNames && !isSpelledOtherwise(first) ? { part: isNaming ? answers : 0, whole: answers } : null,
        citing_rate: hasAnswers && showsOurs ? { part: ours.length > 0 ? answers : 0, whole: answers } : null,
        citation_share: showsAll && showsOurs ? { part: ours.length, whole: cited.length } : null,
        sentiment: showsSaid ? { part: positive + neutral / 2, whole } : null,
        criticism: showsSaid ? { part: negative, whole } : null,
        share_of_voice: hasAnswers && showsVoices ? { part: heard.own, whole: heard.own + heard.rivals.length } : null,
      },
    };
  });
}

export const hasWord = (text: string, name: string): boolean =>
  new RegExp(`(^|[^\\p{L}\\p{N}])${name.replaceAll(/[^\p{L}\p{N}\s]/gu, '\\$&')}($|[^\\p{L}\\p{N}])`, 'u').test(text.toLowerCase());
