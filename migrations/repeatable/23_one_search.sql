-- What boards of one search, one page or one site show. Places over weeks come from summaries; results are read from the table, for few
-- weeks. In PL/pgSQL: Citus runs each of their queries on the node that has the account.

-- Searches for one keyword differ in device, engine and country, else in language, place or web property.
-- Without concat_ws, which is STABLE: functions that are called for each row must be IMMUTABLE, because Citus's nodes have only these.
CREATE OR REPLACE FUNCTION search_reports.tracked_as(of_device text, of_engine text, of_country text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(nullif(substr(coalesce(', ' || nullif(of_device, ''), '') || coalesce(', ' || nullif(of_engine, ''),
    '') || coalesce(', ' || nullif(of_country, ''), ''), 3), ''), '(unknown)');
COMMENT ON FUNCTION search_reports.tracked_as IS 'How a keyword is tracked, in words: device, search engine, country.';

-- Index scans are off: in the order of the key the rows of a week are scattered over its pages, and each page would be read many times.
CREATE OR REPLACE FUNCTION search_reports.read_results(
  of_account bigint, of_property text[], of_engine text[], of_country text[], of_device text[], of_week date, keyword text, page text,
  of_site text
) RETURNS TABLE (search_key uuid, query text, tracked text, rank_standard integer, rank_true integer, site text, url text, title text,
                 result_type text,
                 is_own boolean, volume bigint)
LANGUAGE plpgsql STABLE ROWS 100 SET plan_cache_mode = force_custom_plan SET enable_indexscan = off SET search_path = pg_catalog,
pg_temp AS $$
#variable_conflict use_column
DECLARE
  own    text[] := search_reports.own_patterns(of_account);
  wanted text := lower(search_reports.bare_url(page) COLLATE "C");
BEGIN
  RETURN QUERY
  SELECT r.search_key, r.query, search_reports.tracked_as(r.device, r.search_engine, r.search_engine_country_code), r.rank_standard,
         r.rank_true,
         nullif(lower(r.root_domain COLLATE "C"), ''), nullif(search_reports.bare_url(r.normalized_url), ''), r.title,
         nullif(r.result_type, ''),
         search_reports.is_own(r.subdomain, r.root_domain, own), r.volume
    FROM (SELECT k.*, coalesce(k.average_search_volume, k.approximate_search_volume)::bigint AS volume,
                 search_reports.search_key(k.web_property_id, k.search_engine, k.search_engine_country_code, k.search_engine_language_code,
                                           k.locode, k.device, k.query) AS search_key,
                 rank() OVER (PARTITION BY k.web_property_id, k.search_engine, k.search_engine_country_code, k.search_engine_language_code,
                              k.locode, k.device, k.query
                              ORDER BY k.time_period_start DESC, k.time_period_end DESC) AS age
            FROM search.keyword_rankings k
           WHERE k.account_id = of_account AND k.time_period_start BETWEEN of_week AND of_week + 6
             AND (keyword IS NULL OR k.query = keyword)
             -- The cheaper condition comes first.
             AND (page IS NULL OR strpos(lower(k.normalized_url COLLATE "C"), wanted) > 0
                  AND lower(search_reports.bare_url(k.normalized_url) COLLATE "C") = wanted)
             AND (of_site IS NULL OR lower(k.root_domain COLLATE "C") = lower(of_site COLLATE "C"))
             AND search_reports.is_market_chosen(k.web_property_id, k.search_engine, k.search_engine_country_code, k.device, of_property,
                                                 of_engine, of_country, of_device)) AS r
   WHERE r.age = 1;
END
$$;
COMMENT ON FUNCTION search_reports.read_results IS 'The rows of search_reports.results_of with both ranks, read at each call.';

-- A keyword has few results, and several panels show them, so they are read once.
CREATE OR REPLACE FUNCTION search_reports.results_of(
  of_account bigint, of_property text[], of_engine text[], of_country text[], of_device text[], rank text, of_week date, keyword text,
  page text, of_site text
) RETURNS TABLE (search_key uuid, query text, tracked text, place integer, site text, url text, title text, result_type text,
                 is_own boolean, volume bigint)
LANGUAGE plpgsql STABLE ROWS 100 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  IF keyword IS NULL THEN
    RETURN QUERY
    SELECT r.search_key, r.query, r.tracked, CASE rank WHEN 'standard' THEN r.rank_standard ELSE r.rank_true END, r.site, r.url, r.title,
           r.result_type, r.is_own, r.volume
      FROM search_reports.read_results(of_account, of_property, of_engine, of_country, of_device, of_week, NULL, page, of_site) AS r;
  ELSE
    RETURN QUERY
    SELECT r.search_key, r.query, r.tracked, CASE rank WHEN 'standard' THEN r.rank_standard ELSE r.rank_true END, r.site, r.url, r.title,
           r.result_type, r.is_own, r.volume
      FROM jsonb_to_recordset(search_reports.read_once(format(
             'SELECT * FROM search_reports.read_results(%L, %L, %L, %L, %L, %L, %L, %L, %L)',
             of_account, of_property, of_engine, of_country, of_device, of_week, keyword, page, of_site)))
             AS r (search_key uuid, query text, tracked text, rank_standard integer, rank_true integer, site text, url text, title text,
                   result_type text, is_own boolean, volume bigint);
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.results_of IS 'Results of a week that match the choices, of a keyword, a page (compared by '
  'search_reports.bare_url), a site (root domain), or of several of these; NULL chooses all. For each search, those of its newest period '
  'in the week.';

CREATE OR REPLACE FUNCTION search_reports.page_places(
  of_account bigint, of_property text[], of_engine text[], of_country text[], of_device text[], rank text, page text, from_week date
) RETURNS TABLE (week date, searches bigint, place integer)
LANGUAGE plpgsql STABLE ROWS 52 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT p.week, sum(p.searches)::bigint, min(CASE rank WHEN 'standard' THEN p.best_standard ELSE p.best_true END)
    FROM search_reports.ranking_pages p
   WHERE p.account_id = of_account AND p.week >= from_week AND lower(p.url COLLATE "C") = lower(search_reports.bare_url(page) COLLATE "C")
     AND search_reports.is_market_chosen(p.web_property_id, p.search_engine, p.country, p.device, of_property, of_engine, of_country,
                                         of_device)
   GROUP BY 1;
END
$$;
COMMENT ON FUNCTION search_reports.page_places IS 'For how many searches that match the choices an own page ranks from a week on, and its '
  'best place by rank (standard or true).';

CREATE OR REPLACE FUNCTION search_reports.is_own_site(of_account bigint, of_site text) RETURNS boolean
LANGUAGE sql STABLE
RETURN search_reports.is_own(NULL, of_site, search_reports.own_patterns(of_account));
COMMENT ON FUNCTION search_reports.is_own_site IS 'Whether a site is ours, in the same way as figures of rankings.';

CREATE OR REPLACE FUNCTION search_reports.page_citations(
  of_account bigint, of_property text[], of_assistant text[], of_country text[], page text, from_week date
) RETURNS TABLE (week date, assistant text, attribution text, citations bigint)
LANGUAGE plpgsql STABLE ROWS 200 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT p.week, coalesce(nullif(p.assistant, ''), '(unknown)'), max(p.attribution), sum(p.citations)::bigint
    FROM search_reports.ai_cited_pages p
   WHERE p.account_id = of_account AND p.week >= from_week AND lower(p.url COLLATE "C") = lower(search_reports.bare_url(page) COLLATE "C")
     AND search_reports.is_assistant_chosen(p.web_property_id, p.assistant, p.country, of_property, of_assistant, of_country)
   GROUP BY 1, 2;
END
$$;
COMMENT ON FUNCTION search_reports.page_citations IS 'Citations of a page from a week on that match the choices, by assistant.';

CREATE OR REPLACE FUNCTION search_reports.citations_in(
  of_account bigint, of_property text[], of_assistant text[], of_country text[], of_week date, of_prompt text, page text, of_site text,
  of_persona text[] DEFAULT NULL, of_intent text[] DEFAULT NULL, of_groups text[] DEFAULT NULL
) RETURNS TABLE (assistant text, prompt text, topic text, site text, url text, title text, attribution text, citations bigint)
LANGUAGE plpgsql STABLE ROWS 200 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  aliases jsonb := search_reports.aliases_of(of_account);
  wanted  text := lower(search_reports.bare_url(page) COLLATE "C");
BEGIN
  RETURN QUERY
  SELECT search_reports.spelled('engine', c.ai_search_engine, aliases), c.prompt, nullif(c.topic, ''),
         nullif(search_reports.bare_domain(c.citation_domain), ''),
         nullif(search_reports.bare_url(c.citation_url), ''), max(c.citation_title COLLATE "C"),
         max(lower(c.citation_attribution COLLATE "C")), count(*)
    FROM search.ai_search_citations c
   WHERE c.account_id = of_account AND c.time_period_start BETWEEN of_week AND of_week + 6
     AND (of_prompt IS NULL OR c.prompt = of_prompt)
     AND (page IS NULL OR strpos(lower(c.citation_url COLLATE "C"), wanted) > 0
          AND lower(search_reports.bare_url(c.citation_url) COLLATE "C") = wanted)
     AND (of_site IS NULL OR right('.' || lower(c.citation_domain COLLATE "C"), length(of_site) + 1) = '.' || lower(of_site COLLATE "C"))
     AND search_reports.is_served_chosen(c.web_property_id, c.ai_search_engine, c.locode, aliases, of_property, of_assistant, of_country)
     AND search_reports.is_of_kind(c.persona, c.intent, c.prompt_group_names, of_persona, of_intent, of_groups)
   GROUP BY 1, 2, 3, 4, 5;
END
$$;
COMMENT ON FUNCTION search_reports.citations_in IS 'Citations of a week that match the choices, in answers to a prompt, of a page '
  '(compared by search_reports.bare_url) or of a site and sites below it; NULL chooses all.';
