-- The summaries of AI search by account and week. Each function computes the rows of the view of the same name.

CREATE OR REPLACE FUNCTION search_reports.compute_ai_spellings(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, dataset text, kind text, spelling text, row_count integer, met_rows integer
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 50 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
  aliases jsonb := search_reports.aliases_of(account);
BEGIN
  RETURN QUERY
  WITH served AS (
    SELECT web_property_id, collection_frequency, time_period_start, time_period_end, topic, prompt, persona, true AS is_answer,
           search_reports.spelled('engine', ai_search_engine, aliases) AS engine,
           search_reports.spelled('locode', locode, aliases) AS locode,
           search_reports.spelled('language', language, aliases) AS language
      FROM search.ai_search_response
     WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
    UNION ALL
    SELECT web_property_id, collection_frequency, time_period_start, time_period_end, topic, prompt, persona, false,
           search_reports.spelled('engine', ai_search_engine, aliases),
           search_reports.spelled('locode', locode, aliases),
           search_reports.spelled('language', language, aliases)
      FROM search.ai_search_brands
     WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
       AND lower(brand_or_product_attribution COLLATE "C") = 'you'
  ), joined AS (
    SELECT web_property_id, max(engine COLLATE "C") FILTER (WHERE is_answer) AS engine,
           max(locode COLLATE "C") FILTER (WHERE is_answer) AS locode,
           max(language COLLATE "C") FILTER (WHERE is_answer) AS language, count(*) FILTER (WHERE is_answer) AS answers,
           max(engine COLLATE "C") FILTER (WHERE NOT is_answer) AS brands_engine,
           max(locode COLLATE "C") FILTER (WHERE NOT is_answer) AS brands_locode,
           max(language COLLATE "C") FILTER (WHERE NOT is_answer) AS brands_language, count(*) FILTER (WHERE NOT is_answer) AS brands
      FROM served
     GROUP BY web_property_id, lower(collection_frequency COLLATE "C"), time_period_start, time_period_end, topic, prompt, persona,
              search_reports.join_key(engine), search_reports.join_key(locode), search_reports.join_key(language)
  ), cited AS (
    SELECT search_reports.spelled('engine', ai_search_engine, aliases) AS engine,
           search_reports.spelled('locode', locode, aliases) AS locode,
           search_reports.spelled('language', language, aliases) AS language, count(*) AS citations
      FROM search.ai_search_citations
     WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
     GROUP BY 1, 2, 3
  ), answered AS (
    SELECT search_reports.join_key(engine) AS engine, search_reports.join_key(locode) AS locode,
           search_reports.join_key(language) AS language
      FROM joined
     WHERE answers > 0
     GROUP BY 1, 2, 3
  ), amounts AS (
    SELECT 'ai_search_response' AS dataset, engine, locode, language, NULL::text AS place, answers AS amount, CASE WHEN brands > 0
      THEN answers ELSE 0 END AS met
      FROM joined WHERE answers > 0
    UNION ALL
    SELECT 'ai_search_brands', brands_engine, brands_locode, brands_language,
           jsonb_build_array(web_property_id, brands_engine, search_reports.country_of(brands_locode))::text, brands, CASE WHEN answers > 0
             THEN brands ELSE 0 END
      FROM joined WHERE brands > 0
    UNION ALL
    SELECT 'ai_search_citations', c.engine, c.locode, c.language, NULL, c.citations, CASE WHEN a.is_found THEN c.citations ELSE 0 END
      FROM cited c
      LEFT JOIN (SELECT *, true AS is_found FROM answered) a
        ON a.engine IS NOT DISTINCT FROM search_reports.join_key(c.engine) AND a.locode IS NOT DISTINCT
          FROM search_reports.join_key(c.locode)
       AND a.language IS NOT DISTINCT FROM search_reports.join_key(c.language)
  )
  SELECT account, sunday, s.dataset, s.kind, s.spelling, sum(s.amount)::integer, sum(s.met)::integer
    FROM (SELECT a.dataset, k.kind, CASE k.kind WHEN 'engine' THEN a.engine WHEN 'locode' THEN a.locode WHEN 'language' THEN a.language
          ELSE a.place END AS spelling, a.amount, a.met
            FROM amounts a CROSS JOIN unnest(ARRAY['engine', 'locode', 'language', 'place']) AS k (kind) WHERE k.kind <> 'place'
              OR a.place IS NOT NULL) AS s
   GROUP BY s.dataset, s.kind, s.spelling;
END
$$;
COMMENT ON FUNCTION search_reports.compute_ai_spellings IS 'The rows of search_reports.ai_spellings for an account and the week of a '
  'Sunday, computed from the tables.';

-- prompt_type is in lower case, so that panels compare it directly and the planner can estimate how many rows are left.
CREATE OR REPLACE FUNCTION search_reports.compute_ai_cited_pages(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, web_property_id bigint, assistant text, country text, prompt_type text, url text, site text,
  attribution text, citations integer, topic text
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 5000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
  aliases jsonb := search_reports.aliases_of(account);
BEGIN
  RETURN QUERY
  SELECT account, sunday, c.web_property_id, search_reports.spelled('engine', c.ai_search_engine, aliases),
         search_reports.country_of(search_reports.spelled('locode', c.locode, aliases)), lower(c.prompt_type COLLATE "C"),
         search_reports.bare_url(c.citation_url), left(nullif(lower(c.citation_domain COLLATE "C"), ''), 253),
         lower(c.citation_attribution COLLATE "C"),
         count(*)::integer, c.topic
    FROM search.ai_search_citations c
   WHERE c.account_id = account AND c.time_period_start BETWEEN sunday AND sunday + 6
       AND (c._occurrence = 1 OR search_reports.is_first_copy(to_jsonb(c), ARRAY(
            SELECT to_jsonb(o) FROM search.ai_search_citations o
             WHERE o.account_id = c.account_id AND o.time_period_start = c.time_period_start AND o._key = c._key
               AND o._occurrence < c._occurrence)))
   GROUP BY 3, 4, 5, 6, 7, 8, 9, c.topic;
END
$$;
COMMENT ON FUNCTION search_reports.compute_ai_cited_pages IS 'The rows of search_reports.ai_cited_pages for an account and the week of a '
  'Sunday, computed from the tables.';

CREATE OR REPLACE FUNCTION search_reports.compute_ai_sentiments(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, web_property_id bigint, assistant text, country text, prompt_type text, topic text, brand text,
  positive integer, neutral integer, negative integer, other integer,
  mentions_squared bigint, mentions_by_halves bigint, halves_squared bigint, prompts integer, prompt_points numeric
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 500 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
  aliases jsonb := search_reports.aliases_of(account);
BEGIN
  RETURN QUERY
  WITH by_prompt AS (
    SELECT s.web_property_id, search_reports.spelled('engine', s.ai_search_engine, aliases) AS assistant,
           search_reports.country_of(search_reports.spelled('locode', s.locode, aliases)) AS country,
           lower(s.prompt_type COLLATE "C") AS prompt_type,
           s.topic,
           s.sentiment_brand AS brand, s.prompt,
           -- A mention without a value does not count.
           count(*) FILTER (WHERE s.sentiment_value <> '') AS mentions,
           count(*) FILTER (WHERE lower(s.sentiment_value COLLATE "C") = 'positive') AS positive,
           count(*) FILTER (WHERE lower(s.sentiment_value COLLATE "C") = 'neutral') AS neutral,
           count(*) FILTER (WHERE lower(s.sentiment_value COLLATE "C") = 'negative') AS negative
      FROM search.ai_search_sentiments s
     WHERE s.account_id = account AND s.time_period_start BETWEEN sunday AND sunday + 6
       AND (s._occurrence = 1 OR search_reports.is_first_copy(to_jsonb(s), ARRAY(
            SELECT to_jsonb(o) FROM search.ai_search_sentiments o
             WHERE o.account_id = s.account_id AND o.time_period_start = s.time_period_start AND o._key = s._key
               AND o._occurrence < s._occurrence)))
     GROUP BY 1, 2, 3, 4, 5, 6, 7
  )
  SELECT account, sunday, p.web_property_id, p.assistant, p.country, p.prompt_type, p.topic, p.brand,
         sum(p.positive)::integer, sum(p.neutral)::integer, sum(p.negative)::integer,
         sum(p.mentions - p.positive - p.neutral - p.negative)::integer,
         sum(p.mentions * p.mentions)::bigint, sum(p.mentions * (2 * p.positive + p.neutral))::bigint,
         sum((2 * p.positive + p.neutral) ^ 2)::bigint,
         (count(*) FILTER (WHERE p.positive + p.neutral + p.negative > 0))::integer,
         coalesce(sum(round((10 * p.positive + 5 * p.neutral + p.negative)::numeric / nullif(p.positive + p.neutral + p.negative, 0), 6)),
                  0)
    FROM by_prompt p
   GROUP BY p.web_property_id, p.assistant, p.country, p.prompt_type, p.topic, p.brand;
END
$$;
COMMENT ON FUNCTION search_reports.compute_ai_sentiments IS 'The rows of search_reports.ai_sentiments for an account and the week of a '
  'Sunday, computed from the tables.';
COMMENT ON COLUMN search_stored.ai_sentiments.other IS 'Mentions with another sentiment. Mentions without any are not counted.';

CREATE OR REPLACE FUNCTION search_reports.compute_ai_fan_out(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, web_property_id bigint, assistant text, country text, prompt_type text, query text,
  row_count integer, amount_of_searches numeric
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 5000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
  aliases jsonb := search_reports.aliases_of(account);
BEGIN
  RETURN QUERY
  SELECT account, sunday, f.web_property_id, search_reports.spelled('engine', f.ai_search_engine, aliases),
         search_reports.country_of(search_reports.spelled('locode', f.locode, aliases)), lower(f.prompt_type COLLATE "C"), f.fan_out_query,
         count(*)::integer, coalesce(sum(f.amount_of_searches), 0)
    FROM search.ai_search_fan_out f
   WHERE f.account_id = account AND f.time_period_start BETWEEN sunday AND sunday + 6
       AND (f._occurrence = 1 OR search_reports.is_first_copy(to_jsonb(f), ARRAY(
            SELECT to_jsonb(o) FROM search.ai_search_fan_out o
             WHERE o.account_id = f.account_id AND o.time_period_start = f.time_period_start AND o._key = f._key
               AND o._occurrence < f._occurrence)))
   GROUP BY 3, 4, 5, 6, 7;
END
$$;
COMMENT ON FUNCTION search_reports.compute_ai_fan_out IS 'The rows of search_reports.ai_fan_out for an account and the week of a Sunday, '
  'computed from the tables.';
