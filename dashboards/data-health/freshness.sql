-- Title: Freshness
-- Question: How recent is the newest published week of each job?
-- Chart: table
-- Computed: The newest published week against the newest that the schedule expects. "Weeks behind" counts those expected after it.
-- Datasets: all
-- Order: 20
SELECT j.name AS job, j.dataset, count(*) FILTER (WHERE w.is_expected AND w.week > coalesce(w.newest, '-infinity')) AS weeks_behind,
       min(w.newest) AS newest_week, j.expected_through AS newest_expected_week, max(w.published_at) AS last_published,
       CASE WHEN j.removed_at IS NOT NULL THEN 'removed' WHEN NOT j.enabled THEN 'switched off'
            WHEN bool_or(w.paused_since IS NOT NULL) THEN 'paused' ELSE 'scheduled' END AS standing
  FROM searchmill.jobs j
  LEFT JOIN (SELECT *, max(week) FILTER (WHERE published_at IS NOT NULL) OVER (PARTITION BY job) AS newest
               FROM searchmill.coverage) AS w ON w.job = j.name
 GROUP BY j.name
 ORDER BY j.removed_at IS NOT NULL, weeks_behind DESC, j.name
