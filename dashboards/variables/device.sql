-- Devices of tracked searches, of the newest 13 weeks.
SELECT DISTINCT value, value AS label
  FROM search_reports.choices('device', :account::bigint)
 ORDER BY value
