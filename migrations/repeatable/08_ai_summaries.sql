-- What the summaries of AI search are, by account and week: each function computes the rows of the view of its name.

CREATE OR REPLACE FUNCTION search_reports.country_of(locode text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN upper(substring(locode FROM '^[^ -]+'));
COMMENT ON FUNCTION search_reports.country_of IS 'The country that a location code begins with, in upper case.';

-- In lower case, so that a panel that compares them tells the planner how many rows are left.
CREATE OR REPLACE FUNCTION search_reports.compute_ai_answers(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, web_property_id bigint, assistant text, country text, prompt_type text, topic text,
  answers integer, naming_answers integer
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 500 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off SET enable_nestloop = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH kinds AS (
    SELECT k.web_property_id, k.prompt, lower(max(k.prompt_type COLLATE "C")) AS prompt_type
      FROM (SELECT web_property_id, prompt, prompt_type FROM search.ai_search_brands
             WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
            UNION ALL
            SELECT web_property_id, prompt, prompt_type FROM search.ai_search_citations
             WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6) AS k
     GROUP BY k.web_property_id, k.prompt
  ), collected AS (
    SELECT r.web_property_id, r.ai_search_engine, r.locode, r.topic, r.prompt, count(*) FILTER (WHERE r.is_answer) AS answers,
           bool_or(NOT r.is_answer) AS is_naming
      FROM (SELECT web_property_id, collection_frequency, time_period_start, time_period_end, locode, language, ai_search_engine, topic, prompt,
                   persona, true AS is_answer
              FROM search.ai_search_response
             WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
            UNION ALL
            SELECT web_property_id, collection_frequency, time_period_start, time_period_end, locode, language, ai_search_engine, topic, prompt,
                   persona, false
              FROM search.ai_search_brands
             WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
               AND lower(brand_or_product_attribution) = 'you') AS r
     GROUP BY r.web_property_id, r.collection_frequency, r.time_period_start, r.time_period_end, r.locode, r.language, r.ai_search_engine, r.topic,
              r.prompt, r.persona
    HAVING count(*) FILTER (WHERE r.is_answer) > 0
  )
  SELECT account, sunday, c.web_property_id, c.ai_search_engine, search_reports.country_of(c.locode), k.prompt_type, c.topic,
         sum(c.answers)::integer, coalesce(sum(c.answers) FILTER (WHERE c.is_naming), 0)::integer
    FROM collected c LEFT JOIN kinds k ON k.prompt = c.prompt AND k.web_property_id IS NOT DISTINCT FROM c.web_property_id
   GROUP BY c.web_property_id, c.ai_search_engine, search_reports.country_of(c.locode), k.prompt_type, c.topic;
END
$$;
COMMENT ON FUNCTION search_reports.compute_ai_answers IS 'The rows of search_reports.ai_answers for an account and the week of a Sunday, computed from the tables.';

CREATE OR REPLACE FUNCTION search_reports.compute_ai_citation_sites(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, web_property_id bigint, assistant text, country text, prompt_type text, topic text, site text,
  attribution text, citations integer
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 2000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT account, sunday, c.web_property_id, c.ai_search_engine, search_reports.country_of(c.locode), lower(c.prompt_type), c.topic,
         left(c.citation_domain, 253), lower(c.citation_attribution), count(*)::integer
    FROM search.ai_search_citations c
   WHERE c.account_id = account AND c.time_period_start BETWEEN sunday AND sunday + 6
   GROUP BY 3, 4, 5, 6, 7, 8, 9;
END
$$;
COMMENT ON FUNCTION search_reports.compute_ai_citation_sites IS 'The rows of search_reports.ai_citation_sites for an account and the week of a Sunday, computed from the tables.';

CREATE OR REPLACE FUNCTION search_reports.compute_ai_citation_totals(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, web_property_id bigint, assistant text, country text, prompt_type text, attribution text,
  citations integer
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 300 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT account, sunday, s.web_property_id, s.assistant, s.country, s.prompt_type, s.attribution, sum(s.citations)::integer
    FROM search_reports.ai_citation_sites s
   WHERE s.account_id = account AND s.week = sunday
   GROUP BY s.web_property_id, s.assistant, s.country, s.prompt_type, s.attribution;
END
$$;
COMMENT ON FUNCTION search_reports.compute_ai_citation_totals IS 'The rows of search_reports.ai_citation_totals for an account and the week of a Sunday, computed from the tables.';

CREATE OR REPLACE FUNCTION search_reports.compute_ai_cited_pages(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, web_property_id bigint, assistant text, country text, prompt_type text, url text, site text,
  attribution text, citations integer
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 5000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT account, sunday, c.web_property_id, c.ai_search_engine, search_reports.country_of(c.locode), lower(c.prompt_type),
         search_reports.bare_url(c.citation_url), left(c.citation_domain, 253), lower(c.citation_attribution), count(*)::integer
    FROM search.ai_search_citations c
   WHERE c.account_id = account AND c.time_period_start BETWEEN sunday AND sunday + 6
   GROUP BY 3, 4, 5, 6, 7, 8, 9;
END
$$;
COMMENT ON FUNCTION search_reports.compute_ai_cited_pages IS 'The rows of search_reports.ai_cited_pages for an account and the week of a Sunday, computed from the tables.';

CREATE OR REPLACE FUNCTION search_reports.compute_ai_sentiments(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, web_property_id bigint, assistant text, country text, prompt_type text, brand text,
  positive integer, neutral integer, negative integer, other integer
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 500 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT account, sunday, s.web_property_id, s.ai_search_engine, search_reports.country_of(s.locode), lower(s.prompt_type), s.sentiment_brand,
         (count(*) FILTER (WHERE lower(s.sentiment_value) = 'positive'))::integer,
         (count(*) FILTER (WHERE lower(s.sentiment_value) = 'neutral'))::integer,
         (count(*) FILTER (WHERE lower(s.sentiment_value) = 'negative'))::integer,
         (count(*) FILTER (WHERE coalesce(lower(s.sentiment_value), '') NOT IN ('positive', 'neutral', 'negative')))::integer
    FROM search.ai_search_sentiments s
   WHERE s.account_id = account AND s.time_period_start BETWEEN sunday AND sunday + 6
   GROUP BY 3, 4, 5, 6, 7;
END
$$;
COMMENT ON FUNCTION search_reports.compute_ai_sentiments IS 'The rows of search_reports.ai_sentiments for an account and the week of a Sunday, computed from the tables.';

CREATE OR REPLACE FUNCTION search_reports.compute_ai_fan_out(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, web_property_id bigint, assistant text, country text, prompt_type text, query text,
  row_count integer, amount_of_searches numeric
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 5000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT account, sunday, f.web_property_id, f.ai_search_engine, search_reports.country_of(f.locode), lower(f.prompt_type), f.fan_out_query,
         count(*)::integer, coalesce(sum(f.amount_of_searches), 0)
    FROM search.ai_search_fan_out f
   WHERE f.account_id = account AND f.time_period_start BETWEEN sunday AND sunday + 6
   GROUP BY 3, 4, 5, 6, 7;
END
$$;
COMMENT ON FUNCTION search_reports.compute_ai_fan_out IS 'The rows of search_reports.ai_fan_out for an account and the week of a Sunday, computed from the tables.';
