-- The weeks of panels of rankings: how they were tracked, which two are compared, and which sites are ours.

CREATE OR REPLACE FUNCTION search_reports.types_notice(weeks jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT format('Of some types of results only (result_types: %s): answer boxes, news, videos and others hold places that count, too. Where they are not loaded, '
                      'shares are too low and searches that find us with one of them seem not to.', string_agg(DISTINCT type, ', '))
          FROM jsonb_path_query(weeks, 'lax $[*].asked[0].questions[*].result_types[*]') AS types (item) CROSS JOIN LATERAL (SELECT item #>> '{}' AS type) AS t
        HAVING count(*) > 0);
COMMENT ON FUNCTION search_reports.types_notice IS 'The notice if the loads of some weeks (column asked of search_reports.frame) asked for some types of results only; NULL if they did not.';

CREATE OR REPLACE FUNCTION search_reports.unknown_searches(week jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN search_reports.filtered_by(week, '{domains}') IS NOT NULL THEN 'searches without a result of the domains asked for are not known' END;
COMMENT ON FUNCTION search_reports.unknown_searches IS 'Why not all tracked searches of a week (column asked of search_reports.frame) are known; NULL if they are.';

-- Summaries by market have no keyword groups, so if groups are chosen, searches are counted one by one.
-- In PL/pgSQL: Citus runs each of its queries on the node that has the account.
CREATE OR REPLACE FUNCTION search_reports.tracked_searches(
  of_account bigint, of_property text[], of_engine text[], of_country text[], of_device text[], from_week date, to_week date, of_groups text[]
) RETURNS TABLE (week date, searches bigint, known bigint, volume numeric, parts jsonb)
LANGUAGE plpgsql STABLE ROWS 52 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF of_groups IS NULL THEN
    RETURN QUERY
    SELECT m.week, sum(m.searches)::bigint, sum(m.known)::bigint, sum(m.volume), jsonb_object_agg(m.part, m.searches) || jsonb_build_object('digest', sum(m.digest))
      FROM (
    SELECT t.week, ROW(t.web_property_id, t.search_engine, t.country, t.device)::text AS part, sum(t.searches) AS searches, sum(t.searches_with_volume) AS known, sum(t.volume) AS volume, sum(t.digest) AS digest
      FROM search_reports.ranking_totals t
     WHERE t.account_id = of_account AND t.week BETWEEN from_week AND to_week
       AND search_reports.is_market_chosen(t.web_property_id, t.search_engine, t.country, t.device, of_property, of_engine, of_country, of_device)
     GROUP BY 1, 2) AS m
     GROUP BY m.week;
  ELSE
    RETURN QUERY
    SELECT m.week, sum(m.searches)::bigint, sum(m.known)::bigint, sum(m.volume), jsonb_object_agg(m.part, m.searches) || jsonb_build_object('digest', sum(m.digest))
      FROM (
    SELECT s.week, ROW(s.web_property_id, s.search_engine, s.country, s.device)::text AS part, count(*) AS searches, count(s.volume) AS known, coalesce(sum(s.volume), 0) AS volume,
           sum(search_reports.digest_part(s.search_key)) AS digest
      FROM search_reports.search_facts s
     WHERE s.account_id = of_account AND s.week BETWEEN from_week AND to_week AND s.keyword_groups && of_groups
       AND search_reports.is_market_chosen(s.web_property_id, s.search_engine, s.country, s.device, of_property, of_engine, of_country, of_device)
     GROUP BY 1, 2) AS m
     GROUP BY m.week;
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.tracked_searches IS 'Tracked searches that match the choices, by week: how many, those with a known volume (known), the volume of all, and their number by web property, engine, country and device, and their digest (parts, for search_reports.moved_parts). A search in several of the chosen keyword groups counts once.';

-- Planned once per session, like search_reports.newest_weeks: the functions that it calls plan for the account.
CREATE OR REPLACE FUNCTION search_reports.ranking_frame(
  of_account bigint, of_property text[], of_engine text[], of_country text[], of_device text[], span text, first_places integer, is_weighted boolean,
  of_groups text[] DEFAULT NULL
) RETURNS TABLE (week date, gap text, note text, asked jsonb, depth integer, unknown text, searches bigint, weight numeric, is_by_volume boolean,
                 places integer, notice text)
LANGUAGE plpgsql STABLE ROWS 52 SET plan_cache_mode = force_generic_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH frame AS MATERIALIZED (
    SELECT f.*, d.depth, d.first, search_reports.unknown_searches(f.asked) AS unknown, d.questions = 0 AS is_unasked
      FROM search_reports.frame('{keyword_rankings}', of_account,
             jsonb_build_object('web_property', of_property, 'country', of_country, 'device', of_device, 'group', of_groups), span) AS f
     CROSS JOIN LATERAL (
           SELECT min((q ->> 'max_rank')::integer) AS depth, max((q ->> 'min_rank')::integer) AS first, count(q) AS questions
             FROM jsonb_array_elements(f.asked #> '{asked,0,questions}') AS q) AS d
  ), totals AS MATERIALIZED (
    SELECT t.*
      FROM search_reports.tracked_searches(of_account, of_property, of_engine, of_country, of_device, (SELECT min(week) FROM frame), (SELECT max(week) FROM frame),
                                           of_groups) AS t
  ), measure AS (
    SELECT is_weighted AND coalesce((SELECT sum(volume) FROM totals), 0) > 0 AS by_volume, (SELECT count(*) > 0 FROM totals) AS has_searches,
           (SELECT search_reports.types_notice(jsonb_agg(asked)) FROM frame WHERE gap IS NULL) AS types,
           (SELECT max(n) FROM unnest(ARRAY[1, 3, 5, 10, 20]) AS n
             WHERE n <= first_places AND n <= coalesce((SELECT min(depth) FROM frame WHERE gap IS NULL AND unknown IS NULL), n)) AS places,
           (SELECT min(round(100.0 * known / searches)) FROM totals WHERE volume > 0) AS least_known, (SELECT max(round(100.0 * known / searches)) FROM totals) AS most_known
  ), told AS (
    SELECT f.week, f.asked, f.depth, f.unknown, t.searches, jsonb_build_object('', t.parts) AS parts, CASE WHEN m.by_volume THEN 1.0 * t.known / t.searches END AS known,
           CASE WHEN m.by_volume THEN t.volume / nullif(t.known, 0) END AS average,
           nullif(concat_ws('; ', f.note, CASE WHEN m.by_volume AND t.known < 0.9 * t.searches THEN format('search volumes are known of %s of %s searches', t.known, t.searches) END), '') AS note,
           CASE WHEN m.by_volume THEN t.volume ELSE t.searches END AS weight, m.by_volume, m.places,
           coalesce(f.gap, CASE WHEN t.searches IS NULL THEN CASE WHEN f.is_unasked THEN 'not asked for' ELSE 'no searches' END
                                WHEN f.first > 1 THEN format('places before %s were not asked for (min_rank)', f.first)
                                WHEN m.by_volume AND t.volume = 0 THEN 'no search volumes'
                                WHEN first_places IS NOT NULL THEN f.unknown END) AS gap,
           nullif(concat_ws(' ', m.types, CASE WHEN m.has_searches THEN search_reports.volume_notice(is_weighted, m.by_volume) END,
                            CASE WHEN m.by_volume AND m.least_known < 100 THEN
                              format('Search volumes are known of %s %% of the searches; the others weigh nothing.', concat_ws(' to ', m.least_known, nullif(m.most_known, m.least_known))) END,
                            CASE WHEN m.places < first_places THEN
                              format('Not all weeks are tracked to place %s (max_rank), so the first %s count.', first_places, m.places) END), '') AS notice
      FROM frame f CROSS JOIN measure m LEFT JOIN totals t ON t.week = f.week
  ), amounts AS (
    SELECT array_agg(week ORDER BY week) AS weeks, search_reports.tracked_runs(array_agg(week ORDER BY week), array_agg(searches::numeric ORDER BY week), array_agg(parts ORDER BY week)) AS searches, search_reports.anchored(array_agg(known ORDER BY week)) AS known,
           search_reports.anchored(array_agg(average ORDER BY week)) AS averages
      FROM told WHERE gap IS NULL
  ), runs AS (
    SELECT r.week, r.label, lag(r.label) OVER (ORDER BY r.week) AS label_before
      FROM amounts a CROSS JOIN LATERAL unnest(a.weeks, a.searches, a.known, a.averages) AS u (week, searches, known, average)
     CROSS JOIN LATERAL (
           SELECT u.week, jsonb_build_object('tracked', jsonb_build_object('*', u.searches), 'volumes', round(100 * u.known))
                          || CASE WHEN EXISTS (SELECT FROM unnest(a.averages) AS average WHERE average <> a.averages[1])
                                  THEN jsonb_build_object('volume', trim_scale(round(u.average, 1))) ELSE '{}' END AS label) AS r
  ), lines AS MATERIALIZED (
    SELECT asked, label, label_before,
           search_reports.with_line(jsonb_set(asked -> 'asked', '{0}', (asked #> '{asked,0}') || label),
                                    jsonb_set(nullif(asked -> 'before', 'null'), '{0}', (asked #> '{before,0}') || coalesce(label_before, '{}'))) AS line
      FROM (SELECT DISTINCT t.asked, r.label, r.label_before FROM told t JOIN runs r USING (week)) AS known
  )
  SELECT t.week, t.gap, t.note, coalesce(l.line, t.asked), t.depth, t.unknown, t.searches::bigint, t.weight, t.by_volume, t.places, t.notice
    FROM told t
    LEFT JOIN runs r ON r.week = t.week
    LEFT JOIN lines l ON l.asked = t.asked AND l.label = r.label AND l.label_before IS NOT DISTINCT FROM r.label_before
   ORDER BY t.week;
  IF NOT FOUND THEN
    week := NULL;
    gap := search_reports.no_week('keyword_rankings', of_account, span);
    RETURN NEXT;
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.ranking_frame IS 'The weeks of search_reports.frame for the board Rankings and its choices; if there is none, one row without a week, whose gap says why. searches are the tracked ones; weight is their sum, each counted as its search volume (is_by_volume) or as 1. depth is the place to which all were tracked, NULL without a limit. unknown says why not all tracked searches are known; this is a gap unless first_places is NULL, as for figures that are no share of all. places is the largest number up to first_places to which all weeks were tracked. notice says what all figures lack. A week asks another question if, since the first week of a run of weeks, more than a tenth of the searches came or went; if searches are weighted by volume, also if volumes are known for a tenth more or fewer of them, or are a tenth larger or smaller on average.';

-- In PL/pgSQL, which plans once per session: panels call it for each of their weeks.
CREATE OR REPLACE FUNCTION search_reports.own_sites(of_account bigint, chosen text[], OUT ours text[], OUT others text[], OUT gap text)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  SELECT coalesce(array_agg(domain) FILTER (WHERE is_chosen), '{}'), coalesce(array_agg(domain) FILTER (WHERE NOT is_chosen), '{}'),
         CASE WHEN count(*) FILTER (WHERE is_chosen) = 0 THEN 'no site is known to be ours (own_domains in jobs.config.yaml, else citations attributed to You)' END
    INTO ours, others, gap
    FROM (SELECT o.domain, chosen IS NULL
                   OR EXISTS (SELECT FROM unnest(chosen) AS c WHERE right('.' || o.domain, length(c) + 1) = '.' || c) AS is_chosen
            FROM search_reports.own_domains o
           WHERE o.account_id = of_account
             AND (o.source = 'configured'
                  OR NOT EXISTS (SELECT FROM search_reports.own_domains c WHERE c.account_id = o.account_id AND c.source = 'configured'))) AS counted;
END
$$;
COMMENT ON FUNCTION search_reports.own_sites IS 'The own domains of an account: those that are chosen (NULL chooses all) or lie below a chosen one, and the others. gap says that none is known, so that there are no figures about us.';

CREATE OR REPLACE FUNCTION search_reports.asked_depth(week jsonb) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT min((q ->> 'max_rank')::integer) FROM jsonb_array_elements(week #> '{asked,0,questions}') AS q);
COMMENT ON FUNCTION search_reports.asked_depth IS 'The place to which all rankings of a week (column asked of search_reports.frame) were asked for (max_rank); NULL without a limit.';

CREATE OR REPLACE FUNCTION search_reports.our_places_gap(of_account bigint, week jsonb, first_places integer) RETURNS text
LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT coalesce(o.gap, l.unasked, CASE WHEN d.first > 1 THEN format('places before %s were not asked for (min_rank)', d.first) END,
                  CASE WHEN search_reports.asked_depth(week) < first_places THEN format('tracked to place %s only (max_rank)', search_reports.asked_depth(week)) END)
    FROM search_reports.own_sites(of_account, NULL) AS o
   CROSS JOIN LATERAL search_reports.line(week, jsonb_build_object('site', array_to_string(o.ours, ',')), false) AS l
   CROSS JOIN LATERAL (SELECT max((q ->> 'min_rank')::integer) AS first FROM jsonb_array_elements(week #> '{asked,0,questions}') AS q) AS d;
END;
COMMENT ON FUNCTION search_reports.our_places_gap IS 'Why rankings of a week (column asked of search_reports.frame) do not show whether we are within the first places (NULL: at any place): no site is known to be ours, our results or the first places were not asked for, or fewer places were. NULL if they do.';

CREATE OR REPLACE FUNCTION search_reports.ranking_pair(of_account bigint, of_property text[], of_country text[], of_device text[], span text DEFAULT NULL, compare text DEFAULT NULL,
                                                       of_groups text[] DEFAULT NULL)
RETURNS TABLE (week date, before date, asked jsonb, reason text, refusal text, notice text)
LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT p.week, p.before, p.asked, coalesce(p.reason, search_reports.as_sentence(o.gap)), p.refusal,
         nullif(concat_ws(' ', p.notice, 'Found means in the first ' || search_reports.asked_depth(p.asked) || ' places: no others were asked for (max_rank).',
                          search_reports.types_notice(jsonb_build_array(p.asked))), '')
    FROM search_reports.newest_pair('{keyword_rankings}', of_account,
                                    jsonb_build_object('web_property', of_property, 'country', of_country, 'device', of_device, 'group', of_groups), span, compare) AS p
   CROSS JOIN LATERAL (SELECT search_reports.our_places_gap(of_account, p.asked, NULL) AS gap) AS o;
END
$$;
COMMENT ON FUNCTION search_reports.ranking_pair IS 'The weeks of search_reports.newest_pair for the board Rankings and its choices. reason may also say that no site is known to be ours, or that our places or the first places were not asked for.';

-- If results of some domains only are asked for, a lost search has no row, and the rows would show winners only.
CREATE OR REPLACE FUNCTION search_reports.tracked_pair(of_account bigint, of_property text[], of_country text[], of_device text[], span text, compare text,
                                                       of_groups text[])
RETURNS TABLE (week date, before date, asked jsonb, reason text, refusal text, notice text)
LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT p.week, CASE WHEN p.reason IS NULL AND u.refusal IS NULL THEN p.before END, p.asked, p.reason, coalesce(p.refusal, u.refusal), p.notice
    FROM search_reports.ranking_pair(of_account, of_property, of_country, of_device, span, compare, of_groups) AS p
   CROSS JOIN LATERAL (SELECT format('The week of %s is not compared: %s.', p.week, search_reports.unknown_searches(p.asked)) AS refusal
                        WHERE search_reports.unknown_searches(p.asked) IS NOT NULL UNION ALL SELECT NULL LIMIT 1) AS u;
END
$$;
COMMENT ON FUNCTION search_reports.tracked_pair IS 'The weeks of search_reports.ranking_pair for what was won and lost. They are not compared if not all tracked searches are known.';

CREATE OR REPLACE FUNCTION search_reports.other_searches(of_account bigint, of_property text[], of_country text[], of_device text[], week date, before date) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    WITH frame AS MATERIALIZED (
      SELECT f.week, f.asked ->> 'question' AS question
        FROM search_reports.ranking_frame(of_account, of_property, NULL, of_country, of_device, other_searches.before || '..' || other_searches.week, 10, false) AS f
    )
    SELECT format('Numbers of searches are not compared with those of the week of %s: %s, before %s.', e.week, coalesce(n.question, 'not asked for'), coalesce(e.question, 'not asked for'))
      FROM frame n JOIN frame e ON e.week = other_searches.before
     WHERE n.week = other_searches.week AND n.question IS DISTINCT FROM e.question);
END
$$;
COMMENT ON FUNCTION search_reports.other_searches IS 'Why numbers of searches cannot be compared between two weeks that search_reports.ranking_pair compares: the weeks do not track the same searches (see search_reports.ranking_frame). NULL if they can.';
