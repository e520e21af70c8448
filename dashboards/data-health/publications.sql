-- Title: Last publications
-- Question: What did each publication change?
-- Chart: table
-- Computed: The 100 newest publications. "First" is the first of its job for at least one of its weeks.
-- Datasets: all
-- Order: 50
SELECT p.published_at, s.job, s.window_start AS first_day, s.window_end AS last_day, replace(e.reason, '_', ' ') AS reason,
       p.rows_inserted AS inserted, p.rows_updated AS updated, p.rows_deleted AS deleted, p.rows_unchanged AS unchanged,
       EXISTS (SELECT FROM searchmill.week_changes c WHERE c.publication_id = p.id AND c.kind = 'published') AS first
  FROM searchmill.publications p
  JOIN searchmill.executions e ON e.id = p.execution_id
  JOIN searchmill.slices s ON s.id = p.slice_id
 ORDER BY p.id DESC
 LIMIT 100
