// The facts of a week of loads without filters, computed from the rows of the tables in TypeScript, as test/support/report-figures.ts computes the
// other summaries. What filters do to facts is in test/support/second-facts.ts.
import type { Pool } from '../../src/postgres/pool.ts';
import { type Voices, voicesOf } from './named-texts.ts';
import { bareDomain, hasWord } from './second-facts.ts';

export type Raw = Readonly<Record<string, string | null>>;
export type Cell = string | null;
export type Database = Pick<Pool, 'query'>;

const UNIT = 10n ** 12n;
const PLACES = [1, 3, 5, 10, 20];
export const AI = ['ai_search_response', 'ai_search_brands', 'ai_search_citations', 'ai_search_sentiments', 'ai_search_fan_out'] as const;
export type AiRows = Readonly<Record<(typeof AI)[number], readonly Raw[]>>;

/** A row that is equal to another one in all columns is the same one. */
export const distinct = (rows: readonly Raw[]): Raw[] => [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];

/** A part of a whole with twelve decimal digits, in units of the last. */
const partOf = (part: bigint, whole: bigint): bigint => (2n * part * UNIT + whole) / (2n * whole);
const decimal = (units: bigint): string => {
  const digits = String(units % UNIT).padStart(12, '0');
  return `${units / UNIT}.${digits}`.replace(/\.?0+$/, '');
};
const total = (values: readonly bigint[]): bigint => values.reduce((sum, value) => sum + value, 0n);

const RANKS = ['rank_standard', 'rank_true'] as const;

/** How much of the first places of a result page its own results hold, by both ranks. */
export function placesHeld(page: readonly Raw[], isOwn: (row: Raw) => boolean): string[] {
  return RANKS.flatMap((rank) =>
    PLACES.map((n) => {
      const within = page.filter((row) => row[rank] !== null && Number(row[rank]) <= n);
      const held = [...new Set(within.map((row) => row[rank]))].map((place) => {
        const shared = within.filter((row) => row[rank] === place);
        return partOf(BigInt(shared.filter(isOwn).length), BigInt(shared.length));
      });
      return decimal(total(held));
    }),
  );
}

/** How much of the first places some results of several pages hold, by both ranks; then the same by volume. */
export function placesOfSite(results: readonly Readonly<{ row: Raw; page: readonly Raw[]; volume: number | undefined }>[]): string[] {
  const held = (weightOf: (volume: number | undefined) => number): string[] =>
    RANKS.flatMap((rank) =>
      PLACES.map((n) => {
        const within = results.filter(({ row }) => row[rank] !== null && Number(row[rank]) <= n);
        return decimal(
          total(
            within.map(
              ({ row, page, volume }) =>
                partOf(1n, BigInt(page.filter((other) => other[rank] === row[rank]).length)) * BigInt(weightOf(volume)),
            ),
          ),
        );
      }),
    );
  return [...held(() => 1), ...held((volume) => volume ?? 0)];
}

export type Known = Readonly<{
  week: string;
  names: ReadonlySet<string>;
  isOwnHost: (host: Cell) => boolean;
  /** By prompt, what rows of earlier weeks told last. */
  kinds: ReadonlyMap<string, Readonly<{ kind: Cell; toldIn: Cell }>>;
  /** Datasets of which the week is published, with the frequency that was asked for. */
  asked: readonly Readonly<{ dataset: string; frequency: string }>[];
  /** Names that are looked for in answers; that of ours is named by an empty text. */
  voices: Voices;
}>;

/** What a week's facts take from elsewhere: names that are ours, kinds of prompts, and what was asked for. */
export async function readKnown(
  db: Database,
  { accountId, week }: Readonly<{ accountId: number; week: string }>,
): Promise<Omit<Known, 'isOwnHost'>> {
  const names = await db.query<{ name: string }>('SELECT DISTINCT name FROM search_stored.ai_names WHERE account_id = $1 AND is_own', [
    accountId,
  ]);
  const kinds = await db.query<{ prompt: string; kind: string; told_in: string }>(
    `SELECT prompt, prompt_type AS kind, told_in::text FROM search_stored.prompt_facts
      WHERE account_id = $1 AND week < $2 AND told_in IS NOT NULL ORDER BY told_in, prompt_type`,
    [accountId, week],
  );
  const brands = await db.query<{ own: boolean; rivals: string[]; spellings: Record<string, string> }>(
    "SELECT own_names <> '{}' AS own, rival_names AS rivals, spellings FROM search_reports.brands WHERE account_id = $1",
    [accountId],
  );
  const [named] = brands.rows;
  const voices = [...(named?.own ? [''] : []), ...(named?.rivals ?? [])];
  const loads = await db.query<{ dataset: string; request: Record<string, unknown> }>(
    `SELECT s.dataset, e.request - '{account_id,start_date,end_date,time_period_start,time_period_end,includeMsv}'::text[] AS request
       FROM searchmill.slices s JOIN searchmill.executions e ON e.id = s.published_execution_id
      WHERE s.account_id = $1 AND s.published_at IS NOT NULL
        AND EXISTS (SELECT FROM generate_series(s.window_start::timestamp, s.window_end::timestamp, interval '7 days') AS day
                     WHERE day::date - extract(dow FROM day)::integer = $2)`,
    [accountId, week],
  );
  const asked = loads.rows.map(({ dataset, request: { collection_frequency, ...filters } }) => {
    // Which searches are asked for changes nothing in the facts of those that are, and a domain that nobody has leaves no rows.
    if (dataset === 'keyword_rankings') for (const name of ['devices', 'domains']) delete filters[name];
    if (Object.keys(filters).length > 0) throw new Error(`fact-rows.ts does not know what ${JSON.stringify(filters)} does to facts`);
    return { dataset, frequency: String(collection_frequency ?? 'weekly').toLowerCase() };
  });
  return {
    week,
    names: new Set(names.rows.map(({ name }) => name)),
    kinds: new Map(kinds.rows.map(({ prompt, kind, told_in }) => [prompt, { kind, toldIn: told_in }])),
    asked,
    voices: new Map(
      voices.map((voice) => [voice, Object.keys(named?.spellings ?? {}).filter((spelling) => named?.spellings[spelling] === voice)]),
    ),
  };
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return [...groups.values()];
}

