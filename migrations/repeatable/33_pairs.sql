-- Two weeks side by side, for tables of what changed between them.

-- Planned for the account: without one a cluster refuses the query.
CREATE OR REPLACE FUNCTION search_reports.loaded_depth(measure text, account bigint, weeks date[], OUT last integer, OUT types text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
BEGIN
  IF EXISTS (SELECT FROM search_reports.measures() AS m WHERE m.name = measure AND m.datasets[1] = 'keyword_rankings') THEN
    SELECT min(f.last_loaded), nullif(max(f.result_types), '') INTO last, types
      FROM search_reports.search_facts f WHERE f.account_id = account AND f.week = ANY (weeks);
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.loaded_depth IS 'For a measure of searches, how deep results of some weeks were loaded where they were '
  'cut (last), and which types of results only.';

CREATE OR REPLACE FUNCTION search_reports.measure_pair(measure text, account bigint, span text, compare text DEFAULT NULL)
RETURNS TABLE (week date, before date, reason text, refusal text, notice text)
LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH pair AS MATERIALIZED (
    SELECT * FROM search_reports.compared_weeks(measure, account, span, compare)
  )
  SELECT p.week, CASE WHEN p.refusal IS NULL THEN p.before END, p.reason,
         CASE WHEN p.refusal IS NOT NULL THEN format('The week of %s is not compared: %s.', p.week, p.refusal) END,
         CASE WHEN p.week IS NOT NULL THEN
           concat_ws(' ', CASE WHEN p.refusal IS NULL AND p.before IS NOT NULL THEN format('Week of %s, compared with the week of %s.',
               p.week, p.before)
                               ELSE format('Week of %s.', p.week) END,
                     'Week of ' || p.week || ': ' || p.note || '.', CASE WHEN p.refusal IS NULL
                       THEN 'Week of ' || p.before || ': ' || p.note_before || '.' END,
                     p.left_out, 'Results were loaded to place ' || d.last || ' only (max_rank).',
                     'Results of these types only (result_types): ' || d.types || '.') END
    FROM pair p CROSS JOIN LATERAL search_reports.loaded_depth(measure, account, ARRAY[p.week, p.before]) AS d;
END
$$;
COMMENT ON FUNCTION search_reports.measure_pair IS 'The newest week of a span in which a measure may have figures, and the week that it '
  'is compared with (before; see search_reports.week_compared). reason says why there is no week, refusal why it is not compared, notice '
  'names the weeks, what they lack, and how deep rankings were loaded.';

CREATE OR REPLACE FUNCTION search_reports.lacks_between(measure text, c search_reports.choices, week date, before date) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  lacks text;
BEGIN
  EXECUTE format($query$
    SELECT CASE WHEN max(k.weeks) = 2 THEN NULL ELSE coalesce(max(k.lacks), 'nothing that is chosen is in both weeks') END
      FROM (SELECT count(DISTINCT u.week) FILTER (WHERE u.whole IS NOT NULL) AS weeks, min(u.lacks) AS lacks FROM (%s) AS u
      GROUP BY u.unit, u.cut) AS k
    $query$, search_reports.units_statement(measure, NULL)) INTO lacks USING search_reports.weighed(c, measure), ARRAY[week, before];
  RETURN CASE WHEN lacks IS NOT NULL THEN format('The week of %s is not compared: %s.', week, lacks) END;
END
$$;
COMMENT ON FUNCTION search_reports.lacks_between IS 'Why a measure has no unit that two weeks have, as a sentence; NULL if there is one, '
  'so that they can be compared.';

-- Of several periods in a week, the newest counts.
CREATE OR REPLACE FUNCTION search_reports.search_pairs(c search_reports.choices, week date, before date)
RETURNS TABLE (unit uuid, cut text, query text, web_property_id bigint, engine text, country text, device text, volume bigint,
  place integer, place_before integer,
               url text, url_before text, own_results integer, own_results_before integer, loaded integer, loaded_before integer,
                 looked integer,
               looked_before integer, change text, lacks text)
LANGUAGE plpgsql STABLE ROWS 5000 SET search_path = pg_catalog, pg_temp SET jit = off SET enable_nestloop = off AS $$
BEGIN
  RETURN QUERY
  WITH searches AS MATERIALIZED (
    SELECT DISTINCT ON (s.unit, s.cut, s.week) s.*,
           coalesce(search_reports.lacks_places(s.first_loaded, s.last_loaded, s.is_whole, NULL),
             search_reports.lacks_us(s.shows_us)) AS lacks
      FROM search_reports.searches(c, ARRAY[search_pairs.week, search_pairs.before]) AS s
     ORDER BY s.unit, s.cut, s.week, s.period_start DESC
  )
  SELECT n.unit, n.cut, n.keyword, n.web_property_id, n.engine, n.country, n.device, coalesce(n.volume, b.volume), n.place, b.place, n.url,
         b.url,
         n.own_results, b.own_results, n.last_loaded, b.last_loaded, coalesce(n.last_loaded, n.deepest), coalesce(b.last_loaded, b.deepest),
         CASE WHEN num_nonnulls(n.place, b.place) <> 1 THEN NULL
              WHEN b.place IS NULL THEN CASE WHEN b.own_results > 0 THEN 'placed again' ELSE coalesce('new within ' || b.last_loaded,
                'new') END
              WHEN n.own_results > 0 THEN 'only without a place' ELSE coalesce('not within ' || n.last_loaded, 'lost') END,
         coalesce(n.lacks, b.lacks)
    FROM searches n JOIN searches b ON b.unit = n.unit AND b.cut = n.cut
   WHERE n.week = search_pairs.week AND b.week = search_pairs.before;
END
$$;
COMMENT ON FUNCTION search_reports.search_pairs IS 'Tracked searches that two weeks have: our best places and pages in both, how many '
  'results of ours, to which place results were asked for (loaded; NULL: to the end) and how deep they go (looked). change says in words '
  'that a place was won or lost; lacks says why it is not known whether a search finds us.';

CREATE OR REPLACE FUNCTION search_reports.search_moves(c search_reports.choices, week date, before date)
RETURNS TABLE (query text, engine text, country text, device text, web_property_id bigint, volume bigint, place integer,
  place_before integer,
               change text, effect numeric, won bigint, lost bigint, number bigint)
LANGUAGE plpgsql STABLE ROWS 500 SET search_path = pg_catalog, pg_temp SET jit = off SET enable_nestloop = off AS $$
BEGIN
  RETURN QUERY
  SELECT m.*, count(*) FILTER (WHERE m.effect > 0) OVER (), count(*) FILTER (WHERE m.effect < 0) OVER (),
         row_number() OVER (PARTITION BY m.effect > 0 ORDER BY abs(m.effect) DESC, m.query, m.device, m.country, m.engine,
           m.web_property_id)
    FROM (SELECT s.query, s.engine, s.country, s.device, s.web_property_id, s.volume, s.place, s.place_before, s.change,
                 100 * (u.happened + u.by_weight) AS effect
            FROM search_reports.contributions_by_unit('visibility', NULL, c, search_moves.week, search_moves.before) AS u
            JOIN search_reports.search_pairs(c, search_moves.week, search_moves.before) AS s ON s.unit = u.unit AND s.cut = u.cut
           WHERE u.happened + u.by_weight <> 0) AS m;
END
$$;
COMMENT ON FUNCTION search_reports.search_moves IS 'Tracked searches that changed our visibility between two weeks: effect is how much, '
  'in percentage points; the sum over all is the change like for like. number is the place among those that won, or lost, by the size of '
  'the effect; won and lost how many there are.';

-- One search for a keyword differs from another in device, engine and country, else in language, place or web property.
CREATE OR REPLACE FUNCTION search_reports.search_lines(c search_reports.choices, weeks date[])
RETURNS TABLE (week date, unit uuid, tracked text, country text, place integer, url text, own_results integer, volume bigint,
  keyword_groups text[], lacks text)
LANGUAGE plpgsql STABLE ROWS 100 SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  RETURN QUERY
  WITH found AS MATERIALIZED (
    SELECT DISTINCT ON (s.week, s.unit) s.*, search_reports.tracked_as(s.device, s.engine, s.country) AS name
      FROM search_reports.searches(c, weeks) AS s
     ORDER BY s.week, s.unit, s.period_start DESC
  ), shared AS (
    SELECT f.name, count(DISTINCT f.unit) > 1 AS is_shared FROM found f GROUP BY f.name
  )
  SELECT f.week, f.unit,
         concat_ws(', ', f.name,
           CASE WHEN h.is_shared THEN concat_ws(', ', f.language, nullif(f.locode, f.country), 'property ' || f.web_property_id) END),
         coalesce(nullif(f.country, ''), '(unknown)'), f.place, f.url, CASE WHEN f.place IS NOT NULL OR f.shows_us THEN f.own_results END,
           f.volume, f.keyword_groups,
         CASE WHEN f.place IS NOT NULL THEN NULL
              ELSE coalesce(search_reports.lacks_us(f.shows_us), CASE WHEN f.own_results > 0 THEN 'only a result without a place' END,
                            CASE WHEN f.first_loaded > 1 THEN format('places before %s were not asked for (min_rank)', f.first_loaded) END,
                            'not within ' || coalesce(f.last_loaded, f.deepest), 'not found') END
    FROM found f JOIN shared h ON h.name = f.name;
END
$$;
COMMENT ON FUNCTION search_reports.search_lines IS 'Tracked searches that are chosen, in some weeks, each with what tells it from others '
  'for the same keyword (tracked), our best place and page there, and why there is none (lacks).';

