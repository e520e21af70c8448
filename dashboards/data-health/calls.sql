-- Title: Calls to the service
-- Question: How many calls did the loads of each day spend?
-- Chart: stacked
-- X: day
-- Y: submits, polls, pages
-- Unit: calls
-- Computed: Submits, polls and page reads of all loads, by the day (UTC) of their submit. Calls that failed on the way are not counted.
-- Datasets: all
-- Variables: weeks
-- Order: 80
SELECT submit_started_at::date AS day, count(*) AS submits, sum(poll_calls)::bigint AS polls, sum(page_calls)::bigint AS pages
  FROM searchmill.executions
 WHERE submit_started_at > now() - make_interval(weeks => :weeks::integer)
 GROUP BY 1
 ORDER BY 1
