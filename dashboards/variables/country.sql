-- Countries of search engines and of what assistants were asked, of the newest 13 weeks.
SELECT DISTINCT value, value AS label
  FROM search_reports.choices('country', :account::bigint)
 ORDER BY value
