-- What single sites hold of the first places of tracked searches (measure first_places) or of the citations of tracked prompts (measure
-- citations), and why it
-- moved. The whole is that of the measure: searches and prompts that do not show it count in neither.

CREATE OR REPLACE FUNCTION search_reports.is_of_site(site text, wanted text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN site = wanted OR right(site, length(wanted) + 1) = '.' || wanted;
COMMENT ON FUNCTION search_reports.is_of_site IS 'Whether a site is the wanted one or lies below it.';

-- Read from the rows of the tables, for few weeks. A place that k results share counts 1 / k for each; rows that are equal in all columns
-- are one.
-- Index scans are off: in the order of the key the rows of a week are scattered over its pages. Sorting by names of searches takes much
-- longer than hashing them.
CREATE OR REPLACE FUNCTION search_reports.places_of_sites(c search_reports.choices, weeks date[], sites text[])
RETURNS TABLE (week date, unit uuid, site text, held numeric)
LANGUAGE plpgsql STABLE ROWS 10000 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan SET jit = off
SET work_mem = '64MB' SET enable_indexscan = off SET enable_sort = off SET enable_mergejoin = off SET enable_nestloop = off AS $$
#variable_conflict use_column
DECLARE
  sunday date;
BEGIN
  FOREACH sunday IN ARRAY weeks LOOP
    RETURN QUERY
    WITH results AS MATERIALIZED (
      SELECT r.web_property_id, r.search_engine, r.search_engine_country_code, r.search_engine_language_code, r.locode, r.device, r.query,
             r.time_period_start AS since, r.time_period_end AS until,
             CASE coalesce(c.rank, 'standard') WHEN 'standard' THEN r.rank_standard ELSE r.rank_true END AS place,
             coalesce(r.query, '') AS keyword, coalesce(r.root_domain, '') AS domain
        FROM search.keyword_rankings r
       WHERE r.account_id = c.account AND r.time_period_start BETWEEN sunday AND sunday + 6
         AND CASE coalesce(c.rank, 'standard') WHEN 'standard' THEN r.rank_standard ELSE r.rank_true END <= coalesce(c.places, 10)
         AND (c.keyword IS NULL OR r.query = c.keyword)
         AND search_reports.is_market_chosen(r.web_property_id, r.search_engine, r.search_engine_country_code, r.device, c.web_property,
           c.engine, c.country, c.device)
         AND (r._occurrence = 1 OR search_reports.is_first_copy(to_jsonb(r), ARRAY(
              SELECT to_jsonb(o) FROM search.keyword_rankings o
               WHERE o.account_id = r.account_id AND o.time_period_start = r.time_period_start AND o._key = r._key
                 AND o._occurrence < r._occurrence)))
    ), wanted AS MATERIALIZED (
      SELECT r.*, k.site, row_number() OVER () AS number
        FROM (SELECT d.domain, coalesce(nullif(search_reports.bare_domain(d.domain), ''), '(no page)') AS site
                FROM (SELECT DISTINCT domain FROM results) AS d OFFSET 0) AS k
        JOIN results r ON r.domain = k.domain
       WHERE sites IS NULL OR k.site = ANY (sites)
    ), shared AS (
      SELECT w.number, count(*) AS results
        FROM wanted w
        JOIN results r ON r.keyword = w.keyword AND r.place = w.place AND r.since = w.since AND r.until IS NOT DISTINCT FROM w.until
                      AND (r.web_property_id, r.search_engine, r.search_engine_country_code, r.search_engine_language_code, r.locode,
                           r.device, r.query) IS NOT DISTINCT FROM (w.web_property_id, w.search_engine, w.search_engine_country_code,
                                                                    w.search_engine_language_code, w.locode, w.device, w.query)
       GROUP BY w.number
    )
    SELECT sunday, h.unit, h.site, sum(h.held)
      FROM (SELECT search_reports.search_key(w.web_property_id, w.search_engine, w.search_engine_country_code,
                                             w.search_engine_language_code, w.locode, w.device, w.query) AS unit,
                   w.site, round(1.0 / s.results, 12) AS held
              FROM wanted w JOIN shared s ON s.number = w.number) AS h
     GROUP BY h.unit, h.site;
  END LOOP;
END
$$;
COMMENT ON FUNCTION search_reports.places_of_sites IS 'How much of the chosen number of first places of each tracked search some sites '
  'hold (NULL: all sites), in some weeks: unit is that of search_reports.searches.';

-- Summaries by site know neither single searches nor their groups, so they serve weeks in which every search of what is chosen shows its
-- first places.
CREATE OR REPLACE FUNCTION search_reports.market_parts(c search_reports.choices, weeks date[], sites text[]) RETURNS TABLE (week date,
  site text, part numeric)
LANGUAGE plpgsql STABLE ROWS 200 SET search_path = pg_catalog, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
  n      integer := coalesce(c.places, 10);
  single date[] := CASE WHEN num_nonnulls(c.keyword_group, c.keyword) > 0 THEN weeks ELSE ARRAY(
    SELECT DISTINCT u.week FROM search_reports.searches(c, weeks) AS u
     WHERE search_reports.lacks_places(u.first_loaded, u.last_loaded, u.is_whole, n) IS NOT NULL) END;
BEGIN
  RETURN QUERY EXECUTE format($query$
    SELECT k.week, coalesce(nullif(search_reports.bare_domain(k.site), ''), '(no page)'), sum(k.part)
      FROM (SELECT s.week, s.site, sum(s.%I) AS part
              FROM search_reports.search_sites s
             WHERE s.account_id = $1 AND s.week = ANY ($2) AND s.week <> ALL ($3)
               AND search_reports.is_market_chosen(s.web_property_id, s.search_engine, s.country, s.device, $4, $5, $6, $7) AND %s
             GROUP BY 1, 2 OFFSET 0) AS k
     GROUP BY 1, 2
    HAVING sum(k.part) > 0$query$,
    format('%s_%s%s', coalesce(c.rank, 'standard'), n, CASE WHEN c.by_volume AND search_reports.has_volumes(c.account) THEN '_volume' END),
    CASE WHEN sites IS NULL THEN 'true' WHEN '(no page)' = ANY (sites) THEN '(s.site = ANY ($8) OR s.site IS NULL)'
         ELSE 's.site = ANY ($8)' END)
  USING c.account, weeks, single, c.web_property, c.engine, c.country, c.device, sites || ARRAY(SELECT 'www.' || s FROM unnest(sites) AS s);
  IF single <> '{}' THEN
    RETURN QUERY
    SELECT u.week, p.site, sum(u.weight * p.held)
      FROM search_reports.searches(c, single) AS u
      JOIN search_reports.places_of_sites(c, single, sites) AS p ON p.week = u.week AND p.unit = u.unit
     WHERE search_reports.lacks_places(u.first_loaded, u.last_loaded, u.is_whole, n) IS NULL AND u.weight > 0
     GROUP BY u.week, p.site;
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.market_parts IS 'What some sites (NULL: all) hold of the first places in some weeks, as the measure '
  'first_places counts them.';

CREATE OR REPLACE FUNCTION search_reports.cited_parts(by text, c search_reports.choices, weeks date[], sites text[],
  below boolean DEFAULT false)
RETURNS TABLE (week date, line text, site text, part numeric, low numeric, high numeric)
LANGUAGE plpgsql STABLE ROWS 200 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB' AS $$
BEGIN
  RETURN QUERY EXECUTE format($query$
  WITH prompts AS MATERIALIZED (
    SELECT u.week, %s AS line, coalesce(u.prompt, '') AS cluster, u.citations AS whole, u.cited_sites
      FROM %s AS u WHERE u.citations > 0
  ), wholes AS MATERIALIZED (
    SELECT p.week, p.line, p.cluster, sum(p.whole) AS whole FROM prompts p GROUP BY p.week, p.line, p.cluster
  ), totals AS (
    SELECT w.week, w.line, sum(w.whole) AS whole, sum(w.whole * w.whole) AS squared FROM wholes w GROUP BY w.week, w.line
  ), parts AS (
    SELECT p.week, p.line, p.cluster, w.site, count(*) AS part
      FROM prompts p CROSS JOIN LATERAL unnest(p.cited_sites) AS s (site) %s
     GROUP BY p.week, p.line, p.cluster, w.site
  )
  SELECT t.week, t.line, k.site, k.part, b.bounds[1], b.bounds[2]
    FROM (SELECT p.week, p.line, p.site, sum(p.part) AS part, sum(p.part * w.whole) AS by_whole, sum(p.part * p.part) AS squared
            FROM parts p JOIN wholes w USING (week, line, cluster) GROUP BY p.week, p.line, p.site) AS k
    JOIN totals t USING (week, line)
   CROSS JOIN LATERAL search_reports.rate_interval(k.part::float8, t.whole::float8, t.squared::float8, k.by_whole::float8,
         k.squared::float8) AS b (bounds)
  $query$, search_reports.line_of(by), search_reports.prompts_source(c, ARRAY[by]),
    CASE WHEN below THEN 'JOIN unnest($3) AS w (site) ON search_reports.is_of_site(s.site, w.site)'
         ELSE 'CROSS JOIN LATERAL (SELECT s.site) AS w' || CASE WHEN sites IS NULL THEN '' ELSE ' WHERE s.site = ANY ($3)' END END)
    USING c, weeks, sites;
END
$$;
COMMENT ON FUNCTION search_reports.cited_parts IS 'Citations of some sites (NULL: of each) in some weeks by a column of tracked prompts '
  '(see search_reports.line_of), as the measure citations counts them, with the 95 % interval of their share in percent. below: with '
  'those of sites below each.';

-- Weeks are tried from the newest one, because one may have nothing of what is chosen.
CREATE OR REPLACE FUNCTION search_reports.largest_sites(measure text, c search_reports.choices, span text, most integer,
  pinned text[] DEFAULT NULL) RETURNS text[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  ours  text[] := search_reports.own_sites_of(c.account);
  wanted date;
  sites  text[];
  wanted_too text[];
BEGIN
  FOR wanted IN SELECT w.week FROM search_reports.measure_weeks(measure, c.account, span) AS w WHERE w.gap IS NULL ORDER BY w.week DESC LOOP
    IF measure = 'first_places' THEN
      sites := ARRAY(SELECT p.site FROM search_reports.market_parts(c, ARRAY[wanted], NULL) AS p ORDER BY p.part DESC, p.site COLLATE "C");
    ELSE
      sites := ARRAY(SELECT p.site FROM search_reports.cited_parts(NULL, c, ARRAY[wanted], NULL) AS p
                      ORDER BY p.part DESC, p.site COLLATE "C");
    END IF;
    IF sites <> '{}' THEN
      wanted_too := pinned || (ARRAY(SELECT s FROM unnest(sites) WITH ORDINALITY AS u (s, n)
                                      WHERE search_reports.is_related(s, ours) ORDER BY n))[:5];
      RETURN ARRAY(SELECT p FROM unnest(pinned) AS p WHERE p <> ALL (sites) ORDER BY p)
             || ARRAY(SELECT s FROM unnest(sites[most + 1:]) WITH ORDINALITY AS u (s, n) WHERE s = ANY (wanted_too) ORDER BY n)
             || sites[:most];
    END IF;
  END LOOP;
  RETURN coalesce(pinned, '{}');
END
$$;
COMMENT ON FUNCTION search_reports.largest_sites IS 'The sites with the largest share of a measure (first_places or citations) in the '
  'newest week of a span that has any, so many; before them our first five and the pinned ones.';

CREATE OR REPLACE FUNCTION search_reports.site_levels(measure text, by text, c search_reports.choices, sites text[], span text,
  below boolean DEFAULT false)
RETURNS TABLE (week date, site text, line text, level numeric, low numeric, high numeric, part numeric, whole numeric, units bigint,
  matched numeric, reason text,
               question text, is_ours boolean, place bigint)
LANGUAGE plpgsql STABLE ROWS 200 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  ours  text[] := search_reports.own_sites_of(c.account);
  weeks date[] := ARRAY(SELECT w.week FROM search_reports.measure_weeks(measure, c.account, span) AS w WHERE w.gap IS NULL);
BEGIN
  RETURN QUERY
  WITH parts AS MATERIALIZED (
    SELECT p.week, '' AS line, p.site, p.part, NULL::numeric AS low, NULL::numeric AS high
      FROM search_reports.market_parts(c, weeks, sites) AS p WHERE measure = 'first_places'
     UNION ALL
    SELECT p.week, p.line, p.site, p.part, p.low, p.high FROM search_reports.cited_parts(by, c, weeks, sites, below) AS p
           WHERE measure = 'citations'
  )
  SELECT l.week, s.site, l.line, 100 * p.part / l.whole, p.low, p.high, p.part, l.whole, l.units, l.matched,
         coalesce(l.reason, CASE WHEN s.site IS NULL THEN 'no site has a part of it in these weeks' END), l.question,
         coalesce(search_reports.is_related(s.site, ours), false), s.place
    FROM search_reports.levels(measure, by, c, span) AS l
    LEFT JOIN unnest(sites) WITH ORDINALITY AS s (site, place) ON true
    LEFT JOIN parts f ON f.week = l.week AND f.line = l.line AND f.site = s.site
   CROSS JOIN LATERAL (SELECT CASE WHEN l.level IS NOT NULL AND s.site IS NOT NULL THEN coalesce(f.part, 0) END AS part, f.low, f.high) AS p
   ORDER BY s.place, l.line, l.week;
END
$$;
COMMENT ON FUNCTION search_reports.site_levels IS 'The share of some sites in a measure (first_places: market share; citations: citation '
  'share) week by week, in percent, in the order of the sites (place); by is a column of tracked prompts, or NULL, which it is for market '
  'shares. The other columns are those of search_reports.levels. A week without the site is 0. below: with sites below each.';

CREATE OR REPLACE FUNCTION search_reports.site_changes(measure text, c search_reports.choices, sites text[], week date, before date,
  below boolean DEFAULT false)
RETURNS TABLE (site text, level numeric, level_before numeric, change numeric, like_for_like numeric, added numeric, dropped numeric,
               noise numeric, reading text, matched numeric, units bigint, units_before bigint, kept bigint, changed bigint, part numeric,
                 whole numeric,
               part_before numeric, whole_before numeric, observations bigint)
LANGUAGE plpgsql STABLE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT * FROM search_reports.changes_of(CASE measure WHEN 'first_places' THEN
    'SELECT u.week, u.unit, u.cut, '''' AS line, coalesce(u.keyword, '''') AS cluster, NULL::numeric AS part, 1 AS units, u.weight,
            CASE WHEN search_reports.lacks_places(u.first_loaded, u.last_loaded, u.is_whole, u.places) IS NULL
                 THEN u.weight * u.places END AS whole
       FROM ' || search_reports.units_function('searches') || '($1, $2) AS u'
  ELSE format(
    'SELECT u.week, u.unit, u.cut, '''' AS line, coalesce(u.prompt, '''') AS cluster, NULL::numeric AS part, u.units, u.cited_sites,
            u.citations AS whole
       FROM %s AS u', search_reports.prompts_source(c, '{}', ARRAY[week], ARRAY[before])) END,
    100, search_reports.weighed(c, measure), week, before, sites, CASE measure WHEN 'first_places' THEN
    'SELECT r.week, r.unit, r.cut, p.site AS line, r.weight * p.held AS part
       FROM read r JOIN search_reports.places_of_sites($1, $2, $6) AS p ON p.week = r.week AND p.unit = r.unit
      WHERE r.whole IS NOT NULL'
  ELSE format(
    'SELECT r.week, r.unit, r.cut, w.site AS line, 1 AS part
       FROM read r CROSS JOIN LATERAL unnest(r.cited_sites) AS s (site) JOIN unnest($6) AS w (site) ON %s
      WHERE r.whole IS NOT NULL', CASE WHEN below THEN 'search_reports.is_of_site(s.site, w.site)' ELSE 's.site = w.site' END) END);
END
$$;
COMMENT ON FUNCTION search_reports.site_changes IS 'The share of some sites in a measure (first_places or citations) in two weeks, and '
  'why it moved: the columns of search_reports.changes.';
