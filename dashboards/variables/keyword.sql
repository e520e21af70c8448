-- Keywords of the newest week with rankings, the most searched ones first.
SELECT value, label FROM search_reports.things('keyword', :account::bigint) ORDER BY number
