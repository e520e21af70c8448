-- What panels that are tables show: rows, the reason if there are none, and a notice about the weeks. Without rows they return one row that has only
-- these two.

CREATE OR REPLACE FUNCTION search_reports.most_moved_searches(
  of_account bigint, of_property text[], of_engine text[], of_country text[], of_device text[], rank text, is_weighted boolean, span text, compare text,
  of_groups text[], most integer
) RETURNS TABLE (query text, place_before integer, place_now integer, places_won integer, volume bigint, effect bigint, engine text, country text, device text,
                 web_property bigint, week date, reason text, notice text)
LANGUAGE plpgsql STABLE ROWS 50 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH pair AS MATERIALIZED (
    SELECT * FROM search_reports.tracked_pair(of_account, of_property, of_country, of_device, span, compare, of_groups)
  ), moves AS MATERIALIZED (
    SELECT m.*
      FROM pair p
     CROSS JOIN LATERAL search_reports.ranking_moves(of_account, of_property, of_engine, of_country, of_device, rank, is_weighted, p.week, p.before, of_groups) AS m
  ), shown AS (
    (SELECT * FROM moves WHERE effect > 0 ORDER BY effect DESC, query, device, web_property LIMIT most)
    UNION ALL (SELECT * FROM moves WHERE effect < 0 ORDER BY effect, query, device, web_property LIMIT most)
  )
  SELECT s.query, s.place_before, s.place_now, s.places_won, s.volume, s.effect, s.engine, s.country, s.device, s.web_property,
         CASE WHEN s.query IS NOT NULL THEN p.week END,
         coalesce(p.reason, p.refusal, CASE WHEN NOT EXISTS (SELECT FROM moves) THEN 'No search of what is chosen is tracked in both weeks.'
                                            WHEN NOT EXISTS (SELECT FROM moves WHERE effect IS NOT NULL) THEN 'No search finds us in either week.' END), p.notice
    FROM pair p LEFT JOIN shown s ON true;
END
$$;
COMMENT ON FUNCTION search_reports.most_moved_searches IS 'The searches that won most and those that lost most, so many of each, by search_reports.ranking_moves, in the weeks of search_reports.tracked_pair.';

CREATE OR REPLACE FUNCTION search_reports.most_cited_pages(
  of_account bigint, of_property text[], of_assistant text[], of_country text[], of_prompt_type text, span text, compare text, attributions text[]
) RETURNS TABLE (url text, citations bigint, change bigint, percent numeric, site text, attribution text, week date, reason text, notice text)
LANGUAGE plpgsql STABLE ROWS 50 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH pair AS MATERIALIZED (
    SELECT p.*, search_reports.unasked_values(p.asked, 'citation_attributions', attributions) AS unasked
      FROM search_reports.ai_pair('{ai_search_citations}', of_account, of_property, of_assistant, of_country, of_prompt_type, span, compare) AS p
  ), shown AS (
    SELECT coalesce(c.url, '(no page)') AS url, c.citations, c.citations - c.before AS change,
           round(100.0 * c.citations / sum(c.citations) OVER (), 1) AS percent, c.site, c.attribution
      FROM pair p
     CROSS JOIN LATERAL search_reports.cited_pages_of(of_account, of_property, of_assistant, of_country, of_prompt_type, p.week, p.before) AS c
     WHERE c.is_ours = ('you' = ANY (attributions))
     ORDER BY 2 DESC, 1
     LIMIT 50
  )
  SELECT s.url, s.citations, s.change, s.percent, s.site, s.attribution, CASE WHEN s.citations > 0 THEN p.week END,
         CASE WHEN s.citations IS NULL THEN coalesce(p.reason, p.unasked) END,
         concat_ws(' ', p.notice, p.refusal, CASE WHEN s.citations > 0 THEN initcap(left(p.unasked, 1)) || substr(p.unasked, 2) || '.' END)
    FROM pair p LEFT JOIN shown s ON true;
END
$$;
COMMENT ON FUNCTION search_reports.most_cited_pages IS 'The 50 pages that are cited most in the newest week of a span and match the choices, with some attributions (in lower case; either only you, or others). change is the difference to the compared week, percent the share of all such citations.';

