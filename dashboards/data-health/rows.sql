-- Title: Rows per week
-- Question: Does any week have unusually few or many rows?
-- Chart: line
-- X: week
-- Y: rows
-- Series: job
-- Unit: rows
-- Note: Weeks that one query loaded together show their mean.
-- Computed: Rows of the publication that covers the week, divided by the weeks it covers. A week that is not published is a gap.
-- Datasets: all
-- Variables: weeks
-- Order: 30
WITH newest AS (
  SELECT max(week) AS week FROM searchmill.coverage)
SELECT c.week, c.job, round(c.slice_rows / ((s.window_end - s.window_start + 1) / 7.0))::bigint AS rows,
       CASE WHEN c.slice_rows IS NULL THEN c.state END AS reason
  FROM searchmill.coverage c CROSS JOIN newest n LEFT JOIN searchmill.slices s ON s.id = c.slice_id
 WHERE c.week > n.week - 7 * :weeks::integer AND (c.is_expected OR c.published_at IS NOT NULL)
 ORDER BY c.job, c.week