const key = (text: Cell | undefined): Cell => text?.toLowerCase().replaceAll(/[ _]/g, '-') ?? null;
const isYou = (text: Cell | undefined): boolean => text?.toLowerCase() === 'you';
const last = (texts: readonly (Cell | undefined)[]): Cell =>
  texts
    .filter((text) => text !== null && text !== undefined)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .at(-1) ?? null;
const SPELLED = ['ai_search_engine', 'locode', 'language'] as const;

type Served = Readonly<{ dataset: string; row: Raw; isOurs: boolean }>;
type Tracked = Readonly<{ served: readonly Served[]; keys: readonly Cell[]; frequency: string }>;

const of = (served: readonly Served[], dataset: string): Served[] => served.filter((each) => each.dataset === dataset);
const has = (unit: Tracked, dataset: string): boolean => of(unit.served, dataset).length > 0;

function periodsOf(served: readonly Served[]): Served[][] {
  return grouped(served, ({ row }) => row.time_period_start ?? '');
}

/** What a unit is called: in each period as its answers say, else as any row does. */
function named(unit: Tracked, name: string): Cell {
  return last(
    periodsOf(unit.served).map((period) => {
      const answers = of(period, 'ai_search_response').map(({ row }) => row[name]);
      return last(answers) ?? last(period.map(({ row }) => row[name]));
    }),
  );
}

/** Whether answers spell an engine, place or language in a way that no brand does, while brands have one that no answer has. */
function isSpelledOtherwise(unit: Tracked, units: readonly Tracked[]): boolean {
  return SPELLED.some((name, at) => {
    const mine = unit.keys[at] ?? null;
    const keys = (dataset: string): Set<Cell> => new Set(units.filter((each) => has(each, dataset)).map((each) => each.keys[at] ?? null));
    const [answers, brands] = [keys('ai_search_response'), keys('ai_search_brands')];
    if (mine === null || !answers.has(mine) || brands.has(mine)) return false;
    return [...brands].some(
      (brand) => brand && !answers.has(brand) && (name === 'ai_search_engine' || brand.startsWith(mine) || mine.startsWith(brand)),
    );
  });
}

function trackedPrompts(rows: AiRows, { names, isOwnHost }: Known): Tracked[] {
  const isName = (name: Cell | undefined): boolean => names.has(name?.toLowerCase() ?? '');
  const served = AI.flatMap((dataset) =>
    rows[dataset].map((row) => ({
      dataset,
      row,
      isOurs:
        (dataset === 'ai_search_brands' && (isYou(row.brand_or_product_attribution) || isName(row.brand_or_product_name))) ||
        (dataset === 'ai_search_citations' && (isYou(row.citation_attribution) || isOwnHost(row.citation_domain ?? null))) ||
        (dataset === 'ai_search_sentiments' && isName(row.sentiment_brand)),
    })),
  );
  const frequencyOf = (row: Raw): string => (row.collection_frequency || 'weekly').toLowerCase();
  const units = grouped(served, ({ row }) =>
    JSON.stringify([row.web_property_id, frequencyOf(row), ...SPELLED.map((name) => key(row[name])), row.persona, row.prompt]),
  );
  return units.map((some) => {
    const first = some[0]?.row ?? {};
    return { served: some, keys: SPELLED.map((name) => key(first[name])), frequency: frequencyOf(first) };
  });
}

