-- Keyword groups of tracked searches, of the newest 13 weeks.
SELECT DISTINCT value, value AS label
  FROM search_reports.choices('keyword_group', :account::bigint)
 ORDER BY value
