-- The summaries of rankings by account and week. Each function computes the rows of the view of the same name.

CREATE OR REPLACE FUNCTION search_reports.place_shares(ours integer[], everybodys integer[]) RETURNS numeric[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT array_agg((SELECT coalesce(sum(round(o.number::numeric / o.whole, 12)), 0)
                            FROM (SELECT place, count(*) AS number, (SELECT count(*) FROM unnest(everybodys) AS e WHERE e = place) AS whole
                                    FROM unnest(ours) AS place WHERE place <= n GROUP BY place) AS o) ORDER BY n)
          FROM unnest(ARRAY[1, 3, 5, 10, 20]) AS n);
COMMENT ON FUNCTION search_reports.place_shares IS 'How much of the first 1, 3, 5, 10 and 20 places of a result page some results hold, '
  'given their places and those of all results: a place that k results share counts 1 / k for each.';

-- Of most result pages no two results share a place: then the places of the first twenty are as many as the bits that they set.
CREATE OR REPLACE FUNCTION search_reports.has_shared_place(places bigint, bits integer) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN places > bit_count(coalesce(bits, 0)::bit(32));
COMMENT ON FUNCTION search_reports.has_shared_place IS 'Whether some of so many results within the first twenty places share one: bits has '
  'a bit for each place that is taken.';

