-- Topics of answers and sentiments, of the newest 13 weeks.
SELECT DISTINCT value, value AS label
  FROM search_reports.choices('topic', :account::bigint)
 ORDER BY value
