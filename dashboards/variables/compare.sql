-- What a week is compared with: the same distance back for every week, or one of the weeks that are published.
SELECT value, label
  FROM (SELECT 'week' AS value, 'the week before' AS label, 1 AS place UNION ALL SELECT 'month', 'four weeks before', 2
        UNION ALL SELECT 'year', 'a year before', 3
        UNION ALL SELECT DISTINCT week::text, 'week of ' || week, 4
                    FROM (SELECT w.week, max(w.week) OVER () AS newest FROM search_reports.weeks w
                           WHERE w.account_id = :account::bigint AND w.is_published) AS k WHERE k.week < k.newest) AS offered
 ORDER BY place, value DESC
