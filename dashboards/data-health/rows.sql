-- Title: Rows per week
-- Question: Does any week have unusually few or many rows?
-- Chart: line
-- X: week
-- Y: percent_of_median
-- Series: job
-- Unit: %
-- Note: 100 % is the median of the job's weeks that are shown. The table has the rows.
-- Computed: Rows of the publication in the week, divided by the median of the job's weeks. Weeks that an early release loaded together have
--   their mean. A week that is not published is a gap.
-- Datasets: all
-- Variables: weeks
-- Order: 30
WITH newest AS (
  SELECT max(week) AS week FROM searchmill.coverage), counted AS (
  SELECT c.week, c.job, c.state,
         coalesce(s.published_week_rows[(c.week - s.window_start) / 7 + 1],
                  round(c.slice_rows / ((s.window_end - s.window_start + 1) / 7.0))::bigint) AS rows
    FROM searchmill.coverage c CROSS JOIN newest n LEFT JOIN searchmill.slices s ON s.id = c.slice_id
   WHERE c.week > n.week - 7 * :weeks::integer AND (c.is_expected OR c.published_at IS NOT NULL)), usual AS (
  SELECT job, percentile_cont(0.5) WITHIN GROUP (ORDER BY rows) AS median FROM counted GROUP BY job)
SELECT c.week, c.job, round((100 * c.rows / nullif(u.median, 0))::numeric, 1) AS percent_of_median, c.rows,
       CASE WHEN c.rows IS NULL THEN c.state WHEN u.median = 0 THEN 'most weeks have no rows' END AS reason
  FROM counted c JOIN usual u ON u.job = c.job
 ORDER BY c.job, c.week
