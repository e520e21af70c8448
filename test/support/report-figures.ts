// The summaries of a week, computed from the rows of the tables in TypeScript: by the definitions in their comments, without any of their
// SQL. Rows are lists of texts, as Postgres prints the values.
import {
  AI,
  type AiRows,
  type Cell,
  type Database,
  distinct,
  type Known,
  placesHeld,
  placesOfSite,
  promptFacts,
  type Raw,
  readKnown,
} from './fact-rows.ts';

type Figures = Readonly<Record<string, readonly (readonly Cell[])[]>>;

const number = (text: Cell | undefined): number | undefined => (text === null || text === undefined ? undefined : Number(text));
const lower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
const lowered = (text: Cell): Cell => (text === null ? null : lower(text));
const cut = (text: Cell): Cell => [...(text ?? '')].slice(0, 253).join('') || null;
/** A page without its scheme and www.; the case of its path counts, that of its host does not. */
const bare = (url: Cell): Cell =>
  url
    ?.replace(/^([a-z]+:\/\/)?(www\.)?/i, '')
    .replace(/^[^/]*/, lower)
    .replace(/\/+$/, '') ?? null;
const country = (locode: Cell): Cell => /^[^ -]+/.exec(locode ?? '')?.[0].toUpperCase() ?? null;
const sum = (values: readonly (number | undefined)[]): number => values.reduce<number>((total, value) => total + (value ?? 0), 0);
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const largest = (texts: readonly Cell[]): Cell =>
  texts
    .filter((text) => text !== null)
    .sort(byBytes)
    .at(-1) ?? null;
const known = (values: readonly (number | undefined)[]): number[] => values.filter((value) => value !== undefined);
const best = (values: readonly (number | undefined)[]): number | undefined => known(values).sort((a, b) => a - b)[0];
const deepest = (values: readonly (number | undefined)[]): number | undefined => known(values).sort((a, b) => b - a)[0];
const show = (value: number | boolean | undefined): Cell => (value === undefined ? null : String(value));

function group<T>(all: readonly T[], keyOf: (one: T) => readonly Cell[]): [readonly Cell[], T[]][] {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = JSON.stringify(keyOf(one));
    const members = groups.get(key);
    if (members) members.push(one);
    else groups.set(key, [one]);
  }
  return [...groups].map(([key, members]) => [JSON.parse(key) as Cell[], members]);
}

function pick(row: Raw, names: readonly string[]): Cell[] {
  return names.map((name) => row[name] ?? null);
}

/** How many of some facts have each value of a variable. */
function valuesOf(facts: readonly Readonly<Record<string, readonly Cell[]>>[]): Cell[][] {
  const pairs = facts.flatMap((fact) =>
    Object.entries(fact).flatMap(([variable, values]) => values.map((value) => [variable, value || '(none)'])),
  );
  return group(pairs, (pair) => pair).map(([pair, some]) => [...pair, String(some.length)]);
}

const PLACE = ['web_property_id', 'search_engine', 'search_engine_country_code', 'device'];
const SEARCH = ['time_period_start', 'time_period_end', ...PLACE, 'search_engine_language_code', 'locode', 'query'];
const KEY = [...PLACE.slice(0, 3), 'search_engine_language_code', 'locode', 'device', 'query'];
const volumeOf = (row: Raw): number | undefined => number(row.average_search_volume) ?? number(row.approximate_search_volume);

function groupNames(ids: Cell, names: Cell): string[] {
  const items = (list: string): string[] => (list.trim() === '' ? [] : list.trim().split(/\s*,\s*/));
  if (names === null) return [];
  const isClear = items(names).length === 0 || (ids !== null && items(names).length === items(ids).length);
  return isClear ? items(names) : [names];
}

const ownHosts =
  (ownDomains: readonly string[]) =>
  (host: Cell): boolean =>
    host !== null && ownDomains.some((domain) => lower(host) === domain || lower(host).endsWith(`.${domain}`));

