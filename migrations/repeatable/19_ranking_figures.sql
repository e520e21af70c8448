-- Figures that panels of rankings read from summaries, for the rows that match the choices.

CREATE OR REPLACE FUNCTION search_reports.ranking_places(
  of_account bigint, of_property text[], of_engine text[], of_country text[], of_device text[], rank text, from_week date, of_groups text[] DEFAULT NULL
) RETURNS TABLE (week date, engine text, country text, device text, searches bigint, volume numeric, place_sum numeric, searches_at bigint[], volume_at numeric[],
               searches_with_volume bigint, digest numeric)
LANGUAGE plpgsql STABLE ROWS 500 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  IF of_groups IS NULL THEN
    RETURN QUERY
    SELECT t.week, nullif(t.search_engine, ''), nullif(t.country, ''), nullif(t.device, ''), sum(t.searches)::bigint, sum(t.volume),
           sum(CASE rank WHEN 'standard' THEN t.standard_place_sum ELSE t.true_place_sum END)::numeric,
           CASE rank WHEN 'standard'
             THEN ARRAY[sum(t.standard_1), sum(t.standard_2_3), sum(t.standard_4_10), sum(t.standard_11_20), sum(t.standard_beyond), sum(t.standard_absent)]
             ELSE ARRAY[sum(t.true_1), sum(t.true_2_3), sum(t.true_4_10), sum(t.true_11_20), sum(t.true_beyond), sum(t.true_absent)] END,
           CASE rank WHEN 'standard'
             THEN ARRAY[sum(t.standard_1_volume), sum(t.standard_2_3_volume), sum(t.standard_4_10_volume), sum(t.standard_11_20_volume),
                        sum(t.standard_beyond_volume), sum(t.standard_absent_volume)]
             ELSE ARRAY[sum(t.true_1_volume), sum(t.true_2_3_volume), sum(t.true_4_10_volume), sum(t.true_11_20_volume),
                        sum(t.true_beyond_volume), sum(t.true_absent_volume)] END,
           sum(t.searches_with_volume)::bigint, sum(t.digest)
      FROM search_reports.ranking_totals t
     WHERE t.account_id = of_account AND t.week >= from_week
       AND search_reports.is_market_chosen(t.web_property_id, t.search_engine, t.country, t.device, of_property, of_engine, of_country, of_device)
     GROUP BY 1, 2, 3, 4;
  ELSE
    RETURN QUERY
    SELECT s.week, nullif(s.search_engine, ''), nullif(s.country, ''), nullif(s.device, ''), count(*), coalesce(sum(s.volume), 0), coalesce(sum(p.place), 0)::numeric,
           ARRAY[count(*) FILTER (WHERE p.place <= 1), count(*) FILTER (WHERE p.place BETWEEN 2 AND 3), count(*) FILTER (WHERE p.place BETWEEN 4 AND 10),
                 count(*) FILTER (WHERE p.place BETWEEN 11 AND 20), count(*) FILTER (WHERE p.place > 20), count(*) FILTER (WHERE p.place IS NULL)],
           ARRAY[coalesce(sum(s.volume) FILTER (WHERE p.place <= 1), 0), coalesce(sum(s.volume) FILTER (WHERE p.place BETWEEN 2 AND 3), 0),
                 coalesce(sum(s.volume) FILTER (WHERE p.place BETWEEN 4 AND 10), 0), coalesce(sum(s.volume) FILTER (WHERE p.place BETWEEN 11 AND 20), 0),
                 coalesce(sum(s.volume) FILTER (WHERE p.place > 20), 0), coalesce(sum(s.volume) FILTER (WHERE p.place IS NULL), 0)],
           count(s.volume), NULL::numeric
      FROM search_reports.search_facts s CROSS JOIN LATERAL (SELECT CASE rank WHEN 'standard' THEN s.own_standard ELSE s.own_true END AS place) AS p
     WHERE s.account_id = of_account AND s.week >= from_week AND s.keyword_groups && of_groups
       AND search_reports.is_market_chosen(s.web_property_id, s.search_engine, s.country, s.device, of_property, of_engine, of_country, of_device)
     GROUP BY 1, 2, 3, 4;
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.ranking_places IS 'Tracked searches from a week on that match the choices, by engine, country and device: their number, their volume, the sum of their best own places, and number and volume of those at place 1, 2 to 3, 4 to 10, 11 to 20, beyond, and absent; and their digest, unless keyword groups are chosen.';

