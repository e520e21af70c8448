-- Countries of search engines and of answers.
SELECT country AS value, country AS label
  FROM (SELECT country FROM search_reports.ranking_totals WHERE account_id = :account::bigint
        UNION SELECT country FROM search_reports.ai_answers WHERE account_id = :account::bigint) AS known
 WHERE country <> ''
 ORDER BY country
