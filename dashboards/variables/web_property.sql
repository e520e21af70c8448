-- Web properties of rankings and of answers, by the name that their newest rows have, from what is stored of the newest 13 weeks.
SELECT k.web_property_id AS value, coalesce(n.name, k.web_property_id::text) AS label
  FROM (SELECT web_property_id, max(week) AS week
          FROM (SELECT web_property_id, week FROM search_reports.ranking_totals_stored
                 WHERE account_id = :account::bigint AND week > (SELECT max(week) FROM search_reports.ranking_totals_stored WHERE account_id = :account::bigint) - 7 * 13
                UNION ALL
                SELECT web_property_id, week FROM search_reports.ai_answers_stored
                 WHERE account_id = :account::bigint AND week > (SELECT max(week) FROM search_reports.ai_answers_stored WHERE account_id = :account::bigint) - 7 * 13) AS summaries
         WHERE web_property_id IS NOT NULL
         GROUP BY 1) AS k
  LEFT JOIN LATERAL (
         (SELECT r.web_property_name AS name FROM search.keyword_rankings r
           WHERE r.account_id = :account::bigint AND r.time_period_start BETWEEN k.week AND k.week + 6 AND r.web_property_id = k.web_property_id
           LIMIT 1)
         UNION ALL
         (SELECT a.web_property_name FROM search.ai_search_response a
           WHERE a.account_id = :account::bigint AND a.time_period_start BETWEEN k.week AND k.week + 6 AND a.web_property_id = k.web_property_id
           LIMIT 1)
         LIMIT 1) AS n ON true
 ORDER BY 2, 1
