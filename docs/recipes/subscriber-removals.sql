-- Logical replication, at the second Postgres, once a day: removes the weeks that keep_weeks has removed at the first. One statement a table.
DELETE FROM search.keyword_rankings r
 USING search_reports.changed_weeks c
 WHERE c.dataset = 'keyword_rankings' AND c.publication IS NULL
   AND r.account_id = c.account_id AND r.time_period_start >= c.week AND r.time_period_start < c.week + 7;
