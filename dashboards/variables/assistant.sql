-- Assistants with answers, citations, sentiments or searches, from what is stored of the newest 13 weeks: nothing is computed for it.
SELECT assistant AS value, assistant AS label
  FROM (SELECT assistant FROM search_reports.ai_answers_stored
         WHERE account_id = :account::bigint AND week > (SELECT max(week) FROM search_reports.ai_answers_stored WHERE account_id = :account::bigint) - 7 * 13
        UNION
        SELECT assistant FROM search_reports.ai_citation_sites_stored
         WHERE account_id = :account::bigint AND week > (SELECT max(week) FROM search_reports.ai_citation_sites_stored WHERE account_id = :account::bigint) - 7 * 13
        UNION
        SELECT assistant FROM search_reports.ai_sentiments_stored
         WHERE account_id = :account::bigint AND week > (SELECT max(week) FROM search_reports.ai_sentiments_stored WHERE account_id = :account::bigint) - 7 * 13
        UNION
        SELECT assistant FROM search_reports.ai_fan_out_stored
         WHERE account_id = :account::bigint AND week > (SELECT max(week) FROM search_reports.ai_fan_out_stored WHERE account_id = :account::bigint) - 7 * 13) AS known
 WHERE assistant <> ''
 ORDER BY assistant
