-- Sites with results in the newest week, then cited ones, each by how often.
SELECT value, label FROM search_reports.things('site', :account::bigint) ORDER BY number
