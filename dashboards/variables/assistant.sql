-- Assistants with answers, citations, sentiments or searches, of the newest 13 weeks.
SELECT DISTINCT value, value AS label
  FROM search_reports.choices('assistant', :account::bigint)
 ORDER BY value