-- A row that is equal to another one in all columns is the same result, which the service has sent twice.
CREATE OR REPLACE FUNCTION search_reports.is_first_copy(row_found jsonb, others jsonb[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN NOT EXISTS (SELECT FROM unnest(others) AS o
                    WHERE o - '{_occurrence,_slice,_loaded_at,_changed_at}'::text[]
                          = row_found - '{_occurrence,_slice,_loaded_at,_changed_at}'::text[]);
COMMENT ON FUNCTION search_reports.is_first_copy IS 'Whether a row differs from each of some others, given as JSON, in a column of the '
  'service.';

-- Stable, as the text of a row is: so it becomes a part of the statement around it.
CREATE OR REPLACE FUNCTION search_reports.search_key(
  property bigint, engine text, country text, language text, locode text, device text, query text
) RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN md5(ROW(property, engine, country, language, locode, device, query)::text)::uuid;
COMMENT ON FUNCTION search_reports.search_key IS 'Names a tracked search, the same in every week.';

-- Each call is planned for its week, because a generic plan would read all partitions. Statistics may not cover a week that has just been
-- published, so sorting is off and rows are grouped by hash. Index scans are off: in the order of the key the rows of a week are scattered
-- over its pages, and a scan of the table reads each page once.
CREATE OR REPLACE FUNCTION search_reports.compute_search_facts(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, search_key uuid, period_start date, period_end date, web_property_id bigint, search_engine text,
  country text,
  language text, locode text, device text, query text, keyword_groups text[], volume bigint, results integer, first_loaded integer,
  last_loaded integer, is_whole boolean, shows_us boolean, result_types text, deepest_standard integer, deepest_true integer,
  own_standard integer,
  own_true integer, own_url_standard text, own_url_true text, own_results integer, standard_1 numeric, standard_3 numeric,
  standard_5 numeric,
  standard_10 numeric, standard_20 numeric, true_1 numeric, true_3 numeric, true_5 numeric, true_10 numeric, true_20 numeric
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 1000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off SET enable_indexscan = off SET enable_nestloop = off AS $$
#variable_conflict use_column
DECLARE
  own   text[] := search_reports.own_patterns(account);
  -- JSON, since the nodes of a Citus cluster know its type.
  loads jsonb := (SELECT jsonb_agg(l) FROM search_reports.search_loads(account, sunday) AS l);
BEGIN
  RETURN QUERY
  WITH pages AS MATERIALIZED (
    SELECT time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code,
           search_engine_language_code, locode, device, query,
           coalesce(max(keyword_group_ids COLLATE "C"), '') AS ids, coalesce(max(keyword_group_names COLLATE "C"), '') AS names,
           max(volume) AS volume, count(*)::integer AS results, max(slice) AS slice,
           max(rank_standard) AS deepest_standard, max(rank_true) AS deepest_true,
           min(rank_standard) FILTER (WHERE is_own) AS own_standard, min(rank_true) FILTER (WHERE is_own) AS own_true,
           -- Ten digits, never below 0, so that the lowest rank also comes first as text.
           min((lpad((rank_standard + 2147483648)::text, 10, '0') || coalesce(normalized_url, '')) COLLATE "C")
             FILTER (WHERE is_own) AS own_url_standard,
           min((lpad((rank_true + 2147483648)::text, 10, '0') || coalesce(normalized_url, '')) COLLATE "C")
             FILTER (WHERE is_own) AS own_url_true,
           (count(*) FILTER (WHERE is_own))::integer AS own_results,
           search_reports.has_shared_place(count(*) FILTER (WHERE rank_standard <= 20),
                                           bit_or(1 << rank_standard) FILTER (WHERE rank_standard BETWEEN 1 AND 20))
             AS is_shared,
           search_reports.has_shared_place(count(*) FILTER (WHERE rank_true <= 20),
                                           bit_or(1 << rank_true) FILTER (WHERE rank_true BETWEEN 1 AND 20))
             AS is_true_shared,
           array_agg(rank_standard) FILTER (WHERE rank_standard <= 20) AS places,
           array_agg(rank_true) FILTER (WHERE rank_true <= 20) AS true_places,
           array_agg(rank_standard) FILTER (WHERE is_own AND rank_standard <= 20) AS own_places,
           array_agg(rank_true) FILTER (WHERE is_own AND rank_true <= 20) AS own_true_places,
           ARRAY[count(*) FILTER (WHERE is_own AND rank_standard <= 1), count(*) FILTER (WHERE is_own AND rank_standard <= 3),
                 count(*) FILTER (WHERE is_own AND rank_standard <= 5), count(*) FILTER (WHERE is_own AND rank_standard <= 10),
                 count(*) FILTER (WHERE is_own AND rank_standard <= 20)]::numeric[] AS own_within,
           ARRAY[count(*) FILTER (WHERE is_own AND rank_true <= 1), count(*) FILTER (WHERE is_own AND rank_true <= 3),
                 count(*) FILTER (WHERE is_own AND rank_true <= 5), count(*) FILTER (WHERE is_own AND rank_true <= 10),
                 count(*) FILTER (WHERE is_own AND rank_true <= 20)]::numeric[] AS own_true_within
      FROM (SELECT time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code,
                   search_engine_language_code, locode, device, query, keyword_group_ids, keyword_group_names, r._slice AS slice,
                   coalesce(average_search_volume, approximate_search_volume) AS volume, rank_standard, rank_true, normalized_url,
                   search_reports.is_own(subdomain, root_domain, own) AS is_own
              FROM search.keyword_rankings r
             WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
               AND (r._occurrence = 1 OR search_reports.is_first_copy(to_jsonb(r), ARRAY(
                    SELECT to_jsonb(o) FROM search.keyword_rankings o
                     WHERE o.account_id = r.account_id AND o.time_period_start = r.time_period_start AND o._key = r._key
                       AND o._occurrence < r._occurrence)))
            -- Without it, is_own would be computed for each of its uses.
            OFFSET 0) AS result
     GROUP BY time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code,
              search_engine_language_code, locode, device, query
  ), lists AS (
    -- There are few different lists, and splitting them is slow.
    SELECT ids, names,
           CASE WHEN cardinality(searchmill.list_items(names)) IN (0, cardinality(searchmill.list_items(ids)))
                THEN searchmill.list_items(names) ELSE ARRAY[names] END AS keyword_groups
      FROM (SELECT DISTINCT ids, names FROM pages) AS known
  ), cuts AS (
    SELECT * FROM jsonb_to_recordset(coalesce(loads, '[]')) AS c (slice bigint, first_loaded integer, last_loaded integer,
                                                                  is_whole boolean, shows_us boolean, result_types text)
  )
  SELECT account, sunday,
         search_reports.search_key(web_property_id, search_engine, search_engine_country_code, search_engine_language_code, locode, device,
                                   query),
         time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code, search_engine_language_code,
         locode, device, query, keyword_groups, volume, results, coalesce(c.first_loaded, 1), c.last_loaded, coalesce(c.is_whole, true),
         coalesce(c.shows_us, true) AND own <> '{}', c.result_types,
         deepest_standard, deepest_true, own_standard, own_true, nullif(substr(own_url_standard, 11), ''),
         nullif(substr(own_url_true, 11), ''), own_results,
         s.shares[1], s.shares[2], s.shares[3], s.shares[4], s.shares[5], t.shares[1], t.shares[2], t.shares[3], t.shares[4], t.shares[5]
    FROM pages p JOIN lists USING (ids, names) LEFT JOIN cuts c USING (slice)
   CROSS JOIN LATERAL (SELECT CASE WHEN p.is_shared AND p.own_places IS NOT NULL THEN search_reports.place_shares(p.own_places, p.places)
                                   ELSE p.own_within END AS shares) AS s
   CROSS JOIN LATERAL (SELECT CASE WHEN p.is_true_shared AND p.own_true_places IS NOT NULL
                       THEN search_reports.place_shares(p.own_true_places, p.true_places)
                                   ELSE p.own_true_within END AS shares) AS t;
END
$$;
COMMENT ON FUNCTION search_reports.compute_search_facts IS 'The rows of search_reports.search_facts for an account and the week of a '
  'Sunday, computed from the tables.';

CREATE OR REPLACE FUNCTION search_reports.compute_search_sites(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, web_property_id bigint, search_engine text, country text, device text, site text,
  is_own boolean, standard_1 numeric, standard_3 numeric, standard_5 numeric, standard_10 numeric, standard_20 numeric,
  true_1 numeric, true_3 numeric, true_5 numeric, true_10 numeric, true_20 numeric, standard_1_volume numeric,
  standard_3_volume numeric, standard_5_volume numeric, standard_10_volume numeric, standard_20_volume numeric,
  true_1_volume numeric, true_3_volume numeric, true_5_volume numeric, true_10_volume numeric, true_20_volume numeric
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 5000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off SET enable_indexscan = off SET enable_nestloop = off AS $$
#variable_conflict use_column
DECLARE
  own text[] := search_reports.own_patterns(account);
BEGIN
  RETURN QUERY
  WITH pages AS (
    SELECT web_property_id, search_engine, search_engine_country_code AS country, device,
           max(coalesce(average_search_volume, approximate_search_volume)) AS volume, array_agg(subdomain) AS subdomains,
           array_agg(root_domain) AS domains, array_agg(CASE WHEN rank_standard <= 20 THEN rank_standard END) AS places,
           array_agg(CASE WHEN rank_true <= 20 THEN rank_true END) AS true_places
      FROM search.keyword_rankings r
     WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
       AND (r._occurrence = 1 OR search_reports.is_first_copy(to_jsonb(r), ARRAY(
            SELECT to_jsonb(o) FROM search.keyword_rankings o
             WHERE o.account_id = r.account_id AND o.time_period_start = r.time_period_start AND o._key = r._key
               AND o._occurrence < r._occurrence)))
     GROUP BY time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code,
              search_engine_language_code, locode, device, query
  ), shares AS (
    SELECT p.web_property_id, p.search_engine, p.country, p.device, left(nullif(lower(k.domain COLLATE "C"), ''), 253) AS site,
           search_reports.is_own(k.subdomain, k.domain, own) AS is_own, k.place, k.true_place, k.standard_share, k.true_share,
           k.standard_share * p.volume AS standard_volume, k.true_share * p.volume AS true_volume
      FROM pages p
     CROSS JOIN LATERAL (
           SELECT u.*, round(1.0 / count(*) OVER (PARTITION BY u.place), 12) AS standard_share,
                  round(1.0 / count(*) OVER (PARTITION BY u.true_place), 12) AS true_share
             FROM unnest(p.subdomains, p.domains, p.places, p.true_places) AS u (subdomain, domain, place, true_place)) AS k
     WHERE k.place IS NOT NULL OR k.true_place IS NOT NULL
    OFFSET 0
  )
  SELECT account, sunday, web_property_id, search_engine, country, device, site, is_own,
         coalesce(sum(standard_share) FILTER (WHERE place <= 1), 0), coalesce(sum(standard_share) FILTER (WHERE place <= 3), 0),
         coalesce(sum(standard_share) FILTER (WHERE place <= 5), 0), coalesce(sum(standard_share) FILTER (WHERE place <= 10), 0),
         coalesce(sum(standard_share) FILTER (WHERE place <= 20), 0),
         coalesce(sum(true_share) FILTER (WHERE true_place <= 1), 0), coalesce(sum(true_share) FILTER (WHERE true_place <= 3), 0),
         coalesce(sum(true_share) FILTER (WHERE true_place <= 5), 0), coalesce(sum(true_share) FILTER (WHERE true_place <= 10), 0),
         coalesce(sum(true_share) FILTER (WHERE true_place <= 20), 0),
         coalesce(sum(standard_volume) FILTER (WHERE place <= 1), 0), coalesce(sum(standard_volume) FILTER (WHERE place <= 3), 0),
         coalesce(sum(standard_volume) FILTER (WHERE place <= 5), 0), coalesce(sum(standard_volume) FILTER (WHERE place <= 10), 0),
         coalesce(sum(standard_volume) FILTER (WHERE place <= 20), 0),
         coalesce(sum(true_volume) FILTER (WHERE true_place <= 1), 0), coalesce(sum(true_volume) FILTER (WHERE true_place <= 3), 0),
         coalesce(sum(true_volume) FILTER (WHERE true_place <= 5), 0), coalesce(sum(true_volume) FILTER (WHERE true_place <= 10), 0),
         coalesce(sum(true_volume) FILTER (WHERE true_place <= 20), 0)
    FROM shares
   GROUP BY web_property_id, search_engine, country, device, site, is_own;
END
$$;
COMMENT ON FUNCTION search_reports.compute_search_sites IS 'The rows of search_reports.search_sites for an account and the week of a '
  'Sunday, computed from the tables.';

-- Reads the view: the facts that a refresh has just stored, or those that are computed now.
CREATE OR REPLACE FUNCTION search_reports.compute_search_values(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, variable text, value text, amount bigint
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 50 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off AS $$
BEGIN
  RETURN QUERY
  WITH facts AS MATERIALIZED (
    SELECT f.web_property_id, f.search_engine, f.country, f.device, f.keyword_groups, f.volume
      FROM search_reports.search_facts f WHERE f.account_id = account AND f.week = sunday
  )
  SELECT account, sunday, v.variable, coalesce(nullif(v.value, ''), '(none)'), count(*)
    FROM facts f
   CROSS JOIN LATERAL (VALUES ('web_property', f.web_property_id::text), ('engine', f.search_engine), ('country', f.country),
                              ('device', f.device)) AS v (variable, value)
   GROUP BY v.variable, coalesce(nullif(v.value, ''), '(none)')
   UNION ALL
  SELECT account, sunday, 'keyword_group', g.name, count(*)
    FROM facts f CROSS JOIN LATERAL (SELECT DISTINCT unnest(f.keyword_groups) AS name) AS g GROUP BY g.name
   UNION ALL
  SELECT account, sunday, 'volume', 'known', count(*) FROM facts f WHERE f.volume > 0 HAVING count(*) > 0;
END
$$;
COMMENT ON FUNCTION search_reports.compute_search_values IS 'The rows of search_reports.search_values for an account and the week of a '
  'Sunday, computed from the facts.';

CREATE OR REPLACE FUNCTION search_reports.compute_ranking_pages(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, web_property_id bigint, search_engine text, country text, device text, url text,
  searches integer, best_standard integer, best_true integer
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 500 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off SET enable_indexscan = off AS $$
#variable_conflict use_column
DECLARE
  own text[] := search_reports.own_patterns(account);
BEGIN
  RETURN QUERY
  SELECT account, sunday, web_property_id, search_engine, search_engine_country_code, device, url, count(*)::integer,
         min(best_standard), min(best_true)
    FROM (SELECT web_property_id, search_engine, search_engine_country_code, device, search_reports.bare_url(normalized_url) AS url,
                 min(rank_standard) AS best_standard, min(rank_true) AS best_true
            FROM search.keyword_rankings
           WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
             AND search_reports.is_own(subdomain, root_domain, own)
           GROUP BY time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code,
                    search_engine_language_code, locode, device, query, search_reports.bare_url(normalized_url)) AS found
   GROUP BY web_property_id, search_engine, search_engine_country_code, device, url;
END
$$;
COMMENT ON FUNCTION search_reports.compute_ranking_pages IS 'The rows of search_reports.ranking_pages for an account and the week of a '
  'Sunday, computed from the tables.';
