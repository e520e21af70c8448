// A customer's year for dashboards, written by SQL: 2,000 prompts for 6 assistants in 3 countries, 5,000 keywords on 2 devices, volumes as skewed as real ones,
// brands, citations, sentiments and searches of assistants in proportion; 2 % of the prompts and keywords are exchanged each week.
import type { IsoDate } from '../../src/core/weeks.ts';
import type { Bench } from './bench.ts';
import type { Database } from './database.ts';

const KEYWORDS = 5_000;
const DEVICES = 2;
const RESULTS_PER_SEARCH = 12;
const PROMPTS = 2_000;
const ASSISTANTS = 6;
const COUNTRIES = 3;
const EXCHANGED = 0.02;
const UNITS = PROMPTS * ASSISTANTS * COUNTRIES;
/** Rows of an account and week; those of a tracked prompt follow one another. */
const AI_ROWS = { responses: UNITS, brands: UNITS, citations: 3 * UNITS, sentiments: UNITS * 0.7, fanOut: UNITS * 0.5 } as const;
export const ROWS_PER_WEEK: number = KEYWORDS * DEVICES * RESULTS_PER_SEARCH + Object.values(AI_ROWS).reduce((sum, rows) => sum + rows, 0);
export const OWN_DOMAIN = 'site-7.example';

/** Concurrent writing sessions. */
const WRITERS = 2;
/** First values of every row of an account and week, and values of Searchmill's own columns of row `n`. `w` counts weeks, `u` tracked prompts. */
const FIRST = `'org', 'Organization', 'Account', $1::bigint, 500, 'Property', $2::date, $2::date + 6`;
const OWN = `md5($2 || ' ' || n)::uuid, 1, 0, now(), now()`;
const OWN_COLUMNS = '_key, _occurrence, _slice, _loaded_at, _changed_at';
const FIRST_COLUMNS =
  'organization_id, organization_name, account_name, account_id, web_property_id, web_property_name, time_period_start, time_period_end';
const AI_COLUMNS = `${FIRST_COLUMNS}, collection_frequency, locode, language, ai_search_engine, topic, prompt, intent, persona`;
const PROMPT = `(u % ${PROMPTS} + ${PROMPTS * EXCHANGED} * w)`;
const AI_VALUES = `${FIRST}, 'WEEKLY', (ARRAY['US', 'GB', 'DE'])[1 + u / ${PROMPTS * ASSISTANTS} % ${COUNTRIES}], 'en_US',
  (ARRAY['chatgpt', 'gemini', 'perplexity', 'copilot', 'claude', 'google_ai_overview'])[1 + u / ${PROMPTS} % ${ASSISTANTS}],
  'topic ' || ${PROMPT} % 40, 'which boots are the best for walk ' || ${PROMPT}, (ARRAY['Informational', 'Commercial', 'Navigational'])[1 + ${PROMPT} % 3], 'none'`;
const PROMPT_TYPE = `CASE WHEN ${PROMPT} % 5 = 0 THEN 'branded' ELSE 'unbranded' END`;
/** Few sites have many results, many have few. A tenth of them is another one every week. */
const SITE = `'site-' || floor(power(abs(hashint4(CASE WHEN n % 10 = 0 THEN n + w ELSE n END) / 2147483647.0), 3) * 3000)::integer || '.example'`;
/** Of 100 tracked prompts some 40 name us; 2 of these are others every week. */
const NAMES_US = `abs(hashint4(u)) % 100 < 40 AND abs(hashint4(u + w)) % 50 > 0`;
const ATTRIBUTION = `CASE WHEN n % 9 = 0 THEN 'You' WHEN n % 9 < 4 THEN 'SEO Competitor' ELSE 'Other' END`;
const KEYWORD = `(s / ${DEVICES} + ${KEYWORDS * EXCHANGED} * w)`;

