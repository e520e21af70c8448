-- What a week is compared with: the same distance back for every week, or one of the weeks that are published.
SELECT value, label
  FROM (SELECT 'week' AS value, 'the week before' AS label, 1 AS place UNION ALL SELECT 'month', 'four weeks before', 2 UNION ALL SELECT 'year',
        'a year before', 3
        UNION ALL SELECT DISTINCT week::text, 'week of ' || week, 4 FROM search_reports.weeks WHERE account_id = :account::bigint AND is_published) AS offered
 ORDER BY place, value DESC
