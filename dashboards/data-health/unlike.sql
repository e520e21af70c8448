-- Title: Tables against publications
-- Question: For which weeks does a table differ from what was published?
-- Chart: table
-- Note: "searchmill verify" compares at once, and shows the commands that repair a week.
-- Empty: All counted weeks are complete.
-- Computed: Periods for which a running service last counted a number of rows other than publishing recorded. It counts the newest weeks every hour, all within a day.
-- Datasets: all
-- Order: 15
SELECT s.job, s.dataset, p.period_start AS week, p.rows AS published_rows, p.found_rows AS rows_in_table, p.differs_since AS since
  FROM searchmill.published_periods p
  JOIN searchmill.slices s ON s.id = p.slice_id
  JOIN searchmill.jobs j ON j.name = s.job AND j.removed_at IS NULL
 WHERE p.differs_since IS NOT NULL
 ORDER BY p.period_start DESC, s.job
 LIMIT 200
