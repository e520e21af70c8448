-- Title: Rows per week
-- Question: Does any week have unusually few or many rows?
-- Chart: line
-- X: week
-- Y: rows
-- Series: job
-- Unit: rows
-- Note: Hide large jobs in the legend to see small ones. The table compares each week with the median of the job's weeks.
-- Computed: Rows of the publication in the week. Weeks that an early release loaded together have their mean. A week that is not published is a
--   gap.
-- Datasets: all
-- Variables: weeks
-- Order: 30
WITH counted AS (
  SELECT c.week, c.job, c.state, coalesce(s.published_week_rows[(c.week - s.window_start) / 7 + 1],
                                          round(c.slice_rows / ((s.window_end - s.window_start + 1) / 7.0))::bigint) AS rows
    FROM (SELECT max(week) AS week FROM searchmill.coverage) AS n
   CROSS JOIN LATERAL search_reports.span_of(:weeks::text, n.week) AS p
    JOIN searchmill.coverage c ON c.week BETWEEN coalesce(p.since, n.week - 7 * (p.most - 1), '-infinity') AND coalesce(p.until, n.week)
    LEFT JOIN searchmill.slices s ON s.id = c.slice_id
   WHERE c.is_expected OR c.published_at IS NOT NULL
)
SELECT c.week, c.job, c.rows, round((100 * c.rows / nullif(u.median, 0))::numeric, 1) AS percent_of_median,
       CASE WHEN c.rows IS NULL THEN c.state END AS reason
  FROM counted c
  JOIN (SELECT job, percentile_cont(0.5) WITHIN GROUP (ORDER BY rows) AS median FROM counted GROUP BY job) AS u ON u.job = c.job
 ORDER BY c.job, c.week
