-- Search engines of the tracked searches of the newest week that is stored.
SELECT search_engine AS value, search_engine AS label
  FROM search_reports.ranking_totals_stored
 WHERE account_id = :account::bigint AND week = (SELECT max(week) FROM search_reports.ranking_totals_stored WHERE account_id = :account::bigint) AND search_engine IS NOT NULL
 GROUP BY search_engine
 ORDER BY sum(searches) DESC, search_engine