function rankings(rows: readonly Raw[], ownDomains: readonly string[]): Figures {
  const isOwnHost = ownHosts(ownDomains);
  const isOwn = (row: Raw): boolean => isOwnHost(row.subdomain ?? null) || isOwnHost(row.root_domain ?? null);
  const bestUrl = (own: readonly Raw[], rank: string): Cell => {
    const ranked = own.filter((row) => row[rank] !== null);
    ranked.sort((a, b) => Number(a[rank]) - Number(b[rank]) || byBytes(a.normalized_url ?? '', b.normalized_url ?? ''));
    return ranked[0]?.normalized_url || null;
  };
  const results = distinct(rows);
  const pages = group(results, (row) => pick(row, SEARCH));
  const sited = pages.flatMap(([, page]) => page.map((row) => ({ row, page, volume: deepest(page.map(volumeOf)) })));
  const searches = pages.map(([, results]) => {
    const first = results[0] as Raw;
    const own = results.filter(isOwn);
    const placesOf = (some: readonly Raw[], rank: string): (number | undefined)[] => some.map((row) => number(row[rank]));
    return {
      first,
      place: pick(first, PLACE),
      groups: groupNames(
        largest(results.map((row) => row.keyword_group_ids ?? null)),
        largest(results.map((row) => row.keyword_group_names ?? null)),
      ),
      volume: deepest(results.map(volumeOf)),
      results: results.length,
      deepest: ['rank_standard', 'rank_true'].map((rank) => deepest(placesOf(results, rank))),
      own: ['rank_standard', 'rank_true'].map((rank) => best(placesOf(own, rank))),
      urls: ['rank_standard', 'rank_true'].map((rank) => bestUrl(own, rank)),
      ownResults: own.length,
      held: placesHeld(results, isOwn),
    };
  });
  type Search = (typeof searches)[number];
  const searchOf = ({ first, groups, volume, results: loaded }: Search): Cell[] => [
    ...pick(first, ['time_period_start', 'time_period_end', ...KEY]),
    JSON.stringify(groups),
    show(volume),
    String(loaded),
  ];
  const placesOf = (search: Search): Cell[] => [
    ...search.deepest.map(show),
    ...search.own.map(show),
    ...search.urls,
    String(search.ownResults),
  ];
  return {
    search_facts: searches.map((search) => [
      ...searchOf(search),
      ...['1', null, 'true', String(ownDomains.length > 0), null],
      ...placesOf(search),
      ...search.held,
    ]),
    ranking_searches: searches.map((search) => [...searchOf(search), ...placesOf(search)]),
    search_sites: group(
      sited.filter(({ row }) => Number(row.rank_standard ?? 99) <= 20 || Number(row.rank_true ?? 99) <= 20),
      ({ row }) => [...pick(row, PLACE), cut(lowered(row.root_domain ?? null)), String(isOwn(row))],
    ).map(([key, some]) => [...key, ...placesOfSite(some)]),
    search_values: valuesOf(
      searches.map(({ first, groups }) => ({
        web_property: [first.web_property_id ?? null],
        engine: [first.search_engine ?? null],
        country: [first.search_engine_country_code ?? null],
        device: [first.device ?? null],
        keyword_group: [...new Set(groups)],
      })),
    ).concat(
      searches.some(({ volume = 0 }) => volume > 0)
        ? [['volume', 'known', String(searches.filter(({ volume = 0 }) => volume > 0).length)]]
        : [],
    ),
    ranking_pages: group(rows.filter(isOwn), (row) => [...pick(row, PLACE), bare(row.normalized_url ?? null)]).map(([key, results]) => [
      ...key,
      String(group(results, (row) => pick(row, SEARCH)).length),
      show(best(results.map((row) => number(row.rank_standard)))),
      show(best(results.map((row) => number(row.rank_true)))),
    ]),
  };
}

const SPELLED = { engine: 'ai_search_engine', locode: 'locode', language: 'language' } as const;
const joinKey = (text: Cell | undefined): Cell => (text ? lower(text).replaceAll(/[ _]/g, '-') : (text ?? null));
/** Rows by the names that aliases give to engines, places and languages. */
type Spell = (row: Raw) => Raw;

const ANSWER = ['web_property_id', 'collection_frequency', 'time_period_start', 'time_period_end', 'topic', 'prompt', 'persona'];
const answerOf = (row: Raw): string => JSON.stringify([...pick(row, ANSWER), ...Object.values(SPELLED).map((name) => joinKey(row[name]))]);
const asked = (row: Raw): Cell[] => [row.web_property_id ?? null, row.ai_search_engine ?? null, country(row.locode ?? null)];
/** As JSON in Postgres' words: web property, engine and country. */
const placeOf = (row: Raw): string =>
  `[${asked(row)
    .map((cell, at) => (at === 0 ? String(cell) : JSON.stringify(cell)))
    .join(', ')}]`;
const isYou = (attribution: Cell | undefined): boolean => attribution?.toLowerCase() === 'you';

/** Every row with the engine, place and language that the last of its group has: one answer has one of each. */
function alike(rows: readonly Raw[]): Raw[] {
  return group(rows, (row) => [answerOf(row)]).flatMap(([, some]) => {
    const names = Object.values(SPELLED).map((name) => [name, largest(some.map((row) => row[name] ?? null))] as const);
    return some.map((row) => ({ ...row, ...Object.fromEntries(names) }));
  });
}