-- The statement is planned for its weeks, sites and choices each time, and reads only the columns that it needs.
CREATE OR REPLACE FUNCTION search_reports.ranking_results(
  of_account bigint, of_property text[], of_engine text[], of_country text[], of_device text[], rank text, first_places integer, is_by_volume boolean,
  from_week date, to_week date, of_sites text[]
) RETURNS TABLE (week date, engine text, site text, is_own boolean, results numeric)
LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Without any week the number of places is unknown.
  IF first_places IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY EXECUTE format($query$
    SELECT s.week, nullif(s.search_engine, ''), s.site, s.is_own, sum(s.%I)::numeric
      FROM search_reports.search_sites s
     WHERE s.account_id = $1 AND s.week BETWEEN $2 AND $3 AND search_reports.is_market_chosen(s.web_property_id, s.search_engine, s.country, s.device, $4, $5, $6, $7) AND %s
     GROUP BY 1, 2, 3, 4$query$,
    format('%s_%s%s', rank, first_places, CASE WHEN is_by_volume THEN '_volume' END),
    CASE WHEN of_sites IS NULL THEN 's.is_own' WHEN of_sites = '{}' THEN 'true' WHEN array_position(of_sites, NULL) IS NULL THEN 's.site = ANY ($8)'
         ELSE '(s.site = ANY ($8) OR s.site IS NULL)' END)
  USING of_account, from_week, to_week, of_property, of_engine, of_country, of_device, of_sites;
END
$$;
COMMENT ON FUNCTION search_reports.ranking_results IS 'Results of sites within the first places (1, 3, 5, 10 or 20) by rank (standard or true), each counted as 1 or as the volume of its search. of_sites: these sites, where NULL stands for results without a site; an empty list: all sites; NULL: own results.';

-- An account has tens of thousands of sites a week. bare_domain is computed once for each, and not at all if no site is pinned.
CREATE OR REPLACE FUNCTION search_reports.with_pinned(sites text[], most integer, pinned text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (WITH known AS MATERIALIZED (
          SELECT s.site, s.place, search_reports.bare_domain(s.site) AS bare FROM unnest(sites) WITH ORDINALITY AS s (site, place) WHERE pinned <> '{}'
        )
        SELECT ARRAY(SELECT p FROM unnest(pinned) AS p WHERE NOT EXISTS (SELECT FROM known WHERE bare = p) ORDER BY p)
               || ARRAY(SELECT site FROM known WHERE place > most AND bare = ANY (pinned) ORDER BY place) || sites[:most]);
COMMENT ON FUNCTION search_reports.with_pinned IS 'The first sites of a list, so many, and before them all pinned sites (in lower case, without www.). Pinned sites that are not in the list come first.';

CREATE OR REPLACE FUNCTION search_reports.with_own(sites text[], own text[], most integer, pinned text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN search_reports.with_pinned(sites, most, coalesce(pinned, '{}') || ARRAY(SELECT search_reports.bare_domain(site) FROM unnest((array_remove(own, NULL))[:5]) AS site));
COMMENT ON FUNCTION search_reports.with_own IS 'The first sites of a list, so many, and before them our first five and all pinned sites, in the order of search_reports.with_pinned.';

CREATE OR REPLACE FUNCTION search_reports.own_pages_of(of_account bigint, of_property text[], of_country text[], of_week date)
RETURNS TABLE (url text, searches bigint, best_place integer)
LANGUAGE plpgsql STABLE ROWS 500 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT nullif(p.url, ''), sum(p.searches), min(p.best_standard)
    FROM search_reports.ranking_pages p
   WHERE p.account_id = of_account AND p.week = of_week
     AND search_reports.is_chosen(p.web_property_id::text, of_property) AND search_reports.is_chosen(p.country, of_country)
   GROUP BY 1;
END
$$;
COMMENT ON FUNCTION search_reports.own_pages_of IS 'Own pages that rank in a week, for how many searches, and their best place by standard rank.';

-- Places of a keyword are alike on all devices, engines and countries, so keywords are the sample here, as prompts are for answers.
-- Sorting is off: there are many more keywords and weeks than the planner expects, and sorting them takes as long as reading them.
CREATE OR REPLACE FUNCTION search_reports.found_by_keyword(
  of_account bigint, of_property text[], of_engine text[], of_country text[], of_device text[], rank text, first_places integer, from_week date,
  of_groups text[] DEFAULT NULL
) RETURNS TABLE (week date, searches bigint, found bigint, volume double precision, searches_squared bigint, searches_by_found bigint, found_squared bigint,
                 volume_squared double precision)
LANGUAGE plpgsql STABLE ROWS 52 SET plan_cache_mode = force_custom_plan SET enable_sort = off SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT k.week, sum(k.size)::bigint, sum(k.hits)::bigint, sum(k.volume), sum(k.size * k.size)::bigint, sum(k.size * k.hits)::bigint, sum(k.hits * k.hits)::bigint,
         sum(k.volume * k.volume)
    FROM (SELECT s.week, count(*) AS size, count(*) FILTER (WHERE CASE rank WHEN 'standard' THEN s.own_standard ELSE s.own_true END <= first_places) AS hits,
                 sum(s.volume::float8) AS volume
            FROM search_reports.search_facts s
           WHERE s.account_id = of_account AND s.week >= from_week AND (of_groups IS NULL OR s.keyword_groups && of_groups)
             AND search_reports.is_market_chosen(s.web_property_id, s.search_engine, s.country, s.device, of_property, of_engine, of_country, of_device)
           GROUP BY s.week, s.query) AS k
   GROUP BY k.week;
END
$$;
COMMENT ON FUNCTION search_reports.found_by_keyword IS 'Tracked searches from a week on that match the choices, those with an own result within the first places (found), the volume of all, and squares and products by keyword for search_reports.rate_interval.';
