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
  c search_reports.choices, of_week date, page text DEFAULT NULL, of_site text DEFAULT NULL
) RETURNS TABLE (search_key uuid, query text, tracked text, place integer, rank_true integer, site text, url text, title text,
                 result_type text, is_own boolean, volume bigint)
LANGUAGE plpgsql STABLE ROWS 100 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  IF c.keyword IS NULL THEN
    RETURN QUERY
    SELECT r.search_key, r.query, r.tracked, CASE c.rank WHEN 'true' THEN r.rank_true ELSE r.rank_standard END, r.rank_true, r.site, r.url,
           r.title, r.result_type, r.is_own, r.volume
      FROM search_reports.read_results(c.account, c.web_property, c.engine, c.country, c.device, of_week, NULL, page, of_site) AS r;
  ELSE
    RETURN QUERY
    SELECT r.search_key, r.query, r.tracked, CASE c.rank WHEN 'true' THEN r.rank_true ELSE r.rank_standard END, r.rank_true, r.site, r.url,
           r.title, r.result_type, r.is_own, r.volume
      FROM jsonb_to_recordset(search_reports.read_once(format(
             'SELECT * FROM search_reports.read_results(%L, %L, %L, %L, %L, %L, %L, %L, %L)',
             c.account, c.web_property, c.engine, c.country, c.device, of_week, c.keyword, page, of_site)))
             AS r (search_key uuid, query text, tracked text, rank_standard integer, rank_true integer, site text, url text, title text,
                   result_type text, is_own boolean, volume bigint);
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.results_of IS 'Results of a week in the chosen markets, for the chosen keyword, of a page (compared by '
  'search_reports.bare_url) or a site (root domain); NULL chooses all. For each search, those of its newest period in the week. place is '
  'by the chosen rank.';

CREATE OR REPLACE FUNCTION search_reports.page_places(c search_reports.choices, page text, from_week date)
RETURNS TABLE (week date, searches bigint, place integer)
LANGUAGE plpgsql STABLE ROWS 52 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT p.week, sum(p.searches)::bigint, min(CASE c.rank WHEN 'true' THEN p.best_true ELSE p.best_standard END)
    FROM search_reports.ranking_pages p
   WHERE p.account_id = c.account AND p.week >= from_week AND lower(p.url COLLATE "C") = lower(search_reports.bare_url(page) COLLATE "C")
     AND search_reports.is_market_chosen(p.web_property_id, p.search_engine, p.country, p.device, c.web_property, c.engine, c.country,
                                         c.device)
   GROUP BY 1;
END
$$;
COMMENT ON FUNCTION search_reports.page_places IS 'For how many searches of what is chosen an own page ranks from a week on, and its best '
  'place by the chosen rank.';

CREATE OR REPLACE FUNCTION search_reports.is_own_page(of_account bigint, page text) RETURNS boolean
LANGUAGE sql STABLE
RETURN search_reports.is_own(NULL, split_part(page, '/', 1), search_reports.own_patterns(of_account));
COMMENT ON FUNCTION search_reports.is_own_page IS 'Whether a page is on a site of ours, in the same way as figures of rankings.';

CREATE OR REPLACE FUNCTION search_reports.page_citations(c search_reports.choices, page text, from_week date)
RETURNS TABLE (week date, assistant text, citations bigint)
LANGUAGE plpgsql STABLE ROWS 200 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT p.week, coalesce(nullif(p.assistant, ''), '(unknown)'), sum(p.citations)::bigint
    FROM search_reports.ai_cited_pages p
   WHERE p.account_id = c.account AND p.week >= from_week AND lower(p.url COLLATE "C") = lower(search_reports.bare_url(page) COLLATE "C")
     AND search_reports.is_assistant_chosen(p.web_property_id, p.assistant, p.country, c.web_property, c.assistant, c.country)
   GROUP BY 1, 2;
END
$$;
COMMENT ON FUNCTION search_reports.page_citations IS 'Citations of a page from a week on, for what is chosen, by assistant.';
