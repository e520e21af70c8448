-- Figures that panels of rankings read from summaries, for the rows that match the choices.

-- The statement is planned for its weeks, sites and choices each time, and reads only the columns that it needs.
CREATE OR REPLACE FUNCTION search_reports.ranking_results(
  of_account bigint, of_property text[], of_engine text[], of_country text[], of_device text[], rank text, first_places integer,
  is_by_volume boolean,
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
     WHERE s.account_id = $1 AND s.week BETWEEN $2 AND $3 AND search_reports.is_market_chosen(s.web_property_id, s.search_engine,
         s.country, s.device, $4, $5, $6, $7) AND %s
     GROUP BY 1, 2, 3, 4$query$,
    format('%s_%s%s', rank, first_places, CASE WHEN is_by_volume THEN '_volume' END),
    CASE WHEN of_sites IS NULL THEN 's.is_own' WHEN of_sites = '{}' THEN 'true' WHEN array_position(of_sites, NULL) IS NULL
      THEN 's.site = ANY ($8)'
         ELSE '(s.site = ANY ($8) OR s.site IS NULL)' END)
  USING of_account, from_week, to_week, of_property, of_engine, of_country, of_device, of_sites;
END
$$;
COMMENT ON FUNCTION search_reports.ranking_results IS 'Results of sites within the first places (1, 3, 5, 10 or 20) by rank (standard or '
  'true), each counted as 1 or as the volume of its search. of_sites: these sites, where NULL stands for results without a site; an empty '
  'list: all sites; NULL: own results.';

-- An account has tens of thousands of sites a week. bare_domain is computed once for each, and not at all if no site is pinned.
CREATE OR REPLACE FUNCTION search_reports.with_pinned(sites text[], most integer, pinned text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (WITH known AS MATERIALIZED (
          SELECT s.site, s.place, search_reports.bare_domain(s.site) AS bare FROM unnest(sites) WITH ORDINALITY AS s (site, place)
            WHERE pinned <> '{}'
        )
        SELECT ARRAY(SELECT p FROM unnest(pinned) AS p WHERE NOT EXISTS (SELECT FROM known WHERE bare = p) ORDER BY p)
               || ARRAY(SELECT site FROM known WHERE place > most AND bare = ANY (pinned) ORDER BY place) || sites[:most]);
COMMENT ON FUNCTION search_reports.with_pinned IS 'The first sites of a list, so many, and before them all pinned sites (in lower case, '
  'without www.). Pinned sites that are not in the list come first.';

CREATE OR REPLACE FUNCTION search_reports.with_own(sites text[], own text[], most integer, pinned text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN search_reports.with_pinned(sites, most, coalesce(pinned, '{}') || ARRAY(SELECT search_reports.bare_domain(site)
                                                                               FROM unnest((array_remove(own, NULL))[:5]) AS site));
COMMENT ON FUNCTION search_reports.with_own IS 'The first sites of a list, so many, and before them our first five and all pinned sites, '
  'in the order of search_reports.with_pinned.';