CREATE OR REPLACE FUNCTION search_reports.cited_and_ranking(of_account bigint, of_property text[], of_assistant text[], of_country text[], span text, side text)
RETURNS TABLE (url text, citations bigint, assistants bigint, searches bigint, best_place integer, reason text, notice text)
LANGUAGE plpgsql STABLE ROWS 500 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH citations AS MATERIALIZED (
    SELECT * FROM search_reports.ai_pair('{ai_search_citations}', of_account, of_property, of_assistant, of_country, NULL, span)
  ), rankings AS MATERIALIZED (
    SELECT * FROM search_reports.ranking_pair(of_account, of_property, of_country, NULL, span)
  ), cited AS MATERIALIZED (
    SELECT p.*
      FROM citations n CROSS JOIN LATERAL search_reports.cited_pages_of(of_account, of_property, of_assistant, of_country, NULL, n.week, NULL) AS p
     WHERE p.is_ours
  ), ranked AS MATERIALIZED (
    SELECT p.* FROM rankings n CROSS JOIN LATERAL search_reports.own_pages_of(of_account, of_property, of_country, n.week) AS p
  ), pages AS MATERIALIZED (
    SELECT coalesce(c.url, r.url) AS url, c.citations, c.assistants, r.searches, r.best_place
      FROM (SELECT * FROM cited WHERE url IS NOT NULL) AS c FULL JOIN (SELECT * FROM ranked WHERE url IS NOT NULL) AS r ON r.url = c.url
  ), counts AS (
    SELECT count(citations) AS cited, count(searches) AS ranked, count(*) FILTER (WHERE citations > 0 AND searches > 0) AS met,
           array_agg(DISTINCT search_reports.host_of(url)) FILTER (WHERE citations > 0) AS cited_hosts,
           array_agg(DISTINCT search_reports.host_of(url)) FILTER (WHERE searches > 0) AS ranked_hosts
      FROM pages
  ), told AS (
    SELECT coalesce(nullif(concat_ws(' ', 'Citations: ' || c.reason, 'Rankings: ' || r.reason), ''), search_reports.unasked_values(c.asked, 'citation_attributions', '{you}'),
                    CASE WHEN NOT EXISTS (SELECT FROM cited) THEN 'No citation is attributed to You.'
                         WHEN NOT EXISTS (SELECT FROM ranked) THEN 'No ranking page is known to be ours.'
                         WHEN j.is_strange THEN format('Cited pages of ours are on %s, ranking ones on %s: no site is on both sides.',
                                                       array_to_string(n.cited_hosts[:3], ', '), array_to_string(n.ranked_hosts[:3], ', ')) END) AS reason,
           nullif(concat_ws(' ', 'Citations: ' || c.notice, 'Rankings: ' || r.notice,
                            CASE WHEN n.met > 0 OR NOT j.is_strange
                                 THEN format('Of %s cited pages of ours and %s that rank, %s are both.', n.cited, n.ranked, n.met) END), '') AS notice,
           EXISTS (SELECT FROM cited) AND EXISTS (SELECT FROM ranked) AND NOT coalesce(j.is_strange, false) AS is_shown
      FROM citations c CROSS JOIN rankings r CROSS JOIN counts n
     -- If no host is on both sides, they are probably spelled differently.
     CROSS JOIN LATERAL (SELECT NOT n.cited_hosts && n.ranked_hosts AS is_strange) AS j
  ), shown AS (
    SELECT *
      FROM pages
     WHERE CASE side WHEN 'cited' THEN citations > 0 AND searches IS NULL ELSE searches > 0 AND citations IS NULL END
     ORDER BY citations DESC, best_place, searches DESC, url
     LIMIT 100
  )
  SELECT s.url, s.citations, s.assistants, s.searches, s.best_place, t.reason, t.notice FROM told t LEFT JOIN shown s ON t.is_shown;
END
$$;
COMMENT ON FUNCTION search_reports.cited_and_ranking IS 'The first 100 of our pages that assistants cite and no tracked search finds (side is cited: citations, and by how many assistants), or the other way round (ranking: for how many searches, and the best place by standard rank), in the newest weeks of a span, for rows that match the choices. None if both sides cannot be compared.';