/** The rows of prompt_sums without their keys: facts that are equal in what a row is known by, and of which the same counts are known. */
function promptSums(facts: readonly (readonly Cell[])[]): Cell[][] {
  const counts = [14, 15, 16, 17, 18, 19, 22, 23, 24, 25, 26, 27, 28];
  const lists = [29, 20, 21];
  const isTextless = (fact: readonly Cell[]): string => String(Number(fact[14]) > 0 && fact[27] === '0');
  const unknown = (fact: readonly Cell[]): Cell[] => [...counts, ...lists].map((at) => String(fact[at] === null));
  return [false, true].flatMap((isByAssistant) => {
    const known = (fact: readonly Cell[]): Cell[] =>
      [7, isByAssistant ? 1 : -1, 5, 8, 9, 10, 12].map((at) => (at < 0 ? null : (fact[at] ?? null)));
    return group(facts, (fact) => [fact[0] ?? null, ...known(fact), ...unknown(fact), isTextless(fact)]).map(([key, some]) => [
      String(isByAssistant),
      String(some.length),
      key[0] ?? null,
      ...counts.map((at) => (some[0]?.[at] === null ? null : String(sum(some.map((fact) => Number(fact[at])))))),
      ...key.slice(1, 8),
      ...lists.map((at) =>
        some[0]?.[at] === null ? null : JSON.stringify(some.flatMap((fact) => JSON.parse(fact[at] ?? '[]') as string[]).sort(byBytes)),
      ),
    ]);
  });
}

function promptValues(facts: readonly (readonly Cell[])[]): Cell[][] {
  return valuesOf(
    facts.map(([property = null, assistant = null, country = null, , , persona = null, , , topic = null, intent = null, , , groups]) => {
      const names = [...new Set(JSON.parse(groups ?? '[]') as string[])];
      return {
        web_property: [property],
        assistant: [assistant],
        country: [country],
        topic: [topic],
        persona: [persona],
        intent: [intent],
        prompt_group: names.length > 0 ? names : [null],
      };
    }),
  );
}

function spellings(responses: readonly Raw[], brands: readonly Raw[], cited: readonly Raw[]): Figures {
  const own = alike(brands.filter((row) => isYou(row.brand_or_product_attribution)));
  const collected = alike(responses);
  const naming = new Set(own.map(answerOf));
  const loaded = new Set(collected.map(answerOf));
  const places = (row: Raw): string => JSON.stringify(Object.values(SPELLED).map((name) => joinKey(row[name])));
  const answered = new Set(collected.map(places));
  const met = (dataset: string, rows: readonly Raw[], hasMet: (row: Raw) => boolean): Cell[][] =>
    Object.entries(SPELLED).flatMap(([kind, name]) =>
      group(rows, (row) => [dataset, kind, row[name] ?? null]).map(([key, some]) => [
        ...key,
        String(some.length),
        String(some.filter(hasMet).length),
      ]),
    );
  return {
    ai_spellings: [
      ...met('ai_search_response', collected, (row) => naming.has(answerOf(row))),
      ...met('ai_search_brands', own, (row) => loaded.has(answerOf(row))),
      ...group(own, (row) => ['ai_search_brands', 'place', placeOf(row)]).map(([key, some]) => [
        ...key,
        String(some.length),
        String(some.filter((row) => loaded.has(answerOf(row))).length),
      ]),
      ...met('ai_search_citations', cited, (row) => answered.has(places(row))),
    ],
  };
}

function aiNames(brands: readonly Raw[]): Cell[][] {
  const named = brands.filter((row) => row.brand_or_product_name);
  return group(named, (row) => [lowered(row.brand_or_product_name ?? null)]).map(([key, rows]) => [
    ...key,
    String(rows.some((row) => isYou(row.brand_or_product_attribution))),
  ]);
}

/** Sums over prompts: of their rows squared, of rows times figure, of the figure squared. */
function squares(rows: readonly Raw[], figure: (some: readonly Raw[]) => number): string[] {
  const prompts = group(rows, (row) => [row.prompt ?? null]).map(([, some]) => [some.length, figure(some)] as const);
  return [prompts.map(([size]) => size * size), prompts.map(([size, hits]) => size * hits), prompts.map(([, hits]) => hits * hits)].map(
    (each) => String(sum(each)),
  );
}

function citedPages(rows: readonly Raw[]): Figures {
  const keyOf = (row: Raw): Cell[] => [
    ...asked(row),
    row.prompt_type ?? null,
    bare(row.citation_url ?? null),
    cut(lowered(row.citation_domain ?? null)),
    row.citation_attribution?.toLowerCase() ?? null,
  ];
  return {
    ai_cited_pages: group(rows, (row) => [...keyOf(row), row.topic ?? null]).map(([key, some]) => [
      ...key.slice(0, -1),
      String(some.length),
      key.at(-1) ?? null,
    ]),
  };
}

