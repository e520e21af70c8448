-- The summaries of rankings by account and week. Each function computes the rows of the view of the same name.

-- A digest has 128 places of four decimal digits, which is how a numeric stores them. Each member of a set adds 1 to one of the places or takes it away, as
-- its hash says. So the digest of two sets together is the sum of theirs; and squared and summed over all places, the difference of two digests is
-- about as many as are in one set only: where they are the same, exactly none; else, two times in three, within an eighth of their number.
CREATE OR REPLACE FUNCTION search_reports.digest_part(hash uuid) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE get_byte(uuid_send(hash), 0) % 2 WHEN 0 THEN 1 ELSE -1 END * ('1' || repeat('0000', get_byte(uuid_send(hash), 0) / 2))::numeric;
COMMENT ON FUNCTION search_reports.digest_part IS 'What a member of a set adds to the digest of the set, given its hash, of which the first byte counts.';

CREATE OR REPLACE FUNCTION search_reports.digest_distance(one numeric, other numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE one WHEN other THEN 0 ELSE (SELECT sum(power(substr(d.digits, n, 4)::integer - 5000, 2))::numeric
                                          FROM (SELECT lpad((one - other + repeat('5000', 128)::numeric)::text, 512, '0') AS digits) AS d
                                         CROSS JOIN generate_series(1, 509, 4) AS n) END;
COMMENT ON FUNCTION search_reports.digest_distance IS 'About how many members only one of two sets has, given their digests.';

-- Each call is planned for its week, because a generic plan would read all partitions. Statistics may not cover a week that has just been
-- published, so sorting is off and rows are grouped by hash. Index scans are off: in the order of the key the rows of a week are scattered over
-- its pages, and a scan of the table reads each page once.
CREATE OR REPLACE FUNCTION search_reports.compute_ranking_searches(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, search_key uuid, period_start date, period_end date, web_property_id bigint,
  search_engine text, country text, language text, locode text, device text, query text, keyword_groups text[], volume bigint,
  results integer, deepest_standard integer, deepest_true integer, own_standard integer, own_true integer,
  own_url_standard text, own_url_true text, own_results integer
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 5000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off SET enable_indexscan = off SET enable_nestloop = off AS $$
#variable_conflict use_column
DECLARE
  own text[] := search_reports.own_patterns(account);
BEGIN
  RETURN QUERY
  WITH searches AS MATERIALIZED (
    SELECT time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code,
           search_engine_language_code, locode, device, query,
           coalesce(max(keyword_group_ids COLLATE "C"), '') AS ids, coalesce(max(keyword_group_names COLLATE "C"), '') AS names,
           max(volume) AS volume, count(*)::integer AS results,
           max(rank_standard) AS deepest_standard, max(rank_true) AS deepest_true,
           min(rank_standard) FILTER (WHERE is_own) AS own_standard, min(rank_true) FILTER (WHERE is_own) AS own_true,
           -- Ten digits, never below 0, so that the lowest rank also comes first as text.
           min((lpad((rank_standard + 2147483648)::text, 10, '0') || coalesce(normalized_url, '')) COLLATE "C")
             FILTER (WHERE is_own) AS own_url_standard,
           min((lpad((rank_true + 2147483648)::text, 10, '0') || coalesce(normalized_url, '')) COLLATE "C")
             FILTER (WHERE is_own) AS own_url_true,
           (count(*) FILTER (WHERE is_own))::integer AS own_results
      FROM (SELECT time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code,
                   search_engine_language_code, locode, device, query, keyword_group_ids, keyword_group_names,
                   coalesce(average_search_volume, approximate_search_volume) AS volume, rank_standard, rank_true, normalized_url,
                   search_reports.is_own(subdomain, root_domain, own) AS is_own
              FROM search.keyword_rankings
             WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
            -- Without it, is_own would be computed for each of its uses.
            OFFSET 0) AS result
     GROUP BY time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code,
              search_engine_language_code, locode, device, query
  ), lists AS (
    -- There are few different lists, and splitting them is slow.
    SELECT ids, names,
           CASE WHEN cardinality(searchmill.list_items(names)) IN (0, cardinality(searchmill.list_items(ids)))
                THEN searchmill.list_items(names) ELSE ARRAY[names] END AS keyword_groups
      FROM (SELECT DISTINCT ids, names FROM searches) AS known
  )
  SELECT account, sunday,
         md5(ROW(web_property_id, search_engine, search_engine_country_code, search_engine_language_code, locode, device, query)::text)::uuid,
         time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code, search_engine_language_code,
         locode, device, query, keyword_groups, volume, results, deepest_standard, deepest_true, own_standard, own_true,
         nullif(substr(own_url_standard, 11), ''), nullif(substr(own_url_true, 11), ''), own_results
    FROM searches JOIN lists USING (ids, names);
END
$$;
COMMENT ON FUNCTION search_reports.compute_ranking_searches IS 'The rows of search_reports.ranking_searches for an account and the week of a Sunday, computed from the tables.';

CREATE OR REPLACE FUNCTION search_reports.compute_ranking_sites(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, web_property_id bigint, search_engine text, country text, device text, site text,
  is_own boolean, standard_1 integer, standard_3 integer, standard_5 integer, standard_10 integer, standard_20 integer,
  true_1 integer, true_3 integer, true_5 integer, true_10 integer, true_20 integer, standard_1_volume numeric,
  standard_3_volume numeric, standard_5_volume numeric, standard_10_volume numeric, standard_20_volume numeric,
  true_1_volume numeric, true_3_volume numeric, true_5_volume numeric, true_10_volume numeric, true_20_volume numeric
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 5000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off SET enable_indexscan = off SET enable_nestloop = off AS $$
#variable_conflict use_column
DECLARE
  own text[] := search_reports.own_patterns(account);
  -- A search has one volume, the largest of its results. Usually all results have the same, and no result has to be compared with the others.
  is_uneven boolean := EXISTS (
    SELECT FROM search.keyword_rankings
     WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
     GROUP BY time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code, search_engine_language_code, locode, device, query
    HAVING min(coalesce(average_search_volume, approximate_search_volume)) <> max(coalesce(average_search_volume, approximate_search_volume))
        OR count(coalesce(average_search_volume, approximate_search_volume)) NOT IN (0, count(*)));
BEGIN
  RETURN QUERY
  SELECT account, sunday, web_property_id, search_engine, search_engine_country_code, device, site, is_own,
         (count(*) FILTER (WHERE rank_standard <= 1))::integer, (count(*) FILTER (WHERE rank_standard <= 3))::integer,
         (count(*) FILTER (WHERE rank_standard <= 5))::integer, (count(*) FILTER (WHERE rank_standard <= 10))::integer,
         (count(*) FILTER (WHERE rank_standard <= 20))::integer,
         (count(*) FILTER (WHERE rank_true <= 1))::integer, (count(*) FILTER (WHERE rank_true <= 3))::integer,
         (count(*) FILTER (WHERE rank_true <= 5))::integer, (count(*) FILTER (WHERE rank_true <= 10))::integer,
         (count(*) FILTER (WHERE rank_true <= 20))::integer,
         coalesce(sum(volume) FILTER (WHERE rank_standard <= 1), 0), coalesce(sum(volume) FILTER (WHERE rank_standard <= 3), 0),
         coalesce(sum(volume) FILTER (WHERE rank_standard <= 5), 0), coalesce(sum(volume) FILTER (WHERE rank_standard <= 10), 0),
         coalesce(sum(volume) FILTER (WHERE rank_standard <= 20), 0),
         coalesce(sum(volume) FILTER (WHERE rank_true <= 1), 0), coalesce(sum(volume) FILTER (WHERE rank_true <= 3), 0),
         coalesce(sum(volume) FILTER (WHERE rank_true <= 5), 0), coalesce(sum(volume) FILTER (WHERE rank_true <= 10), 0),
         coalesce(sum(volume) FILTER (WHERE rank_true <= 20), 0)
    FROM (SELECT web_property_id, search_engine, search_engine_country_code, device, left(nullif(lower(root_domain COLLATE "C"), ''), 253) AS site, rank_standard, rank_true, volume,
                 search_reports.is_own(subdomain, root_domain, own) AS is_own
            FROM (SELECT *, coalesce(average_search_volume, approximate_search_volume) AS volume
                    FROM search.keyword_rankings
                   WHERE NOT is_uneven AND account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
                  UNION ALL
                  SELECT *, max(coalesce(average_search_volume, approximate_search_volume)) OVER (
                              PARTITION BY time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code,
                                           search_engine_language_code, locode, device, query)
                    FROM search.keyword_rankings
                   WHERE is_uneven AND account_id = account AND time_period_start BETWEEN sunday AND sunday + 6) AS weighed
           WHERE rank_standard <= 20 OR rank_true <= 20) AS result
   GROUP BY web_property_id, search_engine, search_engine_country_code, device, site, is_own;
END
$$;
COMMENT ON FUNCTION search_reports.compute_ranking_sites IS 'The rows of search_reports.ranking_sites for an account and the week of a Sunday, computed from the tables.';

-- Reads the view: the searches that a refresh has just stored, or those that are computed now.
CREATE OR REPLACE FUNCTION search_reports.compute_ranking_totals(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, web_property_id bigint, search_engine text, country text, device text, searches integer,
  searches_with_volume integer, volume numeric, standard_1 integer, standard_2_3 integer, standard_4_10 integer,
  standard_11_20 integer, standard_beyond integer, standard_absent integer, true_1 integer, true_2_3 integer,
  true_4_10 integer, true_11_20 integer, true_beyond integer, true_absent integer, standard_1_volume numeric,
  standard_2_3_volume numeric, standard_4_10_volume numeric, standard_11_20_volume numeric, standard_beyond_volume numeric,
  standard_absent_volume numeric, true_1_volume numeric, true_2_3_volume numeric, true_4_10_volume numeric,
  true_11_20_volume numeric, true_beyond_volume numeric, true_absent_volume numeric, standard_place_sum bigint,
  true_place_sum bigint, digest numeric
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 100 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT account, sunday, web_property_id, search_engine, country, device,
         count(*)::integer, count(volume)::integer, coalesce(sum(volume), 0),
         (count(*) FILTER (WHERE own_standard <= 1))::integer, (count(*) FILTER (WHERE own_standard BETWEEN 2 AND 3))::integer,
         (count(*) FILTER (WHERE own_standard BETWEEN 4 AND 10))::integer, (count(*) FILTER (WHERE own_standard BETWEEN 11 AND 20))::integer,
         (count(*) FILTER (WHERE own_standard > 20))::integer, (count(*) FILTER (WHERE own_standard IS NULL))::integer,
         (count(*) FILTER (WHERE own_true <= 1))::integer, (count(*) FILTER (WHERE own_true BETWEEN 2 AND 3))::integer,
         (count(*) FILTER (WHERE own_true BETWEEN 4 AND 10))::integer, (count(*) FILTER (WHERE own_true BETWEEN 11 AND 20))::integer,
         (count(*) FILTER (WHERE own_true > 20))::integer, (count(*) FILTER (WHERE own_true IS NULL))::integer,
         coalesce(sum(volume) FILTER (WHERE own_standard <= 1), 0), coalesce(sum(volume) FILTER (WHERE own_standard BETWEEN 2 AND 3), 0),
         coalesce(sum(volume) FILTER (WHERE own_standard BETWEEN 4 AND 10), 0), coalesce(sum(volume) FILTER (WHERE own_standard BETWEEN 11 AND 20), 0),
         coalesce(sum(volume) FILTER (WHERE own_standard > 20), 0), coalesce(sum(volume) FILTER (WHERE own_standard IS NULL), 0),
         coalesce(sum(volume) FILTER (WHERE own_true <= 1), 0), coalesce(sum(volume) FILTER (WHERE own_true BETWEEN 2 AND 3), 0),
         coalesce(sum(volume) FILTER (WHERE own_true BETWEEN 4 AND 10), 0), coalesce(sum(volume) FILTER (WHERE own_true BETWEEN 11 AND 20), 0),
         coalesce(sum(volume) FILTER (WHERE own_true > 20), 0), coalesce(sum(volume) FILTER (WHERE own_true IS NULL), 0),
         coalesce(sum(own_standard), 0), coalesce(sum(own_true), 0), sum(search_reports.digest_part(search_key))
    FROM search_reports.ranking_searches
   WHERE account_id = account AND week = sunday
   GROUP BY web_property_id, search_engine, country, device;
END
$$;
COMMENT ON FUNCTION search_reports.compute_ranking_totals IS 'The rows of search_reports.ranking_totals for an account and the week of a Sunday, computed from the tables.';

CREATE OR REPLACE FUNCTION search_reports.compute_ranking_groups(account bigint, sunday date) RETURNS TABLE (
  account_id bigint, week date, web_property_id bigint, search_engine text, country text, device text, keyword_group text,
  searches integer, volume numeric, standard_3 integer, standard_10 integer, true_3 integer, true_10 integer,
  standard_3_volume numeric, standard_10_volume numeric, true_3_volume numeric, true_10_volume numeric,
  volume_squared numeric, standard_3_squared numeric, true_3_squared numeric, digest numeric
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 500 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT account, sunday, web_property_id, search_engine, country, device, keyword_group, count(*)::integer, coalesce(sum(volume), 0),
         (count(*) FILTER (WHERE own_standard <= 3))::integer, (count(*) FILTER (WHERE own_standard <= 10))::integer,
         (count(*) FILTER (WHERE own_true <= 3))::integer, (count(*) FILTER (WHERE own_true <= 10))::integer,
         coalesce(sum(volume) FILTER (WHERE own_standard <= 3), 0), coalesce(sum(volume) FILTER (WHERE own_standard <= 10), 0),
         coalesce(sum(volume) FILTER (WHERE own_true <= 3), 0), coalesce(sum(volume) FILTER (WHERE own_true <= 10), 0),
         coalesce(sum(volume::numeric * volume), 0), coalesce(sum(volume::numeric * volume) FILTER (WHERE own_standard <= 3), 0),
         coalesce(sum(volume::numeric * volume) FILTER (WHERE own_true <= 3), 0),
         sum(search_reports.digest_part(search_key))
    FROM search_reports.ranking_searches CROSS JOIN LATERAL (SELECT DISTINCT unnest(keyword_groups) AS keyword_group) AS groups
   WHERE account_id = account AND week = sunday
   GROUP BY web_property_id, search_engine, country, device, keyword_group;
END
$$;
COMMENT ON FUNCTION search_reports.compute_ranking_groups IS 'The rows of search_reports.ranking_groups for an account and the week of a Sunday, computed from the tables.';

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
COMMENT ON FUNCTION search_reports.compute_ranking_pages IS 'The rows of search_reports.ranking_pages for an account and the week of a Sunday, computed from the tables.';
