-- What the board Home says about a week: each figure compared with the weeks before it, and what has moved most.

-- A change is shown only between weeks that answer the same question. If a figure has no interval, its earlier moves from week to week say which
-- change is usual.
CREATE OR REPLACE FUNCTION search_reports.tile(points jsonb, digits integer, compare text)
RETURNS TABLE (week date, figure numeric, low numeric, high numeric, compared_with date, before numeric, change numeric, reading text,
               mean_of_four numeric, against_mean numeric, uncompared text, reason text, question text)
LANGUAGE plpgsql STABLE ROWS 52 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH points AS MATERIALIZED (
    SELECT p.week, CASE WHEN p.gap IS NULL THEN p.figure END AS figure, CASE WHEN p.gap IS NULL THEN p.bounds END AS bounds, p.gap, p.note, p.change,
           CASE WHEN p.gap IS NULL THEN p.question END AS question, search_reports.week_compared(p.week, compare) AS compared_with
      FROM jsonb_to_recordset(points) AS p (week date, figure numeric, bounds numeric[], gap text, note text, change text, question text)
  ), moves AS MATERIALIZED (
    SELECT n.week, round(n.figure, digits) - round(b.figure, digits) AS move
      FROM points n JOIN points b ON b.week = n.week - 7 AND b.question = n.question AND b.figure IS NOT NULL AND n.figure IS NOT NULL
  ), told AS (
    SELECT n.*, b.figure AS before, b.bounds AS bounds_before, m.mean, u.usual,
           CASE WHEN n.gap IS NOT NULL OR n.figure IS NULL THEN NULL
                WHEN n.compared_with >= n.week THEN format('the week of %s is not before it', n.compared_with)
                WHEN b.week IS NULL THEN format('the week of %s is not among the weeks chosen', n.compared_with)
                WHEN b.gap IS NOT NULL THEN format('the week of %s has no figure: %s', b.week, b.gap)
                WHEN b.question = n.question THEN NULL
                ELSE coalesce(n.change, format('the week of %s answers another question, or one that is not known', b.week)) END AS uncompared
      FROM points n
      LEFT JOIN points b ON b.week = n.compared_with
      LEFT JOIN LATERAL (
            SELECT CASE WHEN count(*) = 4 THEN avg(round(f.figure, digits)) END AS mean
              FROM points f WHERE f.week BETWEEN n.week - 28 AND n.week - 7 AND f.question = n.question AND f.figure IS NOT NULL) AS m ON true
      LEFT JOIN LATERAL (
            SELECT CASE WHEN count(*) >= 5 THEN (percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(o.move)))::numeric END AS usual
              FROM moves o WHERE o.week < n.week) AS u ON true
  )
  SELECT t.week, round(t.figure, digits), round(t.bounds[1], digits), round(t.bounds[2], digits), CASE WHEN t.figure IS NOT NULL THEN t.compared_with END,
         CASE WHEN t.uncompared IS NULL THEN round(t.before, digits) END, c.change,
         CASE WHEN t.bounds IS NOT NULL AND t.bounds_before IS NOT NULL AND t.uncompared IS NULL THEN search_reports.change_reading(t.figure, t.bounds, t.before, t.bounds_before)
              WHEN t.compared_with = t.week - 7 AND abs(c.change) <= 3 * t.usual THEN 'within noise'
              WHEN t.compared_with = t.week - 7 AND t.usual IS NOT NULL THEN CASE WHEN c.change > 0 THEN 'more' WHEN c.change < 0 THEN 'less' END END,
         round(t.mean, digits), round(t.figure, digits) - round(t.mean, digits), t.uncompared,
         coalesce(t.gap, nullif(concat_ws('; ', t.note, t.change), '')), t.question
    FROM told t
   CROSS JOIN LATERAL (SELECT CASE WHEN t.uncompared IS NULL THEN round(t.figure, digits) - round(t.before, digits) END AS change) AS c
   ORDER BY t.week;
