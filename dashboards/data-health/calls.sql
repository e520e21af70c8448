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
  FROM searchmill.executions CROSS JOIN search_reports.span_of(:weeks::text, current_date) AS s
 WHERE submit_started_at > coalesce(s.since, now() - make_interval(weeks => s.most), '-infinity') AND (s.until IS NULL OR submit_started_at < s.until + 7)
 GROUP BY 1
 ORDER BY 1
