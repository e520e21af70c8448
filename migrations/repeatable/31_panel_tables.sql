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