END
$$;
COMMENT ON FUNCTION search_reports.tile IS 'A figure week by week (points: week, figure, bounds of its 95 % interval, gap, note, change, question), each compared with another week and with the mean of the four weeks before it. reading is more, less or within noise: by both intervals, or without them, against the week before, by three times the median of at least five earlier moves from week to week. uncompared says why there is no change.';

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

CREATE OR REPLACE FUNCTION search_reports.site_leads(
  of_account bigint, of_property text[], of_engine text[], of_country text[], of_device text[], rank text, first_places integer, is_by_volume boolean,
  chosen text[], newest date, weight numeric, week_before date, weight_before numeric
) RETURNS TABLE (site text, share_before numeric, share numeric, our_share_before numeric, our_share numeric)
LANGUAGE plpgsql STABLE ROWS 1000 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  WITH results AS MATERIALIZED (
    SELECT r.site, r.is_own, sum(r.results) FILTER (WHERE r.week = newest) AS now, sum(r.results) FILTER (WHERE r.week = week_before) AS before
      FROM unnest(ARRAY[newest, week_before]) AS w (week)
     CROSS JOIN LATERAL search_reports.ranking_results(of_account, of_property, of_engine, of_country, of_device, rank, first_places, is_by_volume, w.week, w.week, '{}') AS r
     GROUP BY r.site, r.is_own
  ), ours AS (
    SELECT sum(o.results) FILTER (WHERE o.week = newest) AS now, sum(o.results) FILTER (WHERE o.week = week_before) AS before
      FROM unnest(ARRAY[newest, week_before]) AS w (week)
     CROSS JOIN LATERAL search_reports.own_results(of_account, of_property, of_engine, of_country, of_device, rank, first_places, is_by_volume, w.week, w.week, chosen) AS o
    HAVING NOT bool_or(o.is_mixed)
  )
  SELECT r.site, 100 * coalesce(r.before, 0) / (first_places * weight_before), 100 * coalesce(r.now, 0) / (first_places * weight),
         100 * coalesce(o.before, 0) / (first_places * weight_before), 100 * coalesce(o.now, 0) / (first_places * weight)
    FROM results r CROSS JOIN ours o
   WHERE NOT r.is_own AND r.site IS NOT NULL;
END
$$;
COMMENT ON FUNCTION search_reports.site_leads IS 'The market shares of other sites in two weeks beside ours, as search_reports.ranking_results counts them, for given weights of the searches of each week. No row if ours cannot be told apart from other own sites.';

CREATE OR REPLACE FUNCTION search_reports.cited_site_changes(
  of_account bigint, of_property text[], of_assistant text[], of_country text[], of_prompt_type text, newest date, week_before date
) RETURNS TABLE (site text, is_ours boolean, before bigint, citations bigint, by_all_before numeric, by_all numeric, squared_before numeric, squared numeric)
LANGUAGE plpgsql STABLE ROWS 1000 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT nullif(c.site, ''), bool_or(coalesce(c.attribution, '') = 'you'), coalesce(sum(c.citations) FILTER (WHERE c.week = week_before), 0)::bigint,
         coalesce(sum(c.citations) FILTER (WHERE c.week = newest), 0)::bigint,
         coalesce(sum(c.citations_by_all) FILTER (WHERE c.week = week_before), 0), coalesce(sum(c.citations_by_all) FILTER (WHERE c.week = newest), 0),
         coalesce(sum(c.citations_squared) FILTER (WHERE c.week = week_before), 0), coalesce(sum(c.citations_squared) FILTER (WHERE c.week = newest), 0)
    FROM search_reports.ai_citation_sites c
   WHERE week_before IS NOT NULL AND c.account_id = of_account AND c.week IN (newest, week_before)
     AND search_reports.is_assistant_chosen(c.web_property_id, c.assistant, c.country, of_property, of_assistant, of_country) AND (of_prompt_type IS NULL OR c.prompt_type = of_prompt_type)
   GROUP BY 1;
END
$$;
COMMENT ON FUNCTION search_reports.cited_site_changes IS 'Citations by site in two weeks that match the choices, with what search_reports.rate_interval needs. No row without a week before.';
