-- Devices of the tracked searches of the newest week that is stored.
SELECT device AS value, device AS label
  FROM search_reports.ranking_totals_stored
 WHERE account_id = :account::bigint AND week = (SELECT max(week) FROM search_reports.ranking_totals_stored WHERE account_id = :account::bigint) AND device IS NOT NULL
 GROUP BY device
 ORDER BY sum(searches) DESC, device
