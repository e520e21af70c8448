-- Title: First three places by keyword group
-- Question: In which groups are we among the first three?
-- Chart: heatmap
-- X: week
-- Y: share
-- Series: keyword_group
-- Unit: %
-- Note: The 25 groups with the most searches in the newest week.
-- Computed: Searches of the group with an own result within the first three places, divided by all searches of the group: each with its
--   search volume (average_search_volume, else approximate_search_volume), or unweighted. A search counts in each of its groups.
--   low and high are the 95 % interval of the share, as if the searches were a sample of everything that people search for.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, weeks, weighted, rank
-- Order: 40
WITH frame AS (
  SELECT *
    FROM search_reports.ranking_frame(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :weeks::text, 3,
                                      :weighted::boolean)
), groups AS (
  SELECT *
    FROM search_reports.ranking_groups_of(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                          (SELECT min(week) FROM frame), :keyword_group::text[])
), top AS (
  SELECT keyword_group, searches FROM groups WHERE week = (SELECT max(week) FROM groups) ORDER BY searches DESC, keyword_group LIMIT 25
), runs AS (
  SELECT r.*
    FROM (SELECT array_agg(keyword_group) AS groups, array_agg(week) AS weeks, array_agg(g.searches) AS searches, array_agg(f.searches) AS wholes,
                 array_agg(g.digest) AS digests
            FROM groups g JOIN top t USING (keyword_group) JOIN frame f USING (week) WHERE f.gap IS NULL) AS a
   CROSS JOIN LATERAL search_reports.line_runs(a.groups, a.weeks, a.searches, a.wholes, 'searches of it', a.digests) AS r
), volumes AS (
  -- Searches without a known volume weigh nothing.
  SELECT r.*
    FROM (SELECT array_agg(keyword_group) AS groups, array_agg(week) AS weeks, array_agg(round(g.volume / g.searches, 1)) AS averages,
                 array_agg(round(f.weight / f.searches, 1)) AS wholes
            FROM groups g JOIN top t USING (keyword_group) JOIN frame f USING (week) WHERE f.gap IS NULL AND f.is_by_volume AND g.volume > 0) AS a
   CROSS JOIN LATERAL search_reports.volume_runs(a.groups, a.weeks, a.averages, a.wholes) AS r
)
SELECT f.week, t.keyword_group,
       CASE WHEN k.gap IS NOT NULL THEN NULL WHEN f.is_by_volume THEN round(100.0 * g.found_volume / g.volume, 1)
            ELSE round(100.0 * g.found / g.searches, 1) END AS share,
       CASE WHEN k.gap IS NULL THEN round(b.bounds[1], 1) END AS low, CASE WHEN k.gap IS NULL THEN round(b.bounds[2], 1) END AS high, g.searches,
       coalesce(k.gap, nullif(concat_ws('; ', f.note, l.change, r.change, v.change), '')) AS reason,
       CASE WHEN k.gap IS NULL THEN concat_ws(', ', l.question, r.question, v.question) END AS question, f.notice
  FROM frame f CROSS JOIN search_reports.own_sites(:account::bigint, NULL) AS o LEFT JOIN top t ON true
  LEFT JOIN groups g ON g.week = f.week AND g.keyword_group = t.keyword_group
  LEFT JOIN runs r ON r.week = f.week AND r.line = t.keyword_group
  LEFT JOIN volumes v ON v.week = f.week AND v.line = t.keyword_group
 CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('group', t.keyword_group, 'site', array_to_string(o.ours, ',')), g.found > 0) AS l
 CROSS JOIN LATERAL (
       SELECT coalesce(f.gap, o.gap, CASE WHEN f.depth < 3 THEN format('tracked to place %s only (max_rank)', f.depth) END, l.unasked,
                       CASE WHEN g.searches IS NULL THEN 'no searches' WHEN f.is_by_volume AND g.volume = 0 THEN 'no search volumes' END) AS gap) AS k
 CROSS JOIN LATERAL (
       SELECT CASE WHEN f.is_by_volume
                   THEN search_reports.rate_interval(g.found_volume::float8, g.volume::float8, g.volume_squared::float8, g.found_squared::float8,
                                                     g.found_squared::float8)
                   ELSE search_reports.rate_interval(g.found::float8, g.searches::float8, g.searches::float8, g.found::float8,
                                                     g.found::float8) END AS bounds) AS b
 ORDER BY t.searches DESC, t.keyword_group, f.week