/** `per`: rows of a tracked prompt. */
const STATEMENTS: readonly (readonly [dataset: string, rows: number, per: string, columns: string, values: string])[] = [
  [
    'keyword_rankings',
    KEYWORDS * DEVICES * RESULTS_PER_SEARCH,
    '1',
    `${FIRST_COLUMNS}, collection_date, search_engine_name, search_engine, search_engine_country_code, search_engine_language_code, locode, device,
     query, title, normalized_url, root_domain, subdomain, result_type, rank_standard, rank_true, keyword_group_ids, keyword_group_names,
     average_search_volume`,
    `${FIRST}, $2::date + s % 7, 'GOOGLE_EN_US', 'GOOGLE', (ARRAY['US', 'GB', 'DE'])[1 + ${KEYWORD} % 3], 'EN', 'US',
     CASE WHEN s % ${DEVICES} = 0 THEN 'SMARTPHONE' ELSE 'DESKTOP' END, 'keyword ' || ${KEYWORD}, 'A title of a result for keyword ' || s,
     'https://www.' || site || '/page/' || s % 97 + (s % 10 = 1)::integer * (w % 5), site, 'www.' || site, CASE WHEN n % 11 = 0 THEN 'VIDEO' ELSE 'STANDARD_LINK' END,
     1 + n % ${RESULTS_PER_SEARCH}, 1 + n % ${RESULTS_PER_SEARCH} + n % 2, ${KEYWORD} % 20 || ',' || 20 + ${KEYWORD} % 9,
     'Group ' || ${KEYWORD} % 20 || ',Group ' || 20 + ${KEYWORD} % 9, (200000 / power(1 + abs(hashint4(${KEYWORD}::integer)) % ${KEYWORDS}, 1.1))::bigint`,
  ],
  [
    'ai_search_response',
    AI_ROWS.responses,
    '1',
    `${AI_COLUMNS}, ai_search_engine_id, ai_response, collection_date`,
    `${AI_VALUES}, 'engine', repeat('An answer of an assistant. ', 20), $2::date + n % 7`,
  ],
  [
    'ai_search_brands',
    AI_ROWS.brands,
    '1',
    `${AI_COLUMNS}, prompt_type, brand_or_product_name, brand_or_product_attribution, ai_response_collected`,
    `${AI_VALUES}, ${PROMPT_TYPE}, CASE WHEN ${NAMES_US} THEN 'Brand ' || u % 3 ELSE 'Other ' || u % 30 END, CASE WHEN ${NAMES_US} THEN 'You' ELSE 'Partner' END, true`,
  ],
  [
    'ai_search_citations',
    AI_ROWS.citations,
    '3',
    `${AI_COLUMNS}, prompt_type, citation_title, citation_url, citation_domain, citation_attribution`,
    `${AI_VALUES}, ${PROMPT_TYPE}, 'A cited page', 'https://www.' || site || '/cited/' || n % 40, 'www.' || site, ${ATTRIBUTION}`,
  ],
  [
    'ai_search_sentiments',
    AI_ROWS.sentiments,
    '0.7',
    `${AI_COLUMNS}, prompt_type, sentiment_brand, sentiment_value, sentiment_score, sentiment_category, sentiment_snippet`,
    `${AI_VALUES}, ${PROMPT_TYPE}, 'Brand ' || n % 6, (ARRAY['positive', 'neutral', 'negative'])[1 + abs(hashint4(n + w / 2)) % 3], n % 100 / 100.0, 'quality', 'They say ' || n % 997`,
  ],
  [
    'ai_search_fan_out',
    AI_ROWS.fanOut,
    '0.5',
    `${AI_COLUMNS}, prompt_type, fan_out_query, fan_out_query_position, amount_of_searches`,
    `${AI_VALUES}, ${PROMPT_TYPE}, 'best shoes for ' || n % 400, n % 5, 1 + n % 7`,
  ],
];

export async function writeBoardRows(bench: Bench, { pool }: Database, account: number, weeks: readonly IsoDate[]): Promise<void> {
  const left = [...weeks];
  const write = async (): Promise<void> => {
    for (let week = left.shift(); week !== undefined; week = left.shift()) {
      bench.signal.throwIfAborted();
      for (const [dataset, rows, per, columns, values] of STATEMENTS) {
        await pool.query("SELECT searchmill.ensure_partition($1, date_trunc('month', $2::date)::date)", [dataset, week]);
        await pool.query({
          text: `INSERT INTO search.${dataset} (${columns}, ${OWN_COLUMNS})
                 SELECT ${values}, ${OWN}
                   FROM generate_series(0, ${rows} - 1) AS n,
                        LATERAL (SELECT (($2::date - date '2020-01-05') / 7) AS w, n / ${RESULTS_PER_SEARCH} AS s, floor(n / ${per})::integer AS u) AS numbered,
                        LATERAL (SELECT ${SITE} AS site) AS of`,
          values: [account, week],
        });
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

/** Gives the following `copies` accounts the same rows and summaries, table by table. */
export async function copyAccount(bench: Bench, { pool }: Database, account: number, copies: number): Promise<void> {
  const { rows: tables } = await pool.query<{ name: string; columns: string }>(
    `SELECT format('%I.%I', c.table_schema, c.table_name) AS name, string_agg(quote_ident(c.column_name), ', ' ORDER BY c.ordinal_position) AS columns
       FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE t.table_type = 'BASE TABLE' AND c.column_name <> 'account_id'
        AND (c.table_schema IN ('search', 'search_stored') OR c.table_name = 'account_settings')
        AND c.table_schema IN ('search', 'search_stored', 'searchmill')
      GROUP BY c.table_schema, c.table_name`,
  );
  const left = tables.flatMap((table) => Array.from({ length: copies }, (_, n) => ({ ...table, to: account + n + 1 })));
  const copy = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      bench.signal.throwIfAborted();
      const client = await pool.connect();
      try {
        await client.query('SET statement_timeout = 0');
        await client.query(
          `INSERT INTO ${next.name} (account_id, ${next.columns}) SELECT $1, ${next.columns} FROM ${next.name} WHERE account_id = $2`,
          [next.to, account],
        );
      } finally {
        client.release(true);
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, copy));
}