function sentiments(rows: readonly Raw[]): Figures {
  const words = ['positive', 'neutral', 'negative'];
  return {
    ai_sentiments: group(rows, (row) => [...asked(row), row.prompt_type ?? null, row.topic ?? null, row.sentiment_brand ?? null]).map(
      ([key, all]) => {
        const some = all.filter((row) => (row.sentiment_value ?? '') !== '');
        const countOf = (own: readonly Raw[], word: string): number =>
          own.filter((row) => row.sentiment_value?.toLowerCase() === word).length;
        const amounts = (own: readonly Raw[]): number[] => words.map((word) => countOf(own, word));
        const points = group(some, (row) => [row.prompt ?? null])
          .map(([, own]) => amounts(own))
          .filter((own) => sum(own) > 0)
          .map(([positive = 0, neutral = 0, negative = 0]) => {
            const mean = (10 * positive + 5 * neutral + negative) / (positive + neutral + negative);
            return Math.round(mean * 1e6);
          });
        return [
          ...key,
          ...amounts(some).map(String),
          String(some.length - sum(amounts(some))),
          ...squares(some, (own) => 2 * countOf(own, 'positive') + countOf(own, 'neutral')),
          String(points.length),
          String(Number((sum(points) / 1e6).toFixed(6))),
        ];
      },
    ),
  };
}

function fanOut(rows: readonly Raw[]): Figures {
  return {
    ai_fan_out: group(rows, (row) => [...asked(row), row.prompt_type ?? null, row.fan_out_query ?? null]).map(([key, some]) => [
      ...key,
      String(some.length),
      String(sum(some.map((row) => number(row.amount_of_searches)))),
    ]),
  };
}

/** Own domains of an account that count: the configured ones, else the cited ones. */
async function readOwnDomains(db: Database, accountId: number): Promise<string[]> {
  const { rows } = await db.query<{ domain: string; source: string }>(
    'SELECT domain, source FROM search_reports.own_domains WHERE account_id = $1',
    [accountId],
  );
  const configured = rows.filter(({ source }) => source === 'configured');
  return (configured.length > 0 ? configured : rows).map(({ domain }) => domain);
}

async function readSpelling(db: Database, accountId: number): Promise<Spell> {
  const sql = 'SELECT kind, spelling, meaning FROM search_reports.aliases WHERE account_id = $1';
  const { rows } = await db.query<{ kind: keyof typeof SPELLED; spelling: string; meaning: string }>(sql, [accountId]);
  const meanings = new Map(rows.map(({ kind, spelling, meaning }) => [`${SPELLED[kind]} ${joinKey(spelling)}`, meaning]));
  return (row) => {
    const meant = Object.values(SPELLED).map((name) => [name, meanings.get(`${name} ${joinKey(row[name])}`) ?? row[name] ?? null] as const);
    return { ...row, ...Object.fromEntries(meant) };
  };
}

async function readRaw(db: Database, dataset: string, accountId: number, week: string): Promise<Raw[]> {
  const { rows: columns } = await db.query<{ list: string }>(
    `SELECT string_agg(format('%1$I::text AS %1$I', attname), ', ') AS list FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND attname !~ '^_'`,
    [`search.${dataset}`],
  );
  const sql = `SELECT ${columns[0]?.list} FROM search.${dataset} WHERE account_id = $1 AND time_period_start BETWEEN $2 AND $2::date + 6`;
  return (await db.query<Record<string, Cell>>(sql, [accountId, week])).rows;
}

/** What every summary should show of a week, by subject and summary. */
export async function expectedFigures(db: Database, accountId: number, week: string): Promise<Record<string, Figures>> {
  const spell = await readSpelling(db, accountId);
  const raw = {} as Record<keyof AiRows, Raw[]>;
  for (const dataset of AI) raw[dataset] = await readRaw(db, dataset, accountId, week);
  const spelled = (rows: readonly Raw[]): Raw[] => rows.map(spell);
  const [brands, cited] = [spelled(raw.ai_search_brands), spelled(raw.ai_search_citations)];
  const ownDomains = await readOwnDomains(db, accountId);
  const known: Known = { ...(await readKnown(db, { accountId, week })), isOwnHost: ownHosts(ownDomains) };
  const once = Object.fromEntries(AI.map((dataset) => [dataset, spelled(distinct(raw[dataset]))])) as unknown as AiRows;
  const prompts = promptFacts(once, known);
  return {
    rankings: rankings(await readRaw(db, 'keyword_rankings', accountId, week), ownDomains),
    answers: {
      ai_names: aiNames(brands),
      prompt_facts: prompts,
      prompt_sums: promptSums(prompts),
      prompt_values: promptValues(prompts),
      ...spellings(spelled(raw.ai_search_response), brands, cited),
    },
    citations: citedPages(once.ai_search_citations),
    sentiments: sentiments(once.ai_search_sentiments),
    fan_out: fanOut(once.ai_search_fan_out),
  };
}
