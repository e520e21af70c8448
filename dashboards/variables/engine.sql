-- Search engines of tracked searches, of the newest 13 weeks.
SELECT DISTINCT value, value AS label
  FROM search_reports.choices('engine', :account::bigint)
 ORDER BY value
