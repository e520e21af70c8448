-- Countries of search engines and of answers, from what is stored of the newest 13 weeks.
SELECT country AS value, country AS label
  FROM (SELECT country FROM search_reports.ranking_totals_stored
         WHERE account_id = :account::bigint AND week > (SELECT max(week) FROM search_reports.ranking_totals_stored WHERE account_id = :account::bigint) - 7 * 13
        UNION
        SELECT country FROM search_reports.ai_answers_stored
         WHERE account_id = :account::bigint AND week > (SELECT max(week) FROM search_reports.ai_answers_stored WHERE account_id = :account::bigint) - 7 * 13) AS known
 WHERE country <> ''
 ORDER BY country
