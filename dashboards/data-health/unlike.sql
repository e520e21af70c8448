-- Title: Tables against publications
-- Question: Of which weeks does a table have other rows than were published?
-- Chart: table
-- Note: "searchmill verify" compares at once, and names what mends a week.
-- Empty: All rows that were counted are there.
-- Computed: Periods of which a running service has last counted other rows than publishing wrote down. It counts the newest weeks each hour, all within a day.
-- Datasets: all
-- Order: 15
SELECT s.job, s.dataset, p.period_start AS week, p.rows AS published_rows, p.found_rows AS rows_in_table, p.differs_since AS since
  FROM searchmill.published_periods p
  JOIN searchmill.slices s ON s.id = p.slice_id
  JOIN searchmill.jobs j ON j.name = s.job AND j.removed_at IS NULL
 WHERE p.differs_since IS NOT NULL
 ORDER BY p.period_start DESC, s.job
 LIMIT 200