/** The kinds that rows of the week tell, by prompt. */
function toldKinds(units: readonly Tracked[]): Map<string, string> {
  const told = new Map<string, string>();
  for (const { row } of units.flatMap(({ served }) => served)) {
    const kind = row.prompt_type?.toLowerCase();
    if (kind && row.prompt !== null && row.prompt !== undefined) told.set(row.prompt, last([kind, told.get(row.prompt)]) ?? kind);
  }
  return told;
}

/** The rows of prompt_facts. */
export function promptFacts(rows: AiRows, known: Known): Cell[][] {
  const units = trackedPrompts(rows, known);
  const told = toldKinds(units);
  const recorded = new Set(known.asked.map(({ dataset }) => dataset));
  const isAsked = (unit: Tracked, dataset: string): boolean =>
    recorded.has(dataset)
      ? has(unit, dataset) || known.asked.some((load) => load.dataset === dataset && load.frequency === unit.frequency)
      : dataset !== 'ai_search_fan_out' && units.some((each) => has(each, dataset));
  return units.map((unit) => {
    const { served, frequency } = unit;
    const first = served[0]?.row ?? {};
    const prompt = first.prompt ?? null;
    const named_ = (name: string): boolean => hasWord(prompt ?? '', name);
    const earlier = known.kinds.get(prompt ?? '') ?? { kind: [...known.names].some(named_) ? 'branded' : 'unbranded', toldIn: null };
    const kind =
      prompt === null ? { kind: null, toldIn: null } : told.has(prompt) ? { kind: told.get(prompt) ?? null, toldIn: known.week } : earlier;
    const cited = of(served, 'ai_search_citations');
    const ours = (dataset: string): Served[] => of(served, dataset).filter(({ isOurs }) => isOurs);
    /** Answers of the periods in which another dataset has a row of ours. */
    const answersWith = (dataset: string): number =>
      periodsOf(served)
        .filter((period) => of(period, dataset).some(({ isOurs }) => isOurs))
        .reduce((sum, period) => sum + of(period, 'ai_search_response').length, 0);
    const strays = periodsOf(served).filter((period) => of(period, 'ai_search_response').length === 0);
    const said = ours('ai_search_sentiments').map(({ row }) => row.sentiment_value?.toLowerCase() ?? '');
    const values = ['positive', 'neutral', 'negative'];
    const asks = Object.fromEntries(AI.map((dataset) => [dataset, isAsked(unit, dataset)])) as Record<(typeof AI)[number], boolean>;
    const hasAnswers = asks.ai_search_response;
    const hasNames = known.names.size > 0;
    const when = (isKnown: boolean, figure: number | string): Cell => (isKnown ? String(figure) : null);
    const texts = (all: readonly string[]): string =>
      JSON.stringify(all.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    const heard = voicesOf(
      of(served, 'ai_search_response').map(({ row }) => row.ai_response),
      known.voices,
    );
    const groups = (last(served.map(({ row }) => row.prompt_group_names)) ?? '').trim();
    return [
      first.web_property_id ?? null,
      named(unit, 'ai_search_engine'),
      /^[^ -]+/.exec(named(unit, 'locode') ?? '')?.[0].toUpperCase() ?? null,
      named(unit, 'locode'),
      named(unit, 'language'),
      first.persona ?? null,
      frequency,
      prompt,
      named(unit, 'topic'),
      named(unit, 'intent'),
      kind.kind,
      kind.toldIn,
      JSON.stringify(groups === '' ? [] : groups.split(/\s*,\s*/)),
      texts(AI.filter((dataset) => asks[dataset]).map((dataset) => dataset.replace('ai_search_', ''))),
      when(hasAnswers, of(served, 'ai_search_response').length),
      when(hasAnswers && asks.ai_search_brands && hasNames && !isSpelledOtherwise(unit, units), answersWith('ai_search_brands')),
      when(hasAnswers && asks.ai_search_citations, answersWith('ai_search_citations')),
      String(strays.flat().filter(({ dataset, isOurs }) => dataset === 'ai_search_brands' && isOurs).length),
      when(asks.ai_search_citations, ours('ai_search_citations').length),
      when(asks.ai_search_citations, cited.length),
      when(asks.ai_search_citations, texts(cited.map(({ row }) => bareDomain(row.citation_domain ?? null) || '(no page)'))),
      when(
        asks.ai_search_citations,
        texts(cited.map(({ row, isOurs }) => (isOurs ? 'you' : row.citation_attribution?.toLowerCase() || '(none)'))),
      ),
      when(asks.ai_search_citations, cited.filter(({ row, isOurs }) => !isOurs && !row.citation_attribution).length),
      ...values.map((value) => when(asks.ai_search_sentiments && hasNames, said.filter((each) => each === value).length)),
      when(asks.ai_search_sentiments && hasNames, said.filter((each) => !values.includes(each)).length),
      when(hasAnswers, heard.texts),
      when(hasAnswers && known.voices.has(''), heard.own),
      when(hasAnswers && known.voices.size > (known.voices.has('') ? 1 : 0), texts(heard.rivals)),
    ];
  });
}
