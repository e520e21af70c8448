-- Moves of searches, and results of own sites by engine.

-- Results are summarised by root domain, so several own sites below one root domain cannot be told apart.
CREATE OR REPLACE FUNCTION search_reports.own_results(
  of_account bigint, of_property text[], of_engine text[], of_country text[], of_device text[], rank text, first_places integer, is_by_volume boolean,
  from_week date, to_week date, chosen text[]
) RETURNS TABLE (week date, engine text, results numeric, is_mixed boolean)
LANGUAGE plpgsql STABLE ROWS 200 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT r.week, r.engine, sum(r.results) FILTER (WHERE chosen IS NULL OR search_reports.is_related(r.site, o.ours)),
         chosen IS NOT NULL AND bool_or(search_reports.is_related(r.site, o.ours) = search_reports.is_related(r.site, o.others))
    FROM search_reports.ranking_results(of_account, of_property, of_engine, of_country, of_device, rank, first_places, is_by_volume, from_week, to_week, NULL) AS r
   CROSS JOIN search_reports.own_sites(of_account, chosen) AS o
   GROUP BY r.week, r.engine;
END
$$;
COMMENT ON FUNCTION search_reports.own_results IS 'Own results within the first places by week and engine, as search_reports.ranking_results counts them, of the chosen own sites. is_mixed if these cannot be told apart from other own sites.';

CREATE OR REPLACE FUNCTION search_reports.ranking_moves(
  of_account bigint, of_property text[], of_engine text[], of_country text[], of_device text[], rank text, is_weighted boolean, newest date, week_before date,
  of_groups text[]
) RETURNS TABLE (query text, place_before integer, place_now integer, places_won integer, volume bigint, effect bigint,
                 engine text, country text, device text, web_property bigint, url_before text, url text)
LANGUAGE plpgsql STABLE ROWS 1000 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT c.query, c.place_before, c.place, m.places, c.volume, m.places * CASE WHEN is_weighted THEN coalesce(c.volume, 1) ELSE 1 END,
         c.engine, c.country, c.device, c.web_property, c.url_before, c.url
    FROM search_reports.ranking_changes(of_account, of_property, of_engine, of_country, of_device, rank, newest, week_before, of_groups) AS c
   CROSS JOIN LATERAL (
         -- A search that finds us without a place by this rank, such as in a feature, is not absent.
         SELECT CASE WHEN c.place IS NULL AND c.own_results > 0 OR c.place_before IS NULL AND c.own_results_before > 0 THEN NULL
                     WHEN c.place IS NOT NULL OR c.place_before IS NOT NULL
                     THEN coalesce(c.place_before, greatest(c.absent_place, c.absent_place_before)) - coalesce(c.place, greatest(c.absent_place, c.absent_place_before)) END AS places) AS m;
END
$$;
COMMENT ON FUNCTION search_reports.ranking_moves IS 'Searches tracked in both of two weeks and how far we have moved: places_won by rank, where absent counts as the place behind the deepest tracked place of either week, and effect, which is places_won times the volume of the search (1 if unknown, or if not is_weighted). Both are NULL if neither week finds us, or one of them only by results without such a rank.';
