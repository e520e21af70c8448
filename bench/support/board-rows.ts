// A company's year for dashboards, written by SQL: searches with places, sites with few or many results, volumes, keyword groups, and what AI
// assistants answered, named and cited.
import type { IsoDate } from '../../src/core/weeks.ts';
import type { Bench } from './bench.ts';
import type { Database } from './database.ts';

/** Per account and week. */
const SEARCHES = 4_250;
const RESULTS_PER_SEARCH = 20;
const AI_ROWS = { brands: 2_500, citations: 5_000, fanOut: 2_000, sentiments: 1_500, responses: 1_000 } as const;
export const ROWS_PER_WEEK: number = SEARCHES * RESULTS_PER_SEARCH + Object.values(AI_ROWS).reduce((sum, rows) => sum + rows, 0);
export const OWN_DOMAIN = 'site-7.example';

/** Concurrent writing sessions. */
const WRITERS = 2;
/** First values of every row of an account and week, and values of Searchmill's own columns of row `n`. */
const FIRST = `'org', 'Organization', 'Account', $1::bigint, 500 + n % 3, 'Property ' || n % 3, $2::date, $2::date + 6`;
const OWN = `md5($2 || ' ' || n)::uuid, 1, 0, now(), now()`;
const OWN_COLUMNS = '_key, _occurrence, _slice, _loaded_at, _changed_at';
const FIRST_COLUMNS =
  'organization_id, organization_name, account_name, account_id, web_property_id, web_property_name, time_period_start, time_period_end';
/** Prompts repeat every week; they are numbered 1 to 250. */
const AI_COLUMNS = `${FIRST_COLUMNS}, collection_frequency, locode, language, ai_search_engine, topic, prompt`;
const AI_VALUES = `${FIRST}, 'WEEKLY', (ARRAY['US', 'GB', 'DE', 'FR'])[1 + n % 4], 'en_US',
  (ARRAY['chatgpt', 'gemini', 'perplexity', 'copilot'])[1 + n / 4 % 4], 'topic ' || n % 12, 'prompt ' || n % 250`;
const PROMPT_TYPE = `CASE WHEN n % 5 = 0 THEN 'branded' ELSE 'unbranded' END`;
/** Few sites have many results, many have few. A tenth of the searches has other sites every week. */
const SITE = `'site-' || floor(power(abs(hashint4(CASE WHEN n / ${RESULTS_PER_SEARCH} % 10 = 0 THEN n + ($2::date - date '2020-01-05') ELSE n END) / 2147483647.0), 3) * 3000)::integer || '.example'`;
const ATTRIBUTION = `CASE WHEN n % 9 = 0 THEN 'You' WHEN n % 9 < 4 THEN 'SEO Competitor' ELSE 'Other' END`;

const STATEMENTS: readonly (readonly [dataset: string, rows: number, columns: string, values: string])[] = [
  [
    'keyword_rankings',
    SEARCHES * RESULTS_PER_SEARCH,
    `${FIRST_COLUMNS}, collection_date, search_engine_name, search_engine, search_engine_country_code, search_engine_language_code, locode, device,
     query, title, normalized_url, root_domain, subdomain, result_type, rank_standard, rank_true, keyword_group_ids, keyword_group_names,
     average_search_volume`,
    `'org', 'Organization', 'Account', $1::bigint, 500 + s % 3, 'Property ' || s % 3, $2::date, $2::date + 6,
     $2::date + s % 7, 'GOOGLE_EN_US', CASE WHEN s % 4 = 0 THEN 'BING' ELSE 'GOOGLE' END, (ARRAY['US', 'GB', 'DE', 'FR'])[1 + s / 4 % 4], 'EN', 'US',
     CASE WHEN s % 3 = 0 THEN 'SMARTPHONE' ELSE 'DESKTOP' END, 'keyword ' || s / 2, 'A title of a result for keyword ' || s,
     'https://www.' || site || '/page/' || s % 97 + (s % 10 = 1)::integer * (($2::date - date '2020-01-05') / 7 % 5), site, 'www.' || site, CASE WHEN n % 11 = 0 THEN 'VIDEO' ELSE 'STANDARD_LINK' END,
     1 + n % ${RESULTS_PER_SEARCH}, 1 + n % ${RESULTS_PER_SEARCH} + n % 2, s % 20 || ',' || 20 + s % 9, 'Group ' || s % 20 || ',Group ' || 20 + s % 9,
     (100000 / (1 + s % 1000))::bigint`,
  ],
  [
    'ai_search_brands',
    AI_ROWS.brands,
    `${AI_COLUMNS}, prompt_type, brand_or_product_name, brand_or_product_attribution, ai_response_collected`,
    `${AI_VALUES}, ${PROMPT_TYPE}, 'Brand ' || n % 30, ${ATTRIBUTION}, true`,
  ],
  [
    'ai_search_citations',
    AI_ROWS.citations,
    `${AI_COLUMNS}, prompt_type, citation_title, citation_url, citation_domain, citation_attribution`,
    `${AI_VALUES}, ${PROMPT_TYPE}, 'A cited page', 'https://www.' || site || '/cited/' || n % 40, 'www.' || site, ${ATTRIBUTION}`,
  ],
  [
    'ai_search_fan_out',
    AI_ROWS.fanOut,
    `${AI_COLUMNS}, prompt_type, fan_out_query, fan_out_query_position, amount_of_searches`,
    `${AI_VALUES}, ${PROMPT_TYPE}, 'best shoes for ' || n % 400, n % 5, 1 + n % 7`,
  ],
  [
    'ai_search_sentiments',
    AI_ROWS.sentiments,
    `${AI_COLUMNS}, prompt_type, sentiment_brand, sentiment_value, sentiment_score, sentiment_category`,
    `${AI_VALUES}, ${PROMPT_TYPE}, 'Brand ' || n % 30, (ARRAY['positive', 'neutral', 'negative'])[1 + n % 3], n % 100 / 100.0, 'quality'`,
  ],
  [
    'ai_search_response',
    AI_ROWS.responses,
    `${AI_COLUMNS}, ai_search_engine_id, ai_response, collection_date`,
    `${AI_VALUES}, 'engine', repeat('An answer of an assistant. ', 20), $2::date + n % 7`,
  ],
];

export async function writeBoardRows(bench: Bench, { pool }: Database, account: number, weeks: readonly IsoDate[]): Promise<void> {
  const left = [...weeks];
  const write = async (): Promise<void> => {
    for (let week = left.shift(); week !== undefined; week = left.shift()) {
      bench.signal.throwIfAborted();
      for (const [dataset, rows, columns, values] of STATEMENTS) {
        await pool.query("SELECT searchmill.ensure_partition($1, date_trunc('month', $2::date)::date)", [dataset, week]);
        await pool.query({
          text: `INSERT INTO search.${dataset} (${columns}, ${OWN_COLUMNS})
                 SELECT ${values}, ${OWN} FROM generate_series(0, ${rows} - 1) AS n, LATERAL (SELECT n / ${RESULTS_PER_SEARCH} AS s, ${SITE} AS site) AS of`,
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
        AND (c.table_schema IN ('search', 'search_stored') OR c.table_name = 'own_domains')
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
