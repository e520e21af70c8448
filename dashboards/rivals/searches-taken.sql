-- Title: Searches taken
-- Question: Which searches did a rival take from us, and which did we take from it?
-- Chart: table
-- Links: site, query = search
-- Changes: points
-- Beside: points, Taken from a rival, Taken by a rival
-- Note: Searches of both weeks in which one gained first places and the other lost some, the largest first.
-- Empty: In no search did a rival gain first places that we lost, or lose some that we gained.
-- Computed: What the change of our results, and of the rival's, adds to the market share, by what happened and not by other volumes, in
--   points; points is the smaller of both. Several rivals may have gained in one search. Rivals are the competitors of jobs.config.yaml
--   and the chosen ones, and the ten largest sites.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, weeks, compare, top_n, weighted, rank, competitor
-- Order: 30
SELECT t.site, t.query, t.place_before, t.place AS place_now, round(t.our_points, 4) AS ours, round(t.its_points, 4) AS theirs,
       round(t.taken, 4) AS points, t.volume, t.engine, t.country, t.device, coalesce(p.reason, p.refusal, k.lacks) AS reason,
       concat_ws(' ', p.notice, CASE WHEN t.kept > 0
         THEN format('%s times a rival took from us and %s times we did, of %s searches.', count(*) FILTER (WHERE t.taken < 0) OVER (),
                     count(*) FILTER (WHERE t.taken > 0) OVER (), t.kept) END) AS notice
  FROM search_reports.measure_pair('visibility', :account::bigint, :weeks::text, :compare::text) AS p
 CROSS JOIN LATERAL search_reports.lacks_between('visibility', :choices, p.week, p.before) AS k (lacks)
  LEFT JOIN LATERAL search_reports.taken_searches(:choices, p.week, p.before, ARRAY(
            SELECT site FROM search_reports.compared_sites('first_places', :choices, :weeks::text, 10, :competitor::text[])
             WHERE kind <> 'ours')) AS t ON true
 ORDER BY abs(t.taken) DESC, t.site, t.query, t.device, t.country, t.engine
