-- Title: Last publications
-- Question: What did each publication change?
-- Chart: table
-- Computed: The 100 newest publications. "First" is the first publication of its weeks, all of whose rows are new.
-- Datasets: all
-- Order: 50
SELECT p.published_at, s.job, s.window_start AS first_day, s.window_end AS last_day, replace(e.reason, '_', ' ') AS reason,
       p.rows_inserted AS inserted, p.rows_updated AS updated, p.rows_deleted AS deleted, p.rows_unchanged AS unchanged,
       NOT EXISTS (SELECT FROM searchmill.publications b WHERE b.slice_id = p.slice_id AND b.id < p.id) AS first
  FROM searchmill.publications p
  JOIN searchmill.executions e ON e.id = p.execution_id
  JOIN searchmill.slices s ON s.id = p.slice_id
 ORDER BY p.id DESC
 LIMIT 100
